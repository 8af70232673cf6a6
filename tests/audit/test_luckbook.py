"""Adjusted scores rest on luck.db: its sums must follow from its games, and those from the logs."""

from __future__ import annotations

import sqlite3

import pytest

import arena.audit.luckbook as room
from arena.audit.check import check_tournament
from arena.games.registry import get_game
from arena.store.queries import read_results
from arena.tournament.luck import FILE, LuckBook, outcome_table

FOLDS = ("n", "s", "l", "s2", "l2", "sl", "blocks", "bn2", "bns", "bnl", "bs2", "bl2", "bsl")


@pytest.fixture
def booked(tournament):
    """A tournament of which standings were asked: its luck is on record."""
    with read_results(tournament) as results:
        game = get_game(results.meta.game, results.meta.rules)
        book = LuckBook(tournament, game, outcome_table(game, tournament))
        try:
            book.update(results)
        finally:
            book.close()
    return tournament


def change(folder, statement):
    connection = sqlite3.connect(folder / FILE)
    with connection:
        assert connection.execute(statement).rowcount > 0
    connection.close()


def found(folder):
    problems = check_tournament(folder).problems
    assert {problem.place for problem in problems} <= {FILE}
    return [problem.text for problem in problems]


def test_a_book_that_was_let_be(booked):
    report = check_tournament(booked)
    assert (report.problems, report.luck_checked) == ((), True)
    assert report.luck.startswith("luck.db: its sums follow from its 24 games; the luck of 24 of them")
    data = report.to_dict()
    assert (data["luck"], data["luck_checked"]) == (report.luck, True)


def test_without_a_book_there_is_nothing_to_say(tournament):
    report = check_tournament(tournament)
    assert (report.luck, report.luck_checked) == ("", False)


def test_a_schema_that_is_known(booked):
    connection = sqlite3.connect(booked / FILE)
    columns = [row[1] for row in connection.execute("PRAGMA table_info(fold)")]
    connection.close()
    assert columns == ["match", "fold", *FOLDS]


@pytest.mark.parametrize("column", FOLDS)
def test_one_sum_changed_is_found(booked, column):
    change(booked, f"UPDATE fold SET {column} = {column} + 1 WHERE fold = 1")
    texts = found(booked)
    assert len(texts) == 3
    for text in texts:
        assert ", fold 1: " in text
        assert "is kept as" in text
        assert "delete it and it is made again" in text


def test_the_luck_of_an_enemy(booked):
    change(booked, "UPDATE fold SET l = l + n * 0.3")
    assert all(": L is kept as" in text for text in found(booked))
    assert found(booked)


def test_a_games_luck_changed_with_its_sums_is_found(booked):
    change(booked, "UPDATE leg SET luck = luck + 0.01 WHERE pair = 10 AND leg = 1")
    change(booked, "DELETE FROM fold")
    texts = found(booked)
    assert len(texts) == 3
    assert all("pair 10 leg 1: luck is" in text for text in texts)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE leg SET score = 1 - score WHERE pair = 0 AND leg = 0", "score is"),
        ("UPDATE leg SET pair = 77 WHERE pair = 0", "2 of 8 games do not count"),
        ("UPDATE leg SET score = 9 WHERE pair = 0 AND leg = 0", "cannot be added up"),
        ("UPDATE leg SET luck = 9e999 WHERE pair = 0 AND leg = 0", "luck is inf"),
        ("DELETE FROM leg WHERE pair = 0", "n is kept as"),
        ("DELETE FROM fold WHERE fold = 0", "has 1 folds"),
    ],
)
def test_whatever_else_is_changed(booked, statement, words):
    change(booked, statement)
    assert any(words in text for text in found(booked))


@pytest.mark.parametrize("statement", ["UPDATE meta SET digest = 'x'", "PRAGMA user_version = 7"])
def test_a_book_of_another_version_is_said_to_be_unchecked(booked, statement):
    connection = sqlite3.connect(booked / FILE, isolation_level=None)
    connection.execute(statement)
    connection.close()
    report = check_tournament(booked)
    assert (report.ok, report.luck_checked) == (True, False)
    assert report.luck == (
        "luck.db is not checked (it is of another version, and is not used): delete it and it is made again"
    )


def test_what_is_no_database_is_said_to_be_unchecked(tournament):
    (tournament / FILE).write_text("luck, they say")
    report = check_tournament(tournament)
    assert (report.ok, report.luck_checked) == (True, False)
    assert "not checked (it cannot be read)" in report.luck


def test_of_many_pairs_not_all_are_played_out_again(booked, monkeypatch):
    """How many there are is said; sums and scores are held against the logs all the same."""
    monkeypatch.setattr(room, "PAIRS", 0)
    report = check_tournament(booked)
    assert report.ok
    assert report.luck == (
        "luck.db: its sums follow from its 24 games; the luck of 0 of them was computed again"
    )
    change(booked, "UPDATE leg SET luck = luck + 1 WHERE pair = 0 AND leg = 0")
    assert any("L is kept as" in text for text in found(booked))
