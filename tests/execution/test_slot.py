"""The slot as the process that it is: blocks in, events out, nothing left behind."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.bots.limits import Limits
from arena.execution.base import BlockJob, BotRef, Event, Finished, GameDone, Lost
from arena.execution.wire import CANCEL, FrameReader, encode, event_from_wire, job_to_wire, key_of

BOT = """
import os, sys, time
from protocol import Bot
open("pids", "a").write(f"{os.getpid()} {os.getppid()}\\n")
class Mine(Bot):
    def choose(self, view):
        return view.legal[0]
BODY
Mine().run()
"""
SECONDS = 30.0
"""Far more than any step here takes."""


class Slot:
    """A running slot process."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "arena.execution.slot"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.jobs: dict[Any, BlockJob] = {}
        self._reader = FrameReader()
        self._events: list[Event] = []

    def send(self, job: BlockJob) -> None:
        self.jobs[key_of(job)] = job
        self.write(encode(job_to_wire(job)))

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def event(self) -> Event | None:
        """The next event, None at the end of its stdout."""
        assert self.process.stdout is not None
        fd = self.process.stdout.fileno()
        deadline = time.monotonic() + SECONDS
        while not self._events:
            ready, _, _ = select.select([fd], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, "the slot says nothing"
            data = os.read(fd, 65536)
            if not data:
                return None
            self._events += [event_from_wire(m, self.jobs.__getitem__) for m in self._reader.feed(data)]
        return self._events.pop(0)

    def events(self) -> list[Event]:
        """All events up to and with the end of a job."""
        events = []
        while (event := self.event()) is not None:
            events.append(event)
            if not isinstance(event, tuple):
                break
        return events

    def close(self) -> None:
        process = self.process
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()
        try:
            process.wait(SECONDS)
        finally:
            process.kill()
            process.wait()


@pytest.fixture
def slot() -> Iterator[Slot]:
    made = Slot()
    yield made
    made.close()


Make = Callable[..., BotRef]


@pytest.fixture
def make_bot(tmp_path: Path) -> Make:
    def make(name: str, body: str = "") -> BotRef:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "bot.py").write_text(BOT.replace("BODY", body))
        (folder / "pids").touch()
        (folder / "pids").chmod(0o666)  # run by root, bots are somebody else
        return BotRef(name, "1", name[0] * 64, str(folder), ("{python}", "bot.py"))

    return make


@pytest.fixture
def job(make_bot: Make) -> BlockJob:
    return BlockJob(
        match_id="m",
        block=0,
        attempt=0,
        game="north-american",
        rules={"hand_limit": 1},
        bots=(make_bot("a"), make_bot("b")),
        games=((0, 0), (0, 1)),
        block_seed=b"s" * 32,
        limits=Limits(move_ms=5000, start_ms=20_000),
        isolation="basic",
    )


def pids(job: BlockJob) -> list[int]:
    return [
        int(line.split()[0])
        for bot in job.bots
        for line in (Path(bot.directory) / "pids").read_text().splitlines()
    ]


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        stat = Path(f"/proc/{pid}/stat").read_text()
    except ProcessLookupError:
        return False
    except OSError:
        return not Path("/proc/self/stat").exists()
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def assert_dead(job: BlockJob, within: float = 5.0) -> None:
    """All of its bots are dead, or will be in a moment."""
    deadline = time.monotonic() + within
    while any(map(alive, pids(job))) and time.monotonic() < deadline:
        select.select([], [], [], 0.01)
    assert [pid for pid in pids(job) if alive(pid)] == []


def test_it_plays_block_after_block(slot: Slot, job: BlockJob) -> None:
    second = replace(job, block=1, block_seed=b"t" * 32)
    slot.send(job)
    slot.send(second)
    for expected in (job, second):
        *games, end = slot.events()
        assert [(g[0], g[1].pair, g[1].leg) for g in games if isinstance(g, tuple)] == [
            (expected, 0, 0),
            (expected, 0, 1),
        ]
        assert isinstance(end, Finished)
        assert end.job == expected
    assert_dead(job)
    assert slot.process.poll() is None, "it waits for more"


def test_it_ends_when_its_stdin_ends(slot: Slot) -> None:
    assert slot.process.stdin is not None
    slot.process.stdin.close()
    assert slot.event() is None
    assert slot.process.wait(SECONDS) == 0


SLEEPS = "    def choose(self, view): time.sleep(600)"


def wait_until_asked(job: BlockJob) -> None:
    """Until the processes of all four seats are there."""
    deadline = time.monotonic() + SECONDS
    while len(pids(job)) < 4:
        assert time.monotonic() < deadline
        select.select([], [], [], 0.01)


def test_a_cancel_in_mid_game_kills_the_bots_and_loses_what_waits(
    slot: Slot, job: BlockJob, make_bot: Make
) -> None:
    endless = replace(job, bots=(job.bots[0], make_bot("sleeper", SLEEPS)), limits=Limits(move_ms=None))
    waiting = replace(endless, block=1)
    slot.send(endless)
    wait_until_asked(endless)
    slot.send(waiting)
    slot.write(encode(CANCEL))
    assert slot.events() == [Lost(endless, "cancelled")]
    assert slot.events() == [Lost(waiting, "cancelled")]
    assert slot.event() is None
    assert slot.process.wait(SECONDS) == 0
    assert_dead(endless)


@pytest.mark.parametrize("how", ["stdin ends", "SIGTERM", "SIGKILL"])
def test_however_it_ends_no_bot_is_left(slot: Slot, job: BlockJob, make_bot: Make, how: str) -> None:
    endless = replace(job, bots=(job.bots[0], make_bot("sleeper", SLEEPS)), limits=Limits(move_ms=None))
    slot.send(endless)
    wait_until_asked(endless)
    if how == "stdin ends":
        assert slot.process.stdin is not None
        slot.process.stdin.close()
    else:
        slot.process.send_signal(getattr(signal, how))
    slot.process.wait(SECONDS)
    assert_dead(endless)


def test_ctrl_c_in_the_terminal_is_the_parents_to_understand(slot: Slot, job: BlockJob) -> None:
    for block in (0, 1):
        slot.send(replace(job, block=block))
        assert isinstance(slot.events()[-1], Finished)
        slot.process.send_signal(signal.SIGINT)


def test_without_a_reader_it_ends_and_leaves_nothing(slot: Slot, job: BlockJob) -> None:
    assert slot.process.stdout is not None
    slot.process.stdout.close()
    slot.send(job)
    assert slot.process.wait(SECONDS) == 0
    assert_dead(job)


def test_an_answer_that_waited_while_the_referee_was_stopped_is_in_time(
    slot: Slot, job: BlockJob, make_bot: Make
) -> None:
    """The referee is stopped while a bot thinks; it answers at once, and is read after twice its limit."""
    body = """
        if not os.path.getsize("asked"):
            with open("asked", "w") as file:
                file.write("now")
            pid = open("slot").read()
            while open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[0] != "T":
                time.sleep(0.001)
        return view.legal[0]
"""
    stopper = make_bot("stopper", "    def choose(self, view):" + body)
    folder = Path(stopper.directory)
    (folder / "slot").write_text(str(slot.process.pid))
    (folder / "asked").touch()
    (folder / "asked").chmod(0o666)
    if not Path("/proc/self/stat").exists():
        pytest.skip("needs /proc")
    slot.send(replace(job, bots=(job.bots[0], stopper), limits=Limits(move_ms=200, start_ms=20_000)))
    deadline = time.monotonic() + SECONDS
    while not (folder / "asked").stat().st_size and time.monotonic() < deadline:
        select.select([], [], [], 0.0005)
    slot.process.send_signal(signal.SIGSTOP)
    select.select([], [], [], 0.4)
    slot.process.send_signal(signal.SIGCONT)
    *games, end = slot.events()
    assert isinstance(end, Finished)
    for event in games:
        assert isinstance(event, tuple)
        done: GameDone = event[1]
        assert done.row["reason"] == "hand_limit", done.row


def test_nothing_heavy_is_imported_and_it_stays_small() -> None:
    code = (
        "import sys, arena.execution.slot\n"
        "heavy = {'trio', 'rich', 'numpy', 'numba', 'click', 'asyncio', 'sqlite3'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
        "status = open('/proc/self/status').read() if sys.platform == 'linux' else 'VmRSS: 0'\n"
        "print(status.partition('VmRSS:')[2].split()[0])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 35 * 1024, "KiB, before the first game"
