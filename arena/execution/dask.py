"""Runs blocks on the workers of a Dask cluster: one block a worker at a time, all of it on one machine.

Dask carries messages and tells who is there; what is tried again is decided by the tournament alone. A
worker is taken after it has said who it is, and left out, with the reason, where it does not fit.
"""

from __future__ import annotations

import itertools
import math
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import trio

from arena.bots.levels import Level
from arena.errors import ArenaError, Exit
from arena.execution import cluster, parcels
from arena.execution.base import BlockJob, Event, Finished, Lost
from arena.execution.link import Gone, Link, Unfit, in_thread, open_link
from arena.execution.tls import parse_address
from arena.execution.wire import Map, WireError, event_from_wire, key_of
from arena.version import __version__

LOOK_S = 1.0
"""How often the list of workers is read."""
CALL_S = 60.0
"""How long a worker may take to answer."""
BUILD_S = 1200.0
"""How long it may take to build a bot."""
SAY_S = 3.0


@dataclass(frozen=True, slots=True)
class Cluster:
    """Where the workers are, and which of them will do."""

    scheduler: str | None = None
    """Its address; None for a cluster of one's own on this machine."""
    local: int = 2
    """Without a scheduler: so many workers."""
    most: int | None = None
    """So many workers are used at a time; None: all."""
    tls: Path | None = None
    min_score: int = 0
    """Workers that play fewer random hands a second are left out."""
    home: Path | None = None
    """ARENA_HOME of a cluster of one's own."""
    isolation: str = "basic"
    """Workers must offer this level, or a stronger one."""


@dataclass(slots=True, eq=False)
class Worker:
    """A worker that was taken."""

    address: str
    machine: str
    machine_id: str
    gone: bool = False
    key: str | None = None
    """Of the task that it runs."""
    getting_ready: trio.CancelScope = field(default_factory=trio.CancelScope)
    """Of its waiting for a job and for the bots of one."""
    bots: set[str] = field(default_factory=set)
    """Digests of the bots that are ready there."""


def admitted(address: str, said: Any, where: Cluster) -> Worker:
    """The worker that said this of itself, if it will do. Raises Unfit."""
    levels = tuple(Level)
    if not isinstance(said, dict):
        raise Unfit(f"it cannot say who it is: {said}")
    if said["arena"] != __version__:
        raise Unfit(f"it has arena {said['arena']}, and this is {__version__}")
    if said["threads"] != 1:
        raise Unfit(f"it has {said['threads']} threads: start it with --nthreads 1")
    if said["score"] < where.min_score:
        raise Unfit(f"its score is {said['score']}, and --min-score {where.min_score}")
    if levels.index(Level(said["isolation"])) > levels.index(Level(where.isolation)):
        raise Unfit(f"it offers isolation {said['isolation']}, and the tournament has {where.isolation}")
    return Worker(address, said["machine"], said["machine_id"])


class DaskExecutor:
    """Slots on other machines; made by `open_dask`."""

    def __init__(
        self,
        nursery: trio.Nursery,
        link: Link,
        sources: Mapping[str, Path],
        where: Cluster,
        tell: Callable[[str], None],
    ) -> None:
        self._nursery = nursery
        self._link = link
        self._sources = sources
        self._where = where
        self._tell = tell
        self._numbers = itertools.count()
        self._jobs, self._waiting = trio.open_memory_channel[BlockJob](1)
        self._emit, self._events = trio.open_memory_channel[Event](0)
        self._inboxes: dict[str, trio.MemorySendChannel[Map]] = {}
        self._workers: dict[str, Worker] = {}
        self._known: set[str] = set()
        """Addresses of workers that were asked who they are."""
        self._unfit: set[str] = set()
        """Those of them that were left out."""
        self._nobody = False
        self._look = trio.Event()
        self._sending: dict[tuple[str, str], trio.Lock] = {}
        """By machine and digest: a bot is sent to a machine once, whatever its number of slots."""
        self._cancelled = False
        self._finishing = False

    @property
    def slots(self) -> int:
        return max(1, len(self._workers))

    @property
    def workers(self) -> tuple[str, ...]:
        """Addresses of the workers that are used now."""
        return tuple(self._workers)

    async def submit(self, job: BlockJob) -> None:
        await self._jobs.send(job)

    def events(self) -> AsyncIterator[Event]:
        return self._events

    async def finish(self) -> None:
        self._finishing = True
        self._nursery.start_soon(self._refuse)
        await trio.lowlevel.checkpoint()

    async def cancel(self) -> None:
        self._cancelled = True
        for key in self._inboxes:
            self._heard(key, {"type": "cancel"})
        for worker in self._workers.values():
            worker.getting_ready.cancel()
        self._nursery.start_soon(self._refuse)
        await trio.lowlevel.checkpoint()

    def kill(self) -> None:
        """End all at once: slots end when their task is taken back."""
        self._nursery.start_soon(self.cancel)

    # --- who is there

    async def begin(self) -> None:
        """Listen, and take in the workers that are there."""
        await self._link.listen(self._heard, lambda: self._look.set())
        async with trio.open_nursery() as joining:
            await self._look_round(joining)
        self._nursery.start_soon(self._watch)

    async def _watch(self) -> None:
        """Take in workers that come, drop those that go. Raises ArenaError when the scheduler is gone."""
        async with trio.open_nursery() as joining:
            while True:
                self._look = trio.Event()
                with trio.move_on_after(LOOK_S):
                    await self._look.wait()
                await self._look_round(joining)

    async def _look_round(self, joining: trio.Nursery) -> None:
        """Read the list of workers, and act on what is new."""
        there = await self._link.addresses()
        for address in self._known - there:
            self._known.discard(address)
            self._unfit.discard(address)
            self._drop(address)
        fresh = sorted(there - self._known)
        if self._where.most is not None:
            fresh = fresh[: max(0, self._where.most - len(self._known - self._unfit))]
        for address in fresh:
            self._known.add(address)
            joining.start_soon(self._join, address)
        if not there and not self._nobody:
            if self._where.scheduler is None:
                raise ArenaError(
                    "all workers of the cluster are gone",
                    hint="finished games are stored: the same command goes on",
                    exit_code=Exit.ENVIRONMENT,
                )
            self._tell("no worker is there: `arena worker ADDRESS` joins one")
        self._nobody = not there

    async def _join(self, address: str) -> None:
        """Ask a worker who it is, and take it or leave it out."""
        from arena.execution import remote

        try:
            try:
                said = await self._link.call(address, CALL_S, remote.attach, self._link.run)
                worker = admitted(address, said, self._where)
            except Unfit as error:
                self._leave_out(f"worker {address}", address, str(error))
                await self._link.call(address, SAY_S, remote.say, f"left out: {error}")
                return
        except Gone:
            self._known.discard(address)
            return
        if address not in self._known:  # it has gone meanwhile
            return
        self._workers[address] = worker
        self._tell(
            f"worker {address}: {worker.machine}, {said['cores']} cores, score {said['score']}, "
            f"isolation {said['isolation']}"
        )
        self._nursery.start_soon(self._serve, worker)

    def _leave_out(self, name: str, address: str, why: str) -> None:
        """Do without a worker. Raises ArenaError where that was the last one of a cluster of one's own."""
        self._tell(f"{name} is left out: {why}")
        self._workers.pop(address, None)
        self._unfit.add(address)
        if self._where.scheduler is None and len(self._unfit) >= self._where.local:
            raise ArenaError("no worker of the cluster can be used", exit_code=Exit.ENVIRONMENT)

    def _drop(self, address: str) -> None:
        """A worker has gone: its job is lost."""
        worker = self._workers.pop(address, None)
        if worker is None:
            return
        worker.gone = True
        worker.getting_ready.cancel()
        self._tell(f"worker {address} ({worker.machine}) is gone")
        if worker.key is not None:
            self._heard(worker.key, {"type": "gone"})

    # --- one worker

    async def _serve(self, worker: Worker) -> None:
        """A worker's life: one job after the other."""
        with self._waiting.clone() as jobs:
            while not worker.gone:
                job: BlockJob | None = None
                ready = False
                with worker.getting_ready:
                    job = await jobs.receive()
                    if not self._cancelled and not self._finishing:
                        try:
                            await self._bring(worker, job)
                            ready = True
                        except Unfit as error:
                            self._nursery.start_soon(self._jobs.send, job)
                            name = f"worker {worker.address} ({worker.machine})"
                            self._leave_out(name, worker.address, str(error))
                            return
                        except Gone:
                            pass
                worker.getting_ready = trio.CancelScope()
                if job is not None:
                    ready = ready and not worker.gone and not self._cancelled
                    if self._finishing:
                        end: Finished | Lost = Lost(job, "cancelled")
                    else:
                        end = await self._play(worker, job) if ready else self._lost(worker, job)
                    await self._emit.send(end)

    async def _refuse(self) -> None:
        """Jobs that wait, and those still to come, are cancelled."""
        with self._waiting.clone() as jobs:
            async for job in jobs:
                await self._emit.send(Lost(job, "cancelled"))

    async def _play(self, worker: Worker, job: BlockJob) -> Finished | Lost:
        """Have a job played: its games go out as they come; its end is returned."""
        send, receive = trio.open_memory_channel[Map](math.inf)
        worker.key = key = f"{self._link.run}-{next(self._numbers)}"
        self._inboxes[key] = send
        a, b = (replace(bot, directory="") for bot in job.bots)
        task = self._link.play(worker.address, key, replace(job, bots=(a, b)), self._heard)
        try:
            async for message in receive:
                match message["type"]:
                    case "cancel":
                        return Lost(job, "cancelled")
                    case "gone":
                        return self._lost(worker, job)
                    case "over":
                        if worker.gone or message["lost"]:
                            return self._lost(worker, job)
                        return Lost(job, "error", None, message["text"] or "its worker told no end")
                try:
                    event = event_from_wire(message, {key_of(job): job}.__getitem__)
                except WireError as error:
                    return Lost(job, "error", None, f"its worker wrote {error}")
                match event:
                    case Finished():
                        return replace(event, facts=event.facts | {"machine": worker.machine})
                    case Lost():
                        return event
                    case (_, done):
                        row = done.row | {"machine": worker.machine}
                        await self._emit.send((job, replace(done, row=row)))
        finally:
            del self._inboxes[key]
            worker.key = None
            task.release()
            send.close()
            receive.close()
        raise AssertionError("an inbox does not end by itself")

    def _lost(self, worker: Worker, job: BlockJob) -> Lost:
        if self._cancelled:
            return Lost(job, "cancelled")
        return Lost(job, "worker_lost", None, f"worker {worker.address} ({worker.machine}) is gone")

    def _heard(self, key: str, message: Map) -> None:
        """A message about a task."""
        inbox = self._inboxes.get(key)
        if inbox is not None:  # else of an attempt that has ended for us, and goes on somewhere
            inbox.send_nowait(message)

    # --- bots

    async def _bring(self, worker: Worker, job: BlockJob) -> None:
        """See to it that both bots are ready on a worker. Raises Unfit or Gone."""
        from arena.execution import remote

        for bot in job.bots:
            if bot.digest in worker.bots:
                continue
            question = (worker.address, BUILD_S, remote.has_bot, bot.digest, job.isolation)
            async with self._sending.setdefault((worker.machine_id, bot.digest), trio.Lock()):
                said = await self._link.call(*question)
                if said == "no":
                    await self._send(worker, bot.digest)
                    said = await self._link.call(*question)
                if said != "yes":
                    raise Unfit(f"bot `{bot.name}` cannot be had there: {said}")
            worker.bots.add(bot.digest)

    async def _send(self, worker: Worker, digest: str) -> None:
        """Send a bot, in parts. Raises Unfit or Gone."""
        from arena.execution import remote

        with tempfile.TemporaryDirectory(prefix="arena-parcel-") as folder:
            parcel = Path(folder) / "bot.tar.gz"
            await in_thread(parcels.pack, self._sources[digest], parcel)
            count = max(1, math.ceil(parcel.stat().st_size / parcels.PART_BYTES))
            for number, data in enumerate(parcels.parts(parcel)):
                part = (digest, number, data, number == count - 1)
                said = await self._link.call(worker.address, CALL_S, remote.receive_bot, *part)
                if said:
                    raise Unfit(f"bot {digest[:12]} cannot be kept there: {said}")

    async def close(self) -> None:
        """Leave the cluster as it was found."""
        for channel in (self._jobs, self._waiting, self._emit, self._events):
            channel.close()
        await self._link.leave(self._known)


@asynccontextmanager
async def open_dask(
    where: Cluster,
    *,
    sources: Mapping[str, Path],
    tell: Callable[[str], None],
    cpus: Sequence[Sequence[int]] = (),
) -> AsyncIterator[DaskExecutor]:
    """A DaskExecutor for as long as the context lasts.

    `sources`: the folder of each bot by digest, to be sent where it is missing; `cpus`: the cores of each
    worker of a cluster of one's own; `tell` gets a line for a person. Raises ArenaError where dask is not
    installed, the address is refused or no scheduler answers; later where the scheduler is gone.
    """
    cluster.need_dask()
    async with AsyncExitStack() as stack:
        tls = where.tls
        if where.scheduler is None:
            started = cluster.local_cluster(cpus or [()] * where.local, home=where.home)
            address, tls, _ = await trio.to_thread.run_sync(started.__enter__)
            stack.push(started.__exit__)
        else:
            address = parse_address(where.scheduler, tls)
        link = await stack.enter_async_context(open_link(address, tls))
        async with trio.open_nursery() as nursery:
            executor = DaskExecutor(nursery, link, sources, where, tell)
            try:
                await executor.begin()
                yield executor
            finally:
                nursery.cancel_scope.cancel()
        with trio.CancelScope(shield=True):
            await executor.close()
