"""`arena-deal-1`: the unbiased shuffle that turns a deck's seed into an order of dealing.

The stream is SHA-256(seed || be32(0)) || SHA-256(seed || be32(1)) || ..., read byte by byte. A draw
below n takes the next byte b that is less than 256 - 256 % n, and is b % n. The shuffle is that of
Fisher and Yates (Knuth, TAOCP 2, algorithm P): from 0..N-1, for i = N-1 down to 1 swap i with a draw
below i + 1. PROTOCOL.md has the same text and its test vectors.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final

ALGORITHM: Final = "arena-deal-1"

MAX_CARDS: Final = 256
"""A draw takes one byte."""


def shuffled(seed: bytes, cards: int) -> list[int]:
    """The card numbers 0..cards-1 in order of dealing, from a deck's seed (32 bytes, any length works).

    Raises ValueError for fewer than one or more than 256 cards.
    """
    if not 1 <= cards <= MAX_CARDS:
        raise ValueError(f"cannot shuffle {cards} cards: expected 1 to {MAX_CARDS}")
    pack = list(range(cards))
    counter = 0
    n = cards
    while n > 1:
        for byte in sha256(seed + counter.to_bytes(4, "big")).digest():
            j = byte % n
            if byte - j + n <= 256:  # the same as byte < 256 - 256 % n, cheaper
                n -= 1
                pack[n], pack[j] = pack[j], pack[n]
                if n == 1:
                    break
        counter += 1
    return pack
