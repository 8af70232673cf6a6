"""Log-likelihood ratios of two hypotheses about a mean score, from counted results.

`cells` are counts by ascending score, as in elo.py. The generalised ratio takes, for each hypothesis, the
multinomial that is nearest in likelihood to what was seen and has the hypothesis's mean
(Van den Bergh, "A practical introduction to the GSPRT"; fishtest LLRcalc.py; fastchess sprt.cpp).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from arena.ratings.elo import NELO_PER_SIGMA, elo_to_score, moments

ZERO_CELL = 1e-3
"""What an empty cell counts, as in fishtest and fastchess: keeps every ratio finite."""


@dataclass(frozen=True, slots=True)
class Shares:
    """Counted results as shares: the number of units, and score and share of each cell."""

    n: float
    scores: tuple[float, ...]
    shares: tuple[float, ...]

    @property
    def mean(self) -> float:
        return sum(a * p for a, p in zip(self.scores, self.shares, strict=True))


def shares_of(cells: Sequence[float], *, zero_cell: float = ZERO_CELL) -> Shares:
    counts = [c if c > 0 else zero_cell for c in cells]
    n = sum(counts)
    scores = tuple(i / (len(counts) - 1) for i in range(len(counts)))
    return Shares(n, scores, tuple(c / n for c in counts))


def nearest_shares(values: Sequence[float], shares: Sequence[float], mean: float) -> tuple[float, ...]:
    """The shares nearest in likelihood to `shares` under which `values` have this mean.

    They are `p / (1 + theta (a - mean))`; theta is the only root between the poles. `mean` must lie strictly
    between the least and the greatest value.
    """
    offsets = [a - mean for a in values]
    low, high = -1.0 / max(offsets), -1.0 / min(offsets)
    pairs = tuple(zip(shares, offsets, strict=True))
    theta = _root(lambda t: sum(p * d / (1.0 + t * d) for p, d in pairs), low, high)
    return tuple(p / (1.0 + theta * d) for p, d in pairs)


def shares_at_elo(seen: Shares, elo: float) -> tuple[float, ...]:
    """Nearest shares with the mean score of this Elo."""
    return nearest_shares(seen.scores, seen.shares, elo_to_score(elo))


def shares_at_t(seen: Shares, t: float) -> tuple[float, ...]:
    """Nearest shares with `(mean - 1/2) / sigma = t`: a linearised value is held at mean zero, repeatedly."""
    fitted = tuple(1.0 / len(seen.shares) for _ in seen.shares)
    for _ in range(10):
        mean = sum(a * p for a, p in zip(seen.scores, fitted, strict=True))
        variance = sum((a - mean) ** 2 * p for a, p in zip(seen.scores, fitted, strict=True))
        sigma = math.sqrt(variance)
        values = [a - 0.5 - t * sigma * (1.0 + ((mean - a) / sigma) ** 2) / 2.0 for a in seen.scores]
        last, fitted = fitted, nearest_shares(values, seen.shares, 0.0)
        if max(abs(p - q) for p, q in zip(last, fitted, strict=True)) < 1e-9:
            break
    return fitted


def llr_logistic(cells: Sequence[float], elo0: float, elo1: float) -> float:
    """Exact generalised ratio for logistic Elo hypotheses."""
    seen = shares_of(cells)
    return _ratio(seen, shares_at_elo(seen, elo0), shares_at_elo(seen, elo1))


def llr_normalised(cells: Sequence[float], nelo0: float, nelo1: float) -> float:
    """Exact generalised ratio for normalised Elo hypotheses (five cells are pairs, fewer games)."""
    seen = shares_of(cells)
    scale = math.sqrt(2.0) if len(cells) == 5 else 1.0
    t0, t1 = (scale * e / NELO_PER_SIGMA for e in (nelo0, nelo1))
    return _ratio(seen, shares_at_t(seen, t0), shares_at_t(seen, t1))


def llr_normal(n: float, mean: float, variance: float, score0: float, score1: float) -> float:
    """Normal approximation ("alt2") from moments: the only form for scores that are not counts."""
    return n * (score1 - score0) * (2.0 * mean - score0 - score1) / (2.0 * variance)


def llr_logistic_alt(cells: Sequence[float], elo0: float, elo1: float) -> float:
    """Second-order approximation of `llr_logistic` (fishtest LLR_alt): half the log ratio of mean squares."""
    seen = shares_of(cells)
    r0, r1 = (
        sum(p * (a - elo_to_score(e)) ** 2 for a, p in zip(seen.scores, seen.shares, strict=True))
        for e in (elo0, elo1)
    )
    return seen.n / 2.0 * math.log(r0 / r1)


def llr_normalised_alt(cells: Sequence[float], nelo0: float, nelo1: float) -> float:
    """Approximation of `llr_normalised` (fishtest LLR_normalized_alt)."""
    m = moments(cells, zero_cell=ZERO_CELL)
    per_unit = 2.0 if len(cells) == 5 else 1.0
    t = (m.mean - 0.5) / math.sqrt(per_unit * m.variance)
    t0, t1 = nelo0 / NELO_PER_SIGMA, nelo1 / NELO_PER_SIGMA
    return per_unit * m.n / 2.0 * math.log((1.0 + (t - t0) ** 2) / (1.0 + (t - t1) ** 2))


def llr_bayeselo(cells: Sequence[float], belo0: float, belo1: float) -> float:
    """Trinomial ratio in the BayesElo model, `drawelo` from the results (OpenBench TrinomialSPRT; fastchess's
    "bayesian" differs in the 8th figure). Zero, as there, while there is no win or no loss.
    """
    if cells[0] <= 0 or cells[-1] <= 0:
        return 0.0
    seen = shares_of(cells)
    loss, _, win = seen.shares
    drawelo = 200.0 * math.log10((1.0 - loss) / loss * (1.0 - win) / win)

    def model(belo: float) -> tuple[float, float, float]:
        p_win, p_loss = elo_to_score(belo - drawelo), elo_to_score(-belo - drawelo)
        return p_loss, 1.0 - p_win - p_loss, p_win

    return _ratio(seen, model(belo0), model(belo1))


def _ratio(seen: Shares, shares0: Sequence[float], shares1: Sequence[float]) -> float:
    return seen.n * sum(
        p * (math.log(p1) - math.log(p0)) for p, p0, p1 in zip(seen.shares, shares0, shares1, strict=True)
    )


def _root(f: Callable[[float], float], low: float, high: float) -> float:
    """Root of a function that falls from +inf at `low` to -inf at `high` (both poles, never evaluated)."""
    for _ in range(200):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        if f(middle) > 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)
