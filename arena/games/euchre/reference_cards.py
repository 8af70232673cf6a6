"""Cards as the reference policy of euchre sees them: frozen tables by trump and card, and its generator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from arena.games.euchre.tables import CARDS, SUIT_MASK, effective_suit, strength


class Cards(NamedTuple):
    """Tables at `trump * 25 + card` (`groups`: `trump * 4 + suit`), and the generator."""

    suits: Any
    powers: Any
    aboves: Any
    """The cards of its effective suit that stand above a card, as a bit set."""
    groups: Any
    """The cards of an effective suit, as a bit set."""
    number: Any
    """From a single bit to its number, at its remainder by 37."""
    draw: Any


def _above(trump: int, card: int) -> int:
    """The cards of its effective suit that stand above a card."""
    same = effective_suit(card, trump)
    return sum(
        1 << other
        for other in range(CARDS)
        if effective_suit(other, trump) == same and strength(other, trump) > strength(card, trump)
    )


def build_cards(jit: Callable[[Any], Any], freeze: Callable[[list[int]], Any]) -> Cards:
    """The tables and the generator, with constants and compiler as in `reference.build`."""
    cards = [(trump, card) for trump in range(4) for card in range(CARDS)]

    @jit
    def draw(rng: Any, n: int) -> int:
        """The generator's next number below n (n is tiny: the modulo's bias is below 2**-25)."""
        x = rng[0]
        x ^= (x << 13) & 0xFFFFFFFF
        x ^= x >> 17
        x ^= (x << 5) & 0xFFFFFFFF
        rng[0] = x
        return int(x % n)

    return Cards(
        suits=freeze([effective_suit(c, t) for t, c in cards]),
        powers=freeze([strength(c, t) for t, c in cards]),
        aboves=freeze([_above(t, c) for t, c in cards]),
        groups=freeze([SUIT_MASK[t][s] for t in range(4) for s in range(4)]),
        # The powers of two up to 2**35 leave different remainders.
        number=freeze([next((k for k in range(36) if 2**k % 37 == rest), 0) for rest in range(37)]),
        draw=draw,
    )
