"""Tournaments as they are really played, and let be: nothing is found in them, however they came about."""

from __future__ import annotations

import shutil
import sqlite3
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.audit.check import check_tournament
from arena.ratings.sprt import SprtTest
from arena.store.queries import read_results
from arena.tournament.config import RunConfig
from arena.tournament.merge import merge_tournaments
from arena.tournament.results import open_results
from arena.tournament.run import run_tournament
from arena.tournament.sprt import run_sprt


def config(out: Path, **changes: Any) -> RunConfig:
    base = RunConfig(
        bots=("random", "greedy", "careful"),
        rules={"target": 1},
        pairs=2,
        seed="9",
        isolation="basic",
        start_ms=60_000,
        move_ms=20_000,
        grace_ms=100,
        slots=1,
        out=str(out),
    )
    return replace(base, **changes)


def verified(folder: Path) -> None:
    """Nothing is wrong before and after standings were asked, which keep the luck."""
    for checked in (False, True):
        report = check_tournament(folder)
        assert report.ok, [problem.sentence() for problem in report.problems]
        assert report.luck_checked or not checked
        assert report.games > 0
        with open_results(folder) as results:
            results.standings()


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"schedule": "swiss", "rounds": 2},
        {"schedule": "adaptive", "budget": 60},
        {"schedule": "gauntlet", "common_decks": True},
        {"budget": 5},
    ],
    ids=str,
)
def test_schedules(tmp_path: Path, changes: dict[str, Any]) -> None:
    out = tmp_path / "out"
    run_tournament(config(out, **changes))
    verified(out)


def test_a_sequential_test(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run_sprt(
        config(out, bots=("greedy", "random"), pairs=RunConfig().pairs, slots=2),
        SprtTest(elo1=100.0, max_pairs=40),
    )
    verified(out)


def test_merged_copies_that_went_on_apart(tmp_path: Path) -> None:
    """The same games were finished twice: the first ones count."""
    one, two, both = (tmp_path / name for name in ("one", "two", "both"))
    run_tournament(config(one, pairs=1))
    shutil.copytree(one, two)
    run_tournament(config(one, pairs=2))
    run_tournament(config(two, pairs=3))
    merge_tournaments(one, two, both)
    with read_results(both) as results:
        statuses = Counter(game.status for game in results.games(all_statuses=True))
    assert statuses == {"counts": 18, "superseded": 6}
    verified(both)
    connection = sqlite3.connect(both / "tournament.db")
    with connection:
        connection.execute("UPDATE game SET status = 'counts' WHERE pair = 2")
        connection.execute("UPDATE game SET status = 'superseded' WHERE pair = 1 AND attempt = 2")
        connection.execute("UPDATE game SET status = 'counts' WHERE pair = 1 AND attempt = 3")
    connection.close()
    texts = [problem.text for problem in check_tournament(both).problems]
    assert sum("attempt 2 finished the same game before" in text for text in texts) == 6


def test_merged_tournaments_of_two_seeds(tmp_path: Path) -> None:
    one, two, both = (tmp_path / name for name in ("one", "two", "both"))
    run_tournament(config(one))
    run_tournament(config(two, seed="10"))
    merge_tournaments(one, two, both)
    verified(both)
