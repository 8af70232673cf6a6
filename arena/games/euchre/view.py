"""What one seat may know of a euchre hand, in the words of the wire (PROTOCOL.md, `act`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from arena.games.euchre.phases import JOKER_NAME
from arena.games.euchre.tables import HIGH_WORDS, LOW_BITS, LOW_MASK, LOW_WORDS, PACK_25, TRUMPS

if TYPE_CHECKING:
    from arena.games.euchre.state import EuchreState

CARD: Final = (*PACK_25, *[""] * 7) * 4
"""The card's word of a play, seat * 32 + card."""


def seat_view(state: EuchreState, seat: int) -> dict[str, Any]:
    """A new view, free to be written into. Raises ValueError between hands."""
    if state.to_act is None:
        raise ValueError("no hand is being played")
    public = state.public_part
    if public is None:
        state.public_part = public = public_part(state)
    view = public.copy()
    hand = hand_shown(state, seat)
    view["seat"] = seat
    view["hand"] = [*LOW_WORDS[hand & LOW_MASK], *HIGH_WORDS[hand >> LOW_BITS]]
    a, b = state.scores
    view["scores"] = [a, b]
    a, b = state.tricks_won
    view["won"] = [a, b]
    view["calls"] = state.calls[:]
    view["alone"] = state.alone[:]
    view["tricks"] = [shown(trick) for trick in state.tricks if trick]
    view["rules"] = state.game.non_defaults.copy()
    if state.discarded >= 0 and seat == state.dealer:
        view["discard"] = PACK_25[state.discarded]
    return view


def hand_shown(state: EuchreState, seat: int) -> int:
    """The cards that `seat` is shown of its own, as a mask."""
    if state.phase == JOKER_NAME and seat == state.dealer:
        return 0  # he names trumps before he is shown his cards
    return state.hands[seat]


def public_part(state: EuchreState) -> dict[str, Any]:
    """All keys of a view, with what is the same for all seats until a call or a discard changes it."""
    called = state.maker >= 0
    return {
        "game": state.game.id,
        "rules": None,
        "phase": state.phase,
        "hand_number": state.hand_number,
        "seat": None,
        "dealer": state.dealer,
        "scores": None,
        "hand": None,
        "upcard": PACK_25[state.upcard],
        "calls": None,
        "trump": TRUMPS[state.trump] if called else None,
        "maker": state.maker if called else None,
        "alone": None,
        "tricks": None,
        "won": None,
    }


def shown(trick: list[int]) -> list[list[Any]]:
    """A trick's plays, each as seat and card. Written out for four: a view is mostly tricks."""
    if len(trick) == 4:
        a, b, c, d = trick
        return [[a >> 5, CARD[a]], [b >> 5, CARD[b]], [c >> 5, CARD[c]], [d >> 5, CARD[d]]]
    return [[play >> 5, CARD[play]] for play in trick]
