"""The score-to-win table: how likely the dealing side wins the game from a score, before the deal.

Solved from the reference policy's own outcome counts, so that the table is the policy's own
martingale and a luck term has mean zero whoever plays (ratings.md, section 3.4). The all-pass
cycle (the deal passes on and the score stays) is solved exactly, not iterated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WinTable:
    """`wins[i][j]`: the dealing side's chance to win with i points of its own against j."""

    target: int
    wins: tuple[tuple[float, ...], ...]

    def dealer_wins(self, own: int, other: int) -> float:
        """The chance in [0, 1] of the side that deals next; 1 or 0 where the game is over."""
        if own >= self.target:
            return 1.0
        if other >= self.target:
            return 0.0
        return self.wins[own][other]


def solve(
    chances: Sequence[tuple[int, int, float]], all_pass: float, target: int, *, same_dealer: bool = False
) -> WinTable:
    """Solve backwards from the target.

    `chances` holds (points of the dealing side, points of the other side, probability) for each
    scoring result; with `all_pass` they sum to 1. The deal passes to the other side after each
    hand, and after a thrown-in hand too unless `same_dealer`.
    """
    wins = [[0.0] * target for _ in range(target)]

    def value(own: int, other: int) -> float:
        if own >= target:
            return 1.0
        if other >= target:
            return 0.0
        return wins[own][other]

    def scored(own: int, other: int) -> float:
        return sum(p * (1.0 - value(other + theirs, own + ours)) for ours, theirs, p in chances)

    for total in range(2 * target - 2, -1, -1):
        for own in range(max(0, total - target + 1), min(target - 1, total) + 1):
            other = total - own
            if own < other:
                continue
            here, there = scored(own, other), scored(other, own)
            if same_dealer:
                wins[own][other] = here / (1.0 - all_pass)
                wins[other][own] = there / (1.0 - all_pass)
            else:
                # W(i,j) = here + q (1 - W(j,i)) and the same with i and j exchanged.
                q = all_pass
                wins[own][other] = (here + q * (1.0 - there - q)) / (1.0 - q * q)
                wins[other][own] = (there + q * (1.0 - here - q)) / (1.0 - q * q)
    return WinTable(target, tuple(tuple(row) for row in wins))
