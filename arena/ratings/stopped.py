"""Elo after a test that stopped itself: median-unbiased, with an interval that allows for the stopping.

A test that stops when the results look good enough stops on good luck: its plain Elo leans outwards. Seen
as a Brownian motion between two walls, every end of the test can be ordered from bad to good (fast reject,
slow reject, still running low ... high, slow accept, fast accept); the Elo under which the observed end is
the median one is unbiased in the median (Siegmund 1985, ch. III; fishtest sprt.py and brownian.py work so
too).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.ratings.elo import Moments, clip_probability, elo_to_score
from arena.ratings.llr import llr_normal
from arena.ratings.special import normal_cdf

if TYPE_CHECKING:
    from arena.ratings.sprt import SprtTest

WIDEST = 1000.0
"""Elo, either way, within which the estimate is looked for."""


@dataclass(frozen=True, slots=True)
class StoppedElo:
    """Median-unbiased Elo with its 95 % interval, and the probability that it is above zero."""

    elo: float
    low: float
    high: float
    los: float


def stopped_elo(m: Moments, test: SprtTest) -> StoppedElo:
    """The estimate after a test that has seen units with these moments (of a variance above zero)."""
    score0, score1 = test.scores(m.variance)
    llr = llr_normal(m.n, m.mean, m.variance, score0, score1)
    end, time = llr, m.n
    # The wall was hit before the last unit was counted: go back along the straight line.
    if not test.lower < llr < test.upper:
        end = test.lower if llr <= test.lower else test.upper
        time = m.n * end / llr
    # The ratio's walk in the normal approximation ("alt2"): drift and variance a unit.
    variance = (score1 - score0) ** 2 / m.variance

    def worse(elo: float) -> float:
        drift = (elo_to_score(elo) - 0.5 * (score0 + score1)) * (score1 - score0) / m.variance
        return worse_end(drift, variance, test.lower, test.upper, time, end)

    return StoppedElo(
        elo=_falling(worse, 0.5),
        low=_falling(worse, 0.975),
        high=_falling(worse, 0.025),
        los=clip_probability(worse(0.0)),
    )


def worse_end(drift: float, variance: float, low: float, high: float, time: float, end: float) -> float:
    """Probability of a worse end than (time, end) for a Brownian motion from 0 between the walls.

    At a wall the time decides: an earlier `low` is worse, an earlier `high` is better.
    """
    if end >= high:
        return 1.0 - worse_end(-drift, variance, -high, -low, time, -high)
    end = max(end, low)
    width, lean = high - low, drift / variance
    if variance * time < 0.02 * width * width or abs(lean * width) > 15.0:
        found = _by_images(drift, variance, low, high, time, end)
    else:
        found = _hit(lean, variance, low, high, time)
        if end > low:
            found += _inside(lean, variance, low, high, time, end)
    return min(1.0, max(0.0, found))


def _by_images(drift: float, variance: float, low: float, high: float, time: float, end: float) -> float:
    """One reflection at each wall: exact enough where no path is likely to go from wall to wall."""
    spread, lean = math.sqrt(variance * time), drift / variance
    return (
        normal_cdf((end - drift * time) / spread)
        + _tilted(2.0 * lean * low, (2.0 * low + drift * time - end) / spread)
        - _tilted(2.0 * lean * high, (end - 2.0 * high - drift * time) / spread)
    )


def _tilted(exponent: float, z: float) -> float:
    """exp(exponent) times the normal tail below z, where the one is huge and the other tiny."""
    if z > -30.0:
        return math.exp(min(exponent, 600.0)) * normal_cdf(z)
    return math.exp(min(exponent - 0.5 * z * z - math.log(-z * math.sqrt(2.0 * math.pi)), 600.0))


def _waves(lean: float, variance: float, width: float, time: float) -> Iterator[tuple[float, float]]:
    """Wave number and decay of the eigenfunctions between the walls, as long as they count."""
    rate = math.pi**2 * variance * time / (2.0 * width * width)
    for n in range(1, 2 + math.ceil(math.sqrt(45.0 / rate))):
        wave = n * math.pi / width
        yield wave, 0.5 * variance * (lean * lean + wave * wave)


def _hit(lean: float, variance: float, low: float, high: float, time: float) -> float:
    """Probability of reaching `low` first, and by `time`: the whole less the part that is still to come."""
    width = high - low
    pull = 2.0 * abs(lean)
    if pull * width < 1e-9:
        ever = high / width
    elif lean > 0.0:
        ever = (math.exp(pull * low) - math.exp(-pull * width)) / -math.expm1(-pull * width)
    else:
        ever = math.expm1(-pull * high) / math.expm1(-pull * width)
    later = 0.0
    for wave, decay in _waves(lean, variance, width, time):
        later += wave * math.sin(-wave * low) * math.exp(lean * low - decay * time) / decay
    return ever - later * variance / width


def _inside(lean: float, variance: float, low: float, high: float, time: float, end: float) -> float:
    """Probability of no wall reached by `time`, and a place below `end` then."""
    width = high - low
    total = 0.0
    for wave, decay in _waves(lean, variance, width, time):
        turn = wave * (end - low)
        upper = math.exp(lean * end - decay * time) * (lean * math.sin(turn) - wave * math.cos(turn))
        lower = -math.exp(lean * low - decay * time) * wave
        total += math.sin(-wave * low) * (upper - lower) / (lean * lean + wave * wave)
    return 2.0 / width * total


def _falling(f: Callable[[float], float], level: float) -> float:
    """Where a falling function of Elo takes this value."""
    low, high = -WIDEST, WIDEST
    for _ in range(60):
        middle = 0.5 * (low + high)
        if f(middle) > level:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)
