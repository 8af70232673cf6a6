"""Does one ladder fit the pool? Misfit, residuals, cycles, and where raw and adjusted order disagree."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from arena.ratings.bradley_terry import Fit, raw_elo
from arena.ratings.columns import Columns, Scores
from arena.ratings.elo import FLOOR_UNITS, clip_probability
from arena.ratings.special import chi2_tail

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

MISFIT_LEVEL = 0.01
RESIDUAL_LIMIT = 3.0
CYCLE_Z = 1.6448536269514722
"""Direct results surer than 95 % make a cycle."""
LEVEL = 0.01
CYCLE_POOL = 200
"""Cycles are looked for in pools up to this size; in larger ones some arise by chance alone."""


@dataclass(frozen=True, slots=True)
class Residual:
    """A pairing whose result the ratings do not explain: score share seen and expected, and z."""

    a: str
    b: str
    seen: float
    expected: float
    z: float


@dataclass(frozen=True, slots=True)
class Misfit:
    """Goodness of fit of the additive model: chi square over pairings."""

    chi2: float
    dof: int
    p: float
    residuals: tuple[Residual, ...]
    """Pairings with |z| above 3, worst first."""

    @property
    def clear(self) -> bool:
        return self.dof > 0 and self.p < MISFIT_LEVEL


@dataclass(frozen=True, slots=True)
class Cycle:
    """Three bots who beat each other in a ring, each with at least 95 %."""

    bots: tuple[str, str, str]


def misfit(columns: Columns, scores: Scores, fit: Fit) -> Misfit:
    """Compare each pairing's result with the fit (`columns` must be those that were fitted)."""
    import numpy as np

    n = scores.n
    share = scores.s / n
    z = _normal_scores(share, fit.expected, n, fit)
    dof = len(n) - (len(fit.names) - 1)
    if fit.prior or any(fit.bound):
        # Without a maximum there is no count of free parameters to speak of.
        dof = 0
    chi2 = float((z**2).sum())
    worst = [k for k in np.argsort(-np.abs(z), kind="stable").tolist() if abs(z[k]) > RESIDUAL_LIMIT]
    return Misfit(
        chi2=chi2,
        dof=max(dof, 0),
        p=clip_probability(chi2_tail(chi2, dof)) if dof > 0 else 1.0,
        residuals=tuple(
            Residual(
                columns.names[columns.i[k]],
                columns.names[columns.j[k]],
                float(share[k]),
                float(fit.expected[k]),
                float(z[k]),
            )
            for k in (worst if dof > 0 else [])
        ),
    )


def _normal_scores(share: Floats, against: Floats | float, n: Floats, fit: Fit) -> Floats:
    """Deviations of score shares as normal scores.

    A t with few units behind its variance is wide: it is drawn in before it is squared or compared
    (Wallace 1959: z = (8 v + 1) / (8 v + 3) sqrt(v log(1 + t^2 / v)), v degrees of freedom).
    """
    import numpy as np

    t = (share - against) / np.sqrt(fit.variance / n)
    dof = n + FLOOR_UNITS - 1.0
    z: Floats = np.sign(t) * (8 * dof + 1) / (8 * dof + 3) * np.sqrt(dof * np.log1p(t * t / dof))
    return z


def cycles(columns: Columns, scores: Scores, fit: Fit) -> tuple[Cycle, ...]:
    """Rings A > B > C > A in which each direct result is at least 95 % sure; each ring once, first name
    first.
    """
    import numpy as np

    bots = len(columns.names)
    if bots > CYCLE_POOL or bots < 3:
        return ()
    n = scores.n
    z = _normal_scores(scores.s / n, 0.5, n, fit)
    beats = np.zeros((bots, bots), dtype=bool)
    beats[columns.i, columns.j], beats[columns.j, columns.i] = z > CYCLE_Z, z < -CYCLE_Z
    found: list[Cycle] = []
    for a in range(bots):
        for b in np.flatnonzero(beats[a, a + 1 :]).tolist():
            b += a + 1
            for c in np.flatnonzero(beats[b, a + 1 :] & beats[a + 1 :, a]).tolist():
                names = columns.names
                found.append(Cycle((names[a], names[b], names[c + a + 1])))
    return tuple(found)


def disagreements(columns: Columns, fit: Fit) -> tuple[tuple[str, str], ...]:
    """Neighbours in the order of an adjusted fit whom raw ratings turn round, as (better, worse).

    Ratings closer than 0.01 Elo count as level; where raw ratings do not exist nothing is said.
    """
    raw = raw_elo(columns, fit) if fit.adjusted else None
    if raw is None:
        return ()
    order = sorted(range(len(fit.names)), key=lambda k: (-fit.elo[k], fit.names[k]))
    return tuple(
        (fit.names[a], fit.names[b])
        for a, b in pairwise(order)
        if raw[b] - raw[a] > LEVEL and fit.elo[a] - fit.elo[b] > LEVEL
    )
