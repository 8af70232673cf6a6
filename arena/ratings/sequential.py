"""Looking at the table after every block without fooling oneself, and how many more pairs would settle a
question.

A fixed limit on z looked at again and again is crossed by chance sooner or later. The mixture likelihood
ratio of a normal prior on the true gap is a martingale if the gap is zero: it exceeds 1 / alpha at *any*
time with probability alpha at most (Robbins 1970; Ville 1939). So a stopping rule built on it may look as
often as it likes.
"""

from __future__ import annotations

import math

from arena.ratings.elo import ELO_PER_LOGIT
from arena.ratings.special import normal_quantile

PRIOR_GAP = 30.0
"""Standard deviation, Elo, of the mixture's prior on a gap: the bound is tightest for gaps near it."""
MANY_PAIRS = 20_000
"""Beyond so many pairs the answer is "more than that"."""


def mixture_log_ratio(gap: float, se: float, prior: float = PRIOR_GAP) -> float:
    """Logarithm of the mixture ratio of a gap estimated with this standard error (both in Elo)."""
    if not (se > 0.0 and math.isfinite(se)):
        return 0.0
    share = prior**2 / (prior**2 + se**2)
    return 0.5 * (gap / se) ** 2 * share + 0.5 * math.log1p(-share)


def any_time_limit(error: float, bots: int) -> float:
    """Log ratio at which an order of two neighbours counts as settled, all orders wrong with `error` at most.

    Of every two bots one order is wrong, so there are bots (bots - 1) / 2 ways to be wrong; each may take
    an equal share, and the two-sided mixture spends half of its own on the wrong side.
    """
    ways = max(1.0, bots * (bots - 1) / 2.0)
    return math.log(ways / (2.0 * error))


def any_time_half_width(se: float, error: float, prior: float = PRIOR_GAP) -> float:
    """Half width of a confidence sequence: it covers the true gap at all times at once, but for `error`."""
    share = prior**2 / (prior**2 + se**2)
    return se * math.sqrt(2.0 / share * (math.log(1.0 / error) - 0.5 * math.log1p(-share)))


def information_per_pair(expected: float, variance: float) -> float:
    """What one more pair of two bots tells of their gap: the inverse of a variance in Elo squared.

    `expected` is their model score, `variance` that of one pair's score.
    """
    slope = expected * (1.0 - expected) / ELO_PER_LOGIT
    return slope * slope / variance


def more_pairs(gap: float, se: float, per_pair: float, *, sure: float = 0.95) -> int | None:
    """Further pairs between two bots after which they would be told apart with `sure`, if the gap is as seen.

    Rounded up to blocks of ten, and to two figures; None beyond `MANY_PAIRS`.
    """
    z = normal_quantile(sure)
    if per_pair <= 0.0 or abs(gap) < 1e-9:
        return None
    need = ((z / gap) ** 2 - 1.0 / (se * se)) / per_pair
    if not need <= MANY_PAIRS:
        return None
    step = 10
    while need > 100 * step:
        step *= 10
    return max(step, math.ceil(need / step) * step)
