"""Real seats to try things with: bots that do what a test tells them, at each level to be had here."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import select
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.bots import cgroup
from arena.bots.levels import Level
from arena.bots.limits import Limits
from arena.bots.probe import probe
from arena.bots.process import SeatProcess, spawn, stop_all
from arena.errors import ArenaError

WAIT_SECONDS = 20.0
"""For what must happen: far beyond what it takes, so that a busy machine fails no test."""

PUPPET = """
import json, sys
space = {}
for line in sys.stdin:
    try:
        space["result"] = None
        exec(json.loads(line), space)
        answer = [space["result"], None]
    except BaseException as error:
        answer = [None, type(error).__name__ + ": " + str(error)]
    sys.stdout.write(json.dumps(answer) + "\\n")
    sys.stdout.flush()
"""


class Puppet:
    """A seat that runs the Python that a test gives it; what it leaves in `result` comes back."""

    def __init__(self, seat: SeatProcess) -> None:
        self.seat = seat
        self._rest = b""

    def send(self, code: str) -> None:
        os.write(self.seat.stdin_fd, json.dumps(textwrap.dedent(code)).encode() + b"\n")

    def receive(self) -> Any:
        value, error = json.loads(self.line())
        if error is not None:
            raise AssertionError(error)
        return value

    def do(self, code: str) -> Any:
        """Run code; its `result`. AssertionError with what it raised."""
        self.send(code)
        return self.receive()

    def error(self, code: str) -> str:
        """The exception that code raises, as text; empty when it raises none."""
        self.send(code)
        return json.loads(self.line())[1] or ""

    def line(self) -> str:
        while b"\n" not in self._rest:
            self._rest += read_some(self.seat)
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode()


def read_some(seat: SeatProcess) -> bytes:
    """What stdout gives next, with stderr drained meanwhile."""
    deadline = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < deadline:
        ready, _, _ = select.select([seat.stdout_fd, *seat.flowing()[1:]], [], [], 1)
        if seat.stderr_fd in ready:
            seat.drain_stderr()
        if seat.stdout_fd in ready:
            data = os.read(seat.stdout_fd, 65536)
            if not data:
                raise AssertionError(f"the bot ended: {seat.stderr.text()}")
            return data
        if seat.flowing()[1] < 0:
            raise AssertionError(f"the bot ended: {seat.stderr.text()}")
    raise AssertionError("the bot did not answer")


def until(true: Callable[[], bool], seconds: float = WAIT_SECONDS) -> bool:
    """Wait for something to become true."""
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            return False
        select.select([], [], [], 0.01)
    return True


def marked(mark: str) -> list[int]:
    """Processes of this machine with `mark` in their command line or environment."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        for file in ("cmdline", "environ"):
            with contextlib.suppress(OSError):
                if int(name) != os.getpid() and mark.encode() in Path("/proc", name, file).read_bytes():
                    found.append(int(name))
    return found


@pytest.fixture(params=[True, False], ids=["group", "nogroup"])
def grouped(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether seats have control groups: tried where they can be had, and always without."""
    if not request.param:
        monkeypatch.setattr(cgroup, "make", lambda name, limits: None)
    elif cgroup.controllers() is None:
        pytest.skip("no control group can be made here")
    return bool(request.param)


@pytest.fixture(params=list(Level))
def level(request: pytest.FixtureRequest, grouped: bool) -> Level:
    """Each isolation level that this machine offers."""
    return offered(Level(request.param))


@pytest.fixture
def strong() -> Level:
    return offered(Level.STRONG)


def offered(level: Level) -> Level:
    try:
        return probe(level).level
    except ArenaError as error:
        if os.environ.get("CI") == "true" and sys.platform == "linux":
            raise
        pytest.skip(str(error))


@pytest.fixture
def mark() -> str:
    """A word that no other process of this machine has in its command line."""
    return f"mark{secrets.token_hex(8)}"


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., SeatProcess]]:
    """Start a Python bot from its source; everything is ended with the test."""
    seats: list[SeatProcess] = []

    def begin(source: str, level: Level, limits: Limits | None = None, **more: Any) -> SeatProcess:
        directory = tmp_path / f"bot{len(seats)}"
        directory.mkdir()
        (directory / "bot.py").write_text(textwrap.dedent(source))
        seat = spawn(directory, ["{python}", "bot.py"], limits or Limits(), level, **more)
        seats.append(seat)
        return seat

    yield begin
    stop_all(seats, 0)


@pytest.fixture
def puppet(start: Callable[..., SeatProcess]) -> Callable[..., Puppet]:
    """Start a puppet."""

    def begin(level: Level, limits: Limits | None = None, **more: Any) -> Puppet:
        return Puppet(start(PUPPET, level, limits, **more))

    return begin


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Callable[[Level], tuple[Puppet, Puppet]]]:
    """Two seats of one team: the same puppet twice, from the same directory."""
    directory = tmp_path / "team"
    directory.mkdir()
    (directory / "bot.py").write_text(PUPPET)
    seats: list[SeatProcess] = []

    def begin(level: Level) -> tuple[Puppet, Puppet]:
        for _ in range(2):
            seats.append(spawn(directory, ["{python}", "bot.py"], Limits(), level))
        both = Puppet(seats[0]), Puppet(seats[1])
        for bot in both:
            bot.do("result = 'there'")
        return both

    yield begin
    stop_all(seats, 0)


@pytest.fixture(name="read_some")
def read_some_fixture() -> Callable[[SeatProcess], bytes]:
    return read_some


@pytest.fixture(name="until")
def until_fixture() -> Callable[..., bool]:
    return until


@pytest.fixture(name="marked")
def marked_fixture() -> Callable[[str], list[int]]:
    return marked


@pytest.fixture
def alive() -> Callable[[int], bool]:
    """Whether a process still runs; one that only waits to be collected does not."""

    def running(pid: int) -> bool:
        try:
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
        except OSError:
            return False

    return running
