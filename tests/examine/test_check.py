"""The examination as a whole: what it tries, what it tells, and what it does not hold against a bot."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.bots.levels import Level
from arena.bots.limits import Limits
from arena.bots.probe import probe
from arena.bots.resolve import load
from arena.examine.check import examine
from arena.examine.findings import Check, Report, Status

pytestmark = pytest.mark.slow

Examined = Callable[..., Report]
Write = Callable[..., Path]
Failed = Callable[[Report], list[Check]]

ANSWER = '        send({"type": "action", "id": message["id"], "action": message["legal"][0]})\n'
LOOP = "while message := receive():\n"
JSON_BOT = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready"}), flush=True)
    elif message["type"] == "act":
        print(json.dumps({"type": "action", "id": message["id"], "action": message["legal"][-1]}), flush=True)
    elif message["type"] == "bye":
        break
"""


def folder(tmp_path: Path, source: str, more: str = "", command: str = '["{python}", "bot.py"]') -> Path:
    directory = tmp_path / "bot"
    directory.mkdir()
    (directory / "bot.py").write_text(source)
    (directory / "bot.toml").write_text(
        f'name = "b"\nversion = "2"\ncommand = {command}\nlanguage = "python"\n{more}\n'
    )
    return directory


def test_a_right_bot_is_tried_in_everything(python_bot: Write, examined: Examined, failed: Failed) -> None:
    report = examined(python_bot())
    assert (failed(report), report.ok) == ([], True)
    ids = [check.id for check in report.checks]
    assert ids == [
        "manifest", "start", "games", "time", "memory", "quiet", "idle", "bye", "games", "rules", "rules",
        "rules", "rules", "phases", "unknown", "forms", "pieces", "size", "pause", "end", "repeat",
    ]  # fmt: skip
    figures = report.figures
    assert figures.games == 3
    assert figures.answers > 50
    assert figures.start_ms is not None
    assert 0 < figures.start_ms < 3000
    assert figures.memory_mb is not None
    assert figures.memory_mb > 1
    phases = next(check.said for check in report.checks if check.id == "phases")
    for word in (
        "bid1",
        "bid2",
        "discard",
        "defend",
        "joker_name",
        "play",
        "no trump",
        "against a lone",
        "sat out",
    ):
        assert word in phases, phases
    assert "never asked" not in phases


def test_the_line_to_paste_and_the_data(python_bot: Write, examined: Examined) -> None:
    report = examined(python_bot())
    line = report.summary()
    for words in ("wrong@1 (python, ", "passed: 21 ok; start ", " answers in 3 games; basic, arena "):
        assert words in line
    assert "\n" not in line
    data = json.loads(json.dumps(report.to_dict()))
    assert (data["ok"], data["summary"], data["isolation"]) == (True, line, "basic")
    assert data["games"] == ["north-american", "british"]
    assert data["checks"][0]["status"] == "ok"


def test_a_bot_that_speaks_json(tmp_path: Path, examined: Examined, failed: Failed) -> None:
    report = examined(folder(tmp_path, JSON_BOT, 'encoding = "json"'))
    assert failed(report) == []
    assert "forms" not in [check.id for check in report.checks]


def test_json_without_a_newline(tmp_path: Path, examined: Examined, failed: Failed) -> None:
    source = JSON_BOT.replace('{"type": "ready"}), flush', '{"type": "ready"}), end="", flush')
    (found,) = failed(examined(folder(tmp_path, source, 'encoding = "json"'), start_ms=1000))
    assert found.id == "start"
    assert "newline" in found.came + found.change


def test_a_crash_that_is_printed_to_stdout_is_no_json(
    tmp_path: Path, examined: Examined, failed: Failed
) -> None:
    """Erlang's words for one begin as a map of JSON does."""
    source = """print('{"init terminating in do_boot",{oops,[{bot,handle,2}]}}', flush=True)"""
    (found,) = failed(examined(folder(tmp_path, source)))
    assert found.id == "start"
    assert "print to stderr" in found.change
    assert "encoding" not in found.change


def test_the_cause_at_the_top_of_a_long_stderr_is_shown(
    tmp_path: Path, examined: Examined, failed: Failed
) -> None:
    source = """import sys
print("the cause", *["a frame"] * 40, "the end", sep="\\n", file=sys.stderr)
sys.exit(1)"""
    (found,) = failed(examined(folder(tmp_path, source)))
    lines = found.stderr.split("\n")
    assert (lines[0], lines[4], lines[-1]) == ("the cause", "... (30 lines)", "the end")


def test_an_end_without_a_word_asks_for_bytes(tmp_path: Path, examined: Examined, failed: Failed) -> None:
    (found,) = failed(examined(folder(tmp_path, "pass")))
    assert "as bytes, not as text" in found.change


def test_a_language_that_the_arena_does_not_know(tmp_path: Path, examined: Examined) -> None:
    directory = folder(tmp_path, JSON_BOT, 'encoding = "json"')
    manifest = (directory / "bot.toml").read_text()
    (directory / "bot.toml").write_text(manifest.replace('language = "python"', 'language = "Erlang"'))
    report = examined(directory)
    assert report.ok
    assert "`Erlang` is not known here: advice is general" in report.checks[0].said


def test_only_what_is_claimed_is_played(python_bot: Write, examined: Examined) -> None:
    report = examined(python_bot(more='games = ["british"]\n'))
    assert (report.ok, report.games) == (True, ("british",))
    assert not [check for check in report.checks if "north-american" in check.said]


def test_games_of_another_arena(python_bot: Write, examined: Examined) -> None:
    report = examined(python_bot(more='games = ["british", "tarock"]\n'))
    assert (report.ok, report.checks[0].status) == (True, Status.WARNING)
    assert "tarock" in report.checks[0].said


def test_no_game_of_this_arena(python_bot: Write, examined: Examined) -> None:
    report = examined(python_bot(more='games = ["tarock"]\n'))
    assert [(check.id, check.status) for check in report.checks] == [("manifest", Status.FAILED)]


def test_illegal_in_one_game_only(python_bot: Write, examined: Examined, failed: Failed) -> None:
    wrong = ANSWER.replace(
        'message["legal"][0]', 'message["legal"][0] if message["game"] != "british" else "x"'
    )
    report = examined(python_bot((ANSWER, wrong)))
    assert not report.ok
    assert all("british" in check.said for check in failed(report))


def test_a_crash_shows_what_stderr_says(python_bot: Write, examined: Examined, failed: Failed) -> None:
    (found,) = failed(examined(python_bot((LOOP, LOOP + '    raise ValueError("no brain")\n'))))
    assert (found.id, found.status) == ("start", Status.FAILED)
    assert "ValueError: no brain" in found.stderr
    assert "stderr" in found.change


def test_thinking_too_long(python_bot: Write, examined: Examined, failed: Failed) -> None:
    slow = (
        "        send({",
        '        __import__("time").sleep(9 if len(message["hand"]) == 3 else 0)\n        send({',
    )
    edit = (ANSWER, ANSWER.replace(*slow))
    (found,) = failed(examined(python_bot(edit), move_ms=700))
    assert found.id == "games"
    assert "700 ms" in found.came
    assert "thinks too long" in found.change
    assert '"type":"act"' in found.sent


def test_a_slow_start_is_mentioned(python_bot: Write, examined: Examined, failed: Failed) -> None:
    found = failed(examined(python_bot((LOOP, "__import__('time').sleep(2.2)\n" + LOOP)), start_ms=4000))
    assert [(check.id, check.status) for check in found] == [("start", Status.WARNING)]


def test_no_input_is_read(python_bot: Write, examined: Examined, failed: Failed) -> None:
    edit = (LOOP, "__import__('time').sleep(60)\n" + LOOP)
    (found,) = failed(examined(python_bot(edit), start_ms=1000))
    assert "does not read its stdin" in found.change


def test_a_loop_before_reading(python_bot: Write, examined: Examined, failed: Failed) -> None:
    (found,) = failed(examined(python_bot((LOOP, "while True:\n    pass\n" + LOOP)), start_ms=1000))
    assert "uses the CPU" in found.change


def test_work_while_nothing_is_asked(python_bot: Write, examined: Examined, failed: Failed) -> None:
    spin = (
        "import threading\n\n\ndef spin():\n    while True:\n        sum(range(10000))\n\n\n"
        "threading.Thread(target=spin, daemon=True).start()\n"
    )
    found = {check.id: check for check in failed(examined(python_bot((LOOP, spin + LOOP)), move_ms=20_000))}
    assert found["idle"].status is Status.WARNING


def test_too_much_memory(python_bot: Write, examined: Examined, failed: Failed) -> None:
    eat = LOOP + '    heap = bytearray(b"x" * (300 << 20)) if message["type"] == "act" else None\n'
    (found,) = failed(examined(python_bot((LOOP, eat)), memory_mb=200))
    assert found.id == "games"
    assert "memory" in found.came or "MemoryError" in found.stderr


def test_dice_of_its_own_are_allowed(python_bot: Write, examined: Examined, failed: Failed) -> None:
    dice = ANSWER.replace('message["legal"][0]', '__import__("random").choice(message["legal"])')
    report = examined(python_bot((ANSWER, dice)))
    assert failed(report) == []
    assert "seed" in report.checks[-1].said


def test_a_build_that_fails(tmp_path: Path, examined: Examined, failed: Failed) -> None:
    build = 'build = ["{python}", "-c", "import sys; sys.exit(\\"line 7: oops\\")"]'
    report = examined(folder(tmp_path, JSON_BOT, build))
    (found,) = failed(report)
    assert (found.id, report.ok) == ("build", False)
    assert "line 7: oops" in found.came
    assert report.checks[-1].status is Status.SKIPPED


@pytest.mark.parametrize("command", ['["./missing"]', '["no-such-interpreter", "bot.py"]', '["./bot.py"]'])
def test_a_program_that_cannot_be_started(
    tmp_path: Path, command: str, examined: Examined, failed: Failed
) -> None:
    (found,) = failed(examined(folder(tmp_path, JSON_BOT, command=command)))
    assert found.id == "start"
    assert found.change


def test_sealed_off_as_well(python_bot: Write, tmp_path: Path, failed: Failed) -> None:
    """At the best level that this machine gives."""
    level = probe().level
    report = examine(load(python_bot()), level=level, limits=Limits(grace_ms=2000), games=2)
    assert (failed(report), report.level) == ([], level.value)
    assert level in Level
