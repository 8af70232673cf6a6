"""`arena doctor --selftest`."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from arena.bots.levels import Level
from arena.errors import Exit


def doctor(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "arena", "doctor", *words],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_selftest_prints_a_line_a_trial_and_writes_its_page(
    offered: Callable[[Level], Level], tmp_path: Path
) -> None:
    level = offered(Level.BASIC)
    page = tmp_path / "isolation.md"
    done = doctor(
        "--selftest", "--isolation", level, "--only", "crash", "--only", "illegal", "--write", str(page)
    )
    assert done.returncode == Exit.OK, done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1] == f"{len(lines) - 1} trials, 0 not as they must be"
    assert any(line.startswith("basic") and "illegal" in line for line in lines)
    assert "(`crash`) | crashed |" in page.read_text()


def test_the_selftest_as_data(offered: Callable[[Level], Level]) -> None:
    done = doctor("--selftest", "--isolation", offered(Level.BASIC), "--only", "missing_program", "--json")
    trial = json.loads(done.stdout)[0]
    assert (trial["name"], trial["verdict"], trial["problems"]) == ("missing_program", "refused", [])


def test_what_cannot_be_asked_for_is_said() -> None:
    assert doctor("--only", "crash").returncode == Exit.USAGE
    wrong = doctor("--selftest", "--only", "crsh", "--isolation", "basic")
    assert wrong.returncode == Exit.USAGE
    assert "crsh" in wrong.stderr
    assert "Traceback" not in wrong.stderr
    assert doctor("--selftest", "--isolation", "iron").returncode == Exit.USAGE
