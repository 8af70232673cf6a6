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

from arena.errors import ArenaError, Exit
from arena.ratings import graph
from arena.ratings.columns import Columns, DeckUnits, Scores, adjusted_scores, raw_scores
from arena.ratings.elo import ELO_PER_LOGIT, FLOOR_UNITS
from arena.ratings.likelihood import Likelihood
from arena.ratings.sandwich import Sandwich
from arena.ratings.special import t_cdf, t_quantile

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
            raise ArenaError(
                f"the anchor `{name}` has no counted pair in this pool", hint=hint, exit_code=Exit.USAGE
            )


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
    r = pool.likelihood.maximise(raw.s, start, pool.everyone)
    return None if r is None else r * ELO_PER_LOGIT


class _Pool:
    def __init__(
        self, columns: Columns, decks: DeckUnits | None, games_per_unit: int, small_sample: bool
    ) -> None:
        import numpy as np

        self.columns = columns
        self.bots = len(columns.names)
        self.everyone = np.ones(self.bots, dtype=bool)
        self.i, self.j, self.n = columns.i, columns.j, columns.n
        met = np.zeros((self.bots, self.bots), dtype=bool)
        met[self.i, self.j] = met[self.j, self.i] = True
        self.met = met
        self.likelihood = Likelihood(self.bots, self.i, self.j, self.n)
        self.sandwich = Sandwich(
            columns, self.likelihood, decks, naive=1.0 / games_per_unit, small_sample=small_sample
        )

    def plain(self, scores: Scores, *, adjusted: bool) -> Fit | None:
        """The unpenalised maximum, or None where it does not exist."""
        import numpy as np

        if adjusted:
            total = self.likelihood.by_bot(scores.s, self.n - scores.s)
            played = self.likelihood.by_bot(self.n, self.n)
            if (total < QUARTER).any() or (played - total < QUARTER).any() or not graph.one_group(self.met):
                return None
        elif not graph.one_group(graph.took_from(self.bots, self.i, self.j, self.n, scores.s)):
            return None
        r = self.likelihood.maximise(scores.s, np.zeros(self.bots), self.everyone, runaway=adjusted)
        if r is None:
            return None
        p, h = self.likelihood.information(r)
        inverse = np.linalg.inv(h + 1.0 / self.bots)
        meat, variance, cluster = self.sandwich.meat(scores, p)
        cov = inverse @ meat @ inverse
        return self._fit(r, cov, p, variance, cluster, adjusted=adjusted)

    def with_prior(self, scores: Scores) -> Fit:
        """The maximum under a Gaussian prior around the pool's mean: always exists."""
        import numpy as np

        precision = (ELO_PER_LOGIT / PRIOR_ELO) ** 2
        r = self.likelihood.maximise(scores.s, np.zeros(self.bots), self.everyone, precision=precision)
        if r is None:  # pragma: no cover - strictly concave and bounded
            raise ArithmeticError("the penalised likelihood has no maximum")
        p, h = self.likelihood.information(r)
        spread = precision * (np.eye(self.bots) - 1.0 / self.bots)
        inverse = np.linalg.inv(h + spread + 1.0 / self.bots)
        meat, variance, cluster = self.sandwich.meat(scores, p)
        cov = inverse @ (meat + spread) @ inverse
        fit = self._fit(r, cov, p, variance, cluster, adjusted=False)
        took = graph.took_from(self.bots, self.i, self.j, self.n, scores.s)
        total, played = (
            self.likelihood.by_bot(scores.s, self.n - scores.s),
            self.likelihood.by_bot(self.n, self.n),
        )
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
        p, _ = self.likelihood.information(r)
        _, variance, cluster = self.sandwich.meat(scores, p)
        fit = self._fit(r, cov, p, variance, cluster, adjusted=False)
        return replace(fit, bound=tuple(bound))

    def _concede(self, s: Floats, rounds: list[dict[int, int]]) -> None:
        """Replace the sums of perfect bots by those with half a unit conceded, in place."""
        import numpy as np

        inside = np.ones(self.bots, dtype=bool)
        for found in rounds:
            counted = inside[self.i] & inside[self.j]
            played = self.likelihood.by_bot(np.where(counted, self.n, 0.0), np.where(counted, self.n, 0.0))
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
        found = self.likelihood.maximise(np.where(used, s, 0.0), r, free, n=np.where(used, self.n, 0.0))
        if found is None:  # pragma: no cover - smoothed sums lie inside
            raise ArithmeticError("smoothed sums have no maximum")
        p, h = self.likelihood.information(found, np.where(used, self.n, 0.0))
        meat, _, _ = self.sandwich.meat(scores, p, used)
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

    def _fit(
        self, r: Floats, cov: Floats, p: Floats, variance: Floats, cluster: str, *, adjusted: bool
    ) -> Fit:
        """Ratings in Elo around the pool's mean."""
        import numpy as np

        cov = cov - cov.mean(axis=0) - cov.mean(axis=1)[:, None] + cov.mean()
        dof = max(self.sandwich.clusters(cluster) - (self.bots - 1.0), 0.0) + FLOOR_UNITS - 1.0
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
