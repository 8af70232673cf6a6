"""Two tournaments joined: every game of both, each once, in a folder that verifies and can go on."""

from __future__ import annotations

import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.audit.check import check_tournament
from arena.errors import ArenaError
from arena.ratings.pairs import PairingStats
from arena.store.queries import read_results
from arena.store.store import Store
from arena.tournament.close import close_tournament
from arena.tournament.config import RunConfig
from arena.tournament.merge import merge_tournaments
from arena.tournament.results import open_results
from arena.tournament.run import run_tournament


def play(out: Path, *bots: str, **changes: Any) -> Path:
    config = RunConfig(
        bots=bots or ("random", "greedy"),
        rules={"target": 1},
        pairs=2,
        isolation="basic",
        start_ms=60_000,
        move_ms=20_000,
        grace_ms=100,
        slots=1,
        out=str(out),
    )
    report = run_tournament(replace(config, **changes))
    assert report.complete
    return out


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play(tmp_path_factory.mktemp("one") / "out")


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Under another seed: one pairing as in `one`, and one more."""
    out = tmp_path_factory.mktemp("two") / "out"
    play(out, "careful", "greedy", pairs=1)
    return play(out, "random", "greedy", pairs=3)


def verified(folder: Path) -> None:
    report = check_tournament(folder)
    assert report.ok, [problem.sentence() for problem in report.problems]


def pairings(folder: Path) -> dict[tuple[str, str], PairingStats]:
    with open_results(folder) as results:
        return {(stats.a, stats.b): stats for stats in results.pairings()}


def test_tournaments_of_different_seeds(one: Path, two: Path, tmp_path: Path) -> None:
    before = [check_tournament(folder).head for folder in (one, two)]
    both = tmp_path / "both"
    report = merge_tournaments(one, two, both)
    assert (report.bots, report.games, report.repeated) == (3, 4 + 8, 0)
    verified(both)
    assert [check_tournament(folder).head for folder in (one, two)] == before
    joined, first, second = pairings(both), pairings(one), pairings(two)
    (key,) = first
    assert joined.keys() == second.keys()
    assert joined[key].pairs == 5
    assert joined[key].points_a == first[key].points_a + second[key].points_a
    assert joined[key].sum_margin2 == first[key].sum_margin2 + second[key].sum_margin2
    with open_results(both) as results:
        standings = results.standings()
    assert {row.bot for row in standings.rows} == {"careful", "greedy", "random"}
    assert not any("The luck of" in warning for warning in standings.warnings)


def test_it_is_gone_on_with_under_the_first_seed(one: Path, two: Path, tmp_path: Path) -> None:
    both = tmp_path / "both"
    merge_tournaments(one, two, both)
    report = run_tournament(
        RunConfig(
            bots=("random", "greedy"), rules={"target": 1}, pairs=3, isolation="basic", start_ms=60_000,
            move_ms=20_000, grace_ms=100, slots=1, out=str(both),
        )
    )  # fmt: skip
    assert (report.games_played, report.games_done, report.games_total) == (2, 6, 6)
    verified(both)


def test_the_order_and_merging_again_change_no_game(one: Path, two: Path, tmp_path: Path) -> None:
    merge_tournaments(one, two, tmp_path / "ab")
    merge_tournaments(two, one, tmp_path / "ba")
    merge_tournaments(tmp_path / "ab", one, tmp_path / "aba")
    heads = {check_tournament(tmp_path / name).head for name in ("ab", "ba", "aba")}
    assert len(heads) == 1
    assert pairings(tmp_path / "ab") == pairings(tmp_path / "ba") == pairings(tmp_path / "aba")
    verified(tmp_path / "aba")


def test_copies_of_one_tournament_that_went_on_apart(one: Path, tmp_path: Path) -> None:
    left = shutil.copytree(one, tmp_path / "left")
    right = shutil.copytree(one, tmp_path / "right")
    play(left, pairs=3)
    play(right, pairs=4)
    report = merge_tournaments(left, right, tmp_path / "both")
    assert (report.games, report.repeated) == (8, 2)
    verified(tmp_path / "both")
    with read_results(tmp_path / "both") as results:
        statuses = [game.status for game in results.games(all_statuses=True)]
        assert (statuses.count("counts"), statuses.count("superseded")) == (8, 2)
        assert not results.parts()
    again = merge_tournaments(tmp_path / "both", left, tmp_path / "again")
    assert (again.games, again.repeated) == (8, 0)
    verified(tmp_path / "again")


def test_what_a_killed_run_left_is_taken_as_far_as_it_counts(one: Path, two: Path, tmp_path: Path) -> None:
    cut = shutil.copytree(one, tmp_path / "cut")
    with sqlite3.connect(cut / "tournament.db") as db:
        db.execute("UPDATE attempt SET status = 'running'")
        (log,) = db.execute("SELECT log FROM attempt").fetchone()
    db.close()
    with (cut / log).open("a") as file:
        file.write('{"half a ga')
    merge_tournaments(two, cut, tmp_path / "both")
    verified(tmp_path / "both")
    with read_results(tmp_path / "both") as results:
        assert results.games_done() == 12
        assert {attempt.why for attempt in results.attempts(status="lost")} == {"interrupted"}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"move_ms": 19_000}, "with move-time 20s, .* with 19s"),
        ({"rules": {"target": 2}}, "with rule target=1, .* with target=2"),
        ({"game": "british"}, "with game north-american, .* with british"),
    ],
)
def test_other_conditions_are_named(one: Path, tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    other = play(tmp_path / "other", pairs=1, **changes)
    with pytest.raises(ArenaError, match=words):
        merge_tournaments(one, other, tmp_path / "both")
    assert not (tmp_path / "both").exists()


def test_bots_that_are_not_who_they_are_called(one: Path, tmp_path: Path) -> None:
    for statement, words in (
        (
            "UPDATE bot SET name = 'other' WHERE name = 'random'",
            "one bot is called `random` in .* and `other`",
        ),
        ("UPDATE bot SET digest = 'ff' WHERE name = 'random'", "`random` is another program in"),
    ):
        other = shutil.copytree(one, tmp_path / words.split("`")[1])
        db = sqlite3.connect(other / "tournament.db")
        db.execute(statement)
        db.commit()
        db.close()
        with pytest.raises(ArenaError, match=words):
            merge_tournaments(one, other, tmp_path / "both")
        shutil.rmtree(other)


def test_folders_that_cannot_be_used(one: Path, two: Path, tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="holds no tournament"):
        merge_tournaments(one, tmp_path / "none", tmp_path / "both")
    with pytest.raises(ArenaError, match="is not empty"):
        merge_tournaments(one, two, two)
    copy = shutil.copytree(two, tmp_path / "copy")
    with Store(copy), pytest.raises(ArenaError, match="is running this tournament"):
        merge_tournaments(one, copy, tmp_path / "both")
    assert not (tmp_path / "both").exists()


def test_a_closed_tournament_stays_closed(one: Path, two: Path, tmp_path: Path) -> None:
    closed = shutil.copytree(one, tmp_path / "closed")
    close_tournament(closed)
    merge_tournaments(closed, two, tmp_path / "ab")
    merge_tournaments(two, closed, tmp_path / "ba")
    with read_results(tmp_path / "ab") as ab, read_results(tmp_path / "ba") as ba:
        assert ab.meta.closed is not None
        assert ba.meta.closed is None
    verified(tmp_path / "ab")
