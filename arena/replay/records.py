"""The records of a block log as types: what each line of a log says, checked when it is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

FORMAT = 1
"""The version of the log format that this arena writes and reads."""
HAND_ENDS = ("played", "thrown_in", "redealt", "forfeit")
REASONS = ("target", "hand_limit", "forfeit")


class RecordError(ValueError):
    """A record that is not what the format says; the text names the key."""


@dataclass(frozen=True, slots=True)
class LoggedBot:
    """One of the two bots of a block."""

    name: str
    version: str
    digest: str


@dataclass(frozen=True, slots=True)
class Header:
    """The first record: under what the block was played, and by whom."""

    arena: str
    game: str
    rules: Mapping[str, Any]
    match_id: str
    block: int
    attempt: int
    bots: tuple[LoggedBot, LoggedBot]
    limits: Mapping[str, Any]
    isolation: str
    deal: str
    commitment: str
    guessable: bool


@dataclass(frozen=True, slots=True)
class GameStart:
    """A game begins: `teams` and `seeds` by seat; 0 in `teams` is bot A, 1 is bot B."""

    pair: int
    leg: int
    dealer: int
    teams: tuple[int, ...]
    seeds: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class HandRecord:
    """One dealt hand: the pack in dealing order, every decision, and what it scored."""

    number: int
    dealer: int
    pack: tuple[str, ...]
    acts: tuple[str, ...]
    micros: tuple[int, ...]
    """The time charged for each decision, in microseconds."""
    bank: tuple[int, ...] | None
    """The bank as sent with each decision, in milliseconds; None where no bank was on."""
    points: tuple[int, ...]
    scores: tuple[int, ...]
    end: str


@dataclass(frozen=True, slots=True)
class LoggedFault:
    """The fault that ended a game."""

    code: str
    seat: int
    team: int
    hand_number: int | None
    text: str
    stderr_tail: str


@dataclass(frozen=True, slots=True)
class GameEnd:
    """A game is over; `winner` is a team or None for a draw, `score_a` bot A's score."""

    pair: int
    leg: int
    scores: tuple[int, ...]
    winner: int | None
    reason: str
    score_a: float
    fault: LoggedFault | None
    cpu: tuple[tuple[float, float], ...] | None
    """By seat, CPU seconds burnt while asked and while not asked."""


@dataclass(frozen=True, slots=True)
class Close:
    """The last record: the block's own seed, revealed."""

    seed: bytes


Record = Header | GameStart | HandRecord | GameEnd | Close


def parse_record(data: Any) -> Record:
    """The typed record of a decoded line. Raises RecordError; keys that it does not know are let be."""
    if not isinstance(data, dict):
        raise RecordError("not a JSON object")
    kind = data.get("t")
    parser = _PARSERS.get(kind) if isinstance(kind, str) else None
    if parser is None:
        raise RecordError(f"`t` is {_short(kind)}: expected one of {', '.join(_PARSERS)}")
    return parser(data)


def describe(record: Record) -> str:
    """What a record is, for a message (hands count from 1 there): `hand 3`, `end of game pair 4 leg 1`."""
    match record:
        case Header():
            return "header"
        case GameStart():
            return f"start of game (pair {record.pair} leg {record.leg})"
        case HandRecord():
            return f"hand {record.number + 1}"
        case GameEnd():
            return f"end of game (pair {record.pair} leg {record.leg})"
        case Close():
            return "footer"


def _header(data: dict[str, Any]) -> Header:
    version = _get(data, "format", _whole, "a whole number")
    if version != FORMAT:
        raise RecordError(f"log format {version}: this arena reads format {FORMAT}")
    bots = _get(data, "bots", lambda v: isinstance(v, list) and len(v) == 2, "two bots")
    return Header(
        arena=_text(data, "arena"),
        game=_text(data, "game"),
        rules=_get(data, "rules", lambda v: isinstance(v, dict), "an object"),
        match_id=_text(data, "match_id"),
        block=_get(data, "block", _whole, "a whole number"),
        attempt=_get(data, "attempt", _whole, "a whole number"),
        bots=(_bot(bots[0]), _bot(bots[1])),
        limits=_get(data, "limits", lambda v: isinstance(v, dict), "an object"),
        isolation=_text(data, "isolation"),
        deal=_text(data, "deal"),
        commitment=_get(data, "commitment", _is_hex64, "64 hex digits"),
        guessable=_get(data, "guessable", lambda v: isinstance(v, bool), "true or false"),
    )


def _bot(data: Any) -> LoggedBot:
    if not isinstance(data, dict):
        raise RecordError("`bots` must hold objects")
    return LoggedBot(_text(data, "name"), _text(data, "version"), _text(data, "digest"))


def _game_start(data: dict[str, Any]) -> GameStart:
    return GameStart(
        pair=_get(data, "pair", _whole, "a whole number"),
        leg=_get(data, "leg", lambda v: _whole(v) and v <= 1, "0 or 1"),
        dealer=_get(data, "dealer", _whole, "a seat"),
        teams=_ints(data, "teams"),
        seeds=_ints(data, "seeds"),
    )


def _hand(data: dict[str, Any]) -> HandRecord:
    pack = _text(data, "pack")
    if len(pack) % 2:
        raise RecordError("`pack` must hold two characters a card")
    acts = tuple(_text(data, "acts").split())
    micros = _ints(data, "us")
    bank = _ints(data, "bank") if "bank" in data else None
    if len(micros) != len(acts) or (bank is not None and len(bank) != len(acts)):
        raise RecordError(f"`us` and `bank` must hold one number for each of the {len(acts)} `acts`")
    return HandRecord(
        number=_get(data, "n", _whole, "a whole number"),
        dealer=_get(data, "dealer", _whole, "a seat"),
        pack=tuple(pack[i : i + 2] for i in range(0, len(pack), 2)),
        acts=acts,
        micros=micros,
        bank=bank,
        points=_ints(data, "points", negative=True),
        scores=_ints(data, "scores", negative=True),
        end=_get(data, "end", lambda v: v in HAND_ENDS, " or ".join(HAND_ENDS)),
    )


def _game_end(data: dict[str, Any]) -> GameEnd:
    return GameEnd(
        pair=_get(data, "pair", _whole, "a whole number"),
        leg=_get(data, "leg", lambda v: _whole(v) and v <= 1, "0 or 1"),
        scores=_ints(data, "scores", negative=True),
        winner=_get(data, "winner", lambda v: v is None or _whole(v), "a team or null"),
        reason=_get(data, "reason", lambda v: v in REASONS, " or ".join(REASONS)),
        score_a=float(_get(data, "score_a", lambda v: _number(v) and v in (0, 0.5, 1), "0, 0.5 or 1")),
        fault=None if _get(data, "fault", lambda v: True, "") is None else _fault(data["fault"]),
        cpu=_cpu(data.get("cpu")),
    )


def _fault(data: Any) -> LoggedFault:
    if not isinstance(data, dict):
        raise RecordError("`fault` must be an object or null")
    return LoggedFault(
        code=_text(data, "code"),
        seat=_get(data, "seat", _whole, "a seat"),
        team=_get(data, "team", _whole, "a team"),
        hand_number=_get(data, "hand_number", lambda v: v is None or _whole(v), "a whole number or null"),
        text=_text(data, "text"),
        stderr_tail=_text(data, "stderr_tail"),
    )


def _cpu(data: Any) -> tuple[tuple[float, float], ...] | None:
    if data is None:
        return None
    if isinstance(data, list) and all(
        isinstance(seat, list) and len(seat) == 2 and all(_number(s) for s in seat) for seat in data
    ):
        return tuple((float(asked), float(unasked)) for asked, unasked in data)
    raise RecordError("`cpu` must hold two numbers of seconds for each seat, or be null")


def _close(data: dict[str, Any]) -> Close:
    return Close(bytes.fromhex(_get(data, "seed", _is_hex64, "64 hex digits")))


_PARSERS: Mapping[str, Callable[[dict[str, Any]], Record]] = {
    "block": _header,
    "game": _game_start,
    "hand": _hand,
    "end": _game_end,
    "close": _close,
}


def _get(data: dict[str, Any], key: str, check: Callable[[Any], bool], expected: str) -> Any:
    if key not in data:
        raise RecordError(f"`{key}` is missing")
    if not check(data[key]):
        raise RecordError(f"`{key}` is {_short(data[key])}: expected {expected}")
    return data[key]


def _text(data: dict[str, Any], key: str) -> str:
    return str(_get(data, key, lambda v: isinstance(v, str), "a text"))


def _ints(data: dict[str, Any], key: str, *, negative: bool = False) -> tuple[int, ...]:
    def check(value: Any) -> bool:
        return isinstance(value, list) and all(_whole(v) or (negative and type(v) is int) for v in value)

    return tuple(_get(data, key, check, "a list of whole numbers"))


def _whole(value: Any) -> bool:
    return type(value) is int and value >= 0


def _number(value: Any) -> bool:
    return type(value) in (int, float)


def _is_hex64(value: Any) -> bool:
    return isinstance(value, str) and len(value) == 64 and all(c in "0123456789abcdef" for c in value)


def _short(value: Any) -> str:
    text = ascii(value)
    return text if len(text) <= 60 else text[:57] + "..."
