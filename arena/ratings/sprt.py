"""Sequential probability ratio test of two bots on duplicate pairs: stop as soon as one hypothesis is clear.

H0: the first bot is `elo0` better; H1: `elo1`. The test looks at luck-adjusted pair scores in plan order
through the normal approximation, with a floored variance; beta comes from earlier pairs only, so a pair
never chooses its own correction. The exact generalised ratio of the raw counts stands beside it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from arena.errors import ArenaError, Exit
from arena.ratings.elo import (
    ELO_PER_LOGIT,
    NELO_PER_SIGMA,
    EloEstimate,
    Moments,
    clip_probability,
    elo_to_score,
    estimate,
    score_to_elo,
)
from arena.ratings.llr import llr_logistic, llr_normal, llr_normalised
from arena.ratings.pairs import LuckFold, PairUnit, beta_of, cell_of, floored_variance
from arena.ratings.special import Z95, normal_cdf, normal_quantile
from arena.ratings.stopped import StoppedElo, stopped_elo

MIN_PAIRS = 8
"""No decision before so many pairs: the normal approximation is not to be trusted there."""


class SprtStatus(StrEnum):
    RUNNING = "running"
    ACCEPT = "accept"
    """H1: better by `elo1`."""
    REJECT = "reject"
    """H0: not better than `elo0`."""
    UNDECIDED = "undecided"
    """The cap on pairs came first."""


class SprtModel(StrEnum):
    LOGISTIC = "logistic"
    NORMALISED = "normalised"


@dataclass(frozen=True, slots=True)
class SprtTest:
    """What is tested: Elo hypotheses, error rates, and the cap on pairs (None: no cap)."""

    elo0: float = 0.0
    elo1: float = 10.0
    alpha: float = 0.05
    """Probability of accepting although H0 is true."""
    beta: float = 0.05
    """Probability of rejecting although H1 is true."""
    max_pairs: int | None = None
    model: SprtModel = SprtModel.LOGISTIC

    def __post_init__(self) -> None:
        if not (math.isfinite(self.elo0) and math.isfinite(self.elo1) and self.elo0 < self.elo1):
            raise ArenaError(
                f"elo0 = {self.elo0:g} must be less than elo1 = {self.elo1:g}",
                hint="for example elo0 0, elo1 10",
                exit_code=Exit.USAGE,
            )
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0.0 < value < 0.5:
                raise ArenaError(f"{name} = {value:g} must lie between 0 and 0.5", exit_code=Exit.USAGE)
        if self.max_pairs is not None and self.max_pairs < MIN_PAIRS:
            raise ArenaError(
                f"a cap of {self.max_pairs} pairs is below the {MIN_PAIRS} that a decision needs",
                exit_code=Exit.USAGE,
            )

    @property
    def lower(self) -> float:
        """The test rejects at or below this ratio."""
        return math.log(self.beta / (1.0 - self.alpha))

    @property
    def upper(self) -> float:
        """The test accepts at or above this ratio."""
        return math.log((1.0 - self.beta) / self.alpha)

    def scores(self, variance: float) -> tuple[float, float]:
        """Mean pair scores of the hypotheses (normalised Elo needs the variance of a pair)."""
        if self.model is SprtModel.LOGISTIC:
            return elo_to_score(self.elo0), elo_to_score(self.elo1)
        sigma = math.sqrt(2.0 * variance)
        return 0.5 + self.elo0 / NELO_PER_SIGMA * sigma, 0.5 + self.elo1 / NELO_PER_SIGMA * sigma

    def fixed_pairs(self, variance: float) -> float:
        """Pairs that a test of fixed length with the same error rates would need."""
        s0, s1 = self.scores(variance)
        z = normal_quantile(1.0 - self.alpha) + normal_quantile(1.0 - self.beta)
        return z * z * variance / (s1 - s0) ** 2


@dataclass(frozen=True, slots=True)
class SprtReport:
    """Where the test stands. Elo and interval are of the adjusted scores; after a stop they lean outwards."""

    status: SprtStatus
    pairs: int
    """Pairs that count: none beyond the stop."""
    llr: float
    lower: float
    upper: float
    cells: tuple[int, int, int, int, int]
    raw_llr: float
    """Exact generalised ratio of the raw counts."""
    elo: float
    error: float
    los: float
    raw: EloEstimate
    variance: float
    """Of one pair's adjusted score, floored."""
    adjusted: bool
    """Whether luck was known for every pair that counts."""
    stopped: StoppedElo | None
    """Once decided: Elo that allows for the stopping."""

    @property
    def decided(self) -> bool:
        return self.status in (SprtStatus.ACCEPT, SprtStatus.REJECT)

    def to_dict(self) -> dict[str, Any]:
        return {
            "status": self.status.value,
            "pairs": self.pairs,
            "llr": round(self.llr, 6),
            "lower": round(self.lower, 6),
            "upper": round(self.upper, 6),
            "raw_llr": round(self.raw_llr, 6),
            "cells": list(self.cells),
            "elo": round(self.elo, 2),
            "error": round(self.error, 2),
            "los": round(min(max(self.los, 1e-6), 1.0 - 1e-6), 6),
            "raw_elo": round(self.raw.elo, 2),
            "raw_error": None if self.raw.error is None else round(self.raw.error, 2),
            "raw_bound": self.raw.bound,
            "adjusted": self.adjusted,
            "stopped_elo": None if self.stopped is None else round(self.stopped.elo, 2),
            "stopped_low": None if self.stopped is None else round(self.stopped.low, 2),
            "stopped_high": None if self.stopped is None else round(self.stopped.high, 2),
        }


class Sprt:
    """The running test: feed it the pairs of the match in plan order; it ignores those after the stop."""

    def __init__(self, test: SprtTest) -> None:
        self.test = test
        self.status = SprtStatus.RUNNING
        self._cells = [0] * 5
        self._seen = LuckFold()
        self._sum = self._sum2 = 0.0
        self._adjusted = True

    @property
    def running(self) -> bool:
        return self.status is SprtStatus.RUNNING

    def add(self, unit: PairUnit) -> SprtStatus:
        """Take the next pair; returns the status after it."""
        if not self.running:
            return self.status
        luck = unit.luck
        if luck is None:
            self._adjusted, luck = False, 0.0
        x = unit.score - beta_of(self._seen) * luck
        self._sum += x
        self._sum2 += x * x
        self._seen += LuckFold(1, unit.score, luck, unit.score**2, luck * luck, unit.score * luck)
        self._cells[cell_of(unit.score)] += 1
        n = self._seen.n
        if n >= MIN_PAIRS:
            llr = self._llr()
            if llr >= self.test.upper:
                self.status = SprtStatus.ACCEPT
            elif llr <= self.test.lower:
                self.status = SprtStatus.REJECT
        if self.running and self.test.max_pairs is not None and n >= self.test.max_pairs:
            self.status = SprtStatus.UNDECIDED
        return self.status

    def extend(self, units: Iterable[PairUnit]) -> SprtStatus:
        """Take pairs until the test stops or they run out."""
        for unit in units:
            if not self.running:
                break
            self.add(unit)
        return self.status

    def _variance(self) -> float:
        n, seen = self._seen.n, self._seen
        if not n:
            return floored_variance(0, 0.0)
        return floored_variance(n, self._sum2 - self._sum**2 / n, seen.s2 - seen.s**2 / n)

    def _llr(self) -> float:
        variance = self._variance()
        n = self._seen.n
        return llr_normal(n, self._sum / n, variance, *self.test.scores(variance))

    def report(self) -> SprtReport:
        n = self._seen.n
        c = self._cells
        cells = (c[0], c[1], c[2], c[3], c[4])
        exact = llr_logistic if self.test.model is SprtModel.LOGISTIC else llr_normalised
        variance = self._variance()
        # Half a pair each way keeps an adjusted mean that left 0..1 on the scale.
        mean = self._sum / n if n else 0.5
        shown = min(1.0 - 0.5 / (n + 1.0), max(0.5 / (n + 1.0), mean))
        se = math.sqrt(variance / max(n, 1))
        decided = self.status in (SprtStatus.ACCEPT, SprtStatus.REJECT)
        return SprtReport(
            status=self.status,
            pairs=n,
            llr=self._llr() if n else 0.0,
            lower=self.test.lower,
            upper=self.test.upper,
            cells=cells,
            raw_llr=exact(cells, self.test.elo0, self.test.elo1) if n else 0.0,
            elo=score_to_elo(shown),
            error=Z95 * se / (shown * (1.0 - shown)) * ELO_PER_LOGIT,
            los=clip_probability(normal_cdf((mean - 0.5) / se)),
            raw=estimate(cells),
            variance=variance,
            adjusted=self._adjusted and n > 0,
            stopped=stopped_elo(Moments(n, mean, variance), self.test) if decided else None,
        )
