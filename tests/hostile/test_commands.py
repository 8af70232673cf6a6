"""Short forms of the long commands of `benchmarks/` that try the referee's promises."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from arena.bots.levels import Level


def run(root: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, *words], cwd=root, capture_output=True, text=True, timeout=500, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_fuzzing_finds_nothing(root: Path) -> None:
    """10,000,000 inputs by default, guided by coverage where atheris is installed."""
    told = run(root, "benchmarks/fuzz.py", "--inputs", "10000", "--engine", "random")
    assert "10,000 inputs by mutation: 0 finds" in told


@pytest.mark.slow
def test_chaos(root: Path) -> None:
    """10,000 games by default."""
    assert "as it must be" in run(root, "benchmarks/chaos.py", "--games", "48", "--move-ms", "200")


def test_no_deal_is_met_again(root: Path, strongest: Level) -> None:
    """500 pairs by default."""
    if strongest is not Level.STRONG:
        pytest.skip("only `strong` promises it")
    told = run(root, "benchmarks/memory.py", "--pairs", "12")
    assert "0 deals known again" in told
    assert "control, both legs by one set of processes: 4 of 4" in told
