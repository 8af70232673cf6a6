"""The likelihood of a pool's ratings: its sums over pairings, its information, its maximum.

The expected unit score of i against j is 1 / (1 + exp(r_j - r_i)); ratings `r` are in logits. Real-valued
sums of scores are as good as counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Ints = npt.NDArray[np.int64]
    Bools = npt.NDArray[np.bool_]

FAR = 25.0
"""Logits (4,300 Elo): two who met and lie further apart show a maximum that runs away."""


class Likelihood:
    """K pairings of B bots: `i`, `j` index the bots, `n` is the number of units."""

    def __init__(self, bots: int, i: Ints, j: Ints, n: Floats) -> None:
        self.bots = bots
        self.i, self.j, self.n = i, j, n

    def maximise(
        self,
        s: Floats,
        start: Floats,
        free: Bools,
        *,
        precision: float = 0.0,
        n: Floats | None = None,
        runaway: bool = False,
    ) -> Floats | None:
        """Newton's method with halved steps; bots that are not free keep their start.

        None where there is no maximum: it does not converge, or (`runaway`) two who met drift too far apart.
        """
        import numpy as np

        n = self.n if n is None else n
        everyone = bool(free.all()) or not (n[free[self.i] != free[self.j]] > 0).any()
        r = start.copy()

        def value(at: Floats) -> float:
            d = at[self.i] - at[self.j]
            penalty = 0.5 * precision * at[free].size * at[free].var()
            return float(s @ d - n @ np.logaddexp(0.0, d) - penalty)

        now = value(r)
        size = max(1.0, float(n.max(initial=0.0)))
        for _ in range(100):
            p, h = self.information(r, n)
            residual = s - n * p
            gradient = self.by_bot(residual, -residual)[free]
            inner = h[np.ix_(free, free)]
            if precision:
                gradient = gradient - precision * (r[free] - r[free].mean())
                inner = inner + precision * (np.eye(len(inner)) - 1.0 / len(inner))
            if everyone:
                inner = inner + 1.0 / len(inner)
            step = np.zeros(self.bots)
            try:
                step[free] = np.linalg.solve(inner, gradient)
            except np.linalg.LinAlgError:
                return None
            longest = float(np.abs(step).max())
            if not np.isfinite(longest):
                return None
            step *= min(1.0, 5.0 / max(longest, 1e-300))
            for _ in range(40):
                after = value(r + step)
                if after >= now - 1e-12 * abs(now):
                    break
                step *= 0.5
            r, now = r + step, after
            if everyone:
                r[free] -= r[free].mean()
            if runaway and np.abs(r[self.i] - r[self.j]).max() > FAR:
                return None
            scale = max(1.0, float(np.abs(r).max()))
            if longest < 1e-9 * scale and np.abs(gradient).max() < 1e-7 * size:
                return r
        return None

    def information(self, r: Floats, n: Floats | None = None) -> tuple[Floats, Floats]:
        """Model scores of the pairings, and the information matrix H of the ratings (logits)."""
        import numpy as np

        n = self.n if n is None else n
        d = r[self.i] - r[self.j]
        p = 0.5 * (1.0 + np.tanh(0.5 * d))
        return p, self.laplacian(n * p * (1.0 - p))

    def laplacian(self, weight: Floats) -> Floats:
        """Covariance of the bots' sums where each pairing moves its two bots against each other."""
        import numpy as np

        size = self.bots
        flat = np.bincount(self.i * size + self.j, weight, size * size)
        half = np.asarray(flat, dtype=np.float64).reshape(size, size)
        both = half + half.T
        result: Floats = -both
        result[np.diag_indices(size)] += both.sum(axis=1)
        return result

    def by_bot(self, mine: Floats, theirs: Floats) -> Floats:
        """Add up by bot what pairings give to their first and to their second bot."""
        import numpy as np

        total = np.bincount(self.i, mine, self.bots) + np.bincount(self.j, theirs, self.bots)
        return np.asarray(total, dtype=np.float64)
