"""Card words: rank then suit (`9C`, `TC`, `JS`, `AD`), the joker `JK`; suits C, D, H, S."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

SUITS: Final = "CDHS"
RANKS: Final = "23456789TJQKA"
JOKER: Final = "JK"

SISTER: Final = {"C": "S", "S": "C", "D": "H", "H": "D"}
"""The other suit of the same colour."""

SYMBOLS: Final = {"C": "\u2663", "D": "\u2666", "H": "\u2665", "S": "\u2660"}


def is_card(word: str) -> bool:
    """Whether `word` is a card: a rank and a suit, or the joker."""
    return word == JOKER or (len(word) == 2 and word[0] in RANKS and word[1] in SUITS)


def suited_pack(ranks: str, *, joker: bool = False) -> tuple[str, ...]:
    """A pack in canonical order: suits C, D, H, S, each by `ranks` (low to high), the joker last."""
    cards = tuple(rank + suit for suit in SUITS for rank in ranks)
    return (*cards, JOKER) if joker else cards


def split_cards(text: str) -> list[str]:
    """Cards written without spaces, two characters each: `9CTCJK` is 9C, TC, JK.

    Raises ValueError naming the first word that is not a card.
    """
    words = [text[i : i + 2] for i in range(0, len(text), 2)]
    for place, word in enumerate(words):
        if not is_card(word):
            raise ValueError(f"`{word}` (card {place + 1}) is not a card: expected a rank and a suit, or JK")
    return words


def join_cards(words: Iterable[str]) -> str:
    """Cards as one text without spaces; the inverse of `split_cards`."""
    return "".join(words)


def pack_from_words(words: Iterable[str], pack: tuple[str, ...]) -> list[int]:
    """Card words in order of dealing as numbers, for `State.deal`.

    Raises ValueError if they are not exactly the cards of `pack`, each once.
    """
    number = {word: i for i, word in enumerate(pack)}
    dealt: list[int] = []
    seen: set[str] = set()
    for word in words:
        if word not in number:
            raise ValueError(f"`{word}` is not a card of this game's pack of {len(pack)}")
        if word in seen:
            raise ValueError(f"{word} is there twice")
        seen.add(word)
        dealt.append(number[word])
    if len(dealt) != len(pack):
        missing = next(word for word in pack if word not in seen)
        raise ValueError(f"{len(dealt)} cards where the pack has {len(pack)}: {missing} is missing")
    return dealt
