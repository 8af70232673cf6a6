"""What duplicate pairs, luck and sequential stopping save, and how often the sequential test errs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pools import Array, Pairs, Pool, Random

from arena.ratings.columns import adjusted_scores, columns_of
from arena.ratings.elo import elo_to_score
from arena.ratings.pairs import PairUnit
from arena.ratings.sprt import Sprt, SprtStatus, SprtTest

SURE_GAP = 3.0
"""Standard errors from even that a pairing must lie for its margin's gain to be told from its own effect."""


@dataclass(frozen=True, slots=True)
class Gains:
    """Variance of as many independent games, over that of the method; and how pairs fell (LL, level, WW)."""

    pairing: str
    kind: str
    score: float
    shares: tuple[float, float, float]
    duplicate: float
    single_luck: float
    adjusted: float
    margin: float
    margin_luck: float


def gains(pool: Pool) -> list[Gains]:
    """Of each pairing. Margin gains use the pool's own slope of margin on score (points a unit of score)."""
    even = [p.mean - 0.5 for p in pool.pairings]
    margins = [float(p.margin.mean()) for p in pool.pairings]
    slope = sum(x * y for x, y in zip(even, margins, strict=True)) / max(sum(x * x for x in even), 1e-12)
    found = []
    for p in pool.pairings:
        s, luck, margin = p.score.mean(axis=1), p.luck.mean(axis=1), p.margin.mean(axis=1)
        naive = p.mean * (1 - p.mean) / 2
        single = [_residual(p.score[:, leg], p.luck[:, leg]) for leg in (0, 1)]
        whole = adjusted_scores(columns_of([_stats(p)]))
        freed = float(whole.s2[0] / whole.n[0] - (whole.s[0] / whole.n[0]) ** 2)
        shares = ((s < 0.5).mean(), (s == 0.5).mean(), (s > 0.5).mean())
        found.append(
            Gains(
                f"{p.a}-{p.b}",
                p.kind,
                p.mean,
                (float(shares[0]), float(shares[1]), float(shares[2])),
                naive / float(s.var()),
                2 * naive / float(np.mean(single)),
                naive / freed,
                naive * slope**2 / float(margin.var()),
                naive * slope**2 / _residual(margin, luck),
            )
        )
    return found


def median_pairing(choice: Sequence[Pairs]) -> Pairs:
    """The pairing whose duplicate pairs with luck taken off save as much as is usual; of two the lesser."""
    found = gains(Pool((), tuple(choice)))
    order = sorted(zip(choice, found, strict=True), key=lambda pair: pair[1].adjusted)
    return order[(len(order) - 1) // 2][0]


def _stats(p: Pairs):  # type: ignore[no-untyped-def]
    from pools import stats_of

    return stats_of(p.a, p.b, p.score.mean(axis=1), p.luck.mean(axis=1), p.margin.sum(axis=1))


def _residual(y: Array, x: Array) -> float:
    """Variance of y about its line on x."""
    spread = float(x.var())
    if spread <= 0:
        return float(y.var())
    return float(y.var() - np.cov(x, y, bias=True)[0, 1] ** 2 / spread)


@dataclass(frozen=True, slots=True)
class SprtFigures:
    """Runs at one true Elo."""

    elo: float
    accepted: float
    rejected: float
    games: float
    fixed_games: float
    """Games of a fixed-length test with the same errors and the same scores."""


def sprt_runs(
    pairing: Pairs,
    random: Random,
    runs: int,
    elo: float,
    *,
    duplicate: bool,
    luck: bool,
    test: SprtTest,
) -> SprtFigures:
    """The test on pairs of this pairing, tilted so that the truth is `elo`."""
    weight = pairing.tilted(elo_to_score(elo))
    accepted = rejected = 0
    games = variance = 0.0
    for _ in range(runs):
        sprt = Sprt(test)
        done = 0
        while sprt.running:
            s, lucky, _ = pairing.draw(random, 400, duplicate=duplicate, weight=weight)
            for k in range(len(s)):
                unit = PairUnit(done + k, float(s[k]), float(lucky[k]) if luck else None)
                if sprt.add(unit) is not SprtStatus.RUNNING:
                    break
            done += len(s)
        report = sprt.report()
        games += 2 * report.pairs
        accepted += report.status is SprtStatus.ACCEPT
        rejected += report.status is SprtStatus.REJECT
    s, lucky, _ = pairing.draw(random, 100_000, duplicate=duplicate, weight=weight)
    variance = _residual(s, lucky) if luck else float(s.var())
    return SprtFigures(elo, accepted / runs, rejected / runs, games / runs, 2 * test.fixed_pairs(variance))


def naive_games(test: SprtTest) -> float:
    """Games of a fixed-length test on independent games, between the hypotheses."""
    return 2 * test.fixed_pairs(0.125)
