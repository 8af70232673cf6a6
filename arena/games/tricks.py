"""What trick-taking games share: sets of cards as bit masks, and turn order among those in play."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

Item = TypeVar("Item")


def mask_of(cards: Iterable[int]) -> int:
    """The set of card numbers as a bit mask."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def subsets(items: Iterable[Item]) -> tuple[tuple[Item, ...], ...]:
    """By mask, the items whose bits it has, in their order: `subsets("ab")` is (), (a), (b), (a, b)."""
    table: list[tuple[Item, ...]] = [()]
    for item in items:
        table += [(*subset, item) for subset in table]
    return tuple(table)


def turn_order(seats: int) -> tuple[tuple[int, ...], ...]:
    """`turn_order(n)[out][seat]`: the next seat to the left that is in play; `out` is a mask of seats."""
    return tuple(
        tuple(
            next((s for i in range(1, seats + 1) if not out >> (s := (seat + i) % seats) & 1), seat)
            for seat in range(seats)
        )
        for out in range(1 << seats)
    )
