"""The messages, typed: frozen dataclasses that check themselves, so that a wrong one cannot exist.

`Message.to_map()` gives the map that the codec packs; `parse(map)` makes a message of a map that came.
A constructor raises LocalProtocolError, `parse` raises RemoteProtocolError, both with code `bad_message`.
Keys that a message does not know are ignored. Sequences are kept as tuples.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Self

from protocol.codec import MAX_INT, Map
from protocol.errors import Code, LocalProtocolError, RemoteProtocolError

NAME_LENGTH = 64
"""Characters in a bot's name or version."""
LIMITS = ("move_ms", "bank_ms", "start_ms", "grace_ms", "memory_mb", "frame_bytes")
REASONS = ("target", "hand_limit", "forfeit")
TRUMPS = ("C", "D", "H", "S", "NT")

_ABSENT = {"absent_when_none": True}
Check = Callable[[Any], bool]


class Message:
    """What all messages share. Subclasses are frozen dataclasses whose fields are the keys of the map."""

    __slots__ = ()
    type: ClassVar[str]

    def __post_init__(self) -> None:
        for name, (ok, expected) in _CHECKS[self.type].items():
            value = _freeze(getattr(self, name))
            object.__setattr__(self, name, value)
            if not ok(value):
                text = f"`{self.type}`: the key `{name}` is {ascii(value)[:60]}; expected {expected}"
                raise LocalProtocolError(Code.BAD_MESSAGE, text)

    def to_map(self) -> Map:
        """The message as it goes over the wire, `type` first."""
        result: Map = {"type": self.type}
        for f in fields(self):  # type: ignore[arg-type]
            value = getattr(self, f.name)
            if value is not None or not f.metadata:
                result[f.name] = _thaw(value)
        return result

    @classmethod
    def from_map(cls, message: Map) -> Self:
        """The message in `message`; `type` is not looked at. Raises RemoteProtocolError (`bad_message`)."""
        values = {}
        for f in fields(cls):  # type: ignore[arg-type]
            if f.name in message:
                values[f.name] = message[f.name]
            elif not f.metadata:
                text = f"`{cls.type}` lacks the key `{f.name}`"
                raise RemoteProtocolError(Code.BAD_MESSAGE, text)
        try:
            return cls(**values)
        except LocalProtocolError as error:
            raise RemoteProtocolError(error.code, error.text) from None


@dataclass(frozen=True, slots=True)
class Hello(Message):
    """Arena to bot, first: the protocol's version, the game with all its rules, the limits."""

    type: ClassVar[str] = "hello"
    protocol: int
    game: str
    rules: Mapping[str, bool | int | str]
    limits: Mapping[str, int | None]


@dataclass(frozen=True, slots=True)
class Ready(Message):
    """Bot to arena, the answer to `hello`."""

    type: ClassVar[str] = "ready"
    name: str | None = field(default=None, metadata=_ABSENT)
    version: str | None = field(default=None, metadata=_ABSENT)


@dataclass(frozen=True, slots=True)
class GameStart(Message):
    """Arena to bot: a new game. `dealer` deals the first hand; `seed` is for the bot's own dice."""

    type: ClassVar[str] = "game_start"
    seat: int
    partner: int | None
    dealer: int
    seed: int


@dataclass(frozen=True, slots=True)
class Act(Message):
    """Arena to bot: one decision to make, with all that the seat may know. The only question but `hello`.

    `view` holds the keys that the game adds (euchre: upcard, calls, trump, maker, alone, tricks, won,
    and discard for the dealer); on the wire they stand among the others.
    """

    type: ClassVar[str] = "act"
    id: int
    game: str
    rules: Mapping[str, bool | int | str]
    phase: str
    hand_number: int
    seat: int
    dealer: int
    scores: tuple[int, ...]
    hand: tuple[str, ...]
    view: Mapping[str, Any]
    legal: tuple[str, ...]
    time_ms: int | None
    bank_ms: int | None = field(default=None, metadata=_ABSENT)

    def to_map(self) -> Map:
        """The message as it goes over the wire: the game's own keys between `hand` and `legal`."""
        result: Map = {}
        for key, value in Message.to_map(self).items():
            if key == "view":
                result.update(value)
            else:
                result[key] = value
        return result

    @classmethod
    def from_map(cls, message: Map) -> Self:
        """As for every message; keys that are not of `act` itself are the game's own."""
        own = {f.name for f in fields(cls)}
        view = {key: value for key, value in message.items() if key not in own and key != "type"}
        return super(Act, cls).from_map({**message, "view": view})


@dataclass(frozen=True, slots=True)
class Action(Message):
    """Bot to arena, the answer to `act`: the same `id`, and a word out of its `legal`."""

    type: ClassVar[str] = "action"
    id: int
    action: str


@dataclass(frozen=True, slots=True)
class HandEnd(Message):
    """Arena to bot: a hand is over, with all hands as they were dealt, by seat."""

    type: ClassVar[str] = "hand_end"
    hand_number: int
    dealer: int
    hands: tuple[tuple[str, ...], ...]
    upcard: str | None
    points: tuple[int, ...]
    scores: tuple[int, ...]
    thrown_in: bool
    forfeit: bool


@dataclass(frozen=True, slots=True)
class GameEnd(Message):
    """Arena to bot: a game is over. `winner` is a team (seat % 2), None for a draw."""

    type: ClassVar[str] = "game_end"
    scores: tuple[int, ...]
    winner: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class Bye(Message):
    """Arena to bot, last: exit now. `head` is the digest of the log so far, in hex."""

    type: ClassVar[str] = "bye"
    head: str | None = field(default=None, metadata=_ABSENT)


MESSAGES: Mapping[str, type[Message]] = {
    cls.type: cls for cls in (Hello, Ready, GameStart, Act, Action, HandEnd, GameEnd, Bye)
}


def parse(message: Map) -> Message | None:
    """The message in a map that came, None for a type that this version does not know.

    Raises RemoteProtocolError (`bad_message`) for a map without a type, and for a known type that is wrong.
    """
    kind = message.get("type")
    if type(kind) is not str:
        text = f"a message needs the key `type` with a string; {ascii(message)[:80]} came"
        raise RemoteProtocolError(Code.BAD_MESSAGE, text)
    cls = MESSAGES.get(kind)
    return cls.from_map(message) if cls else None


def _freeze(value: Any) -> Any:
    if type(value) in (list, tuple):
        return tuple(_freeze(item) for item in value)
    return value


def _thaw(value: Any) -> Any:
    if type(value) is tuple:
        return [_thaw(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _thaw(item) for key, item in value.items()}
    return value


def _int(low: int, high: int = MAX_INT) -> Check:
    return lambda value: type(value) is int and low <= value <= high


def _or_none(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _each(check: Check, least: int = 0) -> Check:
    return lambda value: type(value) is tuple and len(value) >= least and all(map(check, value))


def _word(value: Any) -> bool:
    """A game id, phase, card or action: a short string of visible ASCII."""
    return type(value) is str and 0 < len(value) <= 64 and value.isascii() and value.isprintable()


def _label(value: Any) -> bool:
    return (
        type(value) is str
        and len(value) <= NAME_LENGTH
        and not any(ord(c) < 32 or 127 <= ord(c) < 160 for c in value)
    )


def _bool(value: Any) -> bool:
    return type(value) is bool


def _hex(value: Any) -> bool:
    return type(value) is str and 0 < len(value) <= 128 and not set(value) - set("0123456789abcdef")


def _reason(value: Any) -> bool:
    return value in REASONS


def _rules(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        type(k) is str and type(v) in (bool, int, str) for k, v in value.items()
    )


def _limits(value: Any) -> bool:
    count = _or_none(_int(0))
    return isinstance(value, Mapping) and all(key in value and count(value[key]) for key in LIMITS)


def _view(value: Any) -> bool:
    """The keys that euchre adds are checked wherever they stand; other games' keys pass."""
    return isinstance(value, Mapping) and all(
        ok(_freeze(value[key])) for key, ok in _EUCHRE.items() if key in value
    )


def _trick(value: Any) -> bool:
    return type(value) is tuple and all(
        type(play) is tuple and len(play) == 2 and _seat(play[0]) and _word(play[1]) for play in value
    )


_seat = _int(0, 3)
_count = _int(0)
_score = _int(-MAX_INT)
_EUCHRE: Mapping[str, Check] = {
    "upcard": _or_none(_word),
    "calls": _each(_word),
    "trump": lambda value: value is None or value in TRUMPS,
    "maker": _or_none(_seat),
    "alone": _each(_seat),
    "tricks": _each(_trick),
    "won": _each(_count),
    "discard": _word,
}

SEAT = (_seat, "a seat, 0 to 3")
SEAT_OR_NONE = (_or_none(_seat), "a seat or null")
COUNT = (_count, "a whole number from 0 on")
WORD = (_word, "a word of 1 to 64 visible ASCII characters")
CARDS = (_each(_word), "a list of cards")
SCORES = (_each(_score, 2), "a list of whole numbers, one a team")
RULES = (_rules, "a map of options: true, false, a whole number or a string each")
LABEL = (_or_none(_label), f"at most {NAME_LENGTH} characters without control characters")
ID = (_int(0), "a whole number from 0 to 2^53 - 1")
TIME = (_or_none(_count), "whole milliseconds, or null")
FLAG = (_bool, "true or false")

_CHECKS: Mapping[str, Mapping[str, tuple[Check, str]]] = {
    "hello": {
        "protocol": (_int(1), "a version from 1 on"),
        "game": WORD,
        "rules": RULES,
        "limits": (_limits, f"a map of {', '.join(LIMITS)}: a whole number or null each"),
    },
    "ready": {"name": LABEL, "version": LABEL},
    "game_start": {"seat": SEAT, "partner": SEAT_OR_NONE, "dealer": SEAT, "seed": ID},
    "act": {
        "id": ID,
        "game": WORD,
        "rules": RULES,
        "phase": WORD,
        "hand_number": COUNT,
        "seat": SEAT,
        "dealer": SEAT,
        "scores": SCORES,
        "hand": CARDS,
        "view": (
            _view,
            "a map in which upcard, calls, trump, maker, alone, tricks, won are as in PROTOCOL.md",
        ),
        "legal": (_each(_word, 1), "a list of one or more words"),
        "time_ms": TIME,
        "bank_ms": TIME,
    },
    "action": {"id": ID, "action": WORD},
    "hand_end": {
        "hand_number": COUNT,
        "dealer": SEAT,
        "hands": (_each(_each(_word), 2), "a list of hands, one a seat"),
        "upcard": (_or_none(_word), "a card or null"),
        "points": SCORES,
        "scores": SCORES,
        "thrown_in": FLAG,
        "forfeit": FLAG,
    },
    "game_end": {
        "scores": SCORES,
        "winner": (_or_none(_int(0, 1)), "a team, 0 or 1, or null"),
        "reason": (_reason, f"one of {', '.join(REASONS)}"),
    },
    "bye": {"head": (_or_none(_hex), "lower-case hex")},
}
