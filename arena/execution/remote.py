"""What runs on a Dask worker: who it is, the bots on its shelf, and blocks played in a slot of its own.

The coordinator calls these functions on a worker. A block is played by a slot process, never by the worker's
own, so that whatever hangs can be killed; its events go out one by one, as the games end.
"""

from __future__ import annotations

import asyncio
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from distributed import Worker, WorkerPlugin, get_worker

from arena.bots.levels import Level
from arena.bots.probe import probe
from arena.cards.shuffle import shuffled
from arena.errors import ArenaError
from arena.execution.base import BlockJob, Lost
from arena.execution.child import COMMAND, CPUS, ending, environment, last_line
from arena.execution.cores import usable_cpus
from arena.execution.parcels import Shelf
from arena.execution.wire import (
    FrameReader,
    Map,
    WireError,
    encode,
    event_to_wire,
    job_from_wire,
    job_to_wire,
)
from arena.games.registry import get_game
from arena.version import __version__

PLUGIN = "arena"
STOP_S = 5.0
"""How long a slot that was told to end may take to kill its bots, before it is killed itself."""
SCORE_ROUNDS = 3
SCORE_S = 0.05
_READ = 1 << 16


def quick_score(rounds: int = SCORE_ROUNDS, seconds: float = SCORE_S) -> int:
    """How fast this core is: random-play euchre hands a second in one process, the median of a few rounds."""
    game = get_game("north-american")
    cards = len(game.pack)
    rates = []
    number = 0
    for _ in range(rounds):
        state = game.new_state()
        hands = 0
        began = now = time.perf_counter()
        while now - began < seconds:
            if not state.needs_deal:
                state = game.new_state()
            number += 1
            state.deal(shuffled(number.to_bytes(32, "big"), cards))
            while state.to_act is not None:
                actions = state.legal()
                state.apply(actions[number % len(actions)])
            hands += 1
            now = time.perf_counter()
        rates.append(hands / (now - began))
    return round(statistics.median(rates))


def machine_id() -> str:
    """What tells machines of one name apart: changes when the machine is started anew."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return platform.node()


class RemoteSlot:
    """A slot process, driven by the worker's one thread."""

    def __init__(self) -> None:
        """Start it. Raises OSError if the system refuses."""
        self._said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed in `end`)
        try:
            self._process = subprocess.Popen(
                COMMAND,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._said,
                env=environment(),
                start_new_session=True,
            )
        except OSError:
            self._said.close()
            raise
        self._reader = FrameReader()
        self.stopped = False

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def play(self, job: BlockJob, tell: Any) -> bool:
        """Have `job` played; every message goes to `tell`. False if the slot died before the end."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(OSError, ValueError):  # it was stopped: there is nothing to read either
            self._process.stdin.write(encode(job_to_wire(job)))
            self._process.stdin.flush()
        while data := os.read(self._process.stdout.fileno(), _READ):
            for message in self._reader.feed(data):
                tell(message)
                if message["type"] in ("finished", "lost"):
                    return True
        return False

    def stop(self) -> None:
        """Have it kill its bots and exit, in the middle of a game too. May be called from any thread."""
        if not self.stopped:
            self.stopped = True
            assert self._process.stdin is not None
            with suppress(OSError):
                self._process.stdin.close()
            timer = threading.Timer(STOP_S, self._process.kill)
            timer.daemon = True
            timer.start()

    def end(self) -> str:
        """Have it end, reap it; how it ended, in words."""
        assert self._process.stdout is not None
        self.stop()
        self._process.wait()
        self._process.stdout.close()
        words = ending(self._process.returncode, last_line(self._said))
        self._said.close()
        return words


class SlotPlugin(WorkerPlugin):
    """A worker's slot. When the scheduler takes a running block back, the slot is killed."""

    def __init__(self) -> None:
        self.shelf = Shelf()
        self.runs: set[str] = set()
        """Tournaments that use this worker."""
        self.score = 0
        self.level = Level.BASIC
        self._places: dict[tuple[str, str], Path] = {}
        self._arriving: dict[str, IO[bytes]] = {}
        self._slot: RemoteSlot | None = None
        self._key: Any = None
        self._taken_back: set[Any] = set()
        self._playing = threading.Lock()

    @property
    def cpus(self) -> tuple[int, ...]:
        """The cores that the slot is pinned to; none if it is not."""
        return tuple(int(cpu) for cpu in os.environ.get(CPUS, "").split(",") if cpu)

    @property
    def pid(self) -> int | None:
        """Process id of the slot, if it runs."""
        return None if self._slot is None else self._slot.pid

    def transition(self, key: Any, start: str, finish: str, **more: Any) -> None:
        """Called by the worker, in its own thread, for everything that happens to a task."""
        if start in ("executing", "long-running") and finish == "released":
            self._taken_back.add(key)
            if key == self._key and self._slot is not None:
                self._slot.stop()
        elif finish == "forgotten":
            self._taken_back.discard(key)

    def teardown(self, worker: Worker) -> None:
        """Called when the worker closes."""
        if self._slot is not None:
            self._slot.stop()

    def leave(self) -> None:
        """End the slot, in the middle of a game too, and wait until nothing of it is left."""
        if self._slot is not None:
            self._slot.stop()
        with self._playing:
            slot, self._slot = self._slot, None
            if slot is not None:
                slot.end()

    def play(self, key: Any, job: BlockJob, tell: Any) -> None:
        """Play a block, in the thread of the task `key`; `tell` gets each event as a message."""
        with self._playing:
            self._key = key
            try:
                self._play(key, job, tell)
            except OSError as error:
                text = f"no slot process can be started: {error.strerror or error}"
                tell(event_to_wire(Lost(job, "error", None, text)))
            finally:
                self._key = None
                self._taken_back.discard(key)

    def _play(self, key: Any, job: BlockJob, tell: Any) -> None:
        if self._slot is None:
            self._slot = RemoteSlot()
        slot = self._slot
        if key in self._taken_back:
            return
        trouble = ""
        try:
            whole = slot.play(job, tell)
        except WireError as error:
            whole, trouble = False, f"it wrote {error}"
        if slot.stopped or not whole:
            self._slot = None
            words = slot.end()
            if not whole:
                tell(event_to_wire(Lost(job, "slot_died", None, trouble or words)))

    def place(self, digest: str, level: str) -> Path | None:
        """The folder to start a bot in; None if it has not come."""
        found = self._places.get((digest, level))
        if found is None or not found.is_dir():
            found = self.shelf.ready(digest, level)
            if found is not None:
                self._places[digest, level] = found
        return found

    def receive(self, digest: str, number: int, data: bytes, last: bool) -> None:
        """One part of a parcel."""
        if number == 0:
            self.forget(digest)
            arriving = tempfile.NamedTemporaryFile(prefix="arena-parcel-")  # noqa: SIM115 (see `forget`)
            self._arriving[digest] = arriving
        file = self._arriving[digest]
        file.write(data)
        if last:
            file.flush()
            try:
                self.shelf.add(digest, Path(file.name))
            finally:
                self.forget(digest)

    def forget(self, digest: str) -> None:
        """Drop a parcel that did not come whole."""
        file = self._arriving.pop(digest, None)
        if file is not None:
            file.close()

    def describe(self, worker: Worker) -> Map:
        """Who this worker is; measured when it is first asked."""
        if not self.score:
            self.score = quick_score()
            self.level = probe().level
        return {
            "arena": __version__,
            "machine": platform.node(),
            "machine_id": machine_id(),
            "system": f"{platform.system()} {platform.machine()}",
            "python": platform.python_version(),
            "cores": len(usable_cpus()),
            "threads": worker.state.nthreads,
            "score": self.score,
            "isolation": self.level.value,
            "pid": os.getpid(),
        }


def _plugin(worker: Worker) -> SlotPlugin:
    plugin = worker.plugins[PLUGIN]
    assert isinstance(plugin, SlotPlugin)
    return plugin


async def attach(run: str, *, dask_worker: Worker) -> Map:
    """Make a worker ready for the blocks of a run, and say who it is."""
    if PLUGIN not in dask_worker.plugins:
        await dask_worker.plugin_add(plugin=SlotPlugin(), name=PLUGIN)
    for name in ("profile", "profile-cycle"):  # nothing here is worth profiling, and it takes the GIL
        callback = dask_worker.periodic_callbacks.pop(name, None)
        if callback is not None:
            callback.stop()
    _plugin(dask_worker).runs.add(run)
    return await asyncio.to_thread(_plugin(dask_worker).describe, dask_worker)


async def detach(run: str | None = None, *, dask_worker: Worker) -> None:
    """A run (or None: every run) leaves: end the slot after the last one."""
    if PLUGIN not in dask_worker.plugins:
        return
    runs = _plugin(dask_worker).runs
    runs.discard(run or "")
    if run is None or not runs:
        await asyncio.to_thread(_plugin(dask_worker).leave)
        await dask_worker.plugin_remove(name=PLUGIN)


async def slot_pid(*, dask_worker: Worker) -> int | None:
    """Process id of a worker's slot."""
    return _plugin(dask_worker).pid


async def has_bot(digest: str, level: str, *, dask_worker: Worker) -> str:
    """`yes`, `no`, or why this bot cannot be had here. Builds it if need be."""
    try:
        place = await asyncio.to_thread(_plugin(dask_worker).place, digest, level)
    except ArenaError as error:
        return str(error)
    return "no" if place is None else "yes"


async def receive_bot(digest: str, number: int, data: bytes, last: bool, *, dask_worker: Worker) -> str:
    """One part of a bot's parcel; nothing, or why it cannot be kept."""
    try:
        await asyncio.to_thread(_plugin(dask_worker).receive, digest, number, data, last)
    except (ArenaError, OSError) as error:
        return str(error)
    return ""


async def say(text: str, *, dask_worker: Worker) -> None:
    """A word of the coordinator's to whoever looks after this worker."""
    print(text, file=sys.stderr, flush=True)


def play(topic: str, key: str, message: Map) -> None:
    """The task: play the block in `message`; its events are published under `topic`, in order."""
    worker = get_worker()
    plugin = _plugin(worker)
    job = job_from_wire(message)

    def tell(event: Map) -> None:
        worker.log_event(topic, {"key": key, "event": encode(event)})

    bots = []
    for bot in job.bots:
        place = plugin.place(bot.digest, job.isolation)
        if place is None:
            tell(event_to_wire(Lost(job, "error", None, f"bot `{bot.name}` is not on this machine any more")))
            return
        bots.append(replace(bot, directory=str(place)))
    a, b = bots
    plugin.play(key, replace(job, bots=(a, b), cpus=plugin.cpus), tell)
