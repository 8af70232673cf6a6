"""`arena-deal-1`: its vectors, and a second implementation from its description."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.cards.shuffle import ALGORITHM, shuffled

VECTORS = json.loads((Path(__file__).parents[1] / "data" / "deals.json").read_text())


def described(seed: bytes, cards: int) -> list[int]:
    """The shuffle word for word as PROTOCOL.md has it."""

    def stream() -> Iterator[int]:
        block = 0
        while True:
            yield from hashlib.sha256(seed + block.to_bytes(4, "big")).digest()
            block += 1

    bytes_ = stream()

    def draw(n: int) -> int:
        while True:
            b = next(bytes_)
            if b < 256 - 256 % n:
                return b % n

    pack = list(range(cards))
    for i in range(cards - 1, 0, -1):
        j = draw(i + 1)
        pack[i], pack[j] = pack[j], pack[i]
    return pack


def test_vectors() -> None:
    assert VECTORS["algorithm"] == ALGORITHM == "arena-deal-1"
    assert len(VECTORS["shuffle"]) >= 10
    for vector in VECTORS["shuffle"]:
        assert shuffled(bytes.fromhex(vector["seed"]), vector["cards"]) == vector["pack"]


@given(seed=st.binary(max_size=40), cards=st.integers(1, 256))
def test_as_described(seed: bytes, cards: int) -> None:
    pack = shuffled(seed, cards)
    assert sorted(pack) == list(range(cards))
    assert pack == described(seed, cards)


def test_every_card_lies_everywhere_equally_often() -> None:
    decks = 4800
    places = Counter(
        (place, card)
        for n in range(decks)
        for place, card in enumerate(shuffled(n.to_bytes(32, "big"), 24))
    )
    mean = decks / 24
    chi_squared = sum((places[p, c] - mean) ** 2 / mean for p in range(24) for c in range(24))
    assert 400 < chi_squared < 660  # 23 * 23 = 529 degrees of freedom, standard deviation 33


@pytest.mark.parametrize("cards", [0, -1, 257])
def test_no_such_pack(cards: int) -> None:
    with pytest.raises(ValueError, match="expected 1 to 256"):
        shuffled(b"", cards)
