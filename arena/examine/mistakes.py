"""From a symptom to the mistake in words: by more experiments, by what came, by a look into the source."""

from __future__ import annotations

import re
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from arena.bots.new import languages
from arena.examine.forms import NEWS, Manner
from arena.examine.play import Trouble
from arena.examine.source import Mistake, flushes, suspicious
from arena.examine.subject import Subject
from arena.examine.talk import Talk
from arena.games.base import Game
from arena.table import referee
from arena.table.explain import advice, what_came
from arena.table.referee import Foul, Map, Why
from arena.table.verdict import Fault
from protocol import RemoteProtocolError, codec

FLOOD_BYTES = 160 * 1024
"""More than any usual buffer holds."""
REQUESTS = 500
"""So many answers fill any usual buffer."""
LOOK_S = 1.5
LONG_S = 4.0
"""So much longer than its limit an answer is waited for, to tell a slow bot from one that waits."""
IDLE_LOOK_S = 0.6
"""How long it is watched while nothing is asked of it,"""
BUSY_S = 0.06
"""and the CPU seconds beyond which it works: a small share, since the machine may be busy."""
SILENT = (Fault.START_TIMEOUT, Fault.TIMEOUT, Fault.NOT_READING)

FLUSH = {
    "python": "sys.stdout.buffer.flush()", "javascript": "", "typescript": "", "c": "fflush(stdout)",
    "cpp": "std::cout.flush()", "rust": "stdout().flush()", "java": "out.flush()", "go": "writer.Flush()",
    "lua": "io.stdout:flush()", "ruby": "$stdout.flush", "perl": "$| = 1", "php": "fflush(STDOUT)",
    "csharp": "stdout.Flush()",
}  # fmt: skip
READ = {
    "python": "sys.stdin.buffer.read(4), then .read(length)",
    "javascript": "gather chunks in one Buffer, and cut whole frames off its front",
    "typescript": "gather chunks in one Buffer, and cut whole frames off its front",
    "c": "fread(..., 1, 4, stdin), then fread(..., 1, length, stdin)",
    "cpp": "std::cin.read(..., 4), then std::cin.read(..., length)",
    "rust": "read_exact for the 4 bytes, then read_exact for the payload",
    "java": "DataInputStream.readInt(), then readFully",
    "go": "io.ReadFull for the 4 bytes, then io.ReadFull for the payload",
    "lua": "io.read(4), then io.read(length)",
    "ruby": "$stdin.read(4), then $stdin.read(length)",
    "perl": "read(STDIN, $header, 4), then read(STDIN, $payload, $length)",
    "php": "loop over fread until all bytes are there",
    "csharp": "loop over Read until all bytes are there",
}


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What came, and what to change."""

    came: str
    change: str


def at_start(subject: Subject, game: Game, foul: Foul, talk: Talk) -> Diagnosis:
    """Why there was no `ready`."""
    came, stderr = came_words(foul, talk), talk.stderr()
    if foul.code is Fault.START_TIMEOUT:
        return Diagnosis(came, _silence(subject, game, ready=False))
    change = _bytes(subject, foul) or _text(subject, stderr)
    if not change:
        change = advice(foul, answered=False, stderr=stderr)
        if foul.code is Fault.START_FAILED:
            lines = _lines(subject, Mistake.READS_TEXT)
            change += f"; is stdin read as text, not as bytes?{lines}" if lines else ""
    return Diagnosis(came, change)


def in_game(
    subject: Subject,
    game: Game,
    trouble: Trouble,
    talk: Talk,
    again: Callable[[Manner], int] | None,
) -> Diagnosis:
    """Why a game went wrong. `again` plays the beginning once more, in another manner, and tells how many
    messages went well."""
    foul = trouble.foul
    came, stderr = came_words(foul, talk), talk.stderr()
    if foul.code is Fault.WRONG_ID:
        return Diagnosis(came, _wrong_id(foul, trouble))
    betrayed = _bytes(subject, foul)
    if betrayed:
        return Diagnosis(came, betrayed)
    early = not trouble.games and foul.code in (*SILENT, Fault.CRASHED, Fault.MALFORMED)
    if again is not None and early and again(Manner(apart=True)) > trouble.answered + 2:
        return Diagnosis(f"{came}; with a pause between the messages it went well", _chunks(subject))
    if foul.code is Fault.CRASHED and trouble.games and not stderr.strip():
        return Diagnosis(came, "one process plays many games: go on after game_end, until bye comes")
    if foul.code in SILENT and trouble.answered <= 1:
        return Diagnosis(came, _silence(subject, game, ready=True))
    change = _text(subject, stderr) or advice(foul, answered=trouble.answered > 1, stderr=stderr)
    return Diagnosis(came, change or "compare what came with PROTOCOL.md, 2 (frames) and 8 (faults)")


def came_words(foul: Foul, talk: Talk) -> str:
    """The verdict with what came; where the bot ended, how."""
    if foul.code in (Fault.CRASHED, Fault.START_FAILED):
        ending = talk.ending()
        if ending:
            foul = replace(foul, detail=", ".join(filter(None, (foul.detail, ending))))
    return what_came(foul, talk.subject.limits)


def printing(subject: Subject) -> str:
    """What to do about text on stdout."""
    by_id = {language.id: language for language in languages()}
    how = f" ({by_id[subject.language].stderr})" if subject.language in by_id else ""
    lines = _lines(subject, Mistake.PRINTS)
    return f"stdout is for messages alone: print to stderr{how}{lines}"


def _bytes(subject: Subject, foul: Foul) -> str:
    """What the bytes themselves betray, "" if nothing."""
    detail = foul.detail
    if "looks like text" in detail:
        if detail.startswith(("'\\n", '"\\n', "'\\r\\n", "only '\\n")):
            return (
                "a line end came where the next message should begin: write a message without one after it "
                "(write, not println or puts)"
            )
        return printing(subject)
    if "msgpack bin" in detail:
        return BIN.get(subject.language, "send strings as msgpack str, not bin: PROTOCOL.md 12")
    if "little-endian" in detail:
        return "send the 4 bytes of the length big-endian, the highest byte first"
    if "without its length" in detail:
        return "send 4 bytes of big-endian length before each map"
    if _NO_JSON.match(detail):
        return printing(subject)
    if "looks like JSON" in detail or "looks like msgpack" in detail:
        return detail.rpartition(": ")[2]
    return ""


def _text(subject: Subject, stderr: str) -> str:
    """Whether its stderr speaks of text that is no text; "" if not."""
    if re.search(
        r"codec can't|UnicodeDecodeError|invalid byte sequence|malformed UTF-8|invalid UTF-8", stderr, re.I
    ):
        return f"stdin was read as text: read bytes{_lines(subject, Mistake.READS_TEXT)}"
    return ""


_NO_JSON = re.compile(r"""['"]\{\s*("[^"]*"\s*[^"':\s]|[^"'}\s])[^\n]*looks like JSON""")
"""What begins with a brace and goes on as no map of JSON does: a runtime's words for a crash, say."""
BIN = {
    "python": "pack str, not bytes: b'action' becomes bin, 'action' becomes str",
    "perl": "Data::MessagePack packs every string as bin: Data::MessagePack->new->utf8",
    "cpp": "pack std::string, not std::vector<uint8_t>: that becomes bin",
    "go": "pack string, not []byte: that becomes bin",
    "ruby": 'binary strings become bin: force_encoding("UTF-8")',
    "javascript": "pack strings, not a Buffer or Uint8Array: those become bin",
    "typescript": "pack strings, not a Buffer or Uint8Array: those become bin",
    "java": "packString, not packBinaryHeader",
    "rust": "pack String or &str, not Vec<u8>",
    "c": "write a string's header as 0xd9 length (str8), not 0xc4 length (bin8)",
}


def _wrong_id(foul: Foul, trouble: Trouble) -> str:
    """How the request's id became the one that came."""
    words = foul.detail.split()
    wanted = next((message["id"] for message in reversed(trouble.sent) if message["type"] == "act"), 0)
    try:
        came = int(words[1])
    except (IndexError, ValueError):
        return "copy `id` from the request into the answer"
    low = wanted & 0xFFFFFFFF
    if came in (low, low - (1 << 32), (1 << 31) - 1, -(1 << 31), (1 << 32) - 1):
        return "the id was cut to 32 bits: keep it in a 64-bit integer (int64_t, long, i64)"
    if came == struct.unpack(">f", struct.pack(">f", float(wanted)))[0] or _rounded(came, wanted):
        return "the id lost its last digits: keep it in a 64-bit integer or a double, not in a 32-bit float"
    if any(message.get("id") == came for message in trouble.sent):
        return "this is the id of an earlier request: answer each `act` with its own id, once"
    return "copy `id` from the request into the answer"


def _rounded(came: int, wanted: int) -> bool:
    """Whether a number is another one in few decimal digits, as text formats print it."""
    return any(came == int(float(f"%.{digits}g" % wanted)) for digits in range(5, 13))


def _chunks(subject: Subject) -> str:
    return (
        "a read is not a message: it may hold half of one, or three. Several came in one read here, and only "
        f"the first was seen. {_how_to_read(subject)}{_lines(subject, Mistake.READS_CHUNKS)}"
    )


def halves(subject: Subject) -> str:
    """What to do about a bot that takes half a message for a whole one."""
    return (
        "a read is not a message: the rest of this one came some milliseconds later. "
        f"{_how_to_read(subject)}{_lines(subject, Mistake.READS_CHUNKS)}"
    )


def _how_to_read(subject: Subject) -> str:
    if subject.encoding == "json":
        return "Gather what comes until a newline is there"
    how = READ.get(subject.language)
    return f"In {_title(subject)}: {how}" if how else "Read 4 bytes, then as many as they say"


def _title(subject: Subject) -> str:
    return next(language.title for language in languages() if language.id == subject.language)


def _silence(subject: Subject, game: Game, *, ready: bool) -> str:
    """Why nothing comes: not flushed, more input wanted, text for bytes, or simply too slow."""
    found = _late(subject, game) if ready else _flooded(subject, game)
    if found:
        return found
    with Talk(subject) as talk:
        talk.send(referee.hello(game, subject.limits))
        if not talk.stray(LOOK_S / 3) or ready:
            came, closed, busy = _many_requests(talk, subject, game)
            text = _first_text(came, subject)
            if text:
                return f"{text}: {printing(subject)}"
            if came:
                how = FLUSH.get(subject.language, "")
                when = (
                    "only when stdin was closed" if closed else f"only after {REQUESTS} requests, all at once"
                )
                told = f" ({how})" if how else ""
                never = flushes(subject.bot.directory, subject.language) is False
                nowhere = "; nothing in its source does" if never else ""
                return (
                    f"the answer came {when}: stdout is not flushed. Flush after each message{told}{nowhere}"
                )
            stderr = talk.stderr()
            if stderr.strip():
                return "it wrote nothing to stdout, and its stderr says why"
            if busy:
                return "it uses the CPU all the time: does it think, compile or loop before it reads stdin?"
    text_lines = _lines(subject, Mistake.READS_TEXT)
    if text_lines:
        return f"it waits for something that never comes: stdin is read as text, not as bytes{text_lines}"
    if subject.encoding == "json":
        return "it waits for something: does it read a line at a time, and write one with its newline?"
    return (
        "it waits for something: is stdin read as bytes, and no more of them than the length says? "
        f"{_how_to_read(subject)}"
    )


def _late(subject: Subject, game: Game) -> str:
    """Whether the answer to a request comes when it is waited for long enough; "" if not."""
    limit = (subject.limits.move_ms or 0) / 1000
    with Talk(subject) as talk:
        talk.greet(referee.hello(game, subject.limits))
        for message in _first_request(subject, game):
            talk.send(message)
        began = time.monotonic()
        if isinstance(talk.receive(limit + LONG_S), bytes):
            took = time.monotonic() - began
            return f"the answer comes after {took:.1f} s: it thinks too long. `time_ms` says its limit"
    return ""


def _first_request(subject: Subject, game: Game) -> list[Map]:
    """A game's start and the first request in it."""
    state = game.new_state()
    state.deal(range(len(game.pack)))
    seat = state.to_act
    assert seat is not None
    act = referee.act(state, seat, state.legal_words(), 1, subject.limits.move_ms, None)
    return [referee.game_start(game, seat, 0, 1), act]


def _flooded(subject: Subject, game: Game) -> str:
    """Whether an answer to `hello` comes once far more input is there; "" if not."""
    with Talk(subject) as talk:
        if talk.send(referee.hello(game, subject.limits)) is not None:
            return "it does not read its stdin"
        if talk.stray(LOOK_S / 3):
            return "this time it answered: it is slow to start, or slower at times. Give it --start-time"
        news = talk.codec.encode(NEWS)
        blocked = talk.write(news * (FLOOD_BYTES // len(news)), seconds=LOOK_S)
        came = talk.stray(LOOK_S / 3)
        if came and not _first_text(came, subject):
            return (
                "the answer to hello came only after much more input: a whole buffer was waited for. "
                f"{_how_to_read(subject)}{_lines(subject, Mistake.READS_CHUNKS)}"
            )
        if blocked is not None and blocked.why is Why.BLOCKED and not came:
            busy = idle_cpu(talk)[0] > BUSY_S
            if busy:
                return "it uses the CPU and does not read its stdin: does it think or loop before it reads?"
            return (
                "it does not read its stdin: is it waiting for something else (a file, the network, a key)?"
            )
    return ""


def _many_requests(talk: Talk, subject: Subject, game: Game) -> tuple[bytes, bool, bool]:
    """Send many requests at once, then close stdin: what came, whether only after the closing, whether the
    bot kept the CPU busy meanwhile."""
    start, act = _first_request(subject, game)
    talk.send(start)
    acts = b"".join(talk.codec.encode({**act, "id": number}) for number in range(REQUESTS))
    talk.write(acts, seconds=LOOK_S)
    came = talk.stray(LOOK_S / 3)
    if came:
        return came, False, False
    busy = idle_cpu(talk)[0] > BUSY_S
    talk.process.close_stdin()
    return talk.stray(LOOK_S), True, busy


def idle_cpu(talk: Talk) -> tuple[float, float]:
    """CPU seconds that it uses while nothing is asked of it, and in how many seconds."""
    before, began = talk.process.cpu_seconds() or 0.0, time.monotonic()
    while True:
        talk.wait(IDLE_LOOK_S / 10)
        used = (talk.process.cpu_seconds() or 0.0) - before
        passed = time.monotonic() - began
        if used > BUSY_S or passed > IDLE_LOOK_S or talk.process.returncode is not None:
            return used, passed


def _first_text(data: bytes, subject: Subject) -> str:
    """What is wrong with the first frame of `data`, "" if nothing."""
    decoder = codec(subject.encoding).decoder()
    decoder.feed(data)
    try:
        decoder.next_frame()
    except RemoteProtocolError as error:
        return error.text
    return ""


def _lines(subject: Subject, mistake: Mistake) -> str:
    """The lines to look at, as the end of a sentence."""
    found = suspicious(subject.bot.directory, subject.language, mistake)
    return "; look at " + "; ".join(map(str, found)) if found else ""
