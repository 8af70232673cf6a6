"""SIGKILL to the slot, to the command, to both, in the middle of games with bots that do not want to end."""

from __future__ import annotations

import contextlib
import os
import random
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.audit.selftest import bad_bots
from arena.bots import tree
from arena.bots.levels import Level

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

PATIENCE_S = 30.0
"""Far beyond what it takes, so that a busy machine fails no test."""

Known = dict[int, bytes]
"""Process ids with their start times: an id may be given to another process."""


def started(pid: int) -> bytes:
    with contextlib.suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return b"" if fields[0] in b"ZX" else fields[19]
    return b""


def family(pid: int) -> Known:
    return {each: since for each in tree.descendants(pid) if (since := started(each))}


def alive(known: Known) -> list[int]:
    return [pid for pid, since in known.items() if started(pid) == since]


def cgroups(known: Known) -> set[Path]:
    """Control groups of seats among them."""
    found = set()
    for pid in known:
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines():
                path = line.partition("::")[2].lstrip("/")
                if "arena-seat-" in path:
                    found |= {Path(mount, path) for mount in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified")}
    return found


def until(true: Callable[[], object]) -> bool:
    deadline = time.monotonic() + PATIENCE_S
    while not true():
        if time.monotonic() > deadline:
            return False
        select.select([], [], [], 0.02)
    return True


def slots(pid: int) -> list[int]:
    found = []
    for child in tree.children(pid):
        with contextlib.suppress(OSError):
            if b"arena.execution.slot" in Path(f"/proc/{child}/cmdline").read_bytes():
                found.append(child)
    return found


@pytest.mark.parametrize(
    ("bot", "level", "victim"),
    [
        ("daemon", Level.STRONG, "slot"),
        ("daemon", Level.STRONG, "command"),
        ("daemon", Level.STRONG, "both"),
        ("forks", Level.STRONG, "both"),
        ("ignores_bye", Level.STRONG, "slot"),
        ("daemon", Level.NAMESPACES, "both"),
        ("ignores_bye", Level.BASIC, "slot"),
        ("ignores_bye", Level.BASIC, "both"),
    ],
)
def test_nothing_is_left(
    bot: str, level: Level, victim: str, offered: Callable[[Level], Level], tmp_path: Path
) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir(mode=0o755)
    for folder in (tmp_path, *tmp_path.parents[:-1]):
        with contextlib.suppress(PermissionError):
            folder.chmod(folder.stat().st_mode | 0o011)  # as root, bots are somebody else, who must get there
    command = subprocess.Popen(
        [
            sys.executable, "-m", "arena", "match", str(bad_bots() / bot), "random", "--pairs", "500",
            "--slots", "1", "--isolation", str(offered(level)), "--out", str(tmp_path / "out"),
        ],
        env={**os.environ, "TMPDIR": str(temporary)}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    known: Known = {}
    groups: set[Path] = set()

    def playing() -> bool:
        """Seats are there and have begun to do what they do."""
        known.update(family(command.pid))
        groups.update(cgroups(known))
        return any((tmp_path / "out").rglob("*.jsonl")) and len(alive(known)) > 8

    try:
        assert until(playing), command.poll()
        select.select([], [], [], random.Random(os.urandom(8)).random() * 0.3)
        known |= family(command.pid)
        groups |= cgroups(known)
        if victim != "command":
            tree.send(slots(command.pid), signal.SIGKILL)
        if victim != "slot":
            command.kill()
        else:
            # It goes on with a new slot; ended by us, it must leave nothing either.
            select.select([], [], [], 0.3)
            known |= family(command.pid)
            command.terminate()
        assert until(lambda: command.poll() is not None)
        assert until(lambda: not alive(known)), [
            Path(f"/proc/{pid}/cmdline").read_bytes()[:80] for pid in alive(known)
        ]
        assert until(lambda: not any(group.exists() for group in groups))
        assert until(lambda: not list(temporary.glob("arena-seat-*")))
    finally:
        tree.send(alive(known), signal.SIGKILL)
        command.kill()
        command.wait()
