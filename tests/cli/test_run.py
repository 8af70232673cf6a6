"""`arena run` and `arena match`, with real bots."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.bots import tree
from arena.cli.main import cli

ROOT = Path(__file__).parents[2]
QUICK = ("--isolation", "basic", "--slots", "1", "--no-pin", "--move-time", "10s", "--grace", "5s")


def arena(*args, **options):
    return CliRunner().invoke(cli, list(map(str, args)), **options)


def config_of(*args):
    result = arena("run", *args, "--dump-config")
    assert result.exit_code == 0, result.output
    return tomllib.loads(result.stdout)


def test_flags_win_over_the_file_and_the_file_over_the_defaults(tmp_path):
    file = tmp_path / "tournament.toml"
    file.write_text(
        'bots = ["careful", "greedy"]\npairs = 7\nmove-time = "250ms"\nout = "here"\n'
        "[rule]\ntarget = 5\nstick_the_dealer = true\n"
    )
    config = config_of("--config", file, "--pairs", 3, "--rule", "target=7", "--bank", "off")
    assert config["bots"] == ["careful", "greedy"]
    assert (config["pairs"], config["move-time"], config["start-time"]) == (3, "250ms", "5s")
    assert config["rule"] == {"target": 7, "stick_the_dealer": True}
    assert config["out"] == str(tmp_path / "here")
    assert config_of("random", "careful", "--config", file)["bots"] == ["random", "careful"]


def test_what_is_dumped_is_read_back(tmp_path):
    flags = ["--pairs", 4, "--game", "british", "--rule", "target=15", "--move-time", "off", "--common-decks"]
    flags += ["--seed", 'a "b"', "--no-pin", "--slots", 3, "--time", "90s", "--out", tmp_path / "o"]
    first = arena("run", *flags, "--dump-config").stdout
    file = tmp_path / "t.toml"
    file.write_text(first)
    assert arena("run", "--config", file, "--dump-config").stdout == first


def test_no_bots_means_the_sample_bots_that_need_nothing_but_python():
    assert config_of()["bots"] == ["careful", "greedy", "random"]


def test_a_dry_run_writes_nothing(tmp_path):
    out = tmp_path / "out"
    result = arena("run", "--dry-run", "--pairs", 5, "--out", out, *QUICK)
    assert result.exit_code == 0, result.output
    assert "30 games" in result.stdout
    assert "3 bots: careful, greedy, random" in result.stdout
    estimate = json.loads(arena("run", "--dry-run", "--json", "--out", out, *QUICK).stdout)["estimate"]
    assert estimate["games"] == 120
    assert not out.exists()


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A small tournament of two sample bots, with what `arena match` said."""
    out = tmp_path_factory.mktemp("match") / "out"
    result = arena("match", "greedy", "random", "--pairs", 2, "--seed", "spring", "--out", out, *QUICK)
    assert result.exit_code == 0, result.output
    return out, result


def test_a_match_ends_with_all_that_one_wants_to_know(played):
    out, result = played
    for words in ("greedy", "random", "4 of 4 games", str(out), "Head of all logs", "guessable seed"):
        assert words in result.stdout, words
    assert "2 bots, 4 games" in result.stderr
    assert "4/4 games" in result.stderr


def test_its_logs_verify_against_the_head_that_was_printed(played):
    out, result = played
    head = result.stdout.split("Head of all logs: ")[1].split()[0]
    verified = arena("replay", "verify", out, "--anchor", head)
    assert verified.exit_code == 0, verified.output
    assert "published results" in verified.stdout
    assert arena("db", "check", out).exit_code == 0


def test_its_games_can_be_shown(played):
    out, _ = played
    shown = arena("replay", "show", out, "--game", 4)
    assert shown.exit_code == 0, shown.output
    assert "wins: " in shown.stdout
    assert "Hand 1" in shown.stdout


def test_the_standings_again(played):
    out, _ = played
    table = json.loads(arena("standings", out, "--json").stdout)
    assert {row["bot"] for row in table["rows"]} == {"greedy", "random"}
    assert all(row["pairs"] == 2 for row in table["rows"])
    assert arena("standings", out, "--csv").stdout.count("\n") == 3
    assert "greedy" in arena("standings", out, "--anchor", "random=1000").stdout
    assert arena("standings", out, "--json", "--csv").exit_code == 2
    result = arena("standings", out, "--anchor", "nobody")
    assert result.exit_code == 2
    assert "nobody" in result.stderr


def test_the_same_again_plays_nothing_and_more_pairs_add_to_it(played, tmp_path):
    out = shutil.copytree(played[0], tmp_path / "copy")
    again = ("match", "greedy", "random", "--seed", "spring", "--out", out, *QUICK, "--json")
    report = json.loads(arena(*again, "--pairs", 2).stdout)
    assert (report["games_played"], report["games_done"], report["complete"]) == (0, 4, True)
    more = arena(*again, "--pairs", 3)
    assert "6 games (4 of them stored before)" in more.stderr
    report = json.loads(more.stdout)
    assert (report["games_played"], report["games_done"]) == (2, 6)
    assert report["standings"]["rows"][0]["pairs"] == 3
    assert arena("replay", "verify", out).exit_code == 0
    refused = arena("match", "greedy", "random", "--out", out, *QUICK)
    assert refused.exit_code == 3
    assert "seed" in refused.stderr


def test_where_nothing_is_left_nothing_is_started(played, monkeypatch):
    def start(*args, **options):
        raise AssertionError("an executor was started")

    monkeypatch.setattr("arena.tournament.run._executor", start)
    out = played[0]
    again = ("match", "greedy", "random", "--seed", "spring", "--out", out, "--pairs", 2, *QUICK)
    result = arena(*again, "--serve", free_port())
    assert result.exit_code == 0, result.output
    assert "note: nothing left to play: all 4 games are stored" in result.stderr
    assert "live page" not in result.stderr
    assert "4 of 4 games, 0 in this run" in result.stdout
    assert "also counts" not in result.stdout


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_a_page_is_told_with_its_run_and_ends_with_it(tmp_path):
    out = tmp_path / "out"
    result = arena("match", "greedy", "random", "--pairs", 1, "--serve", free_port(), *QUICK, "--out", out)
    assert result.exit_code == 0, result.output
    assert "/, for as long as this run" in result.stderr
    assert result.stderr.rstrip().endswith("note: the live page has ended with the run")


def test_older_games_in_the_table_are_told(played, tmp_path):
    out = shutil.copytree(played[0], tmp_path / "copy")
    options = ("--seed", "spring", "--out", out, *QUICK)
    fewer = arena("match", "greedy", "random", "--pairs", 1, *options)
    assert "2 of 2 games, 0 in this run" in fewer.stdout
    assert "counts games that this command does not ask for: 2 further ones of these bots." in fewer.stdout
    others = arena("match", "careful", "greedy", "--pairs", 1, *options)
    assert "2 of 2 games, 2 in this run" in others.stdout
    assert "counts games that this command does not ask for: 4 with `random`." in others.stdout
    report = json.loads(arena("match", "careful", "greedy", "--pairs", 1, *options, "--json").stdout)
    assert (report["games_beside"], report["bots_beside"], report["games_further"]) == (4, ["random"], 0)
    assert "also counts" not in arena("run", "greedy", "random", "careful", "--pairs", 2, *options).stdout
    both = arena("match", "careful", "greedy", "--pairs", 1, *options)
    assert "does not ask for: 8 with `random`, 2 further ones of these bots." in both.stdout


def test_the_same_seed_gives_the_same_table(played, tmp_path):
    """Byte for byte, at any number of games in parallel."""
    out = tmp_path / "again"
    slots = [*QUICK[:2], "--slots", "2", *QUICK[4:]]
    result = arena("match", "random", "greedy", "--pairs", 2, "--seed", "spring", "--out", out, *slots)
    assert result.exit_code == 0, result.output
    assert arena("standings", out, "--json").stdout == arena("standings", played[0], "--json").stdout


@pytest.mark.parametrize("command", ["run", "match", "sprt"])
@pytest.mark.parametrize("out", ["arena-out", "deep/er", "../link"])
def test_results_do_not_lie_where_a_bot_can_read_them(tmp_path, monkeypatch, command, out):
    """The logs of a pair's first leg hold the deals of the second."""
    bot = tmp_path / "mybot"
    shutil.copytree(ROOT / "sample_bots" / "greedy", bot)
    (tmp_path / "link").symlink_to(bot / "results")
    monkeypatch.chdir(bot)
    result = arena(command, ".", "random", "--out", out, "--isolation", "basic")
    assert result.exit_code == 3, result.output
    assert "folder of bot `greedy`, which the bot can read" in result.stderr
    assert "--out ../arena-out" in result.stderr
    assert sorted(path.name for path in bot.iterdir()) == sorted(
        path.name for path in (ROOT / "sample_bots" / "greedy").iterdir()
    )


def test_results_do_not_lie_in_the_system_that_every_bot_sees():
    out = f"/usr/arena-test-{os.getpid()}"
    result = arena("match", "greedy", "random", "--out", out, *QUICK)
    assert result.exit_code == 3, result.output
    assert "which every bot can read" in result.stderr
    assert not Path(out).exists()


def test_a_process_that_was_there_before_is_left_alone(tmp_path):
    """The command ends what slots leave to it, and nothing that its process had already."""
    with subprocess.Popen(["sleep", "1000"]) as other:
        try:
            result = arena("match", "greedy", "random", "--pairs", 1, "--out", tmp_path / "out", *QUICK)
            assert result.exit_code == 0, result.output
            assert other.poll() is None
        finally:
            other.kill()
    said = subprocess.run(["sh", "-c", "sleep 1000 >&- & echo $!"], stdout=subprocess.PIPE, check=True).stdout
    orphan = int(said)
    try:
        assert orphan not in tree.children(os.getpid())  # nor does it take in what is left to nobody later
    finally:
        os.kill(orphan, signal.SIGKILL)


def test_a_closed_tournament_takes_nothing_more(played, tmp_path):
    out = shutil.copytree(played[0], tmp_path / "copy")
    assert arena("close", out, "--yes").exit_code == 0
    for pairs in (2, 9):
        result = arena(
            "match", "greedy", "random", "--pairs", pairs, "--seed", "spring", "--out", out, *QUICK
        )
        assert result.exit_code == 3
        assert "was closed" in result.stderr
        assert f"hint: `arena standings {out}` shows its table" in result.stderr


def test_a_bot_that_does_not_start_is_named_and_costs_nobody_a_game(tmp_path):
    bot = tmp_path / "broken"
    bot.mkdir()
    (bot / "bot.toml").write_text('name = "broken"\nversion = "1"\ncommand = ["{python}", "bot.py"]\n')
    (bot / "bot.py").write_text('raise SystemExit("no brain \\x1b[31m found")\n')
    out = tmp_path / "out"
    result = arena("run", "greedy", "random", bot, "--pairs", 1, "--out", out, *QUICK)
    assert result.exit_code == 1
    assert "broken" in result.stdout
    assert "no brain" in result.stdout
    assert "\x1b[31m" not in result.output
    assert "2 of 2 games" in result.stdout


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ('name = 3\nversion = "1"\ncommand = ["x"]', "name"),
        ('name = "x"', "version"),
        ('name = "x"\nversion = "1"\ncommand = "python"', "command"),
        ('name = "x"\nversion = "1"\ncommand = ["{python}", "bot.py"]\ncomand = 1', "comand"),
        ("name = ", "bot.toml"),
        (None, "bot.toml"),
    ],
)
def test_a_bad_manifest_is_one_line(tmp_path, toml, words):
    bot = tmp_path / "bot"
    bot.mkdir()
    if toml is not None:
        (bot / "bot.toml").write_text(toml)
    result = arena("match", bot, "greedy", "--out", tmp_path / "out", *QUICK)
    assert result.exit_code == 3, result.output
    assert words in result.stderr
    assert "Traceback" not in result.output
    assert not (tmp_path / "out").exists()


def test_an_out_that_holds_something_else_or_is_a_file(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    result = arena("run", "--out", tmp_path, *QUICK)
    assert (result.exit_code, "notes.txt" in [path.name for path in tmp_path.iterdir()]) == (3, True)
    assert "give another --out" in result.stderr
    result = arena("run", "--out", tmp_path / "notes.txt", *QUICK)
    assert result.exit_code == 3
    assert "Traceback" not in result.output


def test_ctrl_c_ends_in_order_and_the_same_command_goes_on(tmp_path):
    out = tmp_path / "out"
    command = [
        sys.executable,
        "-m",
        "arena",
        "match",
        "careful",
        "random",
        "--pairs",
        "15",
        "--out",
        str(out),
        *QUICK,
    ]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    running = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
    )
    try:
        for line in running.stderr:
            if "/30 games" in line:
                break
        running.send_signal(signal.SIGINT)
        stdout, stderr = running.communicate(timeout=60)
    finally:
        running.kill()
        running.communicate()
    assert running.returncode == 130, stderr
    assert "interrupted" in stderr
    assert "Traceback" not in stderr
    assert "goes on where this stopped" in stdout
    assert arena("replay", "verify", out).exit_code == 0
    again = arena(*command[3:])
    assert again.exit_code == 0, again.output
    assert "30 of 30 games" in again.stdout
    assert arena("replay", "verify", out).exit_code == 0
