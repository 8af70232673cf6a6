"""A sample bot of each language: built, examined, and all of them in one tournament without a fault."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from arena.bots.manifest import LANGUAGES, read_manifest
from arena.bots.new import find_language, missing_tools
from arena.bots.resolve import sample_bots

ROOT = Path(__file__).parents[2]
SECONDS = 900
CI = os.environ.get("CI") == "true"
PAIRS = 9 if CI else 1
"""A pairing: 216 games a bot, or 24 where somebody waits for it."""
LIMITS = ("--move-time", "10s", "--start-time", "60s")
"""Wide: the machine may be busy with other tests, and time is not what is tried here."""


def mixed() -> dict[str, str]:
    """Language -> its sample bot."""
    found: dict[str, str] = {}
    for name, directory in sample_bots().items():
        found.setdefault(read_manifest(directory).language or "", name)
    return found


@pytest.fixture
def arena(tmp_path: Path) -> Callable[..., str]:
    """Runs a command; it must succeed; gives what it prints; bots are built once, in a home of its own."""

    def run(*words: object) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "arena", *map(str, words)],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT), "ARENA_HOME": str(tmp_path / "home")},
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def test_every_language_has_a_sample_bot() -> None:
    assert set(mixed()) == set(LANGUAGES)


@pytest.mark.slow
def test_all_languages_in_one_tournament(arena: Callable[..., str], need_tool: Callable[[str], str]) -> None:
    bots = mixed()
    for language in bots:
        for tool in missing_tools(find_language(language)):
            need_tool(tool)
    strong = sys.platform == "linux" and CI
    options = (*LIMITS, *(("--isolation", "strong") if strong else ()), "--json")

    def check(name: str) -> dict[str, Any]:
        report: dict[str, Any] = json.loads(arena("bot", "check", name, "--games", 1, *options))
        return report

    with ThreadPoolExecutor(2) as pool:
        for name, report in zip(bots.values(), pool.map(check, bots.values()), strict=True):
            assert report["ok"], (name, report)
            assert {found["status"] for found in report["checks"]} <= {"ok", "warn"}, (name, report)

    rules = ("--rule", "target=1")
    played = json.loads(arena("run", *bots.values(), "--pairs", PAIRS, *rules, "--no-pin", *options))
    rows = {row["bot"]: row for row in played["standings"]["rows"]}
    assert set(rows) == set(bots.values())
    assert played["games_done"] == len(bots) * (len(bots) - 1) * PAIRS
    assert {name: row["forfeits"] for name, row in rows.items()} == dict.fromkeys(rows, 0)
    arena("replay", "verify", "arena-out")  # whose status says whether every log tells the truth
