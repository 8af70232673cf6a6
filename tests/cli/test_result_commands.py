"""The commands that look at what was played."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli.main import cli


def arena(*args, **options):
    return CliRunner().invoke(cli, list(map(str, args)), **options)


def read(*args):
    result = arena(*args)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def copy(stored, tmp_path):
    """A copy that may be changed."""
    return shutil.copytree(stored, tmp_path / "copy")


def logs_of(folder):
    return sorted((folder / "logs").rglob("*.jsonl"))


def test_list(stored):
    text = read("replay", "list", stored)
    assert len(text.splitlines()) == 25
    assert "illegal" in text
    games = json.loads(read("replay", "list", stored, "--json"))
    assert [game["number"] for game in games] == list(range(1, 25))
    faulty = json.loads(read("replay", "list", stored, "--json", "--faults"))
    assert [game["fault_code"] for game in faulty] == ["illegal"]
    assert f"\n{faulty[0]['number']:>6}  " in text
    mine = json.loads(read("replay", "list", stored, "--json", "--bot", "alpha", "--bot", "gamma"))
    assert {(game["a"], game["b"]) for game in mine} == {("alpha", "gamma")}
    assert len(json.loads(read("replay", "list", logs_of(stored)[0], "--json"))) == 4
    (blameless,) = {"alpha", "beta", "gamma"} - {faulty[0]["a"], faulty[0]["b"]}
    assert "No such games" in read("replay", "list", stored, "--faults", "--bot", blameless)


@pytest.mark.parametrize("command", ["list", "stderr"])
def test_a_bot_that_did_not_play_is_said(stored, command):
    for path in (stored, logs_of(stored)[0]):
        result = arena("replay", command, path, "--bot", "alpah")
        assert result.exit_code == 2
        assert "no bot `alpah` played here" in result.stderr
        assert "did you mean `alpha`?" in result.stderr


def test_show(stored):
    faulty = json.loads(read("replay", "list", stored, "--json", "--faults"))[0]
    text = read("replay", "show", stored, "--game", faulty["number"])
    assert "FAULT illegal" in text
    assert "Hand 1 " in text
    assert "Hand 1 " not in read("replay", "show", stored, "--game", faulty["number"], "--hand", 2)
    data = json.loads(read("replay", "show", stored, "--game", faulty["number"], "--json"))
    assert data["end"]["fault"]["code"] == "illegal"
    first = data["hands"][0]
    assert len(first["decisions"]) == sum(len(trick["plays"]) for trick in first["tricks"]) + sum(
        decision["phase"] != "play" for decision in first["decisions"]
    )
    assert first["tricks"][1]["plays"][0][0] == first["tricks"][0]["winner"]
    one = json.loads(read("replay", "show", stored, "--game", 2, "--hand", 1, "--json"))
    assert [hand["number"] for hand in one["hands"]] == [0]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--game", "99"], "games 1 to 24"),
        (["--game", "0"], "games 1 to 24"),
        (["--game", "1", "--hand", "999"], "hands 1 to"),
        (["--game", "1", "--hand", "0"], "hands 1 to"),
    ],
)
def test_no_such_game_or_hand(stored, args, words):
    result = arena("replay", "show", stored, *args)
    assert result.exit_code == 2
    assert words in result.stderr


def test_verify_says_what_it_proves(stored):
    text = read("replay", "verify", stored)
    assert "verified (24 games" in text
    assert "the tournament's seed, which its database holds" in text
    assert "not where they come from" in text
    head = text.split("head ")[1].split()[0]
    anchored = read("replay", "verify", stored, "--anchor", head)
    assert "published results" in anchored
    log = logs_of(stored)[0]
    assert "verified (4 games" in read("replay", "verify", log)
    line = json.loads(log.read_text().splitlines()[5])["h"]
    assert "published log" in read("replay", "verify", log, "--anchor", line)
    assert arena("replay", "verify", log, "--anchor", "0" * 32).exit_code == 1
    assert arena("replay", "verify", stored, "--anchor", "0" * 64).exit_code == 1
    assert len(read("replay", "verify", stored / "logs").splitlines()) == 8


def test_verify_names_the_first_record_that_differs(copy):
    log = logs_of(copy)[0]
    lines = log.read_text().splitlines()
    lines[6] = lines[6].replace('"points":[', '"points":[1', 1)
    log.write_text("\n".join(lines) + "\n")
    for path in (log, copy):
        result = arena("replay", "verify", path)
        assert result.exit_code == 1
        assert f"{log.name}:7: " in result.stdout
    data = json.loads(arena("replay", "verify", log, "--json").stdout)
    assert (data[0]["status"], data[0]["line"]) == ("failed", 7)
    data = json.loads(arena("replay", "verify", copy, "--json").stdout)
    assert (data["ok"], data["problems"][0]["line"]) == (False, 7)


def test_a_truncated_log_fails_alone(copy):
    log = logs_of(copy)[0]
    log.write_bytes(log.read_bytes()[:-150])
    result = arena("replay", "verify", log)
    assert result.exit_code == 1
    assert "truncated" in result.stdout


def test_open_logs_are_explained(copy):
    """A block that was not played to its end: its log has no footer."""
    import sqlite3

    log = logs_of(copy)[0]
    lines = log.read_text().splitlines(keepends=True)
    log.write_text("".join(lines[:-1]))
    database = sqlite3.connect(copy / "tournament.db")
    with database:
        changed = database.execute(
            "UPDATE attempt SET status = 'lost', bytes = ?, head = ? WHERE log = ?",
            (log.stat().st_size, json.loads(lines[-2])["h"], log.relative_to(copy).as_posix()),
        ).rowcount
    database.close()
    assert changed == 1
    text = read("replay", "verify", copy)
    assert "verified (24 games" in text
    assert "1 log is open: its block was not played to the end (a run was stopped" in text
    assert "without this folder, its deals cannot be made again" in text
    assert "its seed is not revealed" in read("replay", "verify", log)
    read("close", copy, "--yes")
    assert "every deal was made again" in read("replay", "verify", copy)


def test_db_check(copy):
    assert "verified" in read("db", "check", copy)
    logs_of(copy)[0].unlink()
    result = arena("db", "check", copy)
    assert result.exit_code == 1
    assert "cannot be read" in result.stdout
    assert json.loads(arena("db", "check", copy, "--json").stdout)["ok"] is False


def test_stderr(stored):
    assert "oops \\x1b[31m" in read("replay", "stderr", stored)
    kept = json.loads(read("replay", "stderr", stored, "--json", "--faults"))
    assert [one["fault"] for one in kept] == ["illegal"]
    assert "Nothing" in read("replay", "stderr", stored, "--bot", "gamma")
    (faulty,) = json.loads(read("replay", "list", stored, "--json", "--faults"))
    (of_game,) = json.loads(read("replay", "stderr", stored, "--json", "--game", faulty["number"]))
    assert of_game == {**kept[0], "log": faulty["log"]}
    assert "Nothing" in read("replay", "stderr", stored, "--game", faulty["number"] % 24 + 1)
    assert arena("replay", "stderr", stored, "--game", 99).exit_code == 2


def test_close_reveals_the_seed_once_and_for_all(copy):
    refused = arena("close", copy, input="n\n")
    assert refused.exit_code == 1
    assert "4d4d4d" not in refused.output
    data = json.loads(read("close", copy, "--yes", "--json"))
    assert data["seed"] == "4d" * 32
    assert data["closed"]
    again = read("close", copy)
    assert "4d" * 32 in again
    assert data["closed"] in again
    verified = read("replay", "verify", copy)
    assert f"Closed at {data['closed']}" in verified
    assert json.loads(read("replay", "verify", copy, "--json"))["closed"] == data["closed"]


def test_a_database_of_another_version(copy):
    import sqlite3

    connection = sqlite3.connect(copy / "tournament.db")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    for args in (["replay", "list"], ["replay", "verify"], ["db", "check"], ["close"], ["standings"]):
        result = arena(*args, copy)
        assert result.exit_code == 4, args
        assert "version 99" in result.stderr
        assert "Traceback" not in result.output


def test_rate(tmp_path):
    path = tmp_path / "results.csv"
    path.write_text("a,b,score,pair\n" + "".join(f"x,y,{n % 3 > 0:d},{n // 2}\n" for n in range(60)))
    text = read("rate", path, "--anchor", "y=1000")
    assert "60 games, 30 pairs" in text
    rows = json.loads(read("rate", path, "--anchor", "y=1000", "--json"))["rows"]
    assert {row["bot"]: row["elo"] for row in rows}["y"] == 1000
    assert read("rate", path, "--csv").startswith("rank,bot,elo")
    result = arena("rate", path, "--anchor", "z")
    assert (result.exit_code, "no player `z`" in result.stderr) == (2, True)


def test_close_without_an_answer_closes_nothing(tmp_path: Path) -> None:
    """A script whose stdin is at its end was not interrupted: it is told what it lacks."""
    from arena.store.rows import Meta
    from arena.store.store import Store

    meta = Meta("0.1.0", "2026-01-01T00:00:00+00:00", "north-american", {}, {}, "00" * 32, "c" * 64, False)
    Store(tmp_path / "out", meta).close()
    done = subprocess.run(
        [sys.executable, "-m", "arena", "close", str(tmp_path / "out")],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 1
    assert "not closed" in done.stderr
    assert "--yes" in done.stderr
