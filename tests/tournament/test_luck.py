"""The book of luck: it has the games that count, and no others."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from arena.games.registry import get_game
from arena.ratings.pairs import tally
from arena.store.queries import read_results
from arena.store.store import Store
from arena.tournament.config import RunConfig
from arena.tournament.luck import FILE, LuckBook, outcome_table
from arena.tournament.run import run_tournament


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A tournament of two pairings, kept as it ended."""
    out = tmp_path_factory.mktemp("played") / "out"
    config = RunConfig(
        bots=("random", "greedy", "careful"),
        rules={"target": 2},
        schedule="gauntlet",
        pairs=3,
        seed="7",
        isolation="basic",
        start_ms=60_000,
        move_ms=20_000,
        grace_ms=100,
        slots=1,
        out=str(out),
    )
    assert run_tournament(config).complete
    return out


@pytest.fixture
def out(played, tmp_path):
    folder = tmp_path / "out"
    shutil.copytree(played, folder)
    (folder / FILE).unlink(missing_ok=True)
    return folder


def book_of(folder: Path) -> LuckBook:
    with read_results(folder) as results:
        game = get_game(results.meta.game, results.meta.rules)
    return LuckBook(folder, game, outcome_table(game, folder))


def updated(folder: Path):
    """The book's sums as they stand now, and the pairs of each match."""
    book = book_of(folder)
    try:
        with read_results(folder) as results:
            book.update(results)
            return book.sums(), {s.match_id: book.units(s.match_id) for s in results.sums()}
    finally:
        book.close()


def set_aside(folder: Path, match: str, *games: tuple[int, int]) -> None:
    with Store(folder) as store, store.transaction():
        for pair, leg in games:
            store.void(match, pair, leg)


def test_sums_are_those_of_the_pairs(out):
    sums, units = updated(out)
    assert len(sums) == 2
    for match, pairs in units.items():
        assert [unit.pair for unit in pairs] == [0, 1, 2]
        whole = tally("a", "b", pairs)
        assert sums[match] == (whole.folds, whole.blocks)
    # Nothing new: nothing changes.
    assert updated(out) == (sums, units)


def test_games_that_were_set_aside_leave_the_sums(out):
    before, units = updated(out)
    match, other = sorted(units)
    set_aside(out, match, (1, 0), (1, 1))
    after, left = updated(out)
    assert [unit.pair for unit in left[match]] == [0, 2]
    assert sum(fold.n for fold in after[match][0]) == 2
    assert after[match][0] != before[match][0]
    # The other match is not touched, and a book made anew says the same.
    assert (after[other], left[other]) == (before[other], units[other])
    (out / FILE).unlink()
    assert updated(out) == (after, left)


def test_one_game_set_aside_takes_its_pair_out(out):
    _, units = updated(out)
    match = min(units)
    set_aside(out, match, (2, 1))
    after, left = updated(out)
    assert left[match] == units[match][:2]
    assert sum(fold.n for fold in after[match][0]) == 2


def test_a_match_of_which_nothing_counts_any_more_has_no_sums(out):
    _, units = updated(out)
    match, other = sorted(units)
    set_aside(out, match, *((pair, leg) for pair in range(3) for leg in (0, 1)))
    after, _ = updated(out)
    assert sum(fold.n for fold in after[other][0]) == 3
    with read_results(out) as results:
        assert [s.match_id for s in results.sums()] == [other]
    assert match not in after
