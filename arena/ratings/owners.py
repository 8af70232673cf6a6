"""Ratings without one owner's bots: a bot that lives off accomplices moves when they are left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from arena.ratings.bradley_terry import Fit, fit_pool
from arena.ratings.columns import Columns

LARGEST_POOL = 200
"""Above so many bots the pool is too large to be refitted for each owner."""


@dataclass(frozen=True, slots=True)
class OwnerShift:
    """How far one bot's rating moves when one owner's other bots are left out."""

    owner: str
    bot: str
    shift: float
    """Elo, against the mean of the bots that no bot of this owner is."""
    se: float
    """Standard error of the shift by chance alone."""

    @property
    def clear(self) -> bool:
        """Whether the shift is more than chance: 3 standard errors (many are looked at) and 10 Elo."""
        return abs(self.shift) > max(3.0 * self.se, 10.0)


def owner_shifts(columns: Columns, fit: Fit, owners: Mapping[str, str]) -> tuple[OwnerShift, ...]:
    """For each owner of two bots or more and each bot: the shift without (the rest of) that owner's bots.

    A bot of the owner itself is kept while its fellows are left out. Both ratings are taken against the
    mean of the bots of other owners. The standard error is that of a consistent estimate against a more
    precise one (Hausman 1978): the variances' difference. Largest shift first; pools of fewer than two
    other bots are skipped.
    """
    if len(fit.names) > LARGEST_POOL:
        return ()
    found: list[OwnerShift] = []
    rated = set(fit.names)
    for owner in sorted({o for bot, o in owners.items() if bot in rated}):
        mine = [bot for bot in fit.names if owners.get(bot) == owner]
        others = [bot for bot in fit.names if owners.get(bot) != owner]
        if len(mine) < 2 or len(others) < 2:
            continue
        for kept in (None, *mine):
            part = columns.without(bot for bot in mine if bot != kept)
            if not len(part.i):
                continue
            alone = fit_pool(part, adjusted=fit.adjusted)
            if alone.prior or alone.adjusted != fit.adjusted or not set(others) <= set(alone.names):
                continue
            for bot in [kept] if kept else others:
                if bot in alone.names:
                    found.append(_shift(owner, bot, fit, alone, others))
    return tuple(sorted(found, key=lambda s: (-abs(s.shift), s.owner, s.bot)))


def _shift(owner: str, bot: str, fit: Fit, alone: Fit, others: list[str]) -> OwnerShift:
    full, full_variance = _against(fit, bot, others)
    part, part_variance = _against(alone, bot, others)
    return OwnerShift(owner, bot, part - full, max(part_variance - full_variance, 0.0) ** 0.5)


def _against(fit: Fit, bot: str, others: list[str]) -> tuple[float, float]:
    """Rating of a bot against the mean of `others`, and its variance."""
    import numpy as np

    weight = np.zeros(len(fit.names))
    for name in others:
        weight[fit.names.index(name)] -= 1.0 / len(others)
    weight[fit.names.index(bot)] += 1.0
    return float(weight @ fit.elo), float(weight @ fit.cov @ weight)
