"""Standings are sums: each of them, and what is counted in them, must follow from the logs."""

from __future__ import annotations

import sqlite3

import pytest

from arena.audit.check import check_tournament
from arena.audit.sums import COLUMNS


def change(folder, *statements):
    connection = sqlite3.connect(folder / "tournament.db")
    with connection:
        for statement in statements:
            assert connection.execute(statement).rowcount > 0
    connection.close()


def texts(folder):
    return [problem.sentence() for problem in check_tournament(folder).problems]


def test_every_sum_of_the_schema_is_looked_at(tournament):
    connection = sqlite3.connect(tournament / "tournament.db")
    columns = {row[1] for row in connection.execute("PRAGMA table_info(match)")}
    connection.close()
    assert set(COLUMNS) == columns - {"id", "match_id", "a", "b", "part"}


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("by", [1, -1])
def test_one_sum_changed_by_one_is_found(tournament, column, by):
    change(tournament, f"UPDATE match SET {column} = {column} + {by} WHERE id = 1")
    (text,) = texts(tournament)
    assert text.startswith("database: alpha - beta (match ")
    assert f": {column} is kept as " in text
    assert "add up to" in text


def test_a_match_that_says_it_has_no_games_is_found(tournament):
    change(
        tournament, "UPDATE match SET " + ", ".join(f"{column} = 0" for column in COLUMNS) + " WHERE id = 2"
    )
    found = texts(tournament)
    assert any("games is kept as 0, and the logs add up to 8" in text for text in found)


def test_a_made_up_match_is_found(tournament):
    change(
        tournament,
        "INSERT INTO match (match_id, a, b, games, pairs, cell4, part)"
        " SELECT 'made up', a, b, 20, 10, 10, 'x' FROM match WHERE id = 1",
    )
    found = texts(tournament)
    assert any("(match made up): games is kept as 20, and the logs add up to 0" in text for text in found)


def test_the_cells_of_an_enemy(tournament):
    """A better score, no forfeits, another margin: games, points and hands stay as they are."""
    change(
        tournament,
        "UPDATE match SET cell0 = 4, cell1 = 0, cell2 = 0, cell3 = 0, cell4 = 0, forfeits_a = 0,"
        " forfeits_b = 0, margin = -900 WHERE id = 1",
    )
    found = texts(tournament)
    for column in ("cell0", "margin"):
        assert any(f": {column} is kept as" in text for text in found)
    assert any(": forfeits_" in text for text in found)


LOWER = (
    "UPDATE match SET games = games - 2, pairs = pairs - 1,"
    " cell0 = cell0 - (:s = 0), cell1 = cell1 - (:s = 0.5), cell2 = cell2 - (:s = 1),"
    " cell3 = cell3 - (:s = 1.5), cell4 = cell4 - (:s = 2),"
    " hands = hands - :hands, points_a = points_a - :a, points_b = points_b - :b,"
    " margin = margin - (:a - :b), margin2 = margin2 - (:a - :b) * (:a - :b),"
    " decisions = decisions - :decisions, seconds = seconds - :seconds WHERE id = 2"
)


@pytest.mark.parametrize("status", ["superseded", "void"])
def test_a_pair_set_aside_with_its_sums_is_found(tournament, status):
    connection = sqlite3.connect(tournament / "tournament.db")
    with connection:
        names = ("s", "a", "b", "hands", "decisions", "seconds")
        values = connection.execute(
            "SELECT sum(score_a), sum(points_a), sum(points_b), sum(hands), sum(decisions), sum(seconds)"
            " FROM game WHERE match = 2 AND pair = 1"
        ).fetchone()
        connection.execute(LOWER, dict(zip(names, values, strict=True)))
        connection.execute(f"UPDATE game SET status = '{status}' WHERE match = 2 AND pair = 1")
    connection.close()
    found = texts(tournament)
    for leg in (0, 1):
        assert any(f"pair 1 leg {leg}, attempt 1: is stored as `{status}`" in text for text in found)
    assert any(": games is kept as 6, and the logs add up to 8" in text for text in found)


def test_lost_and_repeated_attempts_are_right(retried):
    assert texts(retried) == []
    assert check_tournament(retried).games == 5


@pytest.mark.parametrize(
    ("statements", "words"),
    [
        (
            (
                "UPDATE game SET status = 'superseded' WHERE pair = 0 AND leg = 1 AND attempt = 1",
                "UPDATE game SET status = 'counts' WHERE pair = 0 AND leg = 1 AND attempt = 3",
            ),
            "`counts`, and attempt 1 finished the same game before",
        ),
        (
            (
                "DROP INDEX IF EXISTS game_counts; ",
                "UPDATE game SET status = 'counts'",
            ),
            "`counts`, and attempt 1 finished the same game before",
        ),
        (("UPDATE attempt SET status = 'finished' WHERE attempt = 1",), "has no footer"),
        (("UPDATE attempt SET status = 'lost' WHERE attempt = 3",), "stored as lost, and its log was closed"),
        (("UPDATE attempt SET status = 'running' WHERE attempt = 3",), "is stored as running"),
        (("UPDATE attempt SET played = played + 1 WHERE attempt = 3",), "played is 3, and the log has 2"),
        (("UPDATE attempt SET played = 1 WHERE attempt = 2",), "played is 1, and it has no log"),
        (("UPDATE attempt SET games = games + 1 WHERE attempt = 3",), "was to play 3 games"),
        (("UPDATE attempt SET games = 2 WHERE attempt = 1",), "was to play 2 games"),
        (
            ("UPDATE attempt SET kind = 'forfeit', bot = 'beta' WHERE attempt = 3",),
            "forfeited by beta for the whole block, and by its log it is none",
        ),
        (("UPDATE attempt SET kind = 'trial' WHERE attempt = 3",), "a trial has no log"),
        (("UPDATE attempt SET kind = 'block' WHERE attempt = 2",), "stored as finished, and has no log"),
        (("DELETE FROM attempt WHERE attempt = 2",), "has attempts 1, 3"),
        (("DELETE FROM attempt WHERE attempt = 1",), "belong to no stored bot, match or attempt"),
        (("UPDATE attempt SET log = 'logs/x.jsonl' WHERE attempt = 3",), "its log is logs/x.jsonl"),
    ],
    ids=lambda value: value[0][:60] if isinstance(value, tuple) else None,
)  # fmt: skip
def test_what_is_said_of_attempts_is_held_against_the_logs(retried, statements, words):
    connection = sqlite3.connect(retried / "tournament.db")
    with connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()
    found = texts(retried)
    assert any(words in text for text in found), found


def test_finished_games_cut_out_of_the_count_are_found(retried):
    """The last game's row is gone, and its lines are not counted any more."""
    connection = sqlite3.connect(retried / "tournament.db")
    with connection:
        ((offset,),) = connection.execute("SELECT max(log_offset) FROM game WHERE attempt = 3").fetchall()
        connection.execute("DELETE FROM game WHERE attempt = 3 AND log_offset = ?", (offset,))
        connection.execute("UPDATE attempt SET bytes = ?, played = 1 WHERE attempt = 3", (offset,))
    connection.close()
    found = texts(retried)
    assert any("pair 1 leg 1 was finished, and the database counts" in text for text in found), found


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE game SET fault_seat = 3 - fault_seat WHERE fault_code <> ''", "seat at fault"),
        ("UPDATE game SET fault_text = 'well' WHERE fault_code <> ''", "fault's text"),
        ("UPDATE game SET fault_stderr = '' WHERE fault_code <> ''", "stderr at the fault"),
        ("UPDATE game SET seconds = seconds + 1 WHERE id = 2", "seconds is kept as"),
    ],
)
def test_what_is_said_of_games(tournament, statement, words):
    change(tournament, statement)
    assert any(words in text for text in texts(tournament))
