"""The wrong bots, and an examination as the tests want it: short, at level basic."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from arena.bots.levels import Level
from arena.bots.limits import Limits
from arena.bots.resolve import load
from arena.examine.check import examine
from arena.examine.findings import Check, Report, Status


def _wrong() -> ModuleType:
    name = "tests_examine_wrong"
    if name not in sys.modules:
        spec = spec_from_file_location(name, Path(__file__).parent / "wrong.py")
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


@pytest.fixture(scope="session")
def wrong() -> ModuleType:
    """`wrong.py`: bots with one mistake each."""
    return _wrong()


@pytest.fixture
def examined(tmp_path: Path) -> Callable[..., Report]:
    """Examine a bot's folder; `grace_ms` is long, for busy machines."""

    def run(directory: Path, **more: Any) -> Report:
        limits = {"start_ms": 3000, "move_ms": 1500, "grace_ms": 2000} | more
        games = limits.pop("games", 3)
        level = limits.pop("level", Level.BASIC)
        return examine(
            load(directory), level=level, limits=Limits(**limits), home=tmp_path / "home", games=games
        )

    return run


@pytest.fixture
def python_bot(tmp_path: Path, wrong: ModuleType) -> Callable[..., Path]:
    """A Python bot with some text of the right one replaced."""

    def write(*edits: tuple[str, str], more: str = "") -> Path:
        folder: Path = wrong.write_wrong(tmp_path / "bot", "python", edits)
        with (folder / "bot.toml").open("a") as file:
            file.write(more)
        return folder

    return write


def failed(report: Report) -> list[Check]:
    return [check for check in report.checks if check.status in (Status.FAILED, Status.WARNING)]


@pytest.fixture(name="failed")
def failed_fixture() -> Callable[[Report], list[Check]]:
    """What did not go well."""
    return failed
