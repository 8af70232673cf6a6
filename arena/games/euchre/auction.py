"""Which calls a seat may make (rules.md, the auction and its options)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.games.euchre import actions as act
from arena.games.euchre.phases import BID1
from arena.games.euchre.tables import NO_TRUMP, SUIT_MASK, left_bower

if TYPE_CHECKING:
    from arena.games.euchre.game import EuchreGame

Calls = tuple[int, ...]


def first_round(partner: str) -> tuple[Calls, ...]:
    """The calls of round 1 by how far the seat sits to the dealer's left (0 is the dealer).

    `partner`: what the dealer's partner may do, the option `dealer_partner_order_up`.
    """
    free = (act.PASS, act.ORDER_UP, act.ORDER_UP_ALONE)
    partners = {"free": free, "alone_only": (act.PASS, act.ORDER_UP_ALONE), "forbidden": (act.PASS,)}
    return (free, free, partners[partner], free)


def second_round(*, stick: bool, no_trump: bool) -> tuple[tuple[Calls, Calls], ...]:
    """The calls of round 2: [suit turned down][whether the dealer is asked]."""

    def calls(turned: int, *, dealer: bool) -> Calls:
        trumps = [suit for suit in range(4) if suit != turned] + ([NO_TRUMP] if no_trump else [])
        names = tuple(act.name(trump, alone=alone) for trump in trumps for alone in (False, True))
        return names if dealer and stick else (act.PASS, *names)

    return tuple((calls(turned, dealer=False), calls(turned, dealer=True)) for turned in range(4))


def joker_turned(*, blind: bool) -> Calls:
    """What the dealer may name when the joker is turned; alone only where he may say so `blind`."""
    return tuple(
        act.name(suit, alone=alone) for suit in range(4) for alone in ((False, True) if blind else (False,))
    )


def open_calls(game: EuchreGame, phase: str, seat: int, dealer: int, upcard: int, hand: int) -> Calls:
    """The calls that `seat` may make now, holding `hand`, in the first round or the second."""
    turned = upcard // 6
    if phase == BID1:
        calls = game.first_round[(seat - dealer) & 3]
    else:
        calls = game.second_round[turned][seat == dealer]
    if game.needs_trump_to_call:
        return _natural(calls, turned, hand) or calls
    return calls


def _natural(calls: Calls, turned: int, hand: int) -> Calls:
    """The calls whose trump the hand holds, its left bower not counted (option `trump_to_call`)."""

    def may(call: int) -> bool:
        if call == act.PASS:
            return True
        trump = turned if call < act.NAME else (call - act.NAME) >> 1
        if trump == NO_TRUMP:
            return True
        return bool(hand & SUIT_MASK[trump][trump] & ~(1 << left_bower(trump)))

    return tuple(call for call in calls if may(call))
