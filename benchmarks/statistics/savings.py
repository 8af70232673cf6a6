"""What duplicate pairs, luck and sequential stopping save, and how often the sequential test errs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pools import Array, Pairs, Pool, Random

from arena.ratings.columns import adjusted_scores, columns_of
from arena.ratings.elo import elo_to_score
from arena.ratings.pairs import PairUnit
from arena.ratings.special import normal_quantile
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


def oracle_runs(
    pairing: Pairs, random: Random, runs: int, elo: float, *, test: SprtTest, most: int = 6
) -> SprtFigures:
    """The sequential test of one who knows what it has to learn: the variance of a pair, and the best beta.

    The same walls, no floor and no least number of pairs: what is left over its fixed length is owed to the
    walls being passed by a step, not met. A run is cut at `most` fixed lengths.
    """
    weight = pairing.tilted(elo_to_score(elo))
    share = np.diff(weight, prepend=0.0)
    s, luck = pairing.score.mean(axis=1), pairing.luck.mean(axis=1)
    beta = float(share @ ((s - share @ s) * luck)) / float(share @ luck**2)
    freed = s - beta * luck
    variance = float(share @ (freed - share @ freed) ** 2)
    fixed = test.fixed_pairs(variance)
    s0, s1 = test.scores(variance)
    size = int(most * fixed)
    accepted = rejected = pairs = 0
    for _ in range(runs):
        s, luck, _ = pairing.draw(random, size, weight=weight)
        ratio = np.cumsum((s1 - s0) * (2.0 * (s - beta * luck) - s0 - s1) / (2.0 * variance))
        over = np.flatnonzero((ratio >= test.upper) | (ratio <= test.lower))
        end = int(over[0]) if len(over) else size - 1
        pairs += end + 1
        accepted += bool(ratio[end] >= test.upper)
        rejected += bool(ratio[end] <= test.lower)
    return SprtFigures(elo, accepted / runs, rejected / runs, 2 * pairs / runs, 2 * fixed)


def shortest_share(test: SprtTest) -> float:
    """Mean length of the shortest test there is at the two hypotheses, over that of the fixed test.

    Wald and Wolfowitz (1948): no test with these errors takes fewer observations on average than the
    sequential ratio test whose walls are met exactly.
    """
    a, b = test.alpha, test.beta
    at_h0 = (1.0 - a) * -test.lower - a * test.upper
    at_h1 = (1.0 - b) * test.upper - b * -test.lower
    z = normal_quantile(1.0 - a) + normal_quantile(1.0 - b)
    return (at_h0 + at_h1) / (z * z)


def naive_games(test: SprtTest) -> float:
    """Games of a fixed-length test on independent games, between the hypotheses."""
    return 2 * test.fixed_pairs(0.125)
