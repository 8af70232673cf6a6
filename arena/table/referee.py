"""The referee, sans-IO: what a seat is asked, and what its answer is worth.

No process, no clock and no file: a state and a seat give a request; what came back gives a decision
or a `Foul`. The driver (match.py) asks real seats and keeps the time.
"""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from typing import Any

from msgpack import Packer, unpackb

from arena.bots.limits import Limits
from arena.games.base import Game, HandResult, Outcome, State
from arena.table.verdict import Fault
from protocol import RemoteProtocolError

Map = dict[str, Any]

PROTOCOL_VERSION = 1

# A Packer keeps no state between calls; making one a call costs more than packing with it.
_pack: Callable[[Any], bytes] = Packer().pack
_MAP = tuple(bytes([0x80 | keys]) if keys < 16 else bytes([0xDE, 0, keys]) for keys in range(64))
"""The head of a map, by its number of keys."""
_TYPE_AND_ID = _pack("type") + _pack("act") + _pack("id")
_LEGAL, _TIME, _BANK = _pack("legal"), _pack("time_ms"), _pack("bank_ms")


class Why(StrEnum):
    """Why no whole frame came."""

    EARLIER = "earlier"
    """The seat had failed before it was asked."""
    BAD_BYTES = "bad_bytes"
    """What came cannot be the start of a frame."""
    EOF = "eof"
    """Its stdout ended, or it no longer has a stdin."""
    BLOCKED = "blocked"
    """Time ran out before the request could be written."""
    LATE = "late"
    """Time ran out: a poll with no time left found nothing."""
    MEMORY = "memory"
    """It was over its memory limit and was killed."""


@dataclass(frozen=True, slots=True)
class NoFrame:
    """What came from a seat where no whole frame did."""

    why: Why
    detail: str = ""
    """What was seen, for the verdict's text."""
    foul: Foul | None = None
    """With `EARLIER`: what it had done."""
    excused_s: float = 0.0
    """With `LATE`: seconds for which the host was late, and no seat of the game to blame for it."""


@dataclass(frozen=True, slots=True)
class Burned:
    """A whole answer that came late, because another seat kept the asked one from the core meanwhile."""

    seat: int
    """The seat that burned."""
    seconds: float
    """CPU that it used while it was not asked, during this one decision."""


Came = bytes | Map | NoFrame | Burned
"""What came from a seat: a frame's payload, a map (from a seat in this process), or why there is none."""


@dataclass(frozen=True, slots=True)
class Foul:
    """What a bot did wrong, before it is put into a verdict's words."""

    code: Fault
    detail: str
    """What came, in a few words."""
    expected: str = ""
    seat: int | None = None
    """The seat to blame where it is not the asked one."""


def judge(
    came: Came,
    request_id: int,
    legal: Sequence[str],
    decode: Callable[[bytes], Map],
    previous_id: int | None = None,
) -> int | Foul:
    """THE LADDER: the index in `legal` of what a seat decided, or what it did wrong. The first rung that
    fails gives the verdict. `previous_id` is that of the request which this seat answered last.
    """
    # 1. A whole frame, and 2. in time: a late answer is never read, so late and illegal is late.
    if isinstance(came, NoFrame):
        return _no_frame(came)
    if isinstance(came, Burned):
        detail = f"used {came.seconds * 1000:.0f} ms of CPU while another seat was asked"
        return Foul(Fault.BURNED, detail, seat=came.seat)
    # 3. A well-formed message.
    try:
        answer = came if isinstance(came, dict) else decode(came)
    except RemoteProtocolError as error:
        return Foul(Fault.MALFORMED, error.text)
    word, answer_id = answer.get("action"), answer.get("id")
    if answer.get("type") != "action" or type(word) is not str or type(answer_id) is not int:
        return _not_an_action(answer)
    # 4. The right id.
    if answer_id != request_id:
        if answer_id == previous_id:
            return Foul(Fault.UNSOLICITED, f"a second answer to the request before came: {_short(word)}")
        return Foul(Fault.WRONG_ID, f"id {answer_id} came", f"the request's id {request_id}")
    # 5. A legal action.
    if word in legal:
        return legal.index(word)
    return Foul(Fault.ILLEGAL, f"{_short(word)} came", f"one of {', '.join(legal)}")


def usual_answer(came: Any, request_id: int, legal: Sequence[str]) -> int | None:
    """What `judge` says of an answer of the usual shape, at a third of the cost; None: ask `judge`.

    The usual shape: msgpack, a map of three pairs, `type`, `id` and `action`, so that no key comes twice.
    """
    try:
        if came[0] == 0x83:
            answer = unpackb(came)
            if answer["id"] == request_id and answer["type"] == "action" and len(answer) == 3:
                return legal.index(answer["action"])
    except Exception:  # whatever is wrong with it, the ladder says what
        return None
    return None


def _no_frame(came: NoFrame) -> Foul:
    """Rungs 1 and 2: the verdict where no whole frame is there."""
    match came.why:
        case Why.EARLIER:
            assert came.foul is not None
            return came.foul
        case Why.MEMORY:
            return Foul(Fault.OVER_MEMORY, came.detail)
        case Why.BAD_BYTES:
            return Foul(Fault.MALFORMED, came.detail)
        case Why.EOF:
            return Foul(Fault.CRASHED, came.detail)
        case Why.BLOCKED:
            return Foul(Fault.NOT_READING, came.detail)
        case Why.LATE:
            return Foul(Fault.TIMEOUT, came.detail)


def _not_an_action(answer: Map) -> Foul:
    expected = 'a map {"type":"action","id":...,"action":...}'
    kind = answer.get("type")
    if kind != "action":
        return Foul(Fault.MALFORMED, f"a message of type {_short(kind)} came", expected)
    for key, what in (("id", int), ("action", str)):
        if key not in answer:
            return Foul(Fault.MALFORMED, f"an action without the key `{key}` came", expected)
        if type(answer[key]) is not what:
            name = "a whole number" if what is int else "a string"
            return Foul(Fault.MALFORMED, f"an action came whose `{key}` is {_short(answer[key])}", f"{name}")
    raise AssertionError("a well-formed action was taken for a malformed one")


_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
"""What would move the cursor of the terminal that shows a bot's name."""


def judge_ready(came: Came, decode: Callable[[bytes], Map]) -> tuple[str, str] | Foul:
    """The ladder for the answer to `hello`: the bot's name and version ("" where it gives none), or a foul
    (`START_FAILED`, `START_TIMEOUT`, `BAD_READY`)."""
    if isinstance(came, NoFrame):
        match came.why:
            case Why.EARLIER if came.foul is not None:
                return came.foul
            case Why.LATE | Why.BLOCKED:
                return Foul(Fault.START_TIMEOUT, came.detail)
            case Why.BAD_BYTES:
                return Foul(Fault.BAD_READY, came.detail)
            case _:
                return Foul(Fault.START_FAILED, came.detail)
    assert not isinstance(came, Burned)
    expected = '{"type":"ready"}'
    try:
        ready = decode(came) if isinstance(came, bytes) else came
    except RemoteProtocolError as error:
        return Foul(Fault.BAD_READY, error.text, expected)
    if ready.get("type") != "ready":
        return Foul(Fault.BAD_READY, f"a message of type {_short(ready.get('type'))} came", expected)
    for key in ("name", "version"):
        value = ready.get(key, "")
        if type(value) is not str or len(value) > 64 or _CONTROL.search(value):
            expected = "a string of at most 64 characters without control characters"
            return Foul(Fault.BAD_READY, f"`{key}` is {_short(value)}", expected)
    return ready.get("name", ""), ready.get("version", "")


def _short(value: object) -> str:
    text = ascii(value)
    return text if len(text) <= 60 else text[:57] + "..."


def request_ids(source: Callable[[int], bytes] = os.urandom) -> Iterator[int]:
    """Ids below 2**53 that cannot be guessed: from the system's randomness, a batch at a time."""

    def batches() -> Iterator[list[int]]:
        while True:
            yield [number >> 11 for number in struct.unpack(">512Q", source(4096))]

    return chain.from_iterable(batches())


# What is said to a seat. Only `hello` and `act` are answered.


def hello(game: Game, limits: Limits) -> Map:
    """The first message: the protocol's version, the game with all its rules, the limits."""
    return {
        "type": "hello",
        "protocol": PROTOCOL_VERSION,
        "game": game.id,
        "rules": dict(game.rules),
        "limits": {
            "move_ms": limits.move_ms,
            "bank_ms": limits.bank_ms,
            "start_ms": limits.start_ms,
            "grace_ms": limits.grace_ms,
            "memory_mb": limits.memory_mb,
            "frame_bytes": limits.frame_bytes,
        },
    }


def game_start(game: Game, seat: int, dealer: int, seed: int) -> Map:
    """A game begins: who the seat is, and a seed for its own dice. Never who the others are."""
    team = game.team_of(seat)
    partners = [s for s in range(game.seats) if s != seat and game.team_of(s) == team]
    partner = partners[0] if partners else None
    return {"type": "game_start", "seat": seat, "partner": partner, "dealer": dealer, "seed": seed}


def act(
    state: State, seat: int, legal: list[str], request_id: int, time_ms: int | None, bank_ms: int | None
) -> Map:
    """A request: a pure function of the state, the seat, the id and the clock fields."""
    request = state.view(seat)
    request["type"] = "act"
    request["id"] = request_id
    request["legal"] = legal
    request["time_ms"] = time_ms
    if bank_ms is not None:
        request["bank_ms"] = bank_ms
    return request


def packed_act(
    keys: int, view: bytes, legal: list[str], request_id: int, time_ms: int | None, bank_ms: int | None
) -> bytes:
    """The frame of the same request where a game packs its own view (`PackedView`), byte for byte."""
    parts = [
        _MAP[keys + 4],
        view,
        _TYPE_AND_ID,
        _pack(request_id),
        _LEGAL,
        _pack(legal),
        _TIME,
        _pack(time_ms),
    ]
    if bank_ms is not None:
        parts[0] = _MAP[keys + 5]
        parts += (_BANK, _pack(bank_ms))
    payload = b"".join(parts)
    return len(payload).to_bytes(4, "big") + payload  # never near the limit: a view has its bounds


def hand_end(last: HandResult, scores: Sequence[int]) -> Map:
    """A hand is over, the cards as dealt laid open."""
    return {
        "type": "hand_end",
        "hand_number": last.number,
        "dealer": last.dealer,
        "hands": last.hands,
        "upcard": last.upcard,
        "points": last.points,
        "scores": scores,
        "thrown_in": last.thrown_in,
        "forfeit": False,
    }


def hand_forfeited(state: State, teams: int) -> Map:
    """The open hand ended by a forfeit; it is laid open as well."""
    return {
        "type": "hand_end",
        **state.reveal(),
        "points": [0] * teams,
        "scores": list(state.scores),
        "thrown_in": False,
        "forfeit": True,
    }


def game_end(scores: Sequence[int], winner: int | None, reason: str) -> Map:
    """A game is over."""
    return {"type": "game_end", "scores": list(scores), "winner": winner, "reason": reason}


def bye(head: str = "") -> Map:
    """The last message; `head` is the hash of the log so far, an anchor for the bot's owner."""
    return {"type": "bye", "head": head} if head else {"type": "bye"}


def end_of(outcome: Outcome) -> Map:
    """`game_end` of a game that was played to its end."""
    return game_end(outcome.scores, outcome.winner, outcome.reason)


def hand_end_word(last: HandResult) -> str:
    """How a played hand ended, as the log says it: `played`, `thrown_in` or `redealt`."""
    if not last.thrown_in:
        return "played"
    facts: Mapping[str, Any] = last.facts
    return "redealt" if facts.get("redealt") else "thrown_in"
