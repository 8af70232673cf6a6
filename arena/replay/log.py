"""The block log: JSON lines, each chained to the one before by a hash.

Every line is a JSON object whose last member is `"h"`: the first 32 hex digits of
SHA-256(the previous line's `h` || the line without its `h`). A log is a header, games (start, hands,
end) and, when the block was played to its end, a footer.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.errors import ArenaError
from arena.replay.record import encode
from arena.replay.records import (
    FORMAT,
    Close,
    GameEnd,
    GameStart,
    HandRecord,
    Header,
    Record,
    RecordError,
    parse_record,
)
from arena.version import __version__

DEAL_ALGORITHM = "arena-deal-1"
GENESIS = "0" * 32
"""The head before the first line."""
MAX_LINE = 1 << 20
"""The longest line, in bytes, that a reader takes."""
_TAIL = re.compile(r',"h":"([0-9a-f]{32})"\}\Z')


class LogError(ArenaError):
    """A log that cannot be read; `line` is the number of the line (from 1), 0 for the file itself."""

    def __init__(self, path: Path, line: int, what: str, *, torn: bool = False) -> None:
        place = f"{path}:{line}" if line else str(path)
        super().__init__(f"{place}: {what}")
        self.line = line
        self.what = what
        self.torn = torn
        """Whether the file just ends before this line is whole."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a log: its record, its place, and what is needed to check the chain."""

    number: int
    """From 1."""
    offset: int
    """In bytes from the start of the file."""
    body: str
    digest: str
    """The `h` that the line carries."""
    record: Record


@dataclass(frozen=True, slots=True)
class LoggedGame:
    """One whole game out of a log."""

    header: Header
    start: GameStart
    hands: tuple[HandRecord, ...]
    end: GameEnd
    line: int
    """The number of its first line."""
    offset: int
    """The byte at which its first line begins."""


def link(head: str, body: str) -> str:
    """The hash of a line: first 32 hex digits of SHA-256(previous hash || body)."""
    return hashlib.sha256(head.encode("ascii") + body.encode()).hexdigest()[:32]


class Chain:
    """Chains bodies into lines. `head` is the hash of the last line, `GENESIS` before the first."""

    __slots__ = ("head",)

    def __init__(self, head: str = GENESIS) -> None:
        self.head = head

    def extend(self, bodies: Iterable[str]) -> list[str]:
        """The lines of `bodies` (no newlines), each ending in its `h`; moves `head` on."""
        lines = []
        for body in bodies:
            self.head = link(self.head, body)
            lines.append(f'{body[:-1]},"h":"{self.head}"}}')
        return lines


def header(
    *,
    game: str,
    rules: Mapping[str, Any],
    match_id: str,
    block: int,
    attempt: int,
    bots: Sequence[Mapping[str, str]],
    limits: Mapping[str, Any],
    isolation: str,
    commitment: str,
    guessable: bool,
    **more: Any,
) -> str:
    """The first body of a log. `rules`: every option; `bots`: name, version, digest of A and B."""
    return encode(
        {
            "t": "block",
            "format": FORMAT,
            "arena": __version__,
            "game": game,
            "rules": dict(rules),
            "match_id": match_id,
            "block": block,
            "attempt": attempt,
            "bots": [dict(bot) for bot in bots],
            "limits": dict(limits),
            "isolation": isolation,
            "deal": DEAL_ALGORITHM,
            "commitment": commitment,
            "guessable": guessable,
            **more,
        }
    )


def footer(block_seed: bytes) -> str:
    """The last body of a log: the block's seed revealed."""
    return encode({"t": "close", "seed": block_seed.hex()})


def read_lines(path: Path, size: int | None = None) -> Iterator[Line]:
    """The lines of a log as they come, out of its first `size` bytes (None: all); one is held at a time.

    Raises LogError naming file and line: not readable, longer than `MAX_LINE`, not UTF-8, not JSON, no
    hash, not a record of this format, cut off. The chain is not checked (`verify` does).
    """
    try:
        with path.open("rb") as file:
            number = offset = 0
            while raw := file.readline(MAX_LINE + 1 if size is None else min(MAX_LINE + 1, size - offset)):
                number += 1
                yield _line(path, number, offset, raw)
                offset += len(raw)
    except OSError as error:
        raise LogError(path, 0, f"cannot be read: {error.strerror or error}") from None


def read_header(path: Path) -> Header:
    """The header of a log. Raises LogError."""
    for line in read_lines(path):
        if isinstance(line.record, Header):
            return line.record
        break
    raise LogError(path, 1, "not a block log: it does not begin with a `block` record")


def read_games(path: Path) -> Iterator[LoggedGame]:
    """The whole games of a log, in the order in which they were played.

    A game that the log breaks off in is left out. Raises LogError for anything else that is wrong.
    """
    header = read_header(path)
    first: tuple[Line, GameStart] | None = None
    hands: list[HandRecord] = []
    try:
        for line in read_lines(path):
            match line.record:
                case GameStart() as start:
                    first, hands = (line, start), []
                case HandRecord() as hand if first is not None:
                    hands.append(hand)
                case GameEnd() as end if first is not None:
                    yield LoggedGame(header, first[1], tuple(hands), end, first[0].number, first[0].offset)
                    first = None
                case HandRecord() | GameEnd():
                    raise LogError(path, line.number, "stands outside of a game")
                case _:
                    pass
    except LogError as error:
        if not error.torn:
            raise


def read_footer(path: Path) -> Close | None:
    """The footer of a log, None where the block was not played to its end (or its end cannot be read)."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - 1024))
            raw = file.read(1024)
        last = raw.rstrip(b"\n").rpartition(b"\n")[2]
        record = _line(path, 0, 0, last + b"\n").record
    except (OSError, LogError):
        return None
    return record if isinstance(record, Close) else None


def _line(path: Path, number: int, offset: int, raw: bytes) -> Line:
    if len(raw) > MAX_LINE:
        raise LogError(path, number, f"longer than {MAX_LINE} bytes: not a line of a block log")
    if not raw.endswith(b"\n"):
        raise LogError(path, number, "the file ends in the middle of this line", torn=True)
    try:
        text = raw[:-1].decode()
    except UnicodeDecodeError as error:
        raise LogError(path, number, f"not UTF-8 (byte {error.start} of the line)") from None
    tail = _TAIL.search(text)
    if tail is None:
        raise LogError(path, number, 'does not end in its hash (`"h":"<32 hex digits>"}`)')
    body = text[: tail.start()] + "}"
    try:
        data = json.loads(body, object_pairs_hook=_unique)
    except RecordError as error:
        raise LogError(path, number, str(error)) from None
    except (ValueError, RecursionError):
        raise LogError(path, number, "not JSON") from None
    try:
        record = parse_record(data)
    except RecordError as error:
        raise LogError(path, number, str(error)) from None
    return Line(number, offset, body, tail[1], record)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise RecordError("a key stands twice")
    return result
