"""A stored tournament, for whoever draws its standings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from arena.bots.resolve import arena_home
from arena.errors import ArenaError
from arena.games.registry import get_game
from arena.ratings.pairs import BlockSums, LuckFold, PairingStats, PairUnit
from arena.store.queries import Queries, read_results
from arena.tournament.standings import Standings, StandingsOptions, make_standings

if TYPE_CHECKING:
    from arena.tournament.luck import LuckBook

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

        With `adjusted` scores are freed of the cards' luck, where the logs can be read: the games that are
        new since the last table are looked at for it.
        """
        meta = self.stored.meta
        notes = []
        if meta.guessable:
            notes.append("guessable seed: it was chosen, and a bot can search for it from its own cards")
        if meta.options.get("isolation") != "strong":
            level = meta.options.get("isolation", "unknown")
            notes.append(f"isolation {level}: the bots could meet through files; for bots that you trust")
        common = meta.options.get("common-decks") == "on"
        luck, units = None, None
        if adjusted:
            try:
                book = self._luck_book(home, progress)
                try:
                    luck = book.sums()
                    units = self._units(book) if common else None
                finally:
                    book.close()
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
                notes=tuple(notes),
            ),
            shared_decks=units,
        )

    def _luck_book(self, home: Path | None, progress: Progress | None) -> LuckBook:
        """The luck of every game, brought up to date."""
        from arena.tournament.luck import LuckBook, outcome_table

        meta = self.stored.meta
        game = get_game(meta.game, meta.rules)
        book = LuckBook(self.stored.folder, game, outcome_table(game, home or arena_home(), progress))
        try:
            book.update(self.stored, progress)
        except BaseException:
            book.close()
            raise
        return book

    def _units(self, book: LuckBook) -> dict[tuple[str, str], list[PairUnit]]:
        """The single pairs of every pairing: with common decks errors are clustered by deck."""
        return {(sums.a, sums.b): book.units(sums.match_id) for sums in self.stored.sums()}


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
