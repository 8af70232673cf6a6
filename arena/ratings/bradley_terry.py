"""Bradley-Terry ratings of a pool by quasi-likelihood, with a covariance that is honest about pairs.

The expected unit score of i against j is 1 / (1 + exp(r_j - r_i)). Ratings solve "expected = actual" for
every bot (the maximum of sum of s log p + (n - s) log(1 - p), for real-valued sums too). Their covariance
is the sandwich H^-1 M H^-1 with M from the squared residuals of the units (pairs, decks or blocks), so that
the gain of duplicate decks and of the luck adjustment shows in the error bars. Sums by pairing suffice: the
cost does not depend on the number of games.

Where the maximum does not exist: bots who won or lost everything are set against the others at half a unit
conceded and shown as bounds; pools that no score connects get a weak Gaussian prior, and every row a flag.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from arena.errors import ArenaError
from arena.ratings import graph
from arena.ratings.columns import (
    Columns,
    DeckUnits,
    Scores,
    adjusted_scores,
    block_squares,
    excess_kurtosis,
    raw_scores,
)
from arena.ratings.elo import ELO_PER_LOGIT, FLOOR_UNITS
from arena.ratings.special import chi2_tail, t_cdf, t_quantile

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Ints = npt.NDArray[np.int64]
    Bools = npt.NDArray[np.bool_]

PRIOR_ELO = 400.0
"""Standard deviation of the prior on a disconnected pool, around its mean."""
QUARTER = 0.25
"""The least that a real result can concede: an adjusted total nearer to 0 or 100 % rates by noise alone."""
LEAST_BLOCKS = 10
"""With fewer degrees of freedom between blocks nothing is said of a memory."""
MEMORY_LEVEL = 0.005
"""How often bots without a memory may be taken to have one."""
FAR = 25.0
"""Logits (4,300 Elo): two who met and lie further apart show a maximum that runs away."""


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Ratings of B bots. `cov` is in Elo squared, relative to the pool's mean (or to the anchor)."""

    names: tuple[str, ...]
    elo: Floats
    cov: Floats
    dof: float
    """Degrees of freedom for Student's t."""
    t95: float
    """Its 97.5 % point: half a 95 % interval in standard errors."""
    bound: tuple[str, ...]
    """`>` or `<` for a bot that won or lost everything, else empty."""
    group: Ints
    """Group of each bot by "took some score from"; more than one kind under `prior`."""
    prior: bool
    """Whether the pool's maximum does not exist and a weak prior holds it together."""
    adjusted: bool
    """Whether luck-adjusted sums were fitted."""
    clustered: str
    """What a residual is summed over: `pair`, `block` or `deck`."""
    expected: Floats
    """Model score of each pairing."""
    variance: Floats
    """Variance of one unit of each pairing as used, floored."""

    def error(self, bot: int) -> float:
        """Half width of the 95 % interval."""
        return float(self.t95 * max(self.cov[bot, bot], 0.0) ** 0.5)

    def difference(self, a: int, b: int) -> tuple[float, float]:
        """Elo of a over b, and its standard error."""
        variance = self.cov[a, a] + self.cov[b, b] - 2.0 * self.cov[a, b]
        return float(self.elo[a] - self.elo[b]), float(max(variance, 0.0) ** 0.5)

    def better(self, a: int, b: int) -> float:
        """Probability that a is better than b, between 0 and 1 (exactly one half if nothing differs)."""
        gap, se = self.difference(a, b)
        return t_cdf(gap / max(se, 1e-9), self.dof)

    def anchored(self, name: str, elo: float) -> Fit:
        """The same ratings with one bot fixed: its error is zero, the others' are those of differences."""
        k = self.names.index(name)
        cov = self.cov - self.cov[k] - self.cov[:, [k]] + self.cov[k, k]
        return replace(self, elo=self.elo - self.elo[k] + elo, cov=cov)


def check_anchors(anchors: Mapping[str, float], names: tuple[str, ...]) -> None:
    """One known bot at most may be fixed: raises `ArenaError` otherwise."""
    import difflib

    if len(anchors) > 1:
        listed = ", ".join(f"{name}={value:g}" for name, value in sorted(anchors.items()))
        raise ArenaError(
            f"{len(anchors)} anchors ({listed}) would contradict the results between them",
            hint="an anchor fixes the one free constant of the scale: name one bot",
        )
    for name in anchors:
        if name not in names:
            near = difflib.get_close_matches(name, names, 1)
            hint = f"did you mean `{near[0]}`?" if near else f"rated are {', '.join(names[:8])}"
            raise ArenaError(f"the anchor `{name}` has no counted pair in this pool", hint=hint)


def fit_pool(
    columns: Columns,
    *,
    adjusted: bool = True,
    decks: DeckUnits | None = None,
    games_per_unit: int = 2,
    small_sample: bool = True,
) -> Fit:
    """Rate the bots of a pool; those without a counted pair are left out.

    `adjusted` asks for luck-adjusted sums where every pairing has them and their maximum exists. `decks`
    clusters the residuals by shared deck. `small_sample=False` gives the textbook sandwich, without floors.
    """
    import numpy as np

    idle = np.setdiff1d(np.arange(len(columns.names)), np.concatenate([columns.i, columns.j]))
    if len(idle):
        columns = columns.without(columns.names[k] for k in idle)
    if not len(columns.i):
        raise ArenaError("no pair has been counted yet: there is nothing to rate")
    pool = _Pool(columns, decks, games_per_unit, small_sample)
    if adjusted and columns.all_luck and (fit := pool.plain(adjusted_scores(columns), adjusted=True)):
        return fit
    raw = raw_scores(columns)
    return pool.plain(raw, adjusted=False) or pool.peeled(raw) or pool.with_prior(raw)


def raw_elo(columns: Columns, near: Fit) -> Floats | None:
    """Ratings by raw scores of the bots of a fit, without covariance; None where they do not exist."""
    pool = _Pool(columns, None, 2, True)
    raw = raw_scores(columns)
    if not graph.one_group(graph.took_from(pool.bots, pool.i, pool.j, pool.n, raw.s)):
        return None
    start = (near.elo - near.elo.mean()) / ELO_PER_LOGIT
    r = pool.maximise(raw.s, start, pool.everyone)
    return None if r is None else r * ELO_PER_LOGIT


class _Pool:
    def __init__(
        self, columns: Columns, decks: DeckUnits | None, games_per_unit: int, small_sample: bool
    ) -> None:
        import numpy as np

        self.columns = columns
        self.decks = decks
        self.naive = 1.0 / games_per_unit
        self.small_sample = small_sample
        self.bots = len(columns.names)
        self.everyone = np.ones(self.bots, dtype=bool)
        self.i, self.j, self.n = columns.i, columns.j, columns.n
        met = np.zeros((self.bots, self.bots), dtype=bool)
        met[self.i, self.j] = met[self.j, self.i] = True
        self.met = met

    def plain(self, scores: Scores, *, adjusted: bool) -> Fit | None:
        """The unpenalised maximum, or None where it does not exist."""
        import numpy as np

        if adjusted:
            total = self._sum(scores.s, self.n - scores.s)
            played = self._sum(self.n, self.n)
            if (total < QUARTER).any() or (played - total < QUARTER).any() or not graph.one_group(self.met):
                return None
        elif not graph.one_group(graph.took_from(self.bots, self.i, self.j, self.n, scores.s)):
            return None
        r = self.maximise(scores.s, np.zeros(self.bots), self.everyone, runaway=adjusted)
        if r is None:
            return None
        p, h = self._information(r)
        inverse = np.linalg.inv(h + 1.0 / self.bots)
        meat, variance, cluster = self._meat(scores, p)
        cov = inverse @ meat @ inverse
        return self._fit(r, cov, p, variance, cluster, adjusted=adjusted)

    def with_prior(self, scores: Scores) -> Fit:
        """The maximum under a Gaussian prior around the pool's mean: always exists."""
        import numpy as np

        precision = (ELO_PER_LOGIT / PRIOR_ELO) ** 2
        r = self.maximise(scores.s, np.zeros(self.bots), self.everyone, precision=precision)
        if r is None:  # pragma: no cover - strictly concave and bounded
            raise ArithmeticError("the penalised likelihood has no maximum")
        p, h = self._information(r)
        spread = precision * (np.eye(self.bots) - 1.0 / self.bots)
        inverse = np.linalg.inv(h + spread + 1.0 / self.bots)
        meat, variance, cluster = self._meat(scores, p)
        cov = inverse @ (meat + spread) @ inverse
        fit = self._fit(r, cov, p, variance, cluster, adjusted=False)
        took = graph.took_from(self.bots, self.i, self.j, self.n, scores.s)
        total, played = self._sum(scores.s, self.n - scores.s), self._sum(self.n, self.n)
        bound = tuple(">" if t == n else "<" if t == 0 else "" for t, n in zip(total, played, strict=True))
        return replace(fit, prior=True, group=graph.groups(took), bound=bound)

    def peeled(self, scores: Scores) -> Fit | None:
        """Rate the core that is connected, then set the perfect bots against it, round by round.

        A perfect bot is rated as if it had conceded half a unit: (S + 1/2) / (n + 1). None where that leaves
        groups that nothing connects.
        """
        import numpy as np

        rounds, core = graph.perfect_rounds(self.bots, self.i, self.j, self.n, scores.s)
        took = graph.took_from(self.bots, self.i, self.j, self.n, scores.s)
        if not rounds or not graph.one_group(took[np.ix_(core, core)]):
            return None
        s = scores.s.copy()
        self._concede(s, rounds)
        placed = core.copy()
        r = np.zeros(self.bots)
        cov = np.zeros((self.bots, self.bots))
        bound = [""] * self.bots
        for who in [None, *reversed(rounds)]:
            free = core if who is None else np.isin(np.arange(self.bots), list(who))
            for bot, side in (who or {}).items():
                bound[bot] = ">" if side > 0 else "<"
            if who is not None and not self._attached(free, placed):
                return None
            placed = placed | free
            r, cov = self._extend(scores, s, r, cov, free, placed)
        p, _ = self._information(r)
        _, variance, cluster = self._meat(scores, p)
        fit = self._fit(r, cov, p, variance, cluster, adjusted=False)
        return replace(fit, bound=tuple(bound))

    def _concede(self, s: Floats, rounds: list[dict[int, int]]) -> None:
        """Replace the sums of perfect bots by those with half a unit conceded, in place."""
        import numpy as np

        inside = np.ones(self.bots, dtype=bool)
        for found in rounds:
            counted = inside[self.i] & inside[self.j]
            played = self._sum(np.where(counted, self.n, 0.0), np.where(counted, self.n, 0.0))
            share = np.full(self.bots, np.nan)
            for bot, side in found.items():
                share[bot] = 0.5 + side * (0.5 - 0.5 / (played[bot] + 1.0))
            for k in np.flatnonzero(counted & (~np.isnan(share[self.i]) | ~np.isnan(share[self.j]))):
                views = [v for v in (share[self.i[k]], 1.0 - share[self.j[k]]) if not np.isnan(v)]
                s[k] = self.n[k] * sum(views) / len(views)
            inside[list(found)] = False

    def _attached(self, free: Bools, placed: Bools) -> bool:
        """Whether every free bot is joined, through free bots, to those already placed (or all to each
        other).
        """
        import numpy as np

        edges = self.met[np.ix_(free | placed, free | placed)].copy()
        old = placed[free | placed]
        edges[np.ix_(old, old)] = True
        return graph.one_group(edges)

    def _extend(
        self, scores: Scores, s: Floats, r: Floats, cov: Floats, free: Bools, placed: Bools
    ) -> tuple[Floats, Floats]:
        """Rate the free bots against the placed ones, which keep their ratings; covariance by implicit
        function.
        """
        import numpy as np

        fixed = placed & ~free
        used = (free[self.i] & placed[self.j]) | (free[self.j] & placed[self.i])
        if not used.any():
            return r, cov
        found = self.maximise(np.where(used, s, 0.0), r, free, n=np.where(used, self.n, 0.0))
        if found is None:  # pragma: no cover - smoothed sums lie inside
            raise ArithmeticError("smoothed sums have no maximum")
        p, h = self._information(found, np.where(used, self.n, 0.0))
        meat, _, _ = self._meat(scores, p, used)
        inner = h[np.ix_(free, free)]
        if not fixed.any():
            inner = inner + 1.0 / free.sum()
        inverse = np.linalg.inv(inner)
        new = cov.copy()
        follow = -inverse @ h[np.ix_(free, fixed)]
        new[np.ix_(free, fixed)] = follow @ cov[np.ix_(fixed, fixed)]
        new[np.ix_(fixed, free)] = new[np.ix_(free, fixed)].T
        own = inverse @ meat[np.ix_(free, free)] @ inverse
        new[np.ix_(free, free)] = own + follow @ cov[np.ix_(fixed, fixed)] @ follow.T
        return found, new

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
            p, h = self._information(r, n)
            residual = s - n * p
            gradient = self._sum(residual, -residual)[free]
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

    def _information(self, r: Floats, n: Floats | None = None) -> tuple[Floats, Floats]:
        """Model scores of the pairings, and the information matrix H of the ratings (logits)."""
        import numpy as np

        n = self.n if n is None else n
        d = r[self.i] - r[self.j]
        p = 0.5 * (1.0 + np.tanh(0.5 * d))
        return p, self._laplacian(n * p * (1.0 - p))

    def _laplacian(self, weight: Floats) -> Floats:
        import numpy as np

        size = self.bots
        flat = np.bincount(self.i * size + self.j, weight, size * size)
        half = np.asarray(flat, dtype=np.float64).reshape(size, size)
        both = half + half.T
        result: Floats = -both
        result[np.diag_indices(size)] += both.sum(axis=1)
        return result

    def _sum(self, mine: Floats, theirs: Floats) -> Floats:
        """Add up by bot what pairings give to their first and to their second bot."""
        import numpy as np

        total = np.bincount(self.i, mine, self.bots) + np.bincount(self.j, theirs, self.bots)
        return np.asarray(total, dtype=np.float64)

    def _meat(self, scores: Scores, p: Floats, used: Bools | None = None) -> tuple[Floats, Floats, str]:
        """Covariance of the scores of the bots, the variance of one unit of each pairing, and the cluster."""
        import numpy as np

        n = scores.n
        squares = np.maximum(scores.s2 - 2.0 * p * scores.s + n * p * p, 0.0)
        cluster = "pair"
        if self.small_sample:
            cluster, squares = self._by_block(scores, p, squares)
            squares = self._floored(n, p, squares)
        weight = squares if used is None else np.where(used, squares, 0.0)
        meat = self._laplacian(weight)
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
        lost = self.bots - 1.0
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
        by_bot = zip(*(self._sum(x, x).tolist() for x in sums), strict=True)
        one = min(chance(*row) for row in by_bot)
        return min(pool, one * self.bots) < MEMORY_LEVEL / 2.0

    def _by_deck(self, decks: DeckUnits, scores: Scores, p: Floats, plain: Floats) -> Floats:
        """Sandwich meat summed by shared deck, with four pseudo-decks of the uncorrelated form."""
        import numpy as np

        residual = decks.adjusted(scores) - p[decks.pairing]
        kinds, place = np.unique(decks.deck, return_inverse=True)
        total = np.zeros((len(kinds), self.bots))
        np.add.at(total, (place, self.i[decks.pairing]), residual)
        np.add.at(total, (place, self.j[decks.pairing]), -residual)
        count = len(kinds)
        meat = total.T @ total * (count / max(count - 1.0, 1.0))
        blended: Floats = (count * meat + FLOOR_UNITS * plain) / (count + FLOOR_UNITS)
        return blended

    def _fit(
        self, r: Floats, cov: Floats, p: Floats, variance: Floats, cluster: str, *, adjusted: bool
    ) -> Fit:
        """Ratings in Elo around the pool's mean."""
        import numpy as np

        cov = cov - cov.mean(axis=0) - cov.mean(axis=1)[:, None] + cov.mean()
        clusters = float(self.n.sum())
        if cluster == "deck" and self.decks is not None:
            clusters = float(len(np.unique(self.decks.deck)))
        elif cluster == "block":
            clusters = float(self.columns.blocks[:, :, 0].sum())
        dof = max(clusters - (self.bots - 1.0), 0.0) + FLOOR_UNITS - 1.0
        return Fit(
            names=self.columns.names,
            elo=(r - r.mean()) * ELO_PER_LOGIT,
            cov=0.5 * (cov + cov.T) * ELO_PER_LOGIT**2,
            dof=dof,
            t95=t_quantile(0.975, dof),
            bound=("",) * self.bots,
            group=np.zeros(self.bots, dtype=np.int64),
            prior=False,
            adjusted=adjusted,
            clustered=cluster,
            expected=p,
            variance=variance,
        )
