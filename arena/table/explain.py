"""A verdict in words: which bot, seat, game and hand, what came, what was expected, the likely mistake."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping

from arena.bots.limits import Limits
from arena.table.referee import Foul
from arena.table.verdict import Fault

STDERR_TAIL = 2000
"""Characters of a seat's stderr that go into a record."""


def fault_text(
    foul: Foul,
    *,
    bot: str,
    seat: int,
    game: str,
    hand_number: int | None,
    limits: Limits,
    answered: bool,
    stderr: str = "",
) -> str:
    """One line for a person. `game` names the game ("pair 3 leg 0"); `answered`: whether this seat has
    answered anything in it; `stderr` is the end of what it printed there."""
    where = f"{bot}, seat {seat}, {game}" + ("" if hand_number is None else f", hand {hand_number + 1}")
    parts = [what_came(foul, limits)]
    what_to_do = advice(foul, answered=answered, stderr=stderr)
    if what_to_do:
        parts.append(what_to_do)
    return f"{where}: {'; '.join(parts)}"


_WHAT: Mapping[Fault, Callable[[Limits], str]] = {
    Fault.START_FAILED: lambda limits: "it ended before it said ready",
    Fault.START_TIMEOUT: lambda limits: f"it did not say ready within {limits.start_ms} ms",
    Fault.BAD_READY: lambda limits: "its answer to hello is not a ready",
    Fault.CRASHED: lambda limits: "it ended, or closed its pipes, before a whole answer came",
    Fault.TIMEOUT: lambda limits: f"no whole answer within {_time(limits)}",
    Fault.NOT_READING: lambda limits: f"it did not read its request from stdin within {_time(limits)}",
    Fault.MALFORMED: lambda limits: "what it sent is not a well-formed message",
    Fault.WRONG_ID: lambda limits: "its answer belongs to no open request",
    Fault.ILLEGAL: lambda limits: "its action is not legal",
    Fault.UNSOLICITED: lambda limits: "it sent a message while it was not asked",
    Fault.OVER_MEMORY: lambda limits: "it used more memory than it may, and was killed",
    Fault.BURNED: lambda limits: "it used the core in another's time and made that seat late",
    Fault.KILLED_SLOT: lambda limits: "it brought the referee's own process down",
}


def _time(limits: Limits) -> str:
    if limits.move_ms is None:
        return "its time"
    return f"{limits.move_ms} ms" + ("" if limits.bank_ms is None else " and what was left of its bank")


def what_came(foul: Foul, limits: Limits) -> str:
    """The verdict with what came and what was expected."""
    what = _WHAT[foul.code](limits)
    what = f"{what} ({foul.detail})" if foul.detail else what
    return f"{what}; expected {foul.expected}" if foul.expected else what


def advice(foul: Foul, *, answered: bool, stderr: str) -> str:
    """What the author should look at or change, "" where the verdict says it all."""
    match foul.code:
        case Fault.CRASHED | Fault.START_FAILED:
            return _crash_advice(stderr)
        case Fault.TIMEOUT | Fault.START_TIMEOUT if not answered:
            return _silence_advice(foul.detail)
        case Fault.TIMEOUT:
            return "it thinks too long: `time_ms` in each request is its limit"
        case Fault.NOT_READING:
            return "read stdin to the end of each message, also of those that need no answer"
        case Fault.WRONG_ID:
            return "copy `id` from the request into the answer"
        case Fault.ILLEGAL:
            return _illegal_advice(foul)
        case Fault.UNSOLICITED:
            return "answer each `act` once, with one message, and print everything else to stderr"
        case Fault.BURNED:
            return "stop all work when the answer is sent"
        case Fault.BAD_READY:
            return 'answer hello with {"type":"ready"} and nothing before it'
        case _:
            return ""


def _silence_advice(detail: str) -> str:
    if "flushed" in detail or "newline" in detail:
        return ""
    return (
        "is stdout flushed after each message, and stdin read as bytes, no more of them than the length says?"
    )


def _crash_advice(stderr: str) -> str:
    if re.search(r"UnicodeDecodeError|codec can't decode|invalid byte sequence|malformed UTF-8", stderr):
        return 'stdin was read as text: read bytes (in Python sys.stdin.buffer), or set encoding = "json"'
    if re.search(r"ModuleNotFoundError|ImportError|Cannot find module|NoClassDefFoundError", stderr):
        return "a library that it needs is missing where it runs: see its stderr"
    if stderr.strip():
        return "its stderr says why"
    return (
        "it said nothing on stderr; did it take the input to be at its end? "
        "Are stdin and stdout read and written as bytes, not as text?"
    )


def _illegal_advice(foul: Foul) -> str:
    came = _plain(foul.detail.removesuffix(" came").strip("'\""))
    legal = {_plain(word): word for word in foul.expected.removeprefix("one of ").split(", ")}
    # A card's word is one letter from another card's: only of calls is a close spelling a hint.
    near = [came] if came in legal else difflib.get_close_matches(came, [w for w in legal if ":" not in w], 1)
    if near:
        return f"did you mean `{legal[near[0]]}`? Answer with a word out of `legal`, letter by letter"
    return "answer with a word out of `legal`"


def _plain(word: str) -> str:
    return re.sub(r"[\s-]+", "_", word.strip().lower())
