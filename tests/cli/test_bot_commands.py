"""`arena bot`: new, check, add, list, show, remove, probe; and registered bots in `arena run`."""

from __future__ import annotations

import json
import tarfile
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli.bot import SUBCOMMANDS
from arena.cli.main import cli

QUICK = ("--isolation", "basic", "--slots", "1", "--no-pin", "--move-time", "10s", "--grace", "5s")
LIMITS = ("--isolation", "basic", "--move-time", "10s", "--start-time", "30s")


def arena(*args, **options):
    return CliRunner().invoke(cli, list(map(str, args)), **options)


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def smith(tmp_path):
    """A bot in Python, as `arena bot new` writes it."""
    result = arena("bot", "new", tmp_path / "smith")
    assert result.exit_code == 0, result.output
    return tmp_path / "smith"


def version(bot: Path, number: str) -> None:
    text = (bot / "bot.toml").read_text()
    (bot / "bot.toml").write_text(text.replace('version = "0.1"', f'version = "{number}"'))


@pytest.mark.parametrize("name", [name for name, _ in SUBCOMMANDS])
def test_every_command_has_an_example(name):
    result = arena("bot", name, "--help")
    assert result.exit_code == 0
    assert "Examples:" in result.stdout
    assert f"arena bot {name}" in result.stdout


# --- new


def test_new_says_what_to_do_next(tmp_path):
    bot = tmp_path / "x"
    result = arena("bot", "new", bot, "--lang", "c++", "--name", "thinker")
    assert result.exit_code == 0
    for words in ("thinker", "C++", "bot.cpp", f"arena bot check {bot}", f"arena run {bot} careful"):
        assert words in result.stdout
    data = json.loads(arena("bot", "new", tmp_path / "y", "--lang", "java", "--json").stdout)
    assert (data["name"], data["language"]) == ("y", "java")
    assert "Bot.java" in data["files"]


def test_new_does_not_overwrite_and_knows_its_languages(tmp_path, smith):
    result = arena("bot", "new", smith)
    assert (result.exit_code, "not empty" in result.stderr) == (3, True)
    result = arena("bot", "new", tmp_path / "z", "--lang", "cobol")
    assert (result.exit_code, "csharp" in result.stderr) == (2, True)
    assert not (tmp_path / "z").exists()


# --- check


@pytest.mark.slow
def test_check_of_a_good_bot(smith, home):
    result = arena("bot", "check", smith, "--home", home, "--games", 2, *LIMITS)
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[-1].startswith("smith@0.1 (python, ")
    assert " passed: " in result.stdout
    assert "\nok    pieces " in result.stdout


def test_check_of_a_wrong_bot(smith, home):
    source = smith / "bot.py"
    source.write_text(
        source.read_text().replace("    run(choose)", '    raise SystemExit("no \\x1b[31mbrain")')
    )
    result = arena("bot", "check", smith, "--home", home, *LIMITS)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert any(line.startswith("FAIL  start ") for line in lines)
    for word in ("sent  {", "came  ", "change  ", "stderr  no "):
        assert any(word in line for line in lines), word
    assert "\x1b[31m" not in result.output
    assert " FAILED: " in lines[-1]
    data = json.loads(arena("bot", "check", smith, "--home", home, *LIMITS, "--json").stdout)
    assert data["ok"] is False
    assert [check["id"] for check in data["checks"] if check["status"] == "fail"] == ["start"]


def test_check_of_what_is_no_bot(tmp_path):
    result = arena("bot", "check", tmp_path)
    assert (result.exit_code, "bot.toml" in result.stderr) == (3, True)
    result = arena("bot", "check", "carefull")
    assert (result.exit_code, "`careful`" in result.stderr) == (3, True)
    assert arena("bot", "check", "careful", "--move-time", "soon").exit_code == 2
    assert arena("bot", "check", "careful", "--isolation", "iron").exit_code == 2


# --- add, list, show, remove


def test_a_registered_life(smith, home, tmp_path):
    at = ("--home", home)
    assert "No bot is registered" in arena("bot", "list", *at).stdout
    result = arena("bot", "add", smith, *at, "--no-check")
    assert result.exit_code == 0, result.output
    assert "smith@0.1 registered: arena run smith" in result.stdout
    again = arena("bot", "add", smith, *at, "--no-check")
    assert (again.exit_code, "registered already" in again.stdout) == (0, True)

    (smith / "bot.py").write_text((smith / "bot.py").read_text() + "# better\n")
    refused = arena("bot", "add", smith, *at, "--no-check")
    assert (refused.exit_code, "bot.py changed" in refused.stderr) == (3, True)
    assert "version" in refused.stderr
    version(smith, "0.2")
    with tarfile.open(tmp_path / "smith.tar.gz", "w:gz") as archive:
        archive.add(smith, "smith")
    data = json.loads(arena("bot", "add", tmp_path / "smith.tar.gz", *at, "--no-check", "--json").stdout)
    assert (data["registered"], data["new"], data["version"]) == (True, True, "0.2")

    listed = arena("bot", "list", *at).stdout
    assert listed.index("smith@0.2") < listed.index("smith@0.1")
    assert [row["version"] for row in json.loads(arena("bot", "list", *at, "--json").stdout)] == [
        "0.2",
        "0.1",
    ]
    shown = arena("bot", "show", "smith@0.1", *at).stdout
    for words in ("smith@0.1", "python", "north-american british", str(smith)):
        assert words in shown
    assert json.loads(arena("bot", "show", "smith", *at, "--json").stdout)[0]["version"] == "0.2"

    many = arena("bot", "remove", "smith", *at)
    assert (many.exit_code, "--all-versions" in many.stderr) == (2, True)
    assert arena("bot", "remove", "smith@0.1", *at).stdout == "smith@0.1 removed\n"
    assert arena("bot", "remove", "smith", *at).exit_code == 0
    gone = arena("bot", "show", "smith", *at)
    assert (gone.exit_code, "no registered bot" in gone.stderr) == (3, True)


def test_what_fails_its_check_is_not_registered(smith, home):
    (smith / "bot.py").write_text("print('hi')\n")
    result = arena("bot", "add", smith, "--home", home, *LIMITS)
    assert result.exit_code == 1
    assert "is not registered" in result.stderr
    assert "FAIL  start" in result.stdout
    data = json.loads(arena("bot", "add", smith, "--home", home, *LIMITS, "--json").stdout)
    assert (data["registered"], data["examination"]["ok"]) == (False, False)
    assert "No bot is registered" in arena("bot", "list", "--home", home).stdout


def test_add_of_nothing(tmp_path, home):
    result = arena("bot", "add", tmp_path / "nothing", "--home", home)
    assert (result.exit_code, "no such folder or file" in result.stderr) == (3, True)


@pytest.mark.slow
def test_registered_bots_play(smith, home, tmp_path):
    at = ("--home", home)
    arena("bot", "add", smith, *at, "--no-check")
    version(smith, "0.2")
    arena("bot", "add", smith, *at, "--no-check")
    arena("bot", "new", tmp_path / "other", "--name", "other")
    arena("bot", "add", tmp_path / "other", *at, "--no-check")

    out = ("--out", tmp_path / "out", "--pairs", 1, "--json", *QUICK)
    report = json.loads(arena("run", "smith@0.1", "smith@0.2", *at, *out).stdout)
    assert report["games_done"] == 2
    assert len({row["bot"] for row in report["standings"]["rows"]}) == 2
    everyone = arena("run", "--all", *at, "--dump-config").stdout
    assert 'bots = ["other@0.1", "smith@0.2"]' in everyone
    everyone = arena("run", "--all", "careful", "smith@0.1", *at, "--dump-config").stdout
    assert 'bots = ["careful", "smith@0.1", "other@0.1"]' in everyone
    unknown = arena("run", "smiht", "careful", *at)
    assert (unknown.exit_code, "`smith`" in unknown.stderr) == (3, True)


def test_all_of_no_bots(home):
    result = arena("run", "--all", "--home", home)
    assert (result.exit_code, "no bot is registered" in result.stderr) == (3, True)


# --- probe


def messages(output: str) -> list[tuple[int, str, dict]]:
    found = []
    for line in output.splitlines():
        seat, arrow, text = line.split(" ", 2)
        if arrow in "<>":
            found.append((int(seat), arrow, json.loads(text.split("   (")[0])))
    return found


def test_probe_shows_every_message(smith, home):
    result = arena("bot", "probe", smith, "--home", home, *LIMITS)
    assert result.exit_code == 0, result.output
    found = messages(result.stdout)
    kinds = [message["type"] for _, _, message in found]
    assert kinds[:3] == ["hello", "ready", "game_start"]
    assert kinds[-3:] == ["hand_end", "game_end", "bye"]
    for (_, arrow, asked), (_, back, answer) in pairwise(found):
        if asked["type"] == "act":
            assert (arrow, back) == (">", "<")
            assert answer["id"] == asked["id"]
            assert answer["action"] in asked["legal"]


def test_probe_of_all_seats_as_json(home):
    result = arena(
        "bot", "probe", "greedy", "--all-seats", "--game", "british", "--json", "--home", home, *LIMITS
    )
    assert result.exit_code == 0, result.output
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert {line["seat"] for line in lines} == {0, 1, 2, 3}
    assert {line["to"] for line in lines} == {"bot", "arena"}
    assert lines[0]["message"]["game"] == "british"


def test_probe_of_recorded_requests(smith, home, data_dir, tmp_path):
    import gzip

    with gzip.open(data_dir / "requests_options.jsonl.gz", "rt") as file:
        lines = file.readlines()
    file = tmp_path / "requests.jsonl"
    file.write_text(lines[0] + lines[1] + lines[600])
    result = arena("bot", "probe", smith, "--view", file, "--home", home, *LIMITS)
    assert result.exit_code == 0, result.output
    kinds = [message["type"] for _, _, message in messages(result.stdout)]
    assert (kinds.count("hello"), kinds.count("action")) == (2, 3)
    once = arena("bot", "probe", smith, "--view", "-", "--home", home, *LIMITS, input=lines[0])
    assert messages(once.stdout) == messages(result.stdout)[:5] + messages(once.stdout)[5:]
    for text, words in (("{", "not JSON"), ('{"type":"act"}', "`legal`"), ("", "no request")):
        file.write_text(text)
        bad = arena("bot", "probe", smith, "--view", file, "--home", home, *LIMITS)
        assert (bad.exit_code, words in bad.stderr) == (3, True), bad.output
    missing = arena("bot", "probe", smith, "--view", tmp_path / "none", "--home", home, *LIMITS)
    assert missing.exit_code == 3


def test_probe_by_hand(smith, home):
    act = '{"type":"act","id":5,"phase":"play","trump":"H","legal":["play:9C","play:JD"]}'
    typed = "\n".join(["", "", "", '{"type":"news"}', act, '{"type":"bye"}', ""])
    result = arena("bot", "probe", smith, "--by-hand", "--home", home, *LIMITS, input=typed)
    assert result.exit_code == 0, result.output
    found = messages(result.stdout)
    assert [message["type"] for _, arrow, message in found if arrow == ">"][:2] == ["hello", "game_start"]
    assert (0, "<", {"type": "action", "id": 5, "action": "play:JD"}) in found
    assert "it has ended" in result.stdout
    wrong = arena("bot", "probe", smith, "--by-hand", "--home", home, *LIMITS, input="hello\n")
    assert (wrong.exit_code, "not JSON" in wrong.stderr) == (3, True)


def test_probe_where_a_person_chooses(smith, home):
    result = arena("bot", "probe", smith, "--choose", "--home", home, *LIMITS, input="9\npass\n" + "1\n" * 40)
    assert result.exit_code == 0, result.output
    assert "seat 1, bid1" in result.stderr
    assert messages(result.stdout)[-1][2]["type"] == "bye"


def test_probe_tells_what_went_wrong(smith, home):
    source = smith / "bot.py"
    source.write_text(source.read_text().replace("    return view.legal[0]", '    return "tarock"', 1))
    source.write_text(source.read_text().replace('return "play:" + ', 'return "Play:" + '))
    result = arena("bot", "probe", smith, "--hands", 3, "--home", home, *LIMITS)
    assert result.exit_code == 1
    assert "not legal" in result.stderr
    both = arena("bot", "probe", smith, "--choose", "--by-hand", "--home", home)
    assert both.exit_code == 2


def test_a_name_that_means_two_bots_is_told(smith, home, tmp_path, monkeypatch):
    assert arena("bot", "add", smith, "--no-check", "--home", home).exit_code == 0
    version(smith, "0.2")
    monkeypatch.chdir(tmp_path)
    said = "note: `smith` is the folder ./smith here, not the registered bot of that name (smith@0.1 plays"
    for command in (("bot", "check", "smith", "--games", 1), ("bot", "probe", "smith")):
        result = arena(*command, "--home", home, *LIMITS)
        assert result.exit_code == 0, result.output
        assert said in result.stderr
    options = ("--pairs", 1, "--home", home, "--out", tmp_path / "out", *QUICK)
    assert said in arena("run", "smith", "careful", *options).stderr
    assert said in arena("run", "smith", "careful", *options, "--dry-run").stderr
    assert "note: `smith`" not in arena("run", "./smith", "careful", *options).stderr


def test_versions_are_told(smith, home, tmp_path):
    assert arena("bot", "add", smith, "--no-check", "--home", home).exit_code == 0
    for command in (("bot", "show", "smith@9"), ("sprt", "smith@9", "careful", "--out", tmp_path / "out")):
        result = arena(*command, "--home", home)
        assert (result.exit_code, "there are smith@0.1" in result.stderr) == (3, True), result.output
