"""The duplicate pair as the scored unit: what is kept of a pairing, and scores freed of the cards' luck.

A pair is two games on the same decks with the teams' seats swapped. Its score for team A is the mean of the
two game scores: 0, 1/4, 1/2, 3/4 or 1 (a game can be drawn at the hand limit). Beside it stands the pair's
luck: the mean of the two games' luck sums for team A, in units of winning probability. The adjusted score is
`s - beta * L`.

Sums suffice for every rating: beta moves as pairs come in, so sums of adjusted scores cannot be kept, sums by
fold can. A pairing's pairs are split into folds by block, and a fold is adjusted with the beta of the *other*
folds (cross-fitting), so that no pair chooses its own correction and the adjusted mean stays unbiased.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields

from arena.errors import ArenaError
from arena.ratings.elo import FLOOR_UNITS

PAIRS_PER_BLOCK = 10
FOLDS = 2
CELL_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)

NAIVE_PAIR_VARIANCE = 0.125
"""Variance of the mean of two independent even games: the prior of the variance floor."""
DECISIVE_SQUARE = 0.25
"""What a pair that one side won altogether adds to the squares about an even score."""
DEFAULT_BETA = 0.8
"""Beta of an even pairing before anything is known of it."""
BETA_PRIOR_PAIRS = 20
"""How many pairs' worth the typical beta weighs against a pairing's own: half and half at 20 pairs a fold."""


@dataclass(frozen=True, slots=True)
class PairUnit:
    """One counted pair: its index in the match, team A's score, its luck, and its points margin (A - B)."""

    pair: int
    score: float
    luck: float | None = None
    margin: float = 0.0


@dataclass(frozen=True, slots=True)
class LuckFold:
    """Sums over the pairs of one fold: number, scores, luck, their squares and product."""

    n: int = 0
    s: float = 0.0
    L: float = 0.0
    s2: float = 0.0
    L2: float = 0.0
    sL: float = 0.0

    def __add__(self, other: LuckFold) -> LuckFold:
        return LuckFold(
            self.n + other.n,
            self.s + other.s,
            self.L + other.L,
            self.s2 + other.s2,
            self.L2 + other.L2,
            self.sL + other.sL,
        )


@dataclass(frozen=True, slots=True)
class BlockSums:
    """Sums over the *blocks* of one fold, of products of block totals.

    `n2` is the sum of squared block sizes, `nS` of size times score total, and so on. They show whether pairs
    of a block are correlated (a bot with a memory), and give the variance by block where they are.
    """

    blocks: int = 0
    n2: float = 0.0
    nS: float = 0.0
    nL: float = 0.0
    S2: float = 0.0
    L2: float = 0.0
    SL: float = 0.0

    def __add__(self, other: BlockSums) -> BlockSums:
        return BlockSums(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


@dataclass(frozen=True, slots=True)
class PairingStats:
    """All that ratings need of one pairing, from team A's side. `a` and `b` are the bots' names.

    `cells` counts pairs by A's score (0, 1/4, 1/2, 3/4, 1). `points_*` are game points over all counted
    games, `sum_margin` and `sum_margin2` sums over pairs of A's points minus B's over both legs, and of its
    square. `folds` are the sums for the luck adjustment, `()` where luck is not known for every counted pair;
    `blocks` are the sums by block of the same folds, `()` where they are not kept.
    """

    a: str
    b: str
    pairs: int = 0
    cells: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)
    hands: int = 0
    points_a: int = 0
    points_b: int = 0
    forfeits_a: int = 0
    forfeits_b: int = 0
    sum_margin: float = 0.0
    sum_margin2: float = 0.0
    folds: tuple[LuckFold, ...] = ()
    blocks: tuple[BlockSums, ...] = ()

    def __post_init__(self) -> None:
        if self.a == self.b:
            raise ArenaError(f"`{self.a}` is paired with itself: a pairing needs two bots")
        if sum(self.cells) != self.pairs or min(self.cells) < 0:
            raise ArenaError(f"{self.a} - {self.b}: cells {self.cells} do not add up to {self.pairs} pairs")
        if self.folds and sum(f.n for f in self.folds) != self.pairs:
            raise ArenaError(f"{self.a} - {self.b}: the luck sums are not over its {self.pairs} pairs")

    @property
    def games(self) -> int:
        return 2 * self.pairs

    @property
    def score(self) -> float:
        """Sum of A's pair scores, 0 to `pairs`."""
        return sum(n * c for n, c in zip(self.cells, CELL_SCORES, strict=True))

    @property
    def score2(self) -> float:
        """Sum of the squares of A's pair scores."""
        return sum(n * c * c for n, c in zip(self.cells, CELL_SCORES, strict=True))

    @property
    def three(self) -> tuple[int, int, int]:
        """Pairs lost, level and won: the LL-WL-WW of the crosstable (1/4 counts as lost, 3/4 as won)."""
        c = self.cells
        return c[0] + c[1], c[2], c[3] + c[4]

    def swapped(self) -> PairingStats:
        """The same pairing from B's side."""
        return PairingStats(
            a=self.b,
            b=self.a,
            pairs=self.pairs,
            cells=(self.cells[4], self.cells[3], self.cells[2], self.cells[1], self.cells[0]),
            hands=self.hands,
            points_a=self.points_b,
            points_b=self.points_a,
            forfeits_a=self.forfeits_b,
            forfeits_b=self.forfeits_a,
            sum_margin=-self.sum_margin,
            sum_margin2=self.sum_margin2,
            folds=tuple(
                LuckFold(f.n, f.n - f.s, -f.L, f.n - 2 * f.s + f.s2, f.L2, f.sL - f.L) for f in self.folds
            ),
            blocks=tuple(
                BlockSums(b.blocks, b.n2, b.n2 - b.nS, -b.nL, b.n2 - 2 * b.nS + b.S2, b.L2, b.SL - b.nL)
                for b in self.blocks
            ),
        )


def fold_of(pair: int) -> int:
    """The fold of a pair: by block, so that a bot's memory within a block does not leak across folds."""
    return pair // PAIRS_PER_BLOCK % FOLDS


def cell_of(score: float) -> int:
    """The cell of a pair score. Raises `ArenaError` for a score that no pair can have."""
    cell = round(score * 4)
    if not 0 <= cell <= 4 or abs(cell - score * 4) > 1e-9:
        raise ArenaError(f"a pair cannot score {score}: it scores 0, 1/4, 1/2, 3/4 or 1")
    return cell


def tally(
    a: str,
    b: str,
    units: Iterable[PairUnit],
    *,
    hands: int = 0,
    points_a: int = 0,
    points_b: int = 0,
    forfeits_a: int = 0,
    forfeits_b: int = 0,
) -> PairingStats:
    """Sum up the counted pairs of one pairing. Luck is kept only if every pair has it."""
    cells = [0] * 5
    margin = margin2 = 0.0
    folds = [LuckFold()] * FOLDS
    totals: dict[int, LuckFold] = {}
    complete = True
    for unit in units:
        cells[cell_of(unit.score)] += 1
        margin += unit.margin
        margin2 += unit.margin**2
        luck = unit.luck
        if luck is None:
            complete, luck = False, 0.0
        s = unit.score
        one = LuckFold(1, s, luck, s * s, luck * luck, s * luck)
        fold, block = fold_of(unit.pair), unit.pair // PAIRS_PER_BLOCK
        folds[fold] += one
        totals[block] = totals.get(block, LuckFold()) + one
    blocks = [BlockSums()] * FOLDS
    pairs = sum(cells)
    for block, t in sorted(totals.items()):
        luck = t.L if complete else 0.0
        blocks[block % FOLDS] += BlockSums(
            1, t.n**2, t.n * t.s, t.n * luck, t.s * t.s, luck * luck, t.s * luck
        )
    return PairingStats(
        a=a,
        b=b,
        pairs=pairs,
        cells=(cells[0], cells[1], cells[2], cells[3], cells[4]),
        hands=hands,
        points_a=points_a,
        points_b=points_b,
        forfeits_a=forfeits_a,
        forfeits_b=forfeits_b,
        sum_margin=margin,
        sum_margin2=margin2,
        folds=tuple(folds) if complete and pairs else (),
        blocks=tuple(blocks) if pairs else (),
    )


def floored_variance(n: float, centred_squares: float, raw_squares: float | None = None) -> float:
    """Variance of one unit with a floor: four pseudo-units at the naive pair variance (never zero).

    The squares are sums of squared deviations from the mean. The floor stands for the decisive pairs that
    near-twins have not shown yet. Where luck is taken off (`raw_squares`: of the scores as played) it would
    be taken off those too: the floor then counts by the share that luck leaves over, as the pairs so far
    show it, drawn to the whole by as many decisive pairs.
    """
    centred = max(centred_squares, 0.0)
    share = 1.0
    if raw_squares is not None and raw_squares > 0.0:
        decisive = raw_squares / DECISIVE_SQUARE
        left = min(1.0, centred / raw_squares)
        share = (decisive * left + FLOOR_UNITS) / (decisive + FLOOR_UNITS)
    units = FLOOR_UNITS * share
    return (centred + units * NAIVE_PAIR_VARIANCE) / (n + units)


def slope_of(fold: LuckFold) -> float | None:
    """Least-squares slope of score on luck over these pairs, or None where the luck does not vary."""
    if fold.n < 2:
        return None
    spread = fold.L2 - fold.L**2 / fold.n
    if spread <= 1e-12 * fold.n:
        return None
    return (fold.sL - fold.s * fold.L / fold.n) / spread


def beta_of(fold: LuckFold, typical: float = DEFAULT_BETA) -> float:
    """Beta as these pairs suggest it, drawn to what is typical by `BETA_PRIOR_PAIRS` pairs' worth.

    Luck moves a lopsided pairing less: what is typical of an even pairing is scaled by the standard
    deviation of a game, `2 sqrt(p (1 - p))`. To stay unbiased apply it only to *other* pairs than these.
    """
    p = (fold.s + 1.0) / (fold.n + 2.0)
    prior = typical * 2.0 * math.sqrt(min(0.25, max(0.0, p * (1.0 - p))))
    slope = slope_of(fold)
    if slope is None:
        return prior
    return (fold.n * slope + BETA_PRIOR_PAIRS * prior) / (fold.n + BETA_PRIOR_PAIRS)
