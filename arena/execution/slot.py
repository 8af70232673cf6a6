"""A slot: the process that plays blocks, one game at a time. `python -m arena.execution.slot`.

Reads jobs from stdin and writes events to stdout (wire.py). Its stdin is its lifeline: at the end of it, or
at a `cancel`, all bots are killed and the slot exits, in the middle of a game too.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
from collections import deque
from collections.abc import Iterable
from types import FrameType
from typing import Any

from arena.bots import tree
from arena.execution.base import BlockJob, Event, Lost
from arena.execution.wire import FrameReader, event_to_wire, job_from_wire
from arena.execution.wire import encode as encode_frame
from arena.table.block import play_block
from arena.table.processes import Cancelled
from arena.table.sets import RealSystem

_READ = 65536


class _Inbox:
    """What the parent says: jobs to play, in order, until it says stop or is gone."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.jobs: deque[BlockJob] = deque()
        self.stopped = False
        self._reader = FrameReader()

    def read(self) -> None:
        """Take in what has come, waiting for it if need be. Raises Cancelled if that is to stop."""
        data = os.read(self.fd, _READ)
        if not data:
            self.stopped = True
        for message in self._reader.feed(data):
            if message["type"] == "cancel":
                self.stopped = True
            elif message["type"] == "job":
                self.jobs.append(job_from_wire(message))
        if self.stopped:
            raise Cancelled

    def next(self) -> BlockJob | None:
        """The next job, waited for; None when there is no more to play."""
        try:
            while not self.jobs and not self.stopped:
                self.read()
        except Cancelled:
            return None
        return None if self.stopped else self.jobs.popleft()


class _Cores:
    """Which cores the slot runs on: those of its job, or others when its bots crowd it out."""

    def __init__(self) -> None:
        self._can = hasattr(os, "sched_setaffinity")
        self._all = os.sched_getaffinity(0) if self._can else set()
        self._mine: set[int] = set()

    def take(self, cpus: tuple[int, ...]) -> None:
        """Run on the job's cores; on any where it names none."""
        self._mine = set(cpus)
        self._set(self._mine or self._all)

    def leave(self) -> None:
        """The seats' own work makes the referee late: leave them the core."""
        self._set(self._all - self._mine or self._all)

    def _set(self, cpus: set[int]) -> None:
        if self._can and cpus:
            try:
                os.sched_setaffinity(0, cpus)
            except OSError as error:
                print(f"cannot be pinned to {sorted(cpus)}: {error.strerror}", file=sys.stderr)


class SlotSystem(RealSystem):
    """Real processes, in a process that has no other children: what a set started anywhere ends with it.

    At level `basic` a daemon that has left its seat's tree is adopted by the slot, and found so.
    """

    @staticmethod
    def stop_all(processes: Iterable[Any], grace_ms: int) -> None:
        RealSystem.stop_all(processes, grace_ms)
        tree.sweep_children()


def _write(fd: int, event: Event) -> None:
    data = encode_frame(event_to_wire(event))
    while data:
        data = data[os.write(fd, data) :]


def serve(stdin: int, stdout: int) -> None:
    """Play jobs from `stdin` until it ends or says `cancel`; events go to `stdout`."""
    inbox = _Inbox(stdin)
    cores = _Cores()
    gc.collect()
    gc.freeze()  # what is loaded stays: no collection looks at it again
    while (job := inbox.next()) is not None:
        cores.take(job.cpus)
        played = play_block(
            job, wake=(stdin, inbox.read), crowded=cores.leave, system=SlotSystem()
        )  # fmt: skip
        with contextlib.closing(played) as events:
            for event in events:
                _write(stdout, event)
        gc.collect()
    for waiting in inbox.jobs:
        _write(stdout, Lost(waiting, "cancelled"))


def _ignore(number: int, frame: FrameType | None) -> None:
    """Ctrl-C goes to the whole terminal group: the parent decides what it means."""


def _end(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def main() -> None:
    """Serve on fds 0 and 1; what anything prints goes to stderr."""
    # A handler, not SIG_IGN: an ignored signal would stay ignored in the bots.
    signal.signal(signal.SIGINT, _ignore)
    signal.signal(signal.SIGTERM, _end)
    stdout = os.dup(1)
    os.dup2(2, 1)
    # Without a parent there is nobody to tell; every bot has been killed on the way out.
    with contextlib.suppress(BrokenPipeError):
        serve(0, stdout)


if __name__ == "__main__":
    main()
