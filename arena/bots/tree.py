"""Processes of one seat as the system sees them: who they are, their memory, their CPU time.

Linux reads /proc; elsewhere `ps` is asked, and what it cannot tell is `None`. Every reading may race with a
process that starts or ends: what has ended counts as nothing.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator

LINUX = sys.platform == "linux"
_KIB = 1024
_PR_SET_CHILD_SUBREAPER, _PR_GET_CHILD_SUBREAPER = 36, 37
_HALT_SECONDS = 1.0


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
    """Memory that only these processes hold (anonymous, shared, swapped, and page tables), in bytes.

    The quick reading counts a page once for each process that maps it, so forked workers look larger than
    they are; `exact` divides such pages among them and costs milliseconds, or as many seconds as a bot wants.
    """
    if not LINUX:
        return _ps_memory(pids)
    wanted: dict[str, tuple[bytes, ...]] = {"status": (b"RssAnon:", b"RssShmem:", b"VmSwap:", b"VmPTE:")}
    if exact:  # a page table belongs to one process alone, and only `status` counts it
        wanted = {"smaps_rollup": (b"Pss_Anon:", b"Pss_Shmem:", b"SwapPss:"), "status": (b"VmPTE:",)}
    total = 0
    for pid in pids:
        for source, names in wanted.items():
            with contextlib.suppress(OSError), open(f"/proc/{pid}/{source}", "rb") as file:
                for line in file:
                    if line.startswith(names):
                        total += int(line.split()[1]) * _KIB
    return total


def process_cpu(pid: int) -> float:
    """CPU seconds of all threads of one process (its CPU clock, as `clock_getcpuclockid` makes it)."""
    try:
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:
        return 0.0


def reaped_cpu(pid: int) -> float:
    """CPU seconds of the children that a process has waited for, in clock ticks."""
    numbers = _stat(pid)
    if not numbers:
        return 0.0
    return (int(numbers[13]) + int(numbers[14])) / os.sysconf("SC_CLK_TCK")


def with_environment(token: str) -> list[int]:
    """Processes whose starting environment holds `token`: those of a seat that have left its tree."""
    found = []
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc"):
            if name.isdigit():
                with contextlib.suppress(OSError), open(f"/proc/{name}/environ", "rb") as file:
                    if token.encode() in file.read():
                        found.append(int(name))
    return found


def adopt_orphans(adopt: bool = True) -> None:
    """From now on descendants of this process that lose their parent become its children, or no longer do so
    (Linux)."""
    if LINUX:
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, int(adopt), 0, 0, 0)


@contextlib.contextmanager
def as_before() -> Iterator[None]:
    """Whatever happens inside, afterwards this process adopts orphans only if it did so before (Linux): in a
    caller's own process they would stay, dead, since it does not know of them."""
    if not LINUX:
        yield
        return
    libc, adopts = ctypes.CDLL(None), ctypes.c_int(0)
    libc.prctl(_PR_GET_CHILD_SUBREAPER, ctypes.byref(adopts), 0, 0, 0)
    try:
        yield
    finally:
        adopt_orphans(bool(adopts.value))


def halt(pid: int) -> None:
    """Stop one process and wait, for a bounded time, until it has stopped."""
    send([pid], signal.SIGSTOP)
    deadline = time.monotonic() + _HALT_SECONDS
    while _stat(pid)[:1] not in ([b"T"], [b"Z"], []) and time.monotonic() < deadline:
        time.sleep(0.0002)


def grip(pids: Iterable[int]) -> list[int]:
    """Descriptors (pidfds) of processes that need not be our children (Linux)."""
    handles = []
    for pid in pids:
        with contextlib.suppress(OSError):
            handles.append(os.pidfd_open(pid))
    return handles


def kill_and_wait(handles: Iterable[int]) -> None:
    """SIGKILL to gripped processes; wait, for a bounded time, for their end, and close the descriptors."""
    handles = list(handles)
    deadline = time.monotonic() + _HALT_SECONDS
    for handle in handles:
        with contextlib.suppress(OSError):
            signal.pidfd_send_signal(handle, signal.SIGKILL)
    for handle in handles:
        waiting = select.poll()
        waiting.register(handle, select.POLLIN)
        waiting.poll(max(0.0, deadline - time.monotonic()) * 1000)
        os.close(handle)


def kill_scattered(leader: int, token: str, mark: tuple[int, int]) -> None:
    """Kill a seat that nothing holds together: its tree, its group, its session, and what carries its token.

    One that has left all of these (a new session, twice forked, with another environment) has been adopted
    by this process if that adopts orphans. It is told from this process's other children by the limit on
    message queues that it inherited and cannot raise: the first number of `mark`, or lowered below the
    second.
    """
    pids: list[int] = []
    for _ in range(2):
        pids = descendants(leader)
        send(pids, signal.SIGSTOP)
    send(pids, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)
    if not LINUX:
        return
    adopted: set[int] = set()
    for _ in range(50):
        mine = {
            pid
            for pid in children(os.getpid())
            if pid != leader and (_session(pid) == leader or _is_marked(pid, mark))
        }
        strays = with_environment(token)
        send([*strays, *mine], signal.SIGKILL)
        collect(mine)  # its children then come to this process, in the next round
        adopted |= {*strays} - {leader}
        if not strays and not mine:
            break
    collect(adopted)


def sweep_children() -> None:
    """Kill and collect every child of this process, adopted ones included.

    Only for a process whose children are all seats (a slot), when its last seat has been stopped.
    """
    for _ in range(50):
        left = children(os.getpid())
        if not left:
            return
        send(left, signal.SIGKILL)
        collect(set(left))


def collect(pids: set[int]) -> None:
    """Wait, for a bounded time, for those of the killed processes that are children of this one."""
    deadline = time.monotonic() + _HALT_SECONDS
    while pids and time.monotonic() < deadline:
        for pid in tuple(pids):
            try:
                done, _ = os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:
                done = pid
            if done:
                pids.discard(pid)
        if pids:
            time.sleep(0.0005)


def _stat(pid: int) -> list[bytes]:
    """Fields of /proc/PID/stat from the state on; none for a process that is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()
    except OSError:
        return []


def _session(pid: int) -> int:
    fields = _stat(pid)
    return int(fields[3]) if fields else 0


def _is_marked(pid: int, mark: tuple[int, int]) -> bool:
    """Whether a process has the limit on message queues of that seat, or a lower one than any seat has."""
    limit, floor = mark
    with contextlib.suppress(OSError, ValueError), open(f"/proc/{pid}/limits", "rb") as file:
        for line in file:
            if line.startswith(b"Max msgqueue size"):
                hard = int(line.split()[4])
                return hard == limit or hard < floor
    return False


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
    return sum(kib for pid, kib in _ps_table("rss") if pid in wanted) * _KIB
