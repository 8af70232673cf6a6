"""Euchre's actions as integers and as the words of the wire.

A card played is its own number; a card discarded is DISCARD + number; calls follow from PASS on, in the
order in which `legal` lists them.
"""

from __future__ import annotations

from typing import Final

from arena.games.euchre.tables import CARDS, LOW_BITS, PACK_25, TRUMPS
from arena.games.tricks import subsets

DISCARD: Final = 32
PASS: Final = 64
ORDER_UP: Final = 65
ORDER_UP_ALONE: Final = 66
NAME: Final = 67
"""`name:X` is NAME + 2 * trump, `name:X:alone` one more."""
DEFEND_TOGETHER: Final = 77
DEFEND_ALONE: Final = 78


def name(trump: int, *, alone: bool = False) -> int:
    """The action that names `trump`."""
    return NAME + 2 * trump + alone


def _words() -> dict[int, str]:
    words = {card: f"play:{word}" for card, word in enumerate(PACK_25)}
    words |= {DISCARD + card: f"discard:{word}" for card, word in enumerate(PACK_25)}
    words |= {PASS: "pass", ORDER_UP: "order_up", ORDER_UP_ALONE: "order_up_alone"}
    for trump, word in enumerate(TRUMPS):
        words[name(trump)] = f"name:{word}"
        words[name(trump, alone=True)] = f"name:{word}:alone"
    return words | {DEFEND_TOGETHER: "defend_together", DEFEND_ALONE: "defend_alone"}


WORDS: Final = _words()
"""The word of every action."""

ACTIONS: Final = {word: action for action, word in WORDS.items()}
"""The action of every word."""

LOW_PLAYS: Final = subsets(WORDS[card] for card in range(LOW_BITS))
HIGH_PLAYS: Final = subsets(WORDS[card] for card in range(LOW_BITS, CARDS))
"""The words that play the cards of a mask, as LOW_WORDS and HIGH_WORDS give the cards."""
