"""Elo, its error, normalised Elo and likelihood of superiority, from counted results; and online Elo.

Results are *cells*: counts by ascending score, `[L, W]`, `[L, D, W]` or the five of a duplicate pair
`[LL, LD, WL+DD, WD, WW]`. A *unit* is what one count stands for: a game or a pair.

`normal_estimate` is the field's formula (fastchess elo_wdl.cpp and elo_pentanomial.cpp); it has no answer
at 0 and 100 %, with zero variance, or where an interval leaves 0..1. `estimate` always has a finite one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arena.ratings.special import Z95, beta_cdf, normal_cdf, t_cdf, t_quantile

ELO_PER_LOGIT = 400.0 / math.log(10.0)
NELO_PER_SIGMA = 800.0 / math.log(10.0)
"""Normalised Elo of a mean one standard deviation of a game above one half (347.4356)."""
SMALL_SAMPLE = 30
"""Below so many units the normal approximation is left for Student's t."""
CERTAIN = 1e-9
"""No probability comes nearer to 0 or 1 than this: a sample never proves."""
FLOOR_UNITS = 4
"""Pseudo-units at the variance of independent even games that a variance floor adds."""


@dataclass(frozen=True, slots=True)
class Moments:
    """Number of units, mean score and variance of one unit (population form)."""

    n: float
    mean: float
    variance: float


@dataclass(frozen=True, slots=True)
class EloEstimate:
    """Elo of a score with its 95 % interval. All numbers are finite; None means: nothing can be said."""

    units: int
    score: float
    elo: float
    """With a `bound`, the value that the true Elo is probably beyond."""
    bound: str
    """`>` after nothing but wins, `<` after nothing but losses, else empty."""
    error: float | None
    """Half width of the 95 % interval."""
    low: float | None
    high: float | None
    nelo: float | None
    nelo_error: float | None
    los: float
    """Probability of being the better side, never 0 or 1."""


def score_to_elo(score: float) -> float:
    """Logistic Elo of a score strictly between 0 and 1."""
    return 0.0 - 400.0 * math.log10(1.0 / score - 1.0)


def elo_to_score(elo: float) -> float:
    return 1.0 / (1.0 + math.pow(10.0, -max(-100_000.0, min(100_000.0, elo)) / 400.0))


def clip_probability(p: float) -> float:
    """Keep a probability short of certainty (and turn a NaN into one half)."""
    return 0.5 if math.isnan(p) else min(1.0 - CERTAIN, max(CERTAIN, p))


def percent(p: float) -> str:
    """A probability for people, never `0 %` or `100 %`."""
    if p >= 0.9995:
        return "> 99.9 %"
    if p < 0.0005:
        return "< 0.1 %"
    return f"{100 * p:.1f} %"


def moments(cells: Sequence[float], *, zero_cell: float = 0.0) -> Moments:
    """Moments of counted results. `zero_cell` stands in for empty cells (fishtest: 1e-3)."""
    counts = [c if c > 0 else zero_cell for c in cells]
    n = sum(counts)
    if n <= 0:
        return Moments(0.0, 0.5, 0.0)
    scores = [i / (len(counts) - 1) for i in range(len(counts))]
    mean = sum(c * a for c, a in zip(counts, scores, strict=True)) / n
    variance = sum(c * (a - mean) ** 2 for c, a in zip(counts, scores, strict=True)) / n
    return Moments(n, mean, variance)


def normal_estimate(cells: Sequence[float], *, zero_cell: float = 0.0) -> EloEstimate | None:
    """The normal approximation of the field; None without variance, no interval where it would leave 0..1.

    Five cells are pairs (the deviation of a game is then `sqrt(2 v)`), fewer are games.
    """
    m = moments(cells, zero_cell=zero_cell)
    if m.n <= 0 or m.variance <= 0:
        return None
    se = math.sqrt(m.variance / m.n)
    low = high = error = None
    if m.mean - Z95 * se > 0.0 and m.mean + Z95 * se < 1.0:
        low, high = score_to_elo(m.mean - Z95 * se), score_to_elo(m.mean + Z95 * se)
        error = (high - low) / 2.0
    sigma = math.sqrt(m.variance * _games_per_unit(cells))
    return EloEstimate(
        units=round(m.n),
        score=m.mean,
        elo=score_to_elo(m.mean),
        bound="",
        error=error,
        low=low,
        high=high,
        nelo=(m.mean - 0.5) / sigma * NELO_PER_SIGMA,
        nelo_error=Z95 * se / sigma * NELO_PER_SIGMA,
        los=clip_probability(normal_cdf((m.mean - 0.5) / se)),
    )


def estimate(cells: Sequence[int]) -> EloEstimate:
    """Elo of counted results, finite whatever they are.

    From 30 units on the normal approximation, where it exists. Else Student's t on the logit scale, with
    the variance floored by four pseudo-units; after nothing but wins or losses a bound from half a unit
    conceded, and the likelihood of superiority from a Beta posterior with a uniform prior.
    """
    m = moments(cells)
    n, total = m.n, m.n * m.mean
    usual = normal_estimate(cells) if n >= SMALL_SAMPLE else None
    if usual is not None and usual.error is not None:
        return usual
    shrunk = (total + 0.5) / (n + 1.0)
    naive = 0.25 / _games_per_unit(cells)
    variance = (n * m.variance + FLOOR_UNITS * naive) / (n + FLOOR_UNITS)
    sigma = math.sqrt(variance * _games_per_unit(cells))
    se = math.sqrt(variance / n) if n else math.sqrt(naive)
    nelo = (m.mean - 0.5) / sigma * NELO_PER_SIGMA if n else None
    nelo_error = Z95 * se / sigma * NELO_PER_SIGMA if n else None
    if n and (total == 0 or total == n):
        won = total == n
        bound = score_to_elo(shrunk)
        return EloEstimate(
            units=round(n),
            score=m.mean,
            elo=bound,
            bound=">" if won else "<",
            error=None,
            low=bound if won else None,
            high=None if won else bound,
            nelo=nelo,
            nelo_error=nelo_error,
            los=beta_los(n, 0) if won else beta_los(0, n),
        )
    elo = score_to_elo(m.mean)
    dof = n + FLOOR_UNITS - 1
    half = t_quantile(0.975, dof) * se / (shrunk * (1.0 - shrunk)) * ELO_PER_LOGIT
    return EloEstimate(
        units=round(n),
        score=m.mean,
        elo=elo,
        bound="",
        error=half if n else None,
        low=elo - half if n else None,
        high=elo + half if n else None,
        nelo=nelo,
        nelo_error=nelo_error,
        los=clip_probability(t_cdf((m.mean - 0.5) / se, dof)),
    )


def beta_los(wins: float, losses: float) -> float:
    """P(p > 1/2) after these wins and losses from a uniform prior: 0.75 after 1-0, 0.9995 after 10-0."""
    return clip_probability(1.0 - beta_cdf(wins + 1.0, losses + 1.0, 0.5))


def trinomial_los(wins: float, losses: float) -> float:
    """Normal likelihood of superiority from decided games (cutechess elo.cpp); overconfident below ten."""
    if wins + losses <= 0:
        return 0.5
    return clip_probability(normal_cdf((wins - losses) / math.sqrt(wins + losses)))


def online_elo(
    ratings: Mapping[str, float], a: str, b: str, score: float, *, k: float = 16.0, start: float = 0.0
) -> dict[str, float]:
    """One step of online Elo after a unit with `score` for `a`: provisional, it depends on the order."""
    ra, rb = ratings.get(a, start), ratings.get(b, start)
    step = k * (score - elo_to_score(ra - rb))
    return {**ratings, a: ra + step, b: rb - step}


def _games_per_unit(cells: Sequence[float]) -> int:
    return 2 if len(cells) == 5 else 1
