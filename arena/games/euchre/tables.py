"""The cards of euchre under each trump, as tables: suits, strengths, who must follow.

Card numbers: suit * 6 + rank, suits C, D, H, S, ranks 9 T J Q K A; the joker (benny) is 24. Trump is a
suit's number, or NO_TRUMP. Rules: rules.md section 2, step 6.
"""

from __future__ import annotations

from typing import Final

from arena.cards.notation import SUITS, suited_pack
from arena.games.tricks import mask_of, subsets

RANKS: Final = "9TJQKA"
PACK_24: Final = suited_pack(RANKS)
PACK_25: Final = suited_pack(RANKS, joker=True)
CARDS: Final = 25
JOKER: Final = 24
BIT: Final = {card: 1 << card for card in range(CARDS)}.__getitem__
"""A card as a mask. Raises KeyError where there is no such card."""
JACK: Final = 2
NO_TRUMP: Final = 4
TRUMPS: Final = (*SUITS, "NT")
"""Words of the trumps, by number."""

NINES_AND_TENS: Final = mask_of(suit * 6 + rank for suit in range(4) for rank in (0, 1))


def right_bower(trump: int) -> int:
    """The jack of trumps."""
    return trump * 6 + JACK


def left_bower(trump: int) -> int:
    """The jack of the trump suit's sister suit: C-S and D-H."""
    return (3 - trump) * 6 + JACK


def effective_suit(card: int, trump: int) -> int:
    """The suit that a card belongs to: bowers and joker to trumps, every other card to its printed suit.

    With no trump there are no bowers; the joker is then out of the pack.
    """
    if card == JOKER or (trump != NO_TRUMP and card == left_bower(trump)):
        return trump
    return card // 6


def strength(card: int, trump: int) -> int:
    """Order within a suit, low to high: 0-5 in a plain suit, 6-13 in trumps (9 T Q K A left right joker)."""
    if card == JOKER:
        return 13
    if trump != NO_TRUMP:
        if card == right_bower(trump):
            return 12
        if card == left_bower(trump):
            return 11
        if card // 6 == trump:
            return (6, 7, -1, 8, 9, 10)[card % 6]
    return card % 6


SUIT: Final = tuple(tuple(effective_suit(c, t) for c in range(CARDS)) for t in range(5))
"""`SUIT[trump][card]`: the effective suit."""

STRENGTH: Final = tuple(tuple(strength(c, t) for c in range(CARDS)) for t in range(5))
"""`STRENGTH[trump][card]`."""

SUIT_MASK: Final = tuple(
    tuple(mask_of(c for c in range(CARDS) if SUIT[t][c] == s) for s in range(5)) for t in range(5)
)
"""`SUIT_MASK[trump][suit]`: the cards of an effective suit."""

FOLLOW: Final = tuple(tuple(SUIT_MASK[t][SUIT[t][c]] for c in range(CARDS)) for t in range(5))
"""`FOLLOW[trump][card led]`: the cards that follow it."""


def _power(trump: int, led: int) -> tuple[int, ...]:
    """For the effective suit led; see POWER."""
    takes = (trump, led)
    power = [STRENGTH[trump][c] + 1 if SUIT[trump][c] in takes else 0 for c in range(CARDS)] + [0] * 7
    return tuple(power[card] << 2 | seat for seat in range(4) for card in range(32))


def _powers(trump: int) -> tuple[tuple[int, ...], ...]:
    by_suit = [_power(trump, suit) for suit in range(5)]
    return tuple(by_suit[SUIT[trump][led]] for led in range(CARDS))


POWER: Final = tuple(_powers(trump) for trump in range(5))
"""`POWER[trump][card led][seat * 32 + card]`: the highest of a trick wins it, and ends in its seat (& 3)."""

LOW_BITS: Final = 12
LOW_MASK: Final = (1 << LOW_BITS) - 1
LOW_CARDS: Final = subsets(range(LOW_BITS))
HIGH_CARDS: Final = subsets(range(LOW_BITS, CARDS))
"""The cards of a hand are LOW_CARDS[hand & LOW_MASK] and HIGH_CARDS[hand >> LOW_BITS], lowest first."""

LOW_WORDS: Final = subsets(PACK_25[:LOW_BITS])
HIGH_WORDS: Final = subsets(PACK_25[LOW_BITS:])
"""The same as words."""


def cards_of(mask: int) -> list[int]:
    """The cards of a mask, lowest number first."""
    return [*LOW_CARDS[mask & LOW_MASK], *HIGH_CARDS[mask >> LOW_BITS]]
