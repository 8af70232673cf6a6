"""What the standings say in words: who is better than whom, what would settle it, and what to be wary of."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from arena.ratings.bradley_terry import QUARTER, Fit
from arena.ratings.elo import elo_to_score, percent
from arena.ratings.fit import Cycle, Misfit, cycles, disagreements, misfit
from arena.ratings.owners import OwnerShift, owner_shifts
from arena.ratings.sequential import MANY_PAIRS, information_per_pair, more_pairs
from arena.ratings.special import t_quantile

if TYPE_CHECKING:
    from arena.ratings.columns import Columns, Scores
    from arena.tournament.standings import StandingsOptions

SURE = 0.95
"""From here on one bot is called better than another."""
MOST_LINES = 20
MOST_NAMED = 5
"""Cycles, residuals and shifts that are named; the rest is counted."""
FEW_PAIRS = 20
"""Below so many between two bots their gap is too rough to say how many more would do."""
LUCK_ALARM = 1e-4
"""How often the luck of a sound table may be said not to have mean zero."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What was looked for in a rated pool."""

    fit: Fit
    luck_known: tuple[int, int]
    """Pairings whose luck is known, and all pairings."""
    misfit: Misfit
    cycles: tuple[Cycle, ...]
    disagreements: tuple[tuple[str, str], ...]
    shifts: tuple[OwnerShift, ...]
    luck: tuple[float, float, int] | None
    """Mean luck of a pair, its standard error and the pairs: zero unless something is wrong."""
    typical_variance: float
    """Variance of one unit over p (1 - p), over the pool."""
    unadjusted: str
    """Why raw scores are rated though the luck of every pair is known; nothing where that is plain."""

    @classmethod
    def of(
        cls,
        rated: Columns,
        raw: Scores,
        scores: Scores,
        freed: Scores | None,
        fit: Fit,
        options: StandingsOptions,
    ) -> Findings:
        binomial = fit.expected * (1.0 - fit.expected)
        return cls(
            fit=fit,
            luck_known=(int(rated.has_luck.sum()), len(rated.i)),
            misfit=misfit(rated, scores, fit),
            cycles=cycles(rated, scores, fit),
            disagreements=disagreements(rated, fit),
            shifts=owner_shifts(rated, fit, options.owners) if options.owners else (),
            luck=_mean_luck(rated),
            typical_variance=float((raw.n * fit.variance).sum() / max(float((raw.n * binomial).sum()), 1e-9)),
            unadjusted="" if freed is None or fit.adjusted else _unadjusted(rated, freed, fit, options.unit),
        )


def lines(
    found: Findings, rated: Columns, order: Sequence[int], options: StandingsOptions
) -> tuple[str, ...]:
    """One line for each two neighbours of the table."""
    fit = found.fit
    told: list[str] = []
    units = "games" if options.unit == "game" else "pairs"
    for a, b in pairwise(order[: MOST_LINES + 1]):
        better, worse = fit.names[a], fit.names[b]
        sure = fit.better(a, b)
        if fit.group[a] != fit.group[b]:
            told.append(f"No result links `{better}` and `{worse}` both ways: their order is a guess.")
        elif sure >= SURE:
            told.append(f"`{better}` is better than `{worse}` with {percent(sure)}.")
        elif (met := _met(rated, better, worse)) < FEW_PAIRS:
            few = (
                f"{met} {units[:-1] if met == 1 else units} {'is' if met == 1 else 'are'} too few to say more"
            )
            told.append(
                f"`{better}` and `{worse}` cannot be told apart: {few if met else 'they have not met'}."
            )
        else:
            gap, se = fit.difference(a, b)
            expected = elo_to_score(gap)
            variance = found.typical_variance * expected * (1.0 - expected)
            more = more_pairs(gap, se, information_per_pair(expected, variance), sure=SURE)
            would = f"more than {MANY_PAIRS:,}" if more is None else f"about {more:,}"
            told.append(f"`{better}` and `{worse}` cannot be told apart: {would} more {units} would do.")
    if len(order) > MOST_LINES + 1:
        told.append(f"(and {len(order) - MOST_LINES - 1} more bots below)")
    return tuple(told)


def _met(rated: Columns, one: str, other: str) -> int:
    """How many units two bots have played against each other."""
    a, b = rated.names.index(one), rated.names.index(other)
    together = ((rated.i == a) & (rated.j == b)) | ((rated.i == b) & (rated.j == a))
    return int(rated.n[together].sum())


def _unadjusted(rated: Columns, freed: Scores, fit: Fit, unit: str) -> str:
    """Why luck-adjusted scores could not be rated; nothing where another warning says it already."""
    import numpy as np

    bots = len(rated.names)
    played = np.bincount(rated.i, freed.n, bots) + np.bincount(rated.j, freed.n, bots)
    total = np.bincount(rated.i, freed.s, bots) + np.bincount(rated.j, freed.n - freed.s, bots)
    bound = dict(zip(fit.names, fit.bound, strict=True))
    extreme = [k for k in range(bots) if min(total[k], played[k] - total[k]) < QUARTER]
    did = ["lost" if total[k] < QUARTER else "won" for k in range(bots)]
    named = [
        f"`{rated.names[k]}` {did[k]} nearly all of its {int(played[k])} {unit}s"
        for k in extreme
        if not bound[rated.names[k]]
    ]
    if named:
        more = f" and {len(named) - MOST_NAMED} more likewise" if len(named) > MOST_NAMED else ""
        return f"freed of luck {', '.join(named[:MOST_NAMED])}{more}"
    return "" if extreme or fit.prior else "luck-adjusted scores of so few pairs have no finite ratings"


def warnings(found: Findings, options: StandingsOptions) -> tuple[str, ...]:
    """Everything that a reader of the table should know before believing it."""
    said = [*_connection(found), *_scores(found, options), *_model(found)]
    said += [
        f"The luck-adjusted order `{a}` before `{b}` is the other way round by raw scores."
        for a, b in found.disagreements[:MOST_NAMED]
    ]
    said += _rest(found.disagreements, "neighbours whose raw and adjusted order differ")
    said += _owners(found)
    if options.stopped_early:
        said.append("Play was stopped by the results: ratings and probabilities lean away from the middle.")
    return tuple(said)


def _connection(found: Findings) -> list[str]:
    fit = found.fit
    said = []
    if fit.prior:
        members: dict[int, list[str]] = {}
        for name, group in zip(fit.names, fit.group.tolist(), strict=True):
            members.setdefault(group, []).append(name)
        if len(members) > 1:
            named = "; ".join(", ".join(f"`{n}`" for n in names[:8]) for names in list(members.values())[:8])
            said.append(
                f"The results do not tie the bots together: {len(members)} groups ({named}) between which no"
                " score went both ways. Ratings across groups rest on a weak prior (sd 400 Elo)."
            )
        else:
            said.append("The results are too one-sided to be fitted but with a weak prior (sd 400 Elo).")
    count = Counter(fit.bound)
    if count[">"]:
        named = ", ".join(f"`{n}`" for n, b in zip(fit.names, fit.bound, strict=True) if b == ">")
        said.append(f"{named} won everything: the rating is only a bound.")
    if count["<"]:
        named = ", ".join(f"`{n}`" for n, b in zip(fit.names, fit.bound, strict=True) if b == "<")
        said.append(f"{named} lost everything: the rating is only a bound.")
    return said


def _scores(found: Findings, options: StandingsOptions) -> list[str]:
    said = []
    known, every = found.luck_known
    if options.adjusted and 0 < known < every:
        said.append(f"The luck of {known} of {every} pairings is known: raw scores are rated.")
    if options.adjusted and found.unadjusted:
        said.append(f"Raw scores are rated: {found.unadjusted}.")
    if found.luck is not None:
        mean, se, pairs = found.luck
        if se > 0 and abs(mean) > t_quantile(1.0 - LUCK_ALARM / 2.0, pairs - 1) * se:
            said.append(
                f"The luck term has mean {mean:+.4f} (error {se:.4f}), not zero: "
                "do not trust adjusted scores."
            )
    if found.fit.clustered == "block":
        said.append("Pairs of one block are correlated (a bot remembers): errors are taken by block.")
    return said


def _model(found: Findings) -> list[str]:
    said = []
    if found.misfit.clear:
        p = found.misfit.p
        chance = "p < 0.0001" if p < 1e-4 else f"p = {p:.4f}"
        said.append(
            f"One ladder does not fit: chi2 {found.misfit.chi2:.1f} on {found.misfit.dof} degrees of freedom"
            f" ({chance}). Gaps between bots do not add up."
        )
        said += [
            f"`{r.a}` scored {100 * r.seen:.1f} % against `{r.b}`; the ratings say {100 * r.expected:.1f} %"
            f" (z = {r.z:+.1f})."
            for r in found.misfit.residuals[:MOST_NAMED]
        ]
        said += _rest(found.misfit.residuals, "pairings that the ratings do not explain")
    said += [
        "A cycle: `{}` beats `{}` beats `{}` beats `{}`, each with at least 95 %.".format(*c.bots, c.bots[0])
        for c in found.cycles[:MOST_NAMED]
    ]
    return said + _rest(found.cycles, "cycles")


def _owners(found: Findings) -> list[str]:
    clear = [s for s in found.shifts if s.clear]
    return [
        f"Without the other bots of owner `{s.owner}`, `{s.bot}` would stand {abs(s.shift):.0f} Elo"
        f" {'higher' if s.shift > 0 else 'lower'}."
        for s in clear[:MOST_NAMED]
    ] + _rest(clear, "ratings that hang on one owner's bots")


def _rest(things: Sequence[object], what: str) -> list[str]:
    return [f"And {len(things) - MOST_NAMED} more {what}."] if len(things) > MOST_NAMED else []


def facts(
    found: Findings, rated: Columns, raw: Scores, freed: Scores | None, games_per_unit: int
) -> dict[str, Any]:
    """Numbers about the whole, for the table's foot and for programs."""
    fit = found.fit
    told: dict[str, Any] = {
        "rated": "adjusted" if fit.adjusted else "raw",
        "clustered": fit.clustered,
        "units": int(raw.n.sum()),
        "connected": not fit.prior,
        "k_raw": variance_ratio(raw, games_per_unit),
        "k_adjusted": None if freed is None else variance_ratio(freed, games_per_unit, raw),
        "chi2": found.misfit.chi2,
        "chi2_dof": found.misfit.dof,
        "chi2_p": found.misfit.p,
        "luck_mean": None if found.luck is None else found.luck[0],
        "luck_error": None if found.luck is None else found.luck[1],
    }
    if freed is not None and freed.beta is not None:
        told["beta"] = float((freed.beta.mean(axis=1) * freed.n).sum() / freed.n.sum())
    if found.shifts:
        told["owner_shifts"] = [
            {"owner": s.owner, "bot": s.bot, "shift": round(s.shift, 2) + 0.0, "se": round(s.se, 2)}
            for s in found.shifts[:20]
        ]
    return told


def variance_ratio(scores: Scores, games_per_unit: int, raw: Scores | None = None) -> float | None:
    """The event's k: variance of as many independent games over the variance reached, about pairings' own
    means.

    None where no pairing has two units, or nothing varies.
    """
    import numpy as np

    raw = raw or scores
    many = scores.n >= 2
    n = scores.n[many]
    share = raw.s[many] / n
    naive = float((n * share * (1.0 - share)).sum()) / games_per_unit
    squares = np.maximum(scores.s2[many] - scores.s[many] ** 2 / n, 0.0)
    reached = float((squares * n / (n - 1.0)).sum())
    # Below this the squares are rounding, not results.
    return naive / reached if reached > 1e-9 * float(n.sum()) else None


def _mean_luck(rated: Columns) -> tuple[float, float, int] | None:
    """Mean luck of a pair over the pool, from the first side by name, its standard error, the pairs."""
    known = rated.folds[rated.has_luck]
    n = float(known[:, :, 0].sum())
    if n < 2:
        return None
    mean = float(known[:, :, 2].sum()) / n
    spread = float(known[:, :, 4].sum()) / n - mean * mean
    return mean, math.sqrt(max(spread, 0.0) / (n - 1.0)), int(n)
