"""A slot's process: how it is started, and how its end is put in words."""

from __future__ import annotations

import os
import signal
import sys
import sysconfig
from pathlib import Path
from typing import IO

import arena

COMMAND = (sys.executable, "-P", "-m", "arena.execution.slot")
CPUS = "ARENA_WORKER_CPUS"
"""Environment of a Dask worker: the cores of its slot, as `2` or `2,3`."""


def environment() -> dict[str, str]:
    """The slot's environment: it must import this very arena, wherever it was started from."""
    environment = dict(os.environ)
    root = str(Path(arena.__file__).resolve().parent.parent)
    paths = sysconfig.get_paths()
    if root not in (paths["purelib"], paths["platlib"]):
        before = environment.get("PYTHONPATH")
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, (root, before)))
    return environment


def ending(code: int | None, said: str) -> str:
    """How a process ended; `said` is the last line of its stderr."""
    if code is None:
        return "it cannot be killed"
    if code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        return f"killed by {name}"
    return f"exit code {code}{': ' if said else ''}{said}"


def last_line(said: IO[bytes]) -> str:
    """The last line of a file that a process writes to."""
    size = said.seek(0, os.SEEK_END)
    said.seek(max(0, size - 2000))
    lines = said.read().decode("utf-8", "replace").strip().splitlines()
    return lines[-1].strip() if lines else ""
