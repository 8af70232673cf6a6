"""The parts of an examination that follow the first one: each in a process of its own, spoken to in its own
manner."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from arena.examine.findings import Status
from arena.examine.forms import Manner
from arena.examine.mistakes import halves
from arena.examine.subject import Subject
from arena.games.base import RuleValue

SHORT_S = 4.0
"""A part ends after so many seconds, so that a slow bot is examined in a minute or two as well."""


@dataclass(frozen=True, slots=True)
class Part:
    """How one process is spoken to, and how much is played."""

    id: str
    what: str
    manner: Manner = field(default_factory=Manner)
    games: int = 1
    max_hands: int | None = 8
    seconds: float = SHORT_S
    failed: Status = Status.FAILED
    """How bad it is if it goes wrong."""
    change: Callable[[Subject], str] | None = None
    """What to change then; None: whatever the verdict suggests."""
    msgpack_only: bool = False


def _say(text: str) -> Callable[[Subject], str]:
    return lambda subject: text


PARTS = (
    Part(
        "unknown",
        "unknown keys in every message, and unknown messages",
        Manner(unknown=True),
        change=_say("ignore keys and message types that you do not know: later arenas may add some"),
    ),
    Part(
        "forms",
        "msgpack in longer forms than need be (map32, str32, int64)",
        Manner(wide=True),
        failed=Status.WARNING,
        change=_say("let the decoder read every form of msgpack: PROTOCOL.md 2 has the table"),
        msgpack_only=True,
    ),
    Part("pieces", "messages in pieces, with pauses", Manner(pieces=True), max_hands=4, change=halves),
    Part(
        "size",
        "messages as long as may be, and small ones",
        Manner(pad_every=5),
        change=_say("make room for as many bytes as the length says: at most `frame_bytes` of hello"),
    ),
    Part(
        "pause",
        "frozen for a while, again and again",
        Manner(freeze_every=9),
        max_hands=5,
        change=_say("a bot may be stopped between its turns: bear a read or sleep that takes long"),
    ),
)

PHASES = ("bid1", "bid2", "discard", "defend", "joker_name", "play")
"""Of euchre, with all its options."""
VARIANTS: Mapping[str, tuple[Mapping[str, RuleValue], ...]] = {
    "north-american": (
        {"stick_the_dealer": True, "no_trump": "round2", "defend_alone": "always", "hand_limit": 9},
        {
            "joker": True, "joker_up_alone": "blind", "may_discard_upcard": False, "farmers_hand": "redeal",
            "dealer_partner_order_up": "alone_only", "trump_to_call": "natural", "target": 25,
        },
    ),
    "british": (
        {"defend_alone": "vs_lone", "joker_up_alone": "blind", "stick_the_dealer": True, "hand_limit": 9},
        {"joker": False, "no_trump": "round2", "all_pass": "same_dealer", "lone_doubles_all": True},
    ),
}  # fmt: skip
"""By game, options under which every phase and every kind of word is met."""
