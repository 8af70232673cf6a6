"""A tournament's folder as a whole: whatever is changed in a log or a row is found."""

from __future__ import annotations

import json
import sqlite3

import pytest

from arena.audit.check import check_tournament
from arena.audit.games import find_game, listed_games
from arena.errors import ArenaError
from arena.replay.log import Chain
from arena.replay.story import hand_stories


def logs_of(folder):
    return sorted((folder / "logs").rglob("*.jsonl"))


def change_row(folder, statement):
    connection = sqlite3.connect(folder / "tournament.db")
    with connection:
        assert connection.execute(statement).rowcount > 0
    connection.close()


def rewrite(path, edit):
    """Change a log's bodies and mend the chain, as a forger would."""
    bodies = []
    for line in path.read_text().splitlines():
        data = json.loads(line)
        del data["h"]
        bodies.append(edit(data))
    path.write_text(
        "".join(line + "\n" for line in Chain().extend(json.dumps(b, separators=(",", ":")) for b in bodies))
    )


def test_a_real_one_is_right(tournament):
    seen = []
    report = check_tournament(tournament, progress=lambda done, total: seen.append((done, total)))
    assert report.problems == ()
    assert report.ok
    assert (report.logs, report.open_logs, report.games) == (6, 0, 24)
    assert seen == [(n, 6) for n in range(1, 7)]
    assert json.loads(json.dumps(report.to_dict()))["ok"] is True


def test_a_block_that_was_broken_off_is_open(tmp_path, make):
    folder = make(tmp_path / "out", close_last=False)
    report = check_tournament(folder)
    assert (report.ok, report.open_logs) == (True, 1)
    assert report.games == 24


def test_an_open_log_comes_from_the_tournaments_seed_too(tmp_path, make):
    """Its own seed is not in it; the database has the one that it follows from."""
    folder = make(tmp_path / "out", close_last=False)
    (path,) = (path for path in logs_of(folder) if '"t":"close"' not in path.read_text())

    def others_seeds(data):
        return {**data, "seeds": [1, 2, 3, 4]} if data["t"] == "game" else data

    rewrite(path, others_seeds)
    head = json.loads(path.read_text().splitlines()[-1])["h"]
    name = path.relative_to(folder).as_posix()
    change_row(
        folder, f"UPDATE attempt SET bytes = {path.stat().st_size}, head = '{head}' WHERE log = '{name}'"
    )
    report = check_tournament(folder)
    assert [(problem.place, problem.line) for problem in report.problems] == [(name, 2)]
    assert "seeds" in report.problems[0].text


def test_what_lies_beyond_the_counted_bytes_does_not_matter(tournament):
    with logs_of(tournament)[0].open("a") as file:
        file.write('{"t":"ga')
    assert check_tournament(tournament).ok


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE game SET score_a = 1 - score_a WHERE id = 3", "score_a"),
        ("UPDATE game SET points_a = points_a + 1 WHERE id = 3", "points_a"),
        ("UPDATE game SET points_b = 0 WHERE points_b > 0 AND id < 9", "points_b"),
        ("UPDATE game SET hands = hands + 1 WHERE id = 3", "hands"),
        ("UPDATE game SET decisions = 7 WHERE id = 3", "decisions"),
        ("UPDATE game SET reason = 'hand_limit' WHERE id = 3", "reason"),
        ("UPDATE game SET fault_bot = char(195 - unicode(fault_bot)) WHERE fault_bot <> ''", "bot at fault"),
        ("UPDATE game SET fault_code = 'timeout' WHERE fault_code <> ''", "fault is illegal"),
        ("UPDATE game SET log_offset = log_offset + 1 WHERE id = 3", "elsewhere"),
        ("DELETE FROM game WHERE id = 3", "has no row"),
        ("UPDATE match SET points_a = points_a + 1 WHERE id = 1", "add up to"),
        ("UPDATE attempt SET bytes = bytes + 5 WHERE block = 1 AND match = 1", "counts"),
        ("UPDATE attempt SET head = 'x' WHERE block = 1 AND match = 1", "hash"),
        ("UPDATE attempt SET log = 'logs/none.jsonl' WHERE block = 1 AND match = 1", "cannot be read"),
        ("UPDATE tournament SET seed = replace(seed, '4d', '4e')", "committed"),
        ("UPDATE tournament SET commitment = 'x'", "committed"),
        ("UPDATE tournament SET game = 'british'", "british"),
        ("UPDATE tournament SET guessable = 1", "guessable"),
        ("UPDATE bot SET name = 'delta' WHERE name = 'beta'", "delta"),
    ],
    ids=lambda v: v[:40],
)  # fmt: skip
def test_a_changed_row_is_found(tournament, statement, words):
    change_row(tournament, statement)
    report = check_tournament(tournament)
    assert not report.ok
    assert any(words in problem.text for problem in report.problems), report.problems


def test_a_changed_log_is_found_with_its_line(tournament):
    path = logs_of(tournament)[2]
    lines = path.read_text().splitlines()
    lines[4] = lines[4].replace("pass", "play", 1).replace('"us":[', '"us":[1', 1)
    path.write_text("\n".join(lines) + "\n")
    report = check_tournament(tournament)
    assert [problem.line for problem in report.problems] == [5]
    assert report.problems[0].place == path.relative_to(tournament).as_posix()


def test_a_log_rewritten_with_its_chain_is_found_by_the_rows(tournament):
    path = logs_of(tournament)[0]

    def slower(data):
        if data["t"] == "hand":
            data["us"] = [us ^ 1 for us in data["us"]]
        return data

    rewrite(path, slower)
    report = check_tournament(tournament)
    assert not report.ok
    assert "hash" in report.problems[0].text


def test_missing_and_stray_logs(tournament):
    first, second = logs_of(tournament)[:2]
    first.rename(first.with_name("9-1.jsonl"))
    second.unlink()
    texts = [problem.text for problem in check_tournament(tournament).problems]
    assert sum("cannot be read" in text for text in texts) == 2
    assert sum("not a log of this tournament" in text for text in texts) == 1


def test_a_log_cut_short_is_found(tournament):
    path = logs_of(tournament)[0]
    path.write_bytes(path.read_bytes()[:-200])
    texts = [problem.text for problem in check_tournament(tournament).problems]
    assert any("counts" in text for text in texts)


def test_anchors(tournament):
    head = check_tournament(tournament).head
    assert check_tournament(tournament, anchor=head).anchored
    line = json.loads(logs_of(tournament)[3].read_text().splitlines()[-2])["h"]
    assert check_tournament(tournament, anchor=line.upper()).anchored
    for wrong in ("0" * 64, "0" * 32):
        report = check_tournament(tournament, anchor=wrong)
        assert not report.ok
        assert "anchor" in report.problems[0].text


def test_no_tournament(tmp_path):
    with pytest.raises(ArenaError, match="holds no tournament"):
        check_tournament(tmp_path)


def test_games_are_numbered_and_found(tournament):
    games = list(listed_games(tournament))
    assert [game.number for game in games] == list(range(1, 25))
    assert sum(game.fault_code is not None for game in games) == 1
    fault = next(game for game in games if game.fault_code)
    assert {fault.a, fault.b} == {"alpha", "beta"}
    listed, logged = find_game(tournament, fault.number)
    assert listed == fault
    assert logged.end.fault is not None
    assert logged.end.fault.code == fault.fault_code
    stories = list(hand_stories(logged))
    assert stories[-1].asked == logged.end.fault.seat
    assert stories[-1].result is None
    assert all(story.result is not None for story in stories[:-1])
    one_log = list(listed_games(logs_of(tournament)[0]))
    assert [game.number for game in one_log] == [1, 2, 3, 4]
    with pytest.raises(ArenaError, match=r"no game 25.*games 1 to 24"):
        find_game(tournament, 25)
