"""Rank intervals and the probability of being best, from draws of the ratings' joint distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.ratings.elo import clip_probability

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from arena.ratings.bradley_terry import Fit

DRAWS = 10_000
DRAWS_LARGE = 1_000
LARGE_POOL = 200
"""Above so many bots fewer draws suffice: ranks are then many, and each is wide."""
CHUNK_NUMBERS = 1_000_000
"""Random numbers held at a time."""
SEED = 1_952
"""The draws are part of the formula: the same pool gives the same intervals (1952: Bradley and Terry)."""


@dataclass(frozen=True, slots=True)
class Ranks:
    """Of each bot of a fit: 95 % interval of its rank (1 is best), and probability of being best."""

    low: tuple[int, ...]
    high: tuple[int, ...]
    best: tuple[float, ...]


def draw_ranks(fit: Fit) -> Ranks:
    """Ranks of draws from a multivariate t around the ratings, in chunks of bounded size."""
    import numpy as np

    bots = len(fit.names)
    if bots == 1:
        return Ranks((1,), (1,), (clip_probability(1.0),))
    draws = DRAWS if bots <= LARGE_POOL else DRAWS_LARGE
    # Ranks depend on differences alone, and those to one bot have a covariance of full rank.
    to_first = fit.cov[1:, 1:] - fit.cov[1:, :1] - fit.cov[:1, 1:] + fit.cov[0, 0]
    root = _root(to_first)
    mean = fit.elo - fit.elo[0]
    random = np.random.Generator(np.random.PCG64(SEED))
    ranks = np.empty((draws, bots), dtype=np.int16 if bots < 30_000 else np.int32)
    step = max(1, CHUNK_NUMBERS // bots)
    for start in range(0, draws, step):
        count = min(step, draws - start)
        at = np.zeros((count, bots))
        at[:, 1:] = random.standard_normal((count, bots - 1)) @ root.T
        at *= np.sqrt(fit.dof / random.chisquare(fit.dof, (count, 1)))
        order = np.argsort(-(at + mean), axis=1, kind="stable")
        np.put_along_axis(ranks[start : start + count], order, np.arange(1, bots + 1)[None, :], axis=1)
    ranks.sort(axis=0)
    first = (ranks == 1).sum(axis=0)
    tail = draws // 40
    return Ranks(
        low=tuple(int(r) for r in ranks[tail]),
        high=tuple(int(r) for r in ranks[draws - 1 - tail]),
        best=tuple(clip_probability((int(c) + 0.5) / (draws + 0.5 * bots)) for c in first),
    )


def _root(cov: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """A square root of a covariance; a hair is added to the diagonal where rounding made it indefinite."""
    import numpy as np

    size = float(np.trace(cov)) / len(cov)
    for hair in (1e-12, 1e-9, 1e-6, 1e-3):
        try:
            root = np.linalg.cholesky(cov + np.eye(len(cov)) * (hair * size + 1e-12))
            return np.asarray(root, dtype=np.float64)
        except np.linalg.LinAlgError:
            continue
    return np.asarray(np.eye(len(cov)) * np.sqrt(np.maximum(np.diagonal(cov), 0.0)), dtype=np.float64)
