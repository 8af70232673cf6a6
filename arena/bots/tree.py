"""Processes of one seat as the system sees them: who they are, their memory, their CPU time.

Linux reads /proc; elsewhere `ps` is asked, and what it cannot tell is `None`. Every reading may race with a
process that starts or ends: what has ended counts as nothing.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable

LINUX = sys.platform == "linux"
_PAGE_KIB = 1024


def children(pid: int) -> list[int]:
    """Direct children of a process, over all of its threads."""
    if not LINUX:
        return _ps_children(pid)
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{task}/children", "rb") as file:
                found.extend(map(int, file.read().split()))
    return found


def descendants(pid: int) -> list[int]:
    """The process and everything below it, parents first."""
    found, queue, seen = [], [pid], {pid}
    while queue:
        current = queue.pop()
        found.append(current)
        for child in children(current):
            if child not in seen:
                seen.add(child)
                queue.append(child)
    return found


def send(pids: Iterable[int], number: signal.Signals) -> None:
    """Send a signal to each process that still exists."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def memory_bytes(pids: Iterable[int], *, exact: bool = False) -> int:
    """Memory that only these processes hold (anonymous, shared and swapped), in bytes.

    The quick reading counts a page once for each process that maps it, so forked workers look larger than
    they are; `exact` divides such pages among them and costs milliseconds.
    """
    if not LINUX:
        return _ps_memory(pids)
    names = (b"Pss_Anon:", b"Pss_Shmem:", b"SwapPss:") if exact else (b"RssAnon:", b"RssShmem:", b"VmSwap:")
    source = "smaps_rollup" if exact else "status"
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError), open(f"/proc/{pid}/{source}", "rb") as file:
            for line in file:
                if line.startswith(names):
                    total += int(line.split()[1]) * _PAGE_KIB
    return total


def process_cpu(pid: int) -> float:
    """CPU seconds of all threads of one process (its CPU clock, as `clock_getcpuclockid` makes it)."""
    try:
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:
        return 0.0


def reaped_cpu(pid: int) -> float:
    """CPU seconds of the children that a process has waited for, in clock ticks."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            numbers = file.read().rpartition(b")")[2].split()
    except OSError:
        return 0.0
    return (int(numbers[13]) + int(numbers[14])) / os.sysconf("SC_CLK_TCK")


def with_environment(token: bytes) -> list[int]:
    """Processes whose starting environment holds `token`: those of a seat that have left its tree."""
    found = []
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc"):
            if name.isdigit():
                with contextlib.suppress(OSError), open(f"/proc/{name}/environ", "rb") as file:
                    if token in file.read():
                        found.append(int(name))
    return found


def _ps_table(column: str) -> list[tuple[int, int]]:
    listing = subprocess.run(
        ["/bin/ps", "-A", "-o", f"pid=,{column}="], capture_output=True, text=True, timeout=10, check=False
    )
    rows = (line.split() for line in listing.stdout.splitlines())
    return [(int(row[0]), int(row[1])) for row in rows if len(row) == 2]


def _ps_children(pid: int) -> list[int]:
    return [child for child, parent in _ps_table("ppid") if parent == pid]


def _ps_memory(pids: Iterable[int]) -> int:
    wanted = set(pids)
    return sum(kib for pid, kib in _ps_table("rss") if pid in wanted) * _PAGE_KIB
