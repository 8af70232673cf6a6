"""How sure the ratings of a pool are: the middle of the sandwich, from the squared residuals of its units.

A unit is a pair; where pairings share their decks it is a deck, and where a bot is seen to remember what
happened earlier in a block it is a block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.ratings.columns import Columns, DeckUnits, Scores, block_squares, excess_kurtosis
from arena.ratings.elo import FLOOR_UNITS
from arena.ratings.likelihood import Likelihood
from arena.ratings.special import chi2_tail

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Bools = npt.NDArray[np.bool_]

LEAST_BLOCKS = 10
"""With fewer degrees of freedom between blocks nothing is said of a memory."""
MEMORY_LEVEL = 0.005
"""How often bots without a memory may be taken to have one."""


class Sandwich:
    """The residuals of a pool. `naive` is the variance of a unit of independent games over p (1 - p)."""

    def __init__(
        self,
        columns: Columns,
        likelihood: Likelihood,
        decks: DeckUnits | None,
        *,
        naive: float,
        small_sample: bool,
    ) -> None:
        self.columns = columns
        self.likelihood = likelihood
        self.decks = decks
        self.naive = naive
        self.small_sample = small_sample

    def meat(self, scores: Scores, p: Floats, used: Bools | None = None) -> tuple[Floats, Floats, str]:
        """Covariance of the scores of the bots, the variance of one unit of each pairing, and the cluster."""
        import numpy as np

        n = scores.n
        squares = np.maximum(scores.s2 - 2.0 * p * scores.s + n * p * p, 0.0)
        cluster = "pair"
        if self.small_sample:
            cluster, squares = self._by_block(scores, p, squares)
            squares = self._floored(n, p, squares)
        weight = squares if used is None else np.where(used, squares, 0.0)
        meat = self.likelihood.laplacian(weight)
        if self.decks is not None and len(self.decks.deck) == int(n.sum()) and used is None:
            cluster = "deck"
            meat = self._by_deck(self.decks, scores, p, meat)
        return meat, squares / np.maximum(n, 1.0), cluster

    def _floored(self, n: Floats, p: Floats, squares: Floats) -> Floats:
        """Squared residuals drawn, by four pseudo-units each, to the pool's own dispersion.

        The pool's dispersion (variance over p (1 - p)) is itself floored by four pseudo-units of independent
        games, and freed of the bias of residuals from fitted values.
        """
        binomial = p * (1.0 - p)
        units = float(n.sum())
        lost = self.likelihood.bots - 1.0
        unbiased = squares * (units / max(units - lost, 1.0))
        typical = float((n * binomial).sum()) / units
        dispersion = (float(unbiased.sum()) + FLOOR_UNITS * self.naive * typical) / (
            (units + FLOOR_UNITS) * typical
        )
        floored: Floats = n * (unbiased + FLOOR_UNITS * dispersion * binomial) / (n + FLOOR_UNITS)
        return floored

    def _by_block(self, scores: Scores, p: Floats, squares: Floats) -> tuple[str, Floats]:
        """Squared residuals of block totals instead, where the pairs of a block are clearly correlated."""
        import numpy as np

        if not bool(self.columns.has_blocks.all()) or not self._remembers(scores):
            return "pair", squares
        return "block", np.maximum(block_squares(self.columns, scores, p), 0.0)

    def _remembers(self, scores: Scores) -> bool:
        """Whether block totals vary more than independent pairs would have them, in the pool or of one bot.

        Totals are taken about each pairing's own mean, so that a misfit of the ratings does not count. Of
        independent pairs their sum of squares, in units of a pair's variance, has mean n - n2 / n and a
        variance that grows with the pairs' excess kurtosis; a scaled chi-squared of that mean and variance
        (Satterthwaite) gives the chance of as much or more.
        """
        import numpy as np

        n = scores.n
        blocks, n2 = (self.columns.blocks[:, :, k].sum(axis=1) for k in (0, 1))
        mean = scores.s / n
        within = np.maximum(scores.s2 - n * mean * mean, 0.0) / np.maximum(n - 1.0, 1.0)
        usable = (blocks >= 2) & (within > 1e-9)
        safe = np.where(usable, within, 1.0)
        totals = np.where(usable, block_squares(self.columns, scores, mean) / safe, 0.0)
        expected = np.where(usable, n - n2 / n, 0.0)
        kurtosis = np.maximum(excess_kurtosis(self.columns), 0.0)
        variance = np.where(usable, 2.0 * n2 * (1.0 - 1.0 / np.maximum(blocks, 1.0)) + kurtosis * n, 0.0)
        free = np.where(usable, blocks - 1.0, 0.0)

        def chance(q: float, m: float, v: float, dof: float) -> float:
            return chi2_tail(2.0 * m * q / v, 2.0 * m * m / v) if dof >= LEAST_BLOCKS else 1.0

        sums = (totals, expected, variance, free)
        pool = chance(*(float(x.sum()) for x in sums))
        by_bot = zip(*(self.likelihood.by_bot(x, x).tolist() for x in sums), strict=True)
        one = min(chance(*row) for row in by_bot)
        return min(pool, one * self.likelihood.bots) < MEMORY_LEVEL / 2.0

    def _by_deck(self, decks: DeckUnits, scores: Scores, p: Floats, plain: Floats) -> Floats:
        """Sandwich meat summed by shared deck, with four pseudo-decks of the uncorrelated form."""
        import numpy as np

        residual = decks.adjusted(scores) - p[decks.pairing]
        kinds, place = np.unique(decks.deck, return_inverse=True)
        total = np.zeros((len(kinds), self.likelihood.bots))
        np.add.at(total, (place, self.likelihood.i[decks.pairing]), residual)
        np.add.at(total, (place, self.likelihood.j[decks.pairing]), -residual)
        count = len(kinds)
        meat = total.T @ total * (count / max(count - 1.0, 1.0))
        blended: Floats = (count * meat + FLOOR_UNITS * plain) / (count + FLOOR_UNITS)
        return blended

    def clusters(self, cluster: str) -> float:
        """How many of these units there are."""
        import numpy as np

        if cluster == "deck" and self.decks is not None:
            return float(len(np.unique(self.decks.deck)))
        if cluster == "block":
            return float(self.columns.blocks[:, :, 0].sum())
        return float(self.columns.n.sum())
