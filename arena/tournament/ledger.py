"""The results that a schedule may look at: the pairs of the blocks that are over, in plan order.

Decisions see the unbroken prefix of the plan and nothing else, so that they depend neither on the machine
nor on which games happen to end first. Scores are freed of luck with a beta out of earlier pairs of the
same pairing alone: a pair never has a say in its own correction, nor has any that came after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from arena.ratings.pairs import (
    CELL_SCORES,
    PAIRS_PER_BLOCK,
    BlockSums,
    LuckFold,
    PairingStats,
    PairUnit,
    beta_of,
    cell_of,
)
from arena.store.queries import read_results
from arena.tournament.luck import LuckBook, Progress, has_reference, outcome_table
from arena.tournament.plan import Plan
from arena.tournament.schedule import PlannedBlock


class UnitSource:
    """The counted pairs of a tournament's matches, with their luck where the game has a reference policy.

    To be used by one thread at a time, not always the same. Playouts are made here: they take their time.
    """

    def __init__(self, plan: Plan, folder: Path, home: Path, progress: Progress | None = None) -> None:
        self._folder = folder
        self._progress = progress
        self._book: LuckBook | None = None
        if has_reference(plan.game):
            table = outcome_table(plan.game, home, progress)
            self._book = LuckBook(folder, plan.game, table, any_thread=True)

    def close(self) -> None:
        """Close the book of luck; idempotent."""
        if self._book is not None:
            self._book.close()

    def units(self, match_id: str, first: int, pairs: int) -> list[PairUnit]:
        """The whole pairs among `pairs` pairs of a match from `first` on, from A's side, in plan order."""
        with read_results(self._folder) as results:
            if self._book is None:
                return results_units(results.pairs(match_id, first, first + pairs - 1))
            self._book.update(results, self._progress, sum_up=False)
            return self._book.units(match_id, first, first + pairs - 1)


def results_units(rows: Sequence[tuple[int, float, int]]) -> list[PairUnit]:
    """Units out of the store's (pair, score, margin)."""
    return [PairUnit(pair, score, None, margin) for pair, score, margin in rows]


@dataclass(slots=True)
class _Match:
    """The sums of one pairing: scores as played, and freed of luck."""

    cells: list[int] = field(default_factory=lambda: [0] * 5)
    seen: LuckFold = field(default_factory=LuckFold)
    """Scores and luck as they came, for the beta of the next pair."""
    freed: LuckFold = field(default_factory=LuckFold)
    blocks: dict[int, tuple[int, float]] = field(default_factory=dict)
    """Pairs and freed score of each block."""
    units: list[PairUnit] | None = None
    """The pairs themselves, where errors are clustered by deck."""
    adjusted: bool = True

    def add(self, unit: PairUnit) -> None:
        """The next pair, in plan order."""
        luck = unit.luck
        if luck is None:
            self.adjusted, luck = False, 0.0
        s = unit.score
        x = s - beta_of(self.seen) * luck
        self.seen += LuckFold(1, s, luck, s * s, luck * luck, s * luck)
        self.freed += LuckFold(1, x, 0.0, x * x)
        self.cells[cell_of(s)] += 1
        n, total = self.blocks.get(unit.pair // PAIRS_PER_BLOCK, (0, 0.0))
        self.blocks[unit.pair // PAIRS_PER_BLOCK] = n + 1, total + x
        if self.units is not None:
            self.units.append(PairUnit(unit.pair, x, 0.0))

    def stats(self, a: str, b: str) -> PairingStats:
        """The sums, the freed scores in the place of scores and luck."""
        c = self.cells
        sums = BlockSums()
        for n, x in self.blocks.values():
            sums += BlockSums(1, n * n, n * x, 0.0, x * x)
        return PairingStats(
            a=a,
            b=b,
            pairs=sum(c),
            cells=(c[0], c[1], c[2], c[3], c[4]),
            folds=(self.freed,) if self.adjusted else (),
            blocks=(sums,) if self.adjusted else (),
        )


class Ledger:
    """Sums over the blocks that were taken in; a schedule decides by them."""

    def __init__(self, plan: Plan, source: UnitSource) -> None:
        self._plan = plan
        self._source = source
        self._common = bool(plan.conditions["common_decks"])
        self._matches: dict[tuple[str, str], _Match] = {}

    def add(self, block: PlannedBlock) -> None:
        """Take in a block that is over: its whole pairs, however many they are."""
        pairing = self._plan.pairing(block.one, block.other)
        key = pairing.a.name, pairing.b.name
        match = self._matches.setdefault(key, _Match(units=[] if self._common else None))
        for unit in self._source.units(pairing.match_id, block.first, block.pairs):
            match.add(unit)

    def pairings(self) -> list[PairingStats]:
        """Sums by pairing; the folds hold the scores freed of luck, and no luck is left in them."""
        return [m.stats(a, b) for (a, b), m in sorted(self._matches.items()) if sum(m.cells)]

    def decks(self) -> dict[tuple[str, str], list[PairUnit]] | None:
        """With common decks: every pair, freed of luck, for errors that are clustered by deck."""
        if not self._common:
            return None
        return {key: match.units or [] for key, match in self._matches.items()}

    def points(self) -> dict[str, float]:
        """Pair scores as played, added up by bot."""
        total = dict.fromkeys((bot.name for bot in self._plan.bots), 0.0)
        for (a, b), match in self._matches.items():
            won = sum(n * c for n, c in zip(match.cells, CELL_SCORES, strict=True))
            total[a] += won
            total[b] += sum(match.cells) - won
        return total
