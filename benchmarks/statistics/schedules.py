"""How many games until the whole order is right: round robin and adaptive."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from intervals import adaptive_course, truth
from pools import Array, Pool, Random, added, stats_of

from arena.ratings.bradley_terry import fit_pool
from arena.ratings.columns import columns_of
from arena.ratings.pairs import PairingStats


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


def curves(pool: Pool, random: Random, events: int, *, step: int, most: int, adaptive: bool) -> Curve:
    """Play events up to `most` pairs, and look every `step` pairs whether the order is right.

    A round robin is looked at by whole laps: `step` is a multiple of ten pairs of each pairing.
    """
    true = truth(pool, {(p.a, p.b): 1 for p in pool.pairings})
    right = tuple(sorted(pool.names, key=lambda name: -true[name]))
    looks = list(range(step, most + 1, step))
    hits = np.zeros(len(looks))
    for _ in range(events):
        look = 0
        for stats in _adaptive(pool, random, most) if adaptive else _round_robin(pool, random, step):
            spent = sum(s.pairs for s in stats)
            if spent < looks[look]:
                continue
            good = _order(stats, len(pool.names)) == right
            while look < len(looks) and spent >= looks[look]:
                hits[look] += good
                look += 1
            if look == len(looks):
                break
        else:
            # The order was settled: it stays as it is.
            hits[look:] += _order(stats, len(pool.names)) == right
    return Curve(tuple(2 * n for n in looks), tuple(float(x) for x in hits / events))


def _adaptive(pool: Pool, random: Random, most: int) -> Iterator[list[PairingStats]]:
    # Without a settled order in sight: the confidence asked for is out of reach of the budget.
    for stats, _ in adaptive_course(pool, random, most, confidence=0.9999):
        yield stats


def _round_robin(pool: Pool, random: Random, step: int) -> Iterator[list[PairingStats]]:
    pairs = step // len(pool.pairings)
    stats = [PairingStats(p.a, p.b) for p in pool.pairings]
    while True:
        drawn = (
            stats_of(p.a, p.b, *p.draw(random, pairs), start=s.pairs)
            for p, s in zip(pool.pairings, stats, strict=True)
        )
        stats = [added(s, new) if s.pairs else new for s, new in zip(stats, drawn, strict=True)]
        yield stats


def _order(stats: Sequence[PairingStats], bots: int) -> tuple[str, ...] | None:
    fit = fit_pool(columns_of(stats))
    if len(fit.names) < bots:
        return None
    return tuple(sorted(fit.names, key=lambda name: -fit.elo[fit.names.index(name)]))
