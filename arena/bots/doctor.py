"""What this machine offers to an arena, as data: `arena doctor` prints it."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from arena.bots import cgroup
from arena.bots.bubblewrap import find_bwrap
from arena.bots.levels import Level, left_open
from arena.bots.limits import Limits
from arena.bots.probe import Finding, probe
from arena.bots.process import spawn, stop_all
from arena.errors import ArenaError


@dataclass(frozen=True, slots=True)
class Doctor:
    """One look at the machine."""

    level: Level
    findings: tuple[Finding, ...]
    """What is missing, and the remedy."""
    interpreter: str
    python: str
    system: str
    cores: int
    """Processors that this process may use."""
    physical_cores: int
    """Of these, real ones: hyper-threads of one core count once."""
    msgpack_fast: bool
    """Whether msgpack has its C extension."""
    bubblewrap: str | None
    controllers: tuple[str, ...] | None
    """Of a control group made here; None where none can be made."""
    left_open: tuple[str, ...]
    """Ways by which partners could still talk at this level."""
    bot_start_ms: float | None
    """From spawn to the end of a Python bot that only imports `protocol`; None when it failed."""


def doctor(wanted: Level | str | None = None) -> Doctor:
    """Probe the machine; takes a fraction of a second. Raises ArenaError where `wanted` cannot be had."""
    found = probe(wanted)
    findings = list(found.findings)
    start_ms, why = _python_bot(found.level)
    if start_ms is None:
        findings.append(Finding(f"a Python bot does not start: {why}", "reinstall the arena and msgpack"))
    fast = find_spec("msgpack._cmsgpack") is not None
    if not fast:
        findings.append(
            Finding(
                "msgpack has no C extension here: 20 times slower", "pip install --force-reinstall msgpack"
            )
        )
    available = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    cores = len(available) or os.cpu_count() or 1
    given = cgroup.controllers()
    return Doctor(
        level=found.level,
        findings=tuple(findings),
        interpreter=sys.executable,
        python=platform.python_version(),
        system=f"{platform.system()} {platform.release()} {platform.machine()}",
        cores=cores,
        physical_cores=_physical(available) or cores,
        msgpack_fast=fast,
        bubblewrap=find_bwrap(),
        controllers=None if given is None else tuple(sorted(given)),
        left_open=left_open(found.level, as_root=hasattr(os, "geteuid") and os.geteuid() == 0),
        bot_start_ms=start_ms,
    )


def _python_bot(level: Level) -> tuple[float | None, str]:
    began = time.monotonic()
    try:
        seat = spawn(Path(__file__).parent, ["{python}", "-c", "import protocol"], Limits(), level)
    except ArenaError as error:
        return None, error.message
    stop_all([seat], 10_000)
    if seat.returncode != 0:
        return None, (seat.stderr.text().strip().splitlines() or [f"status {seat.returncode}"])[-1]
    return (time.monotonic() - began) * 1000, ""


def _physical(cpus: list[int]) -> int:
    """Real cores among `cpus`; 0 where the system does not tell."""
    if sys.platform == "darwin":
        asked = subprocess.run(
            ["/usr/sbin/sysctl", "-n", "hw.physicalcpu"], capture_output=True, text=True, check=False
        )
        return int(asked.stdout) if asked.stdout.strip().isdigit() else 0
    siblings = set()
    for cpu in cpus:
        try:
            siblings.add(Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list").read_text())
        except OSError:
            return 0
    return len(siblings)
