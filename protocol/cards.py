"""Cards as words (`9C TC JS AD JK`), and what euchre makes of them: for bot authors, nothing of the arena.

`trump` is a suit, `NT` (no trump: no bowers), or None before trumps are fixed. The bower is the jack of
trumps (right) or of its sister suit (left); the joker, where there is one, is the highest trump.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

SUITS = "CDHS"
RANKS = "9TJQKA"
"""Low to high, as in a plain suit."""
JOKER = "JK"
NO_TRUMP = "NT"
EUCHRE = ("north-american", "british")

_SISTER = {"C": "S", "S": "C", "D": "H", "H": "D"}


class Card(NamedTuple):
    """A card taken apart. The joker has rank `JK` and no suit."""

    rank: str
    suit: str | None

    def __str__(self) -> str:
        return self.rank + (self.suit or "")


def parse_card(word: str) -> Card:
    """The card of a word. Raises ValueError for anything that is not a card of euchre."""
    if word == JOKER:
        return Card(JOKER, None)
    if len(word) == 2 and word[0] in RANKS and word[1] in SUITS:
        return Card(word[0], word[1])
    raise ValueError(f"{word!r} is not a card: a rank of {RANKS} and a suit of {SUITS}, or {JOKER}")


def full_pack(joker: bool = False) -> tuple[str, ...]:
    """The pack in its canonical order: suits C D H S, each low to high, the joker last. 24 or 25 cards."""
    cards = tuple(rank + suit for suit in SUITS for rank in RANKS)
    return (*cards, JOKER) if joker else cards


def sister(suit: str) -> str:
    """The other suit of the same colour: clubs and spades, diamonds and hearts."""
    return _SISTER[suit]


def right_bower(trump: str) -> str:
    """The jack of trumps."""
    return "J" + trump


def left_bower(trump: str) -> str:
    """The other jack of trumps' colour: a trump."""
    return "J" + _SISTER[trump]


def effective_suit(card: str, trump: str | None) -> str:
    """The suit that a card belongs to in following suit.

    The joker and both bowers are trumps. Where there are no trumps the joker is a suit of its own, `JK`.
    """
    if trump is None or trump == NO_TRUMP:
        return JOKER if card == JOKER else card[1]
    if card == JOKER or card == left_bower(trump):
        return trump
    return card[1]


def is_trump(card: str, trump: str | None) -> bool:
    """Whether a card is a trump: joker, right bower, left bower, or a card of the trump suit."""
    return trump is not None and effective_suit(card, trump) == trump


def trump_order(trump: str, joker: bool = False) -> tuple[str, ...]:
    """The trumps from high to low: (JK,) right bower, left bower, A K Q 10 9."""
    plain = tuple(rank + trump for rank in "AKQT9")
    return (*((JOKER,) if joker else ()), right_bower(trump), left_bower(trump), *plain)


def strength(card: str, trump: str | None, led: str | None = None) -> int:
    """How high a card stands: the higher number wins the trick, 0 cannot win it.

    `led` is the suit led (as `effective_suit`); left out, every plain card counts as if its suit were led.
    Trumps are above 100. Cards of two plain suits can be level: compare within one trick.
    """
    if card == JOKER:
        return 110
    if trump is not None and trump != NO_TRUMP:
        if card[1] == trump:
            return 109 if card[0] == "J" else 101 + RANKS.index(card[0])
        if card == left_bower(trump):
            return 108
    if led is not None and card[1] != led:
        return 0
    return 1 + RANKS.index(card[0])


def follow_suit(hand: Sequence[str], led: str | None, trump: str | None) -> list[str]:
    """The cards of `hand` that may be played: those of the suit led if there are any, else all."""
    following = [card for card in hand if effective_suit(card, trump) == led]
    return following or list(hand)


def trick_winner(trick: Sequence[Sequence[Any]], trump: str | None) -> tuple[int, str] | None:
    """(seat, card) that wins a trick of [seat, card], so far or for good; None for an empty trick."""
    if not trick:
        return None
    led = effective_suit(trick[0][1], trump)
    seat, card = max(trick, key=lambda play: strength(play[1], trump, led))
    return seat, card


def by_suit(cards: Iterable[str], trump: str | None) -> dict[str, list[str]]:
    """Cards grouped by effective suit, each group from high to low. Suits without a card are left out."""
    groups: dict[str, list[str]] = {}
    for card in sorted(cards, key=lambda card: -strength(card, trump)):
        groups.setdefault(effective_suit(card, trump), []).append(card)
    return groups
