"""The view of view.py as msgpack, put together from pieces: what a seat's process is asked with.

A request is most of what a decision costs. Most of it stays the same from one decision to the next, so that
it is packed once a call and once a trick; the rest comes out of tables. Byte for byte what packing the view
gives (the conformance kit holds it to that).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

import msgpack

from arena.games.base import RuleValue
from arena.games.euchre.phases import BID1, BID2, DEFEND, DISCARD, JOKER_NAME, PLAY
from arena.games.euchre.tables import LOW_BITS, LOW_MASK, PACK_25, TRUMPS
from arena.games.euchre.view import CARD, hand_shown
from arena.games.tricks import subsets

if TYPE_CHECKING:
    from arena.games.euchre.state import EuchreState

Packed = tuple[bytes, bytes, bytes, int, bytes]
"""What is kept of a view: the keys before `seat`, those before `hand`, those before `tricks`; how many tricks
are complete, and these."""

_pack: Callable[[Any], bytes] = msgpack.Packer().pack


def _lists(key: str, most: int) -> tuple[bytes, ...]:
    """By length, a key and the head of its list."""
    return tuple(_pack(key) + bytes([0x90 | length]) for length in range(most + 1))


def _joined(words: Iterable[bytes]) -> tuple[bytes, ...]:
    """By mask, the words whose bits it has."""
    return tuple(map(b"".join, subsets(words)))


def _values(key: str, values: Iterable[Any]) -> tuple[bytes, ...]:
    """A key with each of its values."""
    return tuple(_pack(key) + _pack(value) for value in values)


def packed_head(game_id: str, rules: Mapping[str, RuleValue]) -> bytes:
    """The keys that are the same for all of a game's views."""
    return _pack({"game": game_id, "rules": dict(rules)})[1:]


PHASE: Final = {
    phase: _pack("phase") + _pack(phase) for phase in (BID1, BID2, JOKER_NAME, DISCARD, DEFEND, PLAY)
}
HAND_NUMBER: Final = _pack("hand_number")
SEAT: Final = _values("seat", range(4))
DEALER: Final = _values("dealer", range(4))
SCORES: Final = _pack("scores")
UPCARD: Final = _values("upcard", PACK_25)
CALLS: Final = _pack("calls")
TRUMP: Final = _values("trump", (*TRUMPS, None))
MAKER: Final = _values("maker", (*range(4), None))
"""The last one is for -1, none."""
ALONE: Final = _pack("alone")
CARDS: Final = tuple(_pack(word) for word in PACK_25)
LOW_HAND: Final = _joined(CARDS[:LOW_BITS])
HIGH_HAND: Final = _joined(CARDS[LOW_BITS:])
HAND: Final = _lists("hand", 6)
TRICKS: Final = _lists("tricks", 5)
TRICK: Final = tuple(bytes([0x90 | plays]) for plays in range(5))
PLAYED: Final = tuple(_pack([play >> 5, CARD[play]]) for play in range(128))
"""A play, seat * 32 + card."""
WON: Final = tuple(tuple(_pack("won") + _pack([a, b]) for b in range(6)) for a in range(6))
DISCARDED: Final = _values("discard", PACK_25)


def packed_view(state: EuchreState, seat: int) -> tuple[int, bytes]:
    """How many keys the view has, and these with their values. Raises ValueError between hands."""
    if state.to_act is None:
        raise ValueError("no hand is being played")
    kept = state.packed_part
    if kept is None:
        state.packed_part = kept = _public(state)
    before_seat, before_hand, before_tricks, complete, tricks = kept
    hand = hand_shown(state, seat) if state.phase == JOKER_NAME else state.hands[seat]
    a, b = state.tricks_won
    keys, won = 15, WON[a][b]
    if state.discarded >= 0 and seat == state.dealer:
        keys, won = 16, won + DISCARDED[state.discarded]
    shown, current = 0, b""
    if state.tricks:
        shown = len(state.tricks) - 1
        if complete < shown:
            tricks += b"".join(map(_trick, state.tricks[complete:shown]))
            state.packed_part = (before_seat, before_hand, before_tricks, shown, tricks)
        trick = state.tricks[shown]
        if trick:
            current = _trick(trick)
            shown += 1
    return keys, b"".join(
        (
            before_seat, SEAT[seat], before_hand,
            HAND[hand.bit_count()], LOW_HAND[hand & LOW_MASK], HIGH_HAND[hand >> LOW_BITS],
            before_tricks, TRICKS[shown], tricks, current, won,
        )
    )  # fmt: skip


def _public(state: EuchreState) -> Packed:
    """What stays the same until a call or a discard changes it; no trick is complete then."""
    before_seat = state.game.packed_head + PHASE[state.phase] + HAND_NUMBER + _pack(state.hand_number)
    before_hand = DEALER[state.dealer] + SCORES + _pack(state.scores)
    before_tricks = b"".join(
        (
            UPCARD[state.upcard], CALLS, _pack(state.calls),
            TRUMP[state.trump], MAKER[state.maker], ALONE, _pack(state.alone),
        )
    )  # fmt: skip
    return before_seat, before_hand, before_tricks, 0, b""


def _trick(trick: list[int]) -> bytes:
    return TRICK[len(trick)] + b"".join(map(PLAYED.__getitem__, trick))
