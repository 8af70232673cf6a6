"""A stored tournament, for whoever draws its standings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from arena.bots.levels import Level
from arena.bots.resolve import arena_home
from arena.errors import ArenaError
from arena.games.base import RuleError
from arena.games.registry import get_game
from arena.ratings.pairs import BlockSums, LuckFold, PairingStats, PairUnit
from arena.store.queries import Queries, read_results
from arena.store.rows import Meta
from arena.tournament.standings import Standings, StandingsOptions, make_standings

STOPPED_BY_RESULTS = ("adaptive", "sprt")
"""Schedules that stop by what they have seen."""
PART_PAIRS = 10_000_000
"""More pairs than a match has, and a multiple of two blocks."""

S = TypeVar("S", LuckFold, BlockSums)
Progress = Callable[[str, int, int], None]
"""Told what is done (`playouts` or `table`), how much of it, and of how much."""


class Results:
    """A tournament open for reading; a context manager. `stored` answers everything else."""

    def __init__(self, stored: Queries) -> None:
        self.stored = stored

    def __enter__(self) -> Results:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database; idempotent."""
        self.stored.close()

    def pairings(self, luck: Mapping[str, Any] | None = None) -> list[PairingStats]:
        """What ratings need of every pairing that has games, by the bots' names; reads one row each.

        `luck`: by match id, the luck sums of its folds and blocks (`LuckBook.sums`).
        """
        found: dict[tuple[str, str], PairingStats] = {}
        for sums in self.stored.sums():
            folds, blocks = (luck or {}).get(sums.match_id, ((), ()))
            _join(
                found,
                PairingStats(
                    a=sums.a,
                    b=sums.b,
                    pairs=sums.pairs,
                    cells=sums.cells,
                    hands=sums.hands,
                    points_a=sums.points_a,
                    points_b=sums.points_b,
                    forfeits_a=sums.forfeits_a,
                    forfeits_b=sums.forfeits_b,
                    sum_margin=float(sums.margin),
                    sum_margin2=float(sums.margin2),
                    folds=folds,
                    blocks=blocks,
                ),
            )
        return list(found.values())

    def faults(self) -> dict[str, dict[str, int]]:
        """Forfeited games by bot and reason."""
        found: dict[str, dict[str, int]] = {}
        for fault in self.stored.faults():
            found.setdefault(fault.bot, {})[fault.code] = fault.games
        return found

    def owners(self) -> dict[str, str]:
        """Owner by bot, where its manifest names one."""
        return {bot.name: bot.owner for bot in self.stored.bots() if bot.owner}

    def standings(
        self,
        *,
        anchor: str | None = None,
        anchor_elo: float = 0.0,
        owners_apart: bool = False,
        adjusted: bool = True,
        home: Path | None = None,
        progress: Progress | None = None,
    ) -> Standings:
        """The table as it stands now. Raises ArenaError for an anchor that is not rated.

        `adjusted`: by scores freed of the cards' luck, where the game has a reference policy; the games that
        are new since the last time are played out for it (`progress` is told), and tables are kept under
        `home`. Where a log cannot be read, raw scores are rated, and a note says so.
        """
        meta = self.stored.meta
        notes = _notes(meta)
        luck: Mapping[str, Any] | None = None
        units: dict[str, list[PairUnit]] | None = None
        common = meta.options.get("common-decks") == "on"
        if adjusted:
            try:
                luck, units = self._luck(common, home, progress)
            except ArenaError as error:
                notes.append(f"raw scores: {error.message}")
        return make_standings(
            self.pairings(luck),
            bots=[bot.name for bot in self.stored.bots()],
            faults=self.faults(),
            options=StandingsOptions(
                anchor=anchor,
                anchor_elo=anchor_elo,
                owners=self.owners(),
                owners_apart=owners_apart,
                adjusted=adjusted,
                stopped_early=meta.options.get("schedule") in STOPPED_BY_RESULTS,
                notes=tuple(notes),
            ),
            shared_decks=self._shared_decks(units) if common else None,
        )

    def _luck(
        self, common: bool, home: Path | None, progress: Progress | None
    ) -> tuple[Mapping[str, Any] | None, dict[str, list[PairUnit]] | None]:
        """By match, the luck sums of all games so far, and with common decks the pairs themselves; None for a
        game without a reference policy.
        """
        from arena.tournament.luck import LuckBook, has_reference, outcome_table

        meta, folder = self.stored.meta, self.stored.folder
        try:
            game = get_game(meta.game, meta.rules)
        except RuleError as error:
            raise ArenaError(f"{folder}: the tournament's game is not known here: {error}") from None
        if not has_reference(game) or not self.stored.games_done():
            return None, None
        book = LuckBook(folder, game, outcome_table(game, home or arena_home(), progress))
        try:
            book.update(self.stored, progress)
            if not common:
                return book.sums(), None
            return book.sums(), {sums.match_id: book.units(sums.match_id) for sums in self.stored.sums()}
        finally:
            book.close()

    def _shared_decks(
        self, units: Mapping[str, list[PairUnit]] | None
    ) -> dict[tuple[str, str], list[PairUnit]]:
        """The single pairs of every pairing, where all played the same decks: errors are clustered by deck.

        Each part of a merged tournament has decks of its own.
        """
        found: dict[tuple[str, str], list[PairUnit]] = {}
        parts: dict[str, int] = {}
        for sums in self.stored.sums():
            first = PART_PAIRS * parts.setdefault(sums.part, len(parts))
            if units is not None:
                known = units[sums.match_id]
            else:
                rows = self.stored.pairs(sums.match_id)
                known = [PairUnit(pair, score, None, margin) for pair, score, margin in rows]
            here = found.setdefault((sums.a, sums.b), [])
            here += [replace(unit, pair=first + unit.pair) for unit in known]
        return found


def _notes(meta: Meta) -> list[str]:
    """What speaks against taking the table for more than it is."""
    notes = []
    if meta.guessable:
        notes.append("guessable seed: it was chosen, and a bot could search for it from its own cards")
    if meta.options.get("schedule") == "sprt":
        notes.append("a sequential test: the table counts every stored pair, the test none beyond its end")
    level = meta.options.get("isolation", "")
    if level and level != Level.STRONG:
        notes.append(f"isolation `{level}`: seats could reach each other; for bots that you trust")
    return notes


def _join(found: dict[tuple[str, str], PairingStats], stats: PairingStats) -> None:
    """Enter a pairing; what is known of it from another part of a merged tournament is added up."""
    known = found.get((stats.a, stats.b))
    if known is not None:
        whole = bool(known.folds or not known.pairs) and bool(stats.folds or not stats.pairs)
        cells = [one + other for one, other in zip(known.cells, stats.cells, strict=True)]
        stats = replace(
            stats,
            **{
                name: getattr(known, name) + getattr(stats, name)
                for name in (
                    "pairs", "hands", "points_a", "points_b", "forfeits_a", "forfeits_b", "sum_margin",
                    "sum_margin2",
                )
            },
            cells=(cells[0], cells[1], cells[2], cells[3], cells[4]),
            folds=_added(known.folds, stats.folds) if whole else (),
            blocks=_added(known.blocks, stats.blocks) if whole else (),
        )  # fmt: skip
    found[stats.a, stats.b] = stats


def _added(one: tuple[S, ...], other: tuple[S, ...]) -> tuple[S, ...]:
    if not (one and other):
        return one or other
    return tuple(a + b for a, b in zip(one, other, strict=True))


def open_results(folder: Path) -> Results:
    """The results in a tournament's folder, also while it is being played. Raises ArenaError."""
    return Results(read_results(folder))
