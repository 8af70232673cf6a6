"""The standings of a stored tournament: its sums, the luck of its games, and what there is to warn of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from arena.bots.levels import Level
from arena.errors import ArenaError
from arena.games.base import Game, RuleError
from arena.games.registry import get_game
from arena.ratings.pairs import PairUnit
from arena.store.rows import Meta
from arena.tournament.results import Results, open_results
from arena.tournament.standings import Standings, StandingsOptions, make_standings

if TYPE_CHECKING:
    from arena.tournament.luck import LuckBook, Progress


def draw_standings(
    folder: Path,
    *,
    anchor: str | None = None,
    anchor_elo: float = 0.0,
    owners_apart: bool = False,
    adjusted: bool = True,
    home: Path | None = None,
    progress: Progress | None = None,
) -> Standings:
    """Rate the tournament in `folder`, also while it is being played.

    `adjusted`: by scores freed of the cards' luck, where the game has a reference policy; the playouts of
    games that are new since the last time are made now (`progress` is told), and tables are kept under
    `home`. Raises ArenaError for a folder without a tournament, and for an anchor that is not rated.
    """
    with open_results(folder) as results:
        meta = results.stored.meta
        names = [bot.name for bot in results.stored.bots()]
        options = StandingsOptions(
            anchor=anchor,
            anchor_elo=anchor_elo,
            owners=results.owners(),
            owners_apart=owners_apart,
            adjusted=adjusted,
            notes=tuple(_notes(meta)),
        )
        if not adjusted:
            return make_standings(results.pairings(), bots=names, faults=results.faults(), options=options)
        book = _luck(folder, meta, results, home, progress)
        if book is None:
            return make_standings(results.pairings(), bots=names, faults=results.faults(), options=options)
        try:
            return make_standings(
                results.pairings(book.sums()),
                bots=names,
                faults=results.faults(),
                options=options,
                shared_decks=_shared_decks(meta, results, book),
            )
        finally:
            book.close()


def _luck(
    folder: Path, meta: Meta, results: Results, home: Path | None, progress: Progress | None
) -> LuckBook | None:
    """The luck of all games so far; None for a game without a reference policy."""
    from arena.bots.resolve import arena_home
    from arena.tournament.luck import LuckBook, outcome_table

    game = _game(folder, meta)
    if "stick_the_dealer" not in game.rules or not results.stored.games_done():
        return None
    book = LuckBook(folder, game, outcome_table(game, home or arena_home(), progress))
    try:
        book.update(results.stored, progress)
    except BaseException:
        book.close()
        raise
    return book


def _game(folder: Path, meta: Meta) -> Game:
    try:
        return get_game(meta.game, meta.rules)
    except RuleError as error:
        raise ArenaError(f"{folder}: the tournament's game is not known here: {error}") from None


def _shared_decks(
    meta: Meta, results: Results, book: LuckBook
) -> Mapping[tuple[str, str], Sequence[PairUnit]] | None:
    """Every pair of every pairing, where all pairings played the same decks."""
    if meta.options.get("common-decks") != "on":
        return None
    return {(sums.a, sums.b): book.units(sums.match_id) for sums in results.stored.sums()}


def _notes(meta: Meta) -> list[str]:
    """What speaks against taking the table for more than it is."""
    notes = []
    if meta.guessable:
        notes.append("guessable seed: it was chosen, and a bot could search for it from its own cards")
    level = meta.options.get("isolation", "")
    if level and level != Level.STRONG:
        notes.append(f"isolation `{level}`: seats could reach each other; for bots that you trust")
    return notes
