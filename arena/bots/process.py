"""One seat's process: started at an isolation level, watched, frozen, ended with all that it started.

Nothing here waits without a bound, and nothing here decides who is to blame: the referee does.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from arena.bots import cgroup, tree
from arena.bots.guard import Guard
from arena.bots.levels import Level
from arena.bots.limits import Limits
from arena.bots.program import StartError, find_program
from arena.bots.sandbox import Box, new_token, prepare, private_place
from arena.bots.stderr import StderrBuffer
from arena.errors import ArenaError, Exit

__all__ = ["SeatProcess", "StartError", "spawn", "stop_all"]

_CHUNK = 65536
_EXACT_SHARE = 50
"""An exact reading of memory that took t seconds is repeated so many t later at the earliest: a bot can make
it slow, and the referee waits for it."""
_REAP_SECONDS = 5.0
"""How long a killed process may take to be gone: only one stuck in the kernel takes longer than a moment."""


class SeatProcess:
    """A running bot. Made by `spawn`; ended by `stop_all` (politely) or `kill` (at once)."""

    def __init__(
        self,
        name: str,
        level: Level,
        popen: subprocess.Popen[bytes],
        box: Box,
        guard: Guard,
        fds: tuple[int, int, int],
        limits: Limits,
    ) -> None:
        self.name = name
        self.level = level
        self.pid = popen.pid
        self.uid = box.uid
        self.stdin_fd, self.stdout_fd, self.stderr_fd = fds
        """Our ends, O_NONBLOCK; -1 once closed."""
        self.stderr = StderrBuffer(limits.stderr_bytes)
        self.frozen = False
        self._popen = popen
        self._box = box
        self._guard = guard
        self._gone = False
        self._stderr_ended = False
        self._inner: list[int] = []
        self._last_cpu: float | None = None
        self._memory_limit = limits.memory_mb << 20
        self._exact_memory = 0
        self._exact_due = float("-inf")

    @property
    def token(self) -> str:
        """A word in the environment of all that this seat started: finds what has left its tree."""
        return self._box.token

    @property
    def returncode(self) -> int | None:
        """None while it runs; then its exit status, or minus the signal that ended it. Never blocks."""
        return self._popen.poll()

    def drain_stderr(self) -> bool:
        """Read what stderr holds, at most a few chunks. Never blocks; False once it has ended."""
        for _ in range(4):
            if self.stderr_fd < 0 or self._stderr_ended:
                return False
            try:
                data = os.read(self.stderr_fd, _CHUNK)
            except BlockingIOError:
                return True
            if not data:
                self._stderr_ended = True
                return False
            self.stderr.feed(data)
        return True

    def processes(self) -> list[int]:
        """Process ids of the whole seat as the host sees them, the sandbox's own included."""
        if self._gone:
            return []
        if self._box.group is not None:
            return self._box.group.pids()
        return tree.descendants(self.pid)

    def cpu_seconds(self) -> float | None:
        """CPU seconds that the whole seat has used since its start; the last reading once it is gone.

        Where the seat has a control group this takes a few microseconds and misses nothing; elsewhere it
        adds up the clocks of its processes, and what they have waited for in ticks of 10 ms.
        """
        if not tree.LINUX:
            return None
        if not self._gone:
            group = self._box.group
            if group is not None:
                used = group.cpu_seconds()
            else:
                pids = self.processes()
                used = sum(map(tree.process_cpu, pids)) + sum(map(tree.reaped_cpu, pids))
            self._last_cpu = max(used, self._last_cpu or 0.0)
        return self._last_cpu

    def memory_bytes(self) -> int | None:
        """Memory that the whole seat holds, in bytes; None once it is gone.

        Before anyone is blamed for shared pages they are divided among those who share them: exact, but at
        times only as exact as lately (see `_EXACT_SHARE`).
        """
        if self._gone:
            return None
        pids = self.processes()
        used = tree.memory_bytes(pids)
        if used <= self._memory_limit or not tree.LINUX:
            return used
        began = time.monotonic()
        if began >= self._exact_due:
            self._exact_memory = tree.memory_bytes(pids, exact=True)
            ended = time.monotonic()
            self._exact_due = ended + _EXACT_SHARE * (ended - began)
        return self._exact_memory

    def oom_killed(self) -> bool:
        """Whether the kernel killed something of the seat for its memory limit (where it has a group)."""
        return not self._gone and self._box.group is not None and self._box.group.oom_kills() > 0

    def freeze(self) -> None:
        """Stop the whole seat until `thaw`: it uses no CPU time."""
        if self._gone:
            return
        self.frozen = True
        if self._box.group is not None:
            self._box.group.freeze(True)
            return
        for _ in range(2):  # a process may have forked while the first pass ran
            tree.send(self.processes(), signal.SIGSTOP)

    def thaw(self) -> None:
        """Let a frozen seat go on."""
        if self._gone or not self.frozen:
            return
        self.frozen = False
        if self._box.group is not None:
            self._box.group.freeze(False)
        else:
            tree.send(self.processes(), signal.SIGCONT)

    def flowing(self) -> tuple[int, int]:
        """Our ends of its stdout and stderr; -1 for one that has ended."""
        return self.stdout_fd, -1 if self._stderr_ended else self.stderr_fd

    def hold(self) -> None:
        """Make sure that `kill` will see the end of a namespace whose outer process ends first."""
        if self._box.group is None and self.level is not Level.BASIC and not self._inner and not self._gone:
            self._inner = tree.grip(tree.children(self.pid))

    def close_stdin(self) -> None:
        """Close our end of its stdin: a bot that reads sees the end of it."""
        self.stdin_fd = _closed(self.stdin_fd)

    def terminate(self) -> None:
        """SIGTERM to the whole seat."""
        tree.send(self.processes(), signal.SIGTERM)

    def kill(self) -> None:
        """End the whole seat at once and remove what it left; may be called again. Our pipe ends stay."""
        if self._gone:
            return
        self.cpu_seconds()
        inner = set(self.processes()) - {self.pid}
        self._kill_tree()
        _reap(self._popen)
        # Killed together with their parent, they are ours to collect where orphans come to this process.
        tree.collect(inner)
        self._box.release()
        self._guard.disarm()
        self._gone = True

    def close(self) -> None:
        """Close our pipe ends."""
        self.stdin_fd, self.stdout_fd, self.stderr_fd = map(
            _closed, (self.stdin_fd, self.stdout_fd, self.stderr_fd)
        )

    def _kill_tree(self) -> None:
        group = self._box.group
        if group is not None:
            # The first process may not have joined the group yet: then there is nothing but it.
            tree.send([self.pid], signal.SIGKILL)
            group.kill()
        elif self.level is Level.BASIC:
            tree.kill_scattered(self.pid, self._box.token, self._box.mark)
        else:
            # Once stopped, the outer process cannot make another inner one; the inner one is the first of
            # its namespace, and the kernel kills everything in there with it.
            tree.halt(self.pid)
            tree.kill_and_wait([*self._inner, *tree.grip(tree.children(self.pid))])
            self._inner = []
            tree.send([self.pid], signal.SIGKILL)
            if (self.returncode or 0) < 0:  # it was killed by someone else, perhaps in the middle of a start
                tree.send(tree.with_environment(self._box.token), signal.SIGKILL)


def spawn(
    directory: str | Path,
    command: Sequence[str],
    limits: Limits,
    level: Level | str,
    *,
    cpus: Sequence[int] = (),
    name: str = "",
    tools: Sequence[Path] = (),
    locks: bool = False,
) -> SeatProcess:
    """Start a bot for one seat. Raises StartError when it cannot be started as it stands.

    For a build there are `tools`, the programs that it calls beside the one in `command`, and `locks`, which
    lets it lock files: two seats could talk by them.
    Must be called in a thread that outlives the seat. Takes a few milliseconds; the bot may still be starting
    when this returns, and one whose program fails later ends like any other that exits.
    """
    level = Level(level)
    directory = Path(directory).absolute()
    program = find_program(directory, command)
    if tools:
        program = replace(program, tools=(*program.tools, *tools))
    token = new_token()
    box = guard = None
    try:
        guard = Guard(token, private=private_place(token), groups=cgroup.places(token) if tree.LINUX else ())
        box = prepare(token, level, directory, program, limits, locks=locks)
        popen, fds = _popen(box, cpus)
    except BaseException as error:
        if box is not None:
            box.release()
        if guard is not None:
            guard.disarm()
        if isinstance(error, OSError):
            raise _refused(directory, error) from None
        raise
    guard.watch(popen.pid)
    if level is Level.BASIC and box.group is None:
        tree.adopt_orphans()
    return SeatProcess(name or directory.name, level, popen, box, guard, fds, limits)


def _refused(directory: Path, error: OSError) -> ArenaError:
    return ArenaError(
        f"bot `{directory}` could not be started: the system says: {error.strerror or error}",
        exit_code=Exit.ENVIRONMENT,
    )


def _popen(box: Box, cpus: Sequence[int]) -> tuple[subprocess.Popen[bytes], tuple[int, int, int]]:
    """Start it with pipes of our own. A plain Popen: fork in this thread, no Python code in the child."""
    with contextlib.ExitStack() as theirs, contextlib.ExitStack() as ours:
        child_in, stdin = os.pipe()
        theirs.callback(os.close, child_in)
        ours.callback(os.close, stdin)
        stdout, child_out = os.pipe()
        ours.callback(os.close, stdout)
        theirs.callback(os.close, child_out)
        stderr, child_err = os.pipe()
        ours.callback(os.close, stderr)
        theirs.callback(os.close, child_err)
        for fd in (stdin, stdout, stderr):
            os.set_blocking(fd, False)
        with _pinned(cpus):
            popen = subprocess.Popen(
                box.argv,
                stdin=child_in,
                stdout=child_out,
                stderr=child_err,
                env=box.env,
                cwd="/",
                pass_fds=tuple(box.pass_fds),
                start_new_session=True,
            )
        ours.pop_all()
    box.started()
    return popen, (stdin, stdout, stderr)


@contextlib.contextmanager
def _pinned(cpus: Sequence[int]) -> Iterator[None]:
    """This thread on `cpus` for a moment: a child inherits them from its first instruction on."""
    if not cpus or not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def stop_all(processes: Iterable[SeatProcess], grace_ms: int) -> None:
    """End seats after `bye`: close stdin, wait up to the grace, SIGTERM, wait again, SIGKILL.

    Then nothing of any of them is left: no process, temporary file or open pipe. May be called again.
    """
    seats = list(processes)
    for seat in seats:
        seat.hold()
        seat.thaw()
        seat.close_stdin()
    grace = grace_ms / 1000
    left = _wait(seats, grace)
    for seat in left:
        seat.terminate()
    _wait(left, grace)
    for seat in seats:
        seat.kill()
        seat.drain_stderr()
        seat.close()


def _wait(seats: Sequence[SeatProcess], seconds: float) -> list[SeatProcess]:
    """Wait until all have ended, at most so long; keep their pipes flowing. Returns those still running."""
    deadline = time.monotonic() + seconds
    while True:
        left = [seat for seat in seats if seat.returncode is None]
        remaining = deadline - time.monotonic()
        if not left or remaining <= 0:
            return left
        with contextlib.ExitStack() as stack:
            poll = select.poll()
            for seat in left:
                for fd in seat.flowing():
                    if fd >= 0:
                        poll.register(fd, select.POLLIN)
                pidfd = _pidfd(seat.pid)
                if pidfd >= 0:
                    stack.callback(os.close, pidfd)
                    poll.register(pidfd, select.POLLIN)
                else:
                    remaining = min(remaining, 0.01)
            ready = {fd for fd, _ in poll.poll(max(1, remaining * 1000))}
        for seat in left:
            if seat.stderr_fd in ready:
                seat.drain_stderr()
            if seat.stdout_fd in ready:
                _discard(seat)


def _discard(seat: SeatProcess) -> None:
    try:
        if not os.read(seat.stdout_fd, _CHUNK):
            seat.stdout_fd = _closed(seat.stdout_fd)
    except BlockingIOError:
        return


def _pidfd(pid: int) -> int:
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return -1


def _reap(popen: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(subprocess.TimeoutExpired):
        popen.wait(_REAP_SECONDS)


def _closed(fd: int) -> int:
    if fd >= 0:
        os.close(fd)
    return -1
