"""How many games until the whole order is right: round robin and adaptive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from intervals import truth
from pools import Array, Pool, Random, added, stats_of

from arena.ratings.adaptive import next_blocks
from arena.ratings.bradley_terry import fit_pool
from arena.ratings.columns import columns_of
from arena.ratings.pairs import PAIRS_PER_BLOCK, PairingStats


@dataclass(frozen=True, slots=True)
class Curve:
    """Share of events whose order was right after so many games."""

    games: tuple[int, ...]
    right: tuple[float, ...]

    def games_for(self, share: float) -> float | None:
        """Games at which the curve (made monotonic) reaches a share, by linear interpolation; None: never.

        Made monotonic by isotonic regression: the highest share so far would take each look's luckiest events
        for the truth, and the more so the flatter the curve is.
        """
        rising = isotonic(self.right)
        if rising[-1] < share:
            return None
        k = int(np.argmax(rising >= share))
        if k == 0:
            return float(self.games[0])
        low, high = rising[k - 1], rising[k]
        return float(self.games[k - 1] + (share - low) / (high - low) * (self.games[k] - self.games[k - 1]))


def isotonic(values: Sequence[float]) -> Array:
    """The rising sequence that is nearest by squares: neighbours that fall are pooled (Ayer et al. 1955)."""
    pools: list[tuple[float, int]] = []
    for value in values:
        total, count = float(value), 1
        while pools and pools[-1][0] * count > total * pools[-1][1]:
            before, size = pools.pop()
            total, count = total + before, count + size
        pools.append((total, count))
    return np.concatenate([np.full(count, total / count) for total, count in pools])


def curves(
    pool: Pool, random: Random, events: int, *, step: int, most: int, adaptive: bool, at_a_time: int = 4
) -> Curve:
    """Play events up to `most` pairs, and look every `step` pairs whether the order is right."""
    true = truth(pool, {(p.a, p.b): 1 for p in pool.pairings})
    right = tuple(sorted(pool.names, key=lambda name: -true[name]))
    looks = list(range(step, most + 1, step))
    hits = np.zeros(len(looks))
    by_name = {(p.a, p.b): p for p in pool.pairings}
    for _ in range(events):
        stats: dict[tuple[str, str], PairingStats] = {}
        spent = look = 0
        done = False
        while look < len(looks):
            if not done:
                # Without a settled order in sight: the confidence asked for is out of reach of the budget.
                decision = next_blocks(
                    pool.names,
                    list(stats.values()),
                    count=at_a_time,
                    confidence=0.9999,
                    first_pairs=20 if adaptive else 10**6,
                )
                done = decision.settled
                for a, b in decision.blocks:
                    key = (a, b) if (a, b) in by_name else (b, a)
                    before = stats.get(key)
                    drawn = by_name[key].draw(random, PAIRS_PER_BLOCK)
                    block = stats_of(*key, *drawn, start=before.pairs if before else 0)
                    stats[key] = added(before, block) if before else block
                spent += PAIRS_PER_BLOCK * len(decision.blocks)
            if done or spent >= looks[look]:
                order = _order(stats, len(pool.names))
                while look < len(looks) and (done or spent >= looks[look]):
                    hits[look] += order == right
                    look += 1
    return Curve(tuple(2 * n for n in looks), tuple(float(x) for x in hits / events))


def _order(stats: dict[tuple[str, str], PairingStats], bots: int) -> tuple[str, ...] | None:
    if not stats:
        return None
    fit = fit_pool(columns_of(stats.values()))
    if len(fit.names) < bots:
        return None
    return tuple(sorted(fit.names, key=lambda name: -fit.elo[fit.names.index(name)]))
