"""Pairings as columns: the sums of many pairings side by side, in an order that depends on names alone.

A pool of a thousand bots has tens of thousands of pairings; ratings work on these arrays and never on single
games. Bots are sorted by name, and each pairing stands once, from the side of the bot whose name comes first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from arena.ratings.pairs import (
    BETA_PRIOR_PAIRS,
    CELL_SCORES,
    DEFAULT_BETA,
    FOLDS,
    LuckFold,
    PairingStats,
    PairUnit,
    fold_of,
)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Ints = npt.NDArray[np.int64]
    Bools = npt.NDArray[np.bool_]

POOL_PRIOR_PAIRS = 200
"""How many pairs' worth the default beta weighs against the pool's own."""


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """K pairings of B bots. `i`, `j` index `names`; everything else is from the side of bot `i`."""

    names: tuple[str, ...]
    i: Ints
    j: Ints
    cells: Floats
    """K x 5 counts by pair score."""
    hands: Floats
    points_i: Floats
    points_j: Floats
    forfeits_i: Floats
    forfeits_j: Floats
    margin: Floats
    margin2: Floats
    folds: Floats
    """K x F x (n, s, L, s2, L2, sL); zero where the luck is not known."""
    blocks: Floats
    """K x F x (blocks, n2, nS, nL, S2, L2, SL); zero where they are not kept."""
    has_luck: Bools
    has_blocks: Bools

    @property
    def n(self) -> Floats:
        """Pairs of each pairing."""
        total: Floats = self.cells.sum(axis=1)
        return total

    @property
    def all_luck(self) -> bool:
        return bool(len(self.i)) and bool(self.has_luck.all())

    def select(self, rows: Bools) -> Columns:
        """The same bots with some of the pairings."""
        kept = {f.name: getattr(self, f.name)[rows] for f in fields(self) if f.name != "names"}
        return Columns(names=self.names, **kept)

    def without(self, dropped: Iterable[str]) -> Columns:
        """The pool without these bots and all their pairings."""
        import numpy as np

        gone = set(dropped)
        kept = [k for k, name in enumerate(self.names) if name not in gone]
        place = np.full(len(self.names), -1)
        place[kept] = np.arange(len(kept))
        part = self.select((place[self.i] >= 0) & (place[self.j] >= 0))
        return replace(part, names=tuple(self.names[k] for k in kept), i=place[part.i], j=place[part.j])


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """What a fit needs of each pairing: number of units, sums of scores and of squares, beta by fold."""

    n: Floats
    s: Floats
    s2: Floats
    beta: Floats | None
    """K x F; None for raw scores."""


def columns_of(pairings: Iterable[PairingStats], bots: Iterable[str] = ()) -> Columns:
    """Columns of these pairings. Pairings of the same two bots are added up, in either orientation."""
    import numpy as np

    stats = [p if p.a < p.b else p.swapped() for p in pairings if p.pairs]
    names = tuple(sorted({p.a for p in stats} | {p.b for p in stats} | set(bots)))
    index = {name: k for k, name in enumerate(names)}
    # Ordered by content too: sums over several records of one pairing must not depend on the order given.
    stats.sort(key=lambda p: (index[p.a], index[p.b], p.cells, p.hands, p.points_a, p.sum_margin))
    key = np.array([index[p.a] * len(names) + index[p.b] for p in stats], dtype=np.int64)
    unique, where = np.unique(key, return_inverse=True)
    depth = max([FOLDS, *(len(p.folds) for p in stats), *(len(p.blocks) for p in stats)])

    def summed(rows: list[object], shape: tuple[int, ...]) -> Floats:
        total = np.zeros((len(unique), *shape))
        np.add.at(total, where, np.array(rows, dtype=np.float64).reshape(len(stats), *shape))
        return total

    def everywhere(flags: list[bool]) -> Bools:
        found = np.ones(len(unique), dtype=bool)
        np.logical_and.at(found, where, np.array(flags, dtype=bool))
        return found

    numbers = summed(
        [
            (p.hands, p.points_a, p.points_b, p.forfeits_a, p.forfeits_b, p.sum_margin, p.sum_margin2)
            for p in stats
        ],
        (7,),
    )
    has_luck = everywhere([bool(p.folds) for p in stats])
    has_blocks = everywhere([bool(p.blocks) for p in stats])
    folds = summed([_padded([_fold_row(f) for f in p.folds], depth, 6) for p in stats], (depth, 6))
    blocks = summed(
        [
            _padded([(b.blocks, b.n2, b.nS, b.nL, b.S2, b.L2, b.SL) for b in p.blocks], depth, 7)
            for p in stats
        ],
        (depth, 7),
    )
    return Columns(
        names=names,
        i=unique // max(1, len(names)),
        j=unique % max(1, len(names)),
        cells=summed([p.cells for p in stats], (5,)),
        hands=numbers[:, 0],
        points_i=numbers[:, 1],
        points_j=numbers[:, 2],
        forfeits_i=numbers[:, 3],
        forfeits_j=numbers[:, 4],
        margin=numbers[:, 5],
        margin2=numbers[:, 6],
        folds=np.where(has_luck[:, None, None], folds, 0.0),
        blocks=np.where(has_blocks[:, None, None], blocks, 0.0),
        has_luck=has_luck,
        has_blocks=has_blocks,
    )


def _fold_row(f: LuckFold) -> tuple[float, ...]:
    return f.n, f.s, f.L, f.s2, f.L2, f.sL


def _padded(rows: Sequence[tuple[float, ...]], depth: int, width: int) -> list[tuple[float, ...]]:
    return [*rows, *[(0.0,) * width] * (depth - len(rows))]


def raw_scores(columns: Columns) -> Scores:
    """The scores as played."""
    import numpy as np

    cell = np.array(CELL_SCORES)
    return Scores(n=columns.n, s=columns.cells @ cell, s2=columns.cells @ cell**2, beta=None)


def adjusted_scores(columns: Columns) -> Scores:
    """Scores freed of luck, each fold with the beta of the other folds. Needs the luck of every pairing.

    The same rule as `pairs.beta_of`, with the typical beta pooled over all pairings (from other folds too).
    """
    import numpy as np

    folds = columns.folds
    others = folds.sum(axis=1, keepdims=True) - folds
    n, s, luck, _, luck2, product = np.moveaxis(others, 2, 0)
    safe = np.maximum(n, 1.0)
    spread = luck2 - luck**2 / safe
    together = product - s * luck / safe
    usable = (n >= 2) & (spread > 1e-12 * safe)
    p = (s + 1.0) / (n + 2.0)
    scale = 2.0 * np.sqrt(np.clip(p * (1.0 - p), 0.0, 0.25))
    weight = np.where(usable, scale, 0.0)
    count = np.where(usable, n, 0.0).sum(axis=0)
    below = (weight**2 * spread).sum(axis=0)
    above = (weight * together).sum(axis=0)
    pooled = np.divide(above, below, out=np.full_like(below, DEFAULT_BETA), where=below > 0)
    typical = (count * pooled + POOL_PRIOR_PAIRS * DEFAULT_BETA) / (count + POOL_PRIOR_PAIRS)
    prior = typical[None, :] * scale
    slope = np.divide(together, spread, out=prior.copy(), where=usable)
    beta = np.where(usable, (n * slope + BETA_PRIOR_PAIRS * prior) / (n + BETA_PRIOR_PAIRS), prior)
    return Scores(
        n=columns.n,
        s=(folds[:, :, 1] - beta * folds[:, :, 2]).sum(axis=1),
        s2=(folds[:, :, 3] - 2.0 * beta * folds[:, :, 5] + beta**2 * folds[:, :, 4]).sum(axis=1),
        beta=beta,
    )


def block_squares(columns: Columns, scores: Scores, p: Floats) -> Floats:
    """Sum over blocks of the squared block total of `score - p`, for each pairing."""
    b = columns.blocks
    beta = scores.beta if scores.beta is not None else 0.0 * b[:, :, 0]
    m = p[:, None]
    square = b[:, :, 4] - 2.0 * beta * b[:, :, 6] + beta**2 * b[:, :, 5]
    cross = b[:, :, 2] - beta * b[:, :, 3]
    total: Floats = (square - 2.0 * m * cross + m * m * b[:, :, 1]).sum(axis=1)
    return total


def excess_kurtosis(columns: Columns) -> Floats:
    """Excess kurtosis of pair scores as played, about each pairing's own mean; 0 where they do not vary."""
    import numpy as np

    cell = np.array(CELL_SCORES)
    share = columns.cells / np.maximum(columns.n, 1.0)[:, None]
    off = cell[None, :] - (share @ cell)[:, None]
    second = (share * off**2).sum(axis=1)
    fourth = (share * off**4).sum(axis=1)
    safe = np.where(second > 0, second, 1.0)
    found: Floats = np.where(second > 0, fourth / safe**2 - 3.0, 0.0)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class DeckUnits:
    """Single pairs of a tournament with common decks: pairing, deck, score and luck of each."""

    pairing: Ints
    deck: Ints
    score: Floats
    luck: Floats

    def adjusted(self, scores: Scores) -> Floats:
        import numpy as np

        if scores.beta is None:
            return self.score
        folds = np.array([fold_of(d) for d in self.deck.tolist()], dtype=np.int64)
        freed: Floats = self.score - scores.beta[self.pairing, folds] * self.luck
        return freed


def deck_units(columns: Columns, shared: Mapping[tuple[str, str], Sequence[PairUnit]]) -> DeckUnits:
    """The pairs of `shared` (by bots' names, in either order) as columns; unknown pairings are left out."""
    import numpy as np

    names = columns.names
    order = zip(columns.i.tolist(), columns.j.tolist(), strict=True)
    place = {(names[i], names[j]): k for k, (i, j) in enumerate(order)}
    rows: list[tuple[int, int, float, float]] = []
    for (a, b), units in sorted(shared.items()):
        k, turned = (place.get((a, b)), False) if a < b else (place.get((b, a)), True)
        if k is None:
            continue
        for u in units:
            luck = u.luck or 0.0
            rows.append((k, u.pair, 1.0 - u.score if turned else u.score, -luck if turned else luck))
    rows.sort()
    return DeckUnits(
        pairing=np.array([r[0] for r in rows], dtype=np.int64),
        deck=np.array([r[1] for r in rows], dtype=np.int64),
        score=np.array([r[2] for r in rows], dtype=np.float64),
        luck=np.array([r[3] for r in rows], dtype=np.float64),
    )
