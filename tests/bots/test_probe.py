"""The probe of the isolation levels, and what the doctor tells."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arena.bots import bubblewrap, cgroup, probe, reach
from arena.bots.doctor import doctor
from arena.bots.levels import Level, left_open
from arena.bots.limits import Limits
from arena.errors import ArenaError, Exit


def test_the_probe_finds_what_is_offered() -> None:
    found = probe.probe()
    assert found.level in Level
    for finding in found.findings:
        assert finding.what
        assert finding.remedy
        assert "\n" not in finding.what + finding.remedy


def test_a_demanded_level_is_that_level(level: Level) -> None:
    assert probe.probe(str(level)).level is level


def test_basic_says_what_it_is_not() -> None:
    assert any("basic" in finding.what for finding in probe.probe(Level.BASIC).findings)


def test_an_unknown_level() -> None:
    with pytest.raises(ArenaError, match="unknown isolation level `weak`") as caught:
        probe.probe("weak")
    assert caught.value.exit_code is Exit.USAGE


def test_without_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "find_bwrap", lambda: None)
    with pytest.raises(ArenaError, match="`strong` cannot be had") as caught:
        probe.probe("strong")
    assert caught.value.exit_code is Exit.ENVIRONMENT
    if sys.platform == "linux":
        assert "apt install bubblewrap" in caught.value.hint
        assert "bubblewrap is not installed" in probe.probe().findings[0].what


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has this level")
@pytest.mark.parametrize(
    ("script", "what"),
    [
        ("echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1", "namespaces"),
        ("echo 'bwrap: Unknown option --disable-userns' >&2; exit 1", "Unknown option"),
        ("exit 3", "status 3"),
    ],
)
def test_a_bubblewrap_that_does_not_work(
    script: str, what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "bwrap"
    fake.write_text(f"#!/bin/sh\n{script}\n")
    fake.chmod(0o755)
    monkeypatch.setattr(
        bubblewrap.shutil, "which", lambda *a, **k: str(fake) if a[0] == "bwrap" else _which(*a, **k)
    )
    assert shutil.which("bwrap") == str(fake)
    with pytest.raises(ArenaError, match="`strong` cannot be had") as caught:
        probe.probe("strong")
    assert what in caught.value.message
    assert caught.value.hint


def _which(*words: Any, path: str | None = None) -> str | None:
    for folder in (path or os.environ["PATH"]).split(":"):
        if os.access(f"{folder}/{words[0]}", os.X_OK):
            return f"{folder}/{words[0]}"
    return None


def test_the_doctor() -> None:
    found = doctor()
    assert found.interpreter == sys.executable
    assert 1 <= found.physical_cores <= found.cores
    assert found.bot_start_ms is not None
    assert found.msgpack_fast
    assert found.level is probe.probe().level


def test_groups_with_controllers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the memory and pids controllers are handed on, their files are written. (The files are plain
    ones here: not every machine hands the controllers on.)"""
    group = tmp_path / "seat"
    monkeypatch.setattr(cgroup, "_parents", lambda: iter([str(tmp_path)]))
    names = ("cgroup.kill", "cpu.stat", "memory.max", "memory.swap.max", "memory.oom.group", "pids.max")

    def mkdir(path: str) -> None:
        group.mkdir()
        for name in names:
            (group / name).write_text("usage_usec 1500000\n" if name == "cpu.stat" else "")

    monkeypatch.setattr(cgroup, "os", SimpleNamespace(**{**vars(os), "mkdir": mkdir}))
    made = cgroup.make("seat", Limits(memory_mb=100, processes=20))
    assert made is not None
    try:
        assert made.cpu_seconds() == 1.5
        assert (group / "memory.max").read_text() == str(100 << 20)
        assert (group / "memory.swap.max").read_text() == "0"
        assert int((group / "pids.max").read_text()) >= 20
        (group / "memory.events").write_text("low 0\noom 2\noom_kill 1\n")
        assert made.oom_kills() == 1
        for name in (*names, "memory.events"):
            (group / name).unlink()
    finally:
        made.remove()
    assert not group.exists()


def test_a_scope_made_for_us_hands_its_controllers_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scope = tmp_path / "run-r0123456789abcdef.scope"
    scope.mkdir()
    (scope / "cgroup.procs").write_text("11\n12\n")
    (scope / "cgroup.subtree_control").write_text("")
    moved: list[str] = []
    monkeypatch.setattr(cgroup, "_own", lambda: str(scope))
    monkeypatch.setattr(cgroup, "_write", lambda path, text: moved.append(f"{Path(path).parent.name} {text}"))
    assert cgroup.delegate()
    assert moved == [
        "euchre-arena-referee 11",
        "euchre-arena-referee 12",
        f"{scope.name} +memory +pids",
    ]
    monkeypatch.setattr(cgroup, "_own", lambda: str(scope / "euchre-arena-referee"))
    assert cgroup.places("seat")[0] == str(scope / "seat")
    moved.clear()
    for other in (tmp_path / "session-3.scope", tmp_path, None):
        monkeypatch.setattr(cgroup, "_own", lambda other=other: other and str(other))
        assert not cgroup.delegate()
    assert moved == []


def test_what_is_left_open_is_less_the_higher_the_level() -> None:
    numbers = [len(left_open(level, as_root=True)) for level in Level]
    assert numbers == sorted(set(numbers))
    assert len(left_open(Level.STRONG, as_root=False)) > numbers[0]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux only")
def test_user_ids_of_seats_differ() -> None:
    assert len({reach.own_uid() for _ in range(20)}) in (1, 20)


def test_what_others_may_enter(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    tmp_path.chmod(0o700)
    found = reach.closed_to_others(tmp_path / "a" / "b")
    assert found is not None
    assert tmp_path.is_relative_to(found)
