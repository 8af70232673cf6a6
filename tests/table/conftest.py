"""Fakes for the table: processes that are pipes with a brain, and a poller that runs on a fake clock."""

from __future__ import annotations

import contextlib
import heapq
import itertools
import os
import select
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from arena.bots.limits import Limits
from arena.bots.program import StartError
from arena.bots.stderr import StderrBuffer
from arena.table.clock import FakeClock
from arena.table.processes import ProcessSet
from protocol import FrameDecoder, decode_payload, encode_frame

Map = dict[str, Any]
Actions = Sequence[tuple[float, Any]]
"""What a brain does with a message: after so many seconds, bytes to stdout, None for its end, or a call."""
Brain = Callable[[Map], Actions]


def answer(request: Map, word: str | None = None) -> bytes:
    """A well-formed answer frame; the first legal word if none is given."""
    return encode_frame({"type": "action", "id": request["id"], "action": word or request["legal"][0]})


def honest(message: Map) -> Actions:
    """A brain that plays `legal[0]` at once."""
    if message["type"] == "hello":
        return [(0.0, encode_frame({"type": "ready", "name": "fake"}))]
    return [(0.0, answer(message))] if message["type"] == "act" else []


class FakeProcess:
    """What a set sees of a process. `burn`: CPU seconds used per second while not frozen, now."""

    def __init__(
        self, clock: FakeClock, brain: Brain = honest, *, burn: float | Callable[[], float] = 0.0
    ) -> None:
        self._clock = clock
        self.brain = brain
        self.burn = burn
        self._their_in, self.stdin_fd = os.pipe()
        self.stdout_fd, self._their_out = os.pipe()
        self.stderr_fd, self._their_err = os.pipe()
        for fd in (self.stdin_fd, self.stdout_fd, self.stderr_fd, self._their_in, self._their_err):
            os.set_blocking(fd, False)
        self.stderr = StderrBuffer(65536)
        self.returncode: int | None = None
        self.memory: int | None = 0
        self.reads = True
        self.frozen = self.killed = self.closed = False
        self.freezes = 0
        self.out_of_memory = False
        self.heard: list[Map] = []
        self._decoder = FrameDecoder()
        self._cpu = 0.0
        self._since = clock.now()

    def cpu_seconds(self) -> float | None:
        now = self._clock.now()
        if not (self.frozen or self.killed):
            rate = self.burn() if callable(self.burn) else self.burn
            self._cpu += rate * (now - self._since)
        self._since = now
        return self._cpu

    def processes(self) -> list[int]:
        return []

    def oom_killed(self) -> bool:
        return self.out_of_memory

    def use(self, seconds: float) -> None:
        """Use CPU in one go."""
        self._cpu += seconds

    def memory_bytes(self) -> int | None:
        return self.memory

    def freeze(self) -> None:
        self.cpu_seconds()
        self.frozen = True
        self.freezes += 1

    def thaw(self) -> None:
        self.cpu_seconds()
        self.frozen = False

    def drain_stderr(self) -> bool:
        with contextlib.suppress(BlockingIOError):
            data = os.read(self.stderr_fd, 65536)
            self.stderr.feed(data)
            return bool(data)
        return True

    def say(self, text: bytes) -> None:
        """Write to stderr."""
        os.write(self._their_err, text)

    def emit(self, what: Any) -> None:
        """Do one action of a brain."""
        if callable(what):
            what()
        elif what is None:
            self.end(0)
        elif self._their_out >= 0:
            os.write(self._their_out, what)

    def end(self, code: int) -> None:
        """End: all its pipe ends are closed."""
        self.returncode = code
        for name in ("_their_in", "_their_out", "_their_err"):
            fd = getattr(self, name)
            if fd >= 0:
                os.close(fd)
                setattr(self, name, -1)

    def close_stdout(self) -> None:
        os.close(self._their_out)
        self._their_out = -1

    def kill(self) -> None:
        self.cpu_seconds()
        if not self.killed:
            self.killed = True
            if self.returncode is None:
                self.end(-9)

    def close(self) -> None:
        self.kill()
        if not self.closed:
            self.closed = True
            for fd in (self.stdin_fd, self.stdout_fd, self.stderr_fd):
                os.close(fd)

    def listen(self) -> list[tuple[float, Any]]:
        """Read what was written to it; what its brain will do, with the delays."""
        if self.returncode is not None or not self.reads or self.frozen:
            return []
        with contextlib.suppress(BlockingIOError):
            self._decoder.feed(os.read(self._their_in, 1 << 20))
        actions: list[tuple[float, Any]] = []
        while (payload := self._decoder.next_frame()) is not None:
            message = decode_payload(payload)
            self.heard.append(message)
            actions += self.brain(message)
        return actions


class FakePoller:
    """epoll on a fake clock: processes act when somebody waits, and time passes only then."""

    def __init__(self, clock: FakeClock) -> None:
        self._clock = clock
        self._poll = select.poll()
        self.register = self._poll.register
        self.unregister = self._poll.unregister
        self.processes: list[FakeProcess] = []
        self._due: list[tuple[float, int, FakeProcess, Any]] = []
        self._count = itertools.count()
        self.late: list[float] = []
        """By how much the next waits that time out (or find nothing yet) wake up too late, in seconds."""
        self.waits: list[float] = []
        self.working: Callable[[], object] = int
        """Called after each wait: what the referee then works."""

    def at(self, seconds: float, process: FakeProcess, what: Any) -> None:
        """Let `process` do something `seconds` from now."""
        heapq.heappush(self._due, (self._clock.now() + seconds, next(self._count), process, what))

    def poll(self, timeout: float, maxevents: int) -> list[tuple[int, int]]:
        events = self._wait(timeout, maxevents)
        self.working()
        return events

    def _wait(self, timeout: float, maxevents: int) -> list[tuple[int, int]]:
        self.waits.append(timeout)
        end = self._clock.now() + timeout
        while True:
            self._run()
            events = self._poll.poll(0)
            if events:
                return events[:maxevents]
            if self._due and self._due[0][0] <= end:
                self._clock.advance(max(0.0, self._due[0][0] - self._clock.now()))
                continue
            if timeout and self.late:
                end += self.late.pop(0)
                self._clock.advance(max(0.0, end - self._clock.now()))
                self._run()
                return self._poll.poll(0)[:maxevents]
            self._clock.advance(max(0.0, end - self._clock.now()))
            return []

    def _run(self) -> None:
        for process in self.processes:
            for delay, what in process.listen():
                self.at(delay, process, what)
        while self._due and self._due[0][0] <= self._clock.now():
            _, _, process, what = heapq.heappop(self._due)
            if process.returncode is None:
                process.emit(what)

    def close(self) -> None:
        pass


class FakeSystem:
    """Starts fake processes; `brains` gives the brain for (bot's name, how many of its seats started before),
    or a text: the reason why it cannot be started."""

    def __init__(self, clock: FakeClock, brains: Callable[[str, int], Brain | str]) -> None:
        self._clock = clock
        self._brains = brains
        self._poller = FakePoller(clock)
        self.spawned: list[tuple[str, FakeProcess]] = []
        self.alive_together = 0

    def spawn(self, directory: str, command: Any, limits: Limits, level: str, **rest: Any) -> FakeProcess:
        name = rest["name"]
        brain = self._brains(name, sum(1 for other, _ in self.spawned if other == name))
        if isinstance(brain, str):
            raise StartError(brain)
        process = FakeProcess(self._clock, brain)
        self.spawned.append((name, process))
        self._poller.processes.append(process)
        self.alive_together = max(self.alive_together, sum(not p.closed for _, p in self.spawned))
        return process

    def stop_all(self, processes: Sequence[FakeProcess], grace_ms: int) -> None:
        self._poller.poll(0.0, 16)
        for process in processes:
            process.close()
            if process in self._poller.processes:
                self._poller.processes.remove(process)

    def poller(self) -> FakePoller:
        self._poller._poll = select.poll()
        self._poller.register = self._poller._poll.register
        self._poller.unregister = self._poller._poll.unregister
        return self._poller


class Bench:
    """A set of fake processes on a fake clock."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self.poller = FakePoller(clock)
        self.processes: list[FakeProcess] = []
        self.table: ProcessSet | None = None

    def seat(self, brain: Brain = honest, *, burn: float | Callable[[], float] = 0.0) -> FakeProcess:
        """Add a process; they get the seats in order."""
        process = FakeProcess(self.clock, brain, burn=burn)
        self.processes.append(process)
        self.poller.processes.append(process)
        return process

    def open(self, *, limits: Limits | None = None, start: bool = True, **rest: Any) -> ProcessSet:
        """The set of the processes added; with `start` they have said ready."""
        while len(self.processes) < 4:
            self.seat()
        self.table = ProcessSet(
            self.processes,
            ["msgpack"] * 4,
            [0, 1, 0, 1],
            limits=limits or Limits(),
            clock=self.clock,
            poller=self.poller,
            **rest,
        )
        if start:
            ready = self.table.start({"type": "hello"}, self.clock.now())
            assert ready == [("fake", "")] * 4
            for process in self.processes:
                process.freezes = 0
        return self.table

    def close(self) -> None:
        for process in self.processes:
            process.close()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(1000.0)


@pytest.fixture
def bench(clock: FakeClock) -> Iterator[Bench]:
    made = Bench(clock)
    yield made
    made.close()


@pytest.fixture
def make_system(clock: FakeClock) -> Iterator[Callable[..., FakeSystem]]:
    made: list[FakeSystem] = []

    def make(brains: Callable[[str, int], Brain | str] = lambda name, n: honest) -> FakeSystem:
        made.append(FakeSystem(clock, brains))
        return made[-1]

    yield make
    for system in made:
        for _, process in system.spawned:
            process.close()


@pytest.fixture
def answer_to() -> Callable[..., bytes]:
    """`answer(request, word)`: a well-formed answer frame."""
    return answer


@pytest.fixture
def honest_brain() -> Brain:
    return honest
