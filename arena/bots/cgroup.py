"""One control group (cgroup v2) a seat, where the system lets us have one.

With a group a seat is bounded, counted, frozen and killed as a whole, whatever it forked. Even without the
memory and pids controllers a group has `cgroup.kill`, `cgroup.freeze` and `cpu.stat`. See the kernel's
Documentation/admin-guide/cgroup-v2.rst.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

from arena.bots.limits import Limits

_REFEREE = "euchre-arena-referee"
_SCOPE = re.compile(r"run-[a-z]?[0-9a-f]+\.scope")
"""How systemd-run names a scope."""
_GONE_SECONDS = 2.0
_OURS = 4
"""Processes of the start itself: shell, sandbox, its first process."""


class Group:
    """The group of one seat."""

    __slots__ = ("_cpu_fd", "path")

    def __init__(self, path: str) -> None:
        self.path = path
        self._cpu_fd = os.open(f"{path}/cpu.stat", os.O_RDONLY)

    def pids(self) -> list[int]:
        """Every process in it; those of a box inside too."""
        with contextlib.suppress(OSError), open(f"{self.path}/cgroup.procs", "rb") as file:
            return [int(line) for line in file]
        return []

    def cpu_seconds(self) -> float:
        """CPU seconds of all that ever ran in it."""
        return int(os.pread(self._cpu_fd, 64, 0).split(None, 2)[1]) / 1e6

    def freeze(self, frozen: bool) -> None:
        _write(f"{self.path}/cgroup.freeze", "1" if frozen else "0")

    def kill(self) -> None:
        """SIGKILL to all in it, those that are being forked included."""
        with contextlib.suppress(OSError):
            _write(f"{self.path}/cgroup.kill", "1")

    def oom_kills(self) -> int:
        """How often the kernel killed something in it for its memory limit."""
        with contextlib.suppress(OSError), open(f"{self.path}/memory.events", "rb") as file:
            for line in file:
                if line.startswith(b"oom_kill "):
                    return int(line.split()[1])
        return 0

    def remove(self) -> None:
        """Kill what is left and remove the group; bounded."""
        if self._cpu_fd < 0:
            return
        os.close(self._cpu_fd)
        self._cpu_fd = -1
        deadline = time.monotonic() + _GONE_SECONDS
        while True:
            try:
                os.rmdir(self.path)
                return
            except FileNotFoundError:
                return
            except OSError:
                if time.monotonic() > deadline:
                    return
                self.kill()
                time.sleep(0.0005)


def places(name: str) -> list[str]:
    """Where `make` would try to make a group of this name."""
    return list(dict.fromkeys(f"{parent}/{name}" for parent in _parents()))


def make(name: str, limits: Limits) -> Group | None:
    """A group with this seat's limits, or None where none can be had."""
    for path in places(name):
        try:
            os.mkdir(path)
        except OSError:
            continue
        try:
            if not os.path.exists(f"{path}/cgroup.kill"):  # Linux before 5.14
                raise OSError
            for file, value in (
                ("memory.max", limits.memory_mb << 20),
                ("memory.swap.max", 0),
                ("memory.oom.group", 1),
                ("pids.max", limits.processes + _OURS),
            ):
                with contextlib.suppress(FileNotFoundError):  # a controller that we were not given
                    _write(f"{path}/{file}", str(value))
            return Group(path)
        except OSError:
            with contextlib.suppress(OSError):
                os.rmdir(path)
    return None


def controllers() -> set[str] | None:
    """Controllers of a group made here (`memory`, `pids`), or None where no group can be made."""
    for parent in _parents():
        with contextlib.suppress(OSError):
            return set(Path(parent, "cgroup.subtree_control").read_text().split())
    return None


def delegate() -> bool:
    """Hand the memory and pids controllers of our own, delegated group on to its children.

    For a process that was given a group of its own by `systemd-run --user --scope -p Delegate=yes`; in any
    other nothing is done. All of its processes move into a child first, since a group that holds processes
    cannot hand controllers on. True when seats will have memory limits.
    """
    own = _own()
    if own is None or not _SCOPE.fullmatch(os.path.basename(own)) or not os.access(own, os.W_OK):
        return False
    try:
        child = f"{own}/{_REFEREE}"
        os.makedirs(child, exist_ok=True)
        for pid in Path(own, "cgroup.procs").read_text().split():
            with contextlib.suppress(ProcessLookupError):
                _write(f"{child}/cgroup.procs", pid)
        _write(f"{own}/cgroup.subtree_control", "+memory +pids")
    except OSError:
        return False
    return True


def _parents() -> Iterator[str]:
    """Groups in which a seat's group may be made, the best first."""
    own, mount = _own(), _mount()
    if own is not None and os.path.basename(own) == _REFEREE and os.access(os.path.dirname(own), os.W_OK):
        yield os.path.dirname(own)
    if mount is not None and os.geteuid() == 0 and os.access(mount, os.W_OK):
        yield mount
    if own is not None and os.access(own, os.W_OK) and os.access(f"{own}/cgroup.procs", os.W_OK):
        yield own


def _mount() -> str | None:
    """Where cgroup v2 is mounted: alone, or beside v1."""
    for place in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified"):
        if os.path.exists(f"{place}/cgroup.procs") and os.path.exists(f"{place}/cgroup.controllers"):
            return place
    return None


def _own() -> str | None:
    """The v2 group of this process."""
    mount = _mount()
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            if mount is not None and line.startswith("0::/"):
                return (mount + line[3:]).rstrip("/")
    return None


def _write(path: str, text: str) -> None:
    fd = os.open(path, os.O_WRONLY)  # not open(): it would ask for a file to be made, which is refused
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)
