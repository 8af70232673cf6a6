"""Every language from an empty folder to rated games: the four commands, sealed off, without a fault."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.bots.new import Language, languages, missing_tools

SECONDS = 300
ROOT = Path(__file__).parents[2]


def arena(*words: object, room: Path) -> str:
    """What a command prints; it must succeed."""
    done = subprocess.run(
        [sys.executable, "-m", "arena", *map(str, words)],
        cwd=room,
        env={**os.environ, "PYTHONPATH": str(ROOT), "ARENA_HOME": str(room / "home")},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("language", languages(), ids=lambda language: language.id)
def test_first_rated_games(language: Language, tmp_path: Path, need_tool: Callable[[str], str]) -> None:
    for tool in missing_tools(language):
        need_tool(tool)
    # A machine under test may be busy with other tests, so the limits are wide: they are not what is tried.
    limits = ("--move-time", "10s", "--start-time", "60s")
    level = ("--isolation", "strong") if os.environ.get("CI") == "true" and sys.platform == "linux" else ()
    arena("bot", "new", "mine", "--lang", language.id, room=tmp_path)
    report = json.loads(
        arena("bot", "check", "./mine", "--games", 2, *limits, *level, "--json", room=tmp_path)
    )
    assert report["ok"], report
    assert {check["status"] for check in report["checks"]} <= {"ok", "warn"}
    assert report["language"] == language.id
    arena("bot", "add", "./mine", "--no-check", room=tmp_path)
    played = json.loads(
        arena("run", "mine@0.1", "greedy", "--pairs", 2, "--json", "--no-pin", *limits, *level, room=tmp_path)
    )
    assert played["games_done"] == 4
    rows = {row["bot"]: row for row in played["standings"]["rows"]}
    assert set(rows) == {"mine", "greedy"}
    assert all(row["forfeits"] == 0 for row in rows.values())
