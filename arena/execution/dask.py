"""Runs blocks on the workers of a Dask cluster: one block a worker at a time, all of it on one machine.

Dask carries messages and tells who is there; what is tried again is decided by the tournament alone. A
worker is taken after it has said who it is, and left out, with the reason, where it does not fit.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import secrets
import tempfile
import warnings
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import trio

from arena.bots.levels import Level
from arena.errors import ArenaError, Exit
from arena.execution import cluster, parcels
from arena.execution.base import BlockJob, Event, Finished, GameDone, Lost
from arena.execution.tls import Address, parse_address, security
from arena.execution.wire import FrameReader, Map, WireError, event_from_wire, job_to_wire, key_of
from arena.version import __version__

CONNECT_S = 10
LOOK_S = 1.0
"""How often the list of workers is read."""
CALL_S = 60.0
"""How long a worker may take to say who it is; a build may take longer."""
BUILD_S = 1200.0
LEAVE_S = 3.0
_LEVELS = tuple(Level)

Tell = Callable[[str], None]


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


@dataclass(slots=True, eq=False)
class _Worker:
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


class _Unfit(Exception):
    """A worker cannot be used, in words."""


class _Gone(Exception):
    """A worker is no longer there."""


class DaskExecutor:
    """Slots on other machines; made by `open_dask`."""

    def __init__(
        self, nursery: trio.Nursery, client: Any, sources: Mapping[str, Path], cluster: Cluster, tell: Tell
    ) -> None:
        self._nursery = nursery
        self._client = client
        self._sources = sources
        self._cluster = cluster
        self._tell = tell
        self._token = trio.lowlevel.current_trio_token()
        self._topic = f"arena-{secrets.token_hex(8)}"
        self._numbers = itertools.count()
        self._jobs, self._waiting = trio.open_memory_channel[BlockJob](1)
        self._emit, self._events = trio.open_memory_channel[Event](0)
        self._inboxes: dict[str, trio.MemorySendChannel[Map]] = {}
        self._workers: dict[str, _Worker] = {}
        self._known: set[str] = set()
        """Addresses of workers that were asked who they are, those left out included."""
        self._unfit: set[str] = set()
        self._waiting_told = False
        self._look = trio.Event()
        self._sending: dict[tuple[str, str], trio.Lock] = {}
        """By machine and digest: a bot is sent to a machine once, whatever its number of slots."""
        self._cancelled = False
        self._closing = False

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

    async def cancel(self) -> None:
        self._cancelled = True
        for inbox in self._inboxes.values():
            inbox.send_nowait({"type": "cancel"})
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
        self._client.subscribe_topic(self._topic, self._heard)
        self._client.subscribe_topic("all", self._happened)
        try:
            await _in_thread(self._client.run_on_scheduler, _prepare_scheduler)
        except Exception as error:
            raise ArenaError(
                f"the Dask scheduler cannot be used: {_short(error)}",
                hint="install the same arena, with its extra `dask`, where the scheduler runs",
                exit_code=Exit.ENVIRONMENT,
            ) from None
        async with trio.open_nursery() as joining:
            await self._look_round(joining)
        self._nursery.start_soon(self._watch)

    def _happened(self, event: tuple[float, Any]) -> None:
        """A worker has come or gone; in Dask's own thread."""
        self._soon(self._look_now)

    def _look_now(self) -> None:
        self._look.set()

    def _soon(self, action: Callable[..., object], *values: Any) -> None:
        with contextlib.suppress(trio.RunFinishedError):
            self._token.run_sync_soon(action, *values)

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
        there = await self._addresses()
        for address in self._known - there:
            self._known.discard(address)
            self._unfit.discard(address)
            self._drop(address)
        fresh = sorted(there - self._known)
        if self._cluster.most is not None:
            fresh = fresh[: max(0, self._cluster.most - len(self._known - self._unfit))]
        for address in fresh:
            self._known.add(address)
            joining.start_soon(self._join, address)
        if not there and not self._waiting_told:
            if self._cluster.scheduler is None:
                raise ArenaError(
                    "all workers of the cluster are gone",
                    hint="finished games are stored: the same command goes on",
                    exit_code=Exit.ENVIRONMENT,
                )
            self._tell("no worker is there: `arena worker ADDRESS` joins one")
        self._waiting_told = not there

    async def _addresses(self) -> set[str]:
        """Of all workers of the cluster."""
        if self._client.status == "running":
            with trio.move_on_after(CONNECT_S):
                try:
                    return set(await _in_thread(self._client.run_on_scheduler, _addresses))
                except (OSError, ValueError, RuntimeError):
                    pass
        raise ArenaError(
            "the Dask scheduler is gone",
            hint="finished games are stored: start it and its workers, and the same command goes on",
            exit_code=Exit.ENVIRONMENT,
        )

    async def _join(self, address: str) -> None:
        """Ask a worker who it is, and take it or leave it out."""
        from arena.execution import remote

        try:
            try:
                said = await self._call(address, CALL_S, remote.attach)
                worker = self._admitted(address, said)
            except _Unfit as error:
                self._tell(f"worker {address} is left out: {error}")
                self._leave_out(address)
                await self._call(address, LEAVE_S, remote.say, f"left out: {error}")
                return
        except _Gone:
            self._known.discard(address)
            return
        self._workers[address] = worker
        self._tell(
            f"worker {address}: {worker.machine}, {said['cores']} cores, score {said['score']}, "
            f"isolation {said['isolation']}"
        )
        if self._cancelled:
            return
        self._nursery.start_soon(self._serve, worker)

    def _admitted(self, address: str, said: Any) -> _Worker:
        """The worker, if it will do. Raises _Unfit."""
        if not isinstance(said, dict):
            raise _Unfit(f"it cannot say who it is: {said}")
        if said["arena"] != __version__:
            raise _Unfit(f"it has arena {said['arena']}, and this is {__version__}")
        if said["threads"] != 1:
            raise _Unfit(f"it has {said['threads']} threads: start it with --nthreads 1")
        if said["score"] < self._cluster.min_score:
            raise _Unfit(f"its score is {said['score']}, and --min-score {self._cluster.min_score}")
        if _LEVELS.index(Level(said["isolation"])) > _LEVELS.index(self._level):
            raise _Unfit(f"it offers isolation {said['isolation']}, and the tournament has {self._level}")
        return _Worker(address, said["machine"], said["machine_id"])

    _level = Level.BASIC

    def demand(self, level: str) -> None:
        """Workers must offer this isolation, or a stronger one."""
        self._level = Level(level)

    def _leave_out(self, address: str) -> None:
        self._unfit.add(address)
        if self._cluster.scheduler is None and len(self._unfit) >= self._cluster.local:
            raise ArenaError("no worker of the cluster can be used", exit_code=Exit.ENVIRONMENT)

    def _drop(self, address: str) -> None:
        """A worker has gone: its job is lost."""
        worker = self._workers.pop(address, None)
        if worker is None:
            return
        worker.gone = True
        worker.getting_ready.cancel()
        if not self._closing:
            self._tell(f"worker {address} ({worker.machine}) is gone")
        inbox = self._inboxes.get(worker.key or "")
        if inbox is not None:
            inbox.send_nowait({"type": "gone"})

    # --- one worker

    async def _serve(self, worker: _Worker) -> None:
        """A worker's life: one job after the other."""
        with self._waiting.clone() as jobs:
            while not worker.gone:
                job: BlockJob | None = None
                ready = False
                with worker.getting_ready:
                    job = await jobs.receive()
                    if not self._cancelled:
                        try:
                            await self._bring(worker, job)
                            ready = True
                        except _Unfit as error:
                            self._reject(worker, str(error), job)
                            return
                        except _Gone:
                            pass
                worker.getting_ready = trio.CancelScope()
                if job is not None:
                    ready = ready and not worker.gone and not self._cancelled
                    end = await self._play(worker, job) if ready else self._lost(worker, job)
                    await self._emit.send(end)

    def _reject(self, worker: _Worker, why: str, job: BlockJob) -> None:
        """A worker is of no use after all: its job goes back."""
        self._tell(f"worker {worker.address} ({worker.machine}) is left out: {why}")
        self._workers.pop(worker.address, None)
        self._nursery.start_soon(self._jobs.send, job)
        self._leave_out(worker.address)

    async def _refuse(self) -> None:
        """Jobs that wait, and those still to come, are cancelled."""
        with self._waiting.clone() as jobs:
            async for job in jobs:
                await self._emit.send(Lost(job, "cancelled"))

    async def _play(self, worker: _Worker, job: BlockJob) -> Finished | Lost:
        """Have a job played: its games go out as they come; its end is returned."""
        from arena.execution import remote

        send, receive = trio.open_memory_channel[Map](math.inf)
        worker.key = key = f"{self._topic}-{next(self._numbers)}"
        self._inboxes[key] = send
        jobs = {key_of(job): job}
        a, b = (replace(bot, directory="") for bot in job.bots)
        future = self._client.submit(
            remote.play,
            self._topic,
            key,
            job_to_wire(replace(job, bots=(a, b))),
            key=key,
            workers=[worker.address],
            allow_other_workers=False,
            pure=False,
            retries=0,
        )
        future.add_done_callback(self._done)
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
                    event = event_from_wire(message, jobs.__getitem__)
                except WireError as error:
                    return Lost(job, "error", None, f"its worker wrote {error}")
                match event:
                    case Finished():
                        return replace(event, facts=event.facts | {"machine": worker.machine})
                    case Lost():
                        return event
                    case (_, done):
                        await self._emit.send((job, _on(worker.machine, done)))
        finally:
            del self._inboxes[key]
            worker.key = None
            # Nothing of a job that has ended is kept: a held result would be computed again elsewhere.
            future.release()
            send.close()
            receive.close()
        raise AssertionError("an inbox does not end by itself")

    def _lost(self, worker: _Worker, job: BlockJob) -> Lost:
        if self._cancelled:
            return Lost(job, "cancelled")
        return Lost(job, "worker_lost", None, f"worker {worker.address} ({worker.machine}) is gone")

    def _heard(self, event: tuple[float, Any]) -> None:
        """An event of a slot; in Dask's own thread."""
        _, message = event
        self._soon(self._take, message["key"], message["event"])

    def _take(self, key: str, data: bytes) -> None:
        inbox = self._inboxes.get(key)
        if inbox is not None:  # else an attempt that has ended for us, and goes on somewhere
            for message in FrameReader().feed(data):
                inbox.send_nowait(message)

    def _done(self, future: Any) -> None:
        """A task is over; in a thread of Dask's."""
        text, lost = "", False
        if future.status == "error":
            error = future.exception(timeout=CONNECT_S)
            lost = type(error).__name__ == "KilledWorker"
            text = _short(error)
        elif future.status != "finished":
            lost = True
        message = {"type": "over", "text": text, "lost": lost}
        self._soon(self._over, future.key, message)

    def _over(self, key: str, message: Map) -> None:
        inbox = self._inboxes.get(key)
        if inbox is not None:
            inbox.send_nowait(message)

    # --- bots

    async def _bring(self, worker: _Worker, job: BlockJob) -> None:
        """See to it that both bots are ready on a worker. Raises _Unfit or _Gone."""
        from arena.execution import remote

        for bot in job.bots:
            if bot.digest in worker.bots:
                continue
            async with self._sending.setdefault((worker.machine_id, bot.digest), trio.Lock()):
                said = await self._call(worker.address, BUILD_S, remote.has_bot, bot.digest, job.isolation)
                if said == "no":
                    await self._send(worker, bot.digest)
                    said = await self._call(
                        worker.address, BUILD_S, remote.has_bot, bot.digest, job.isolation
                    )
                if said != "yes":
                    raise _Unfit(f"bot `{bot.name}` cannot be had there: {said}")
            worker.bots.add(bot.digest)

    async def _send(self, worker: _Worker, digest: str) -> None:
        from arena.execution import remote

        with tempfile.TemporaryDirectory(prefix="arena-parcel-") as folder:
            parcel = Path(folder) / "bot.tar.gz"
            await _in_thread(parcels.pack, self._sources[digest], parcel)
            count = max(1, math.ceil(parcel.stat().st_size / parcels.PART_BYTES))
            for number, data in enumerate(parcels.parts(parcel)):
                last = number == count - 1
                said = await self._call(
                    worker.address, CALL_S, remote.receive_bot, digest, number, data, last
                )
                if said:
                    raise _Unfit(f"bot {digest[:12]} cannot be kept there: {said}")

    async def _call(self, address: str, seconds: float, function: Callable[..., Any], *values: Any) -> Any:
        """Call a function on a worker. Raises _Gone; what it raises itself comes back as _Unfit."""
        call = partial(self._client.run, function, *values, workers=[address], on_error="return", wait=True)
        with trio.move_on_after(seconds):
            try:
                said = await _in_thread(call)
            except Exception as error:  # Dask's many ways to say that the worker is not there
                raise _Gone from error
            if address not in said:
                raise _Gone
            answer = said[address]
            if isinstance(answer, OSError):
                raise _Gone
            if isinstance(answer, BaseException):
                raise _Unfit(_short(answer))
            return answer
        raise _Gone

    async def close(self) -> None:
        """Leave the cluster as it was found."""
        from arena.execution import remote

        self._closing = True
        self._jobs.close()
        self._waiting.close()
        self._emit.close()
        self._events.close()
        with trio.move_on_after(LEAVE_S):
            if self._client.status == "running":
                with contextlib.suppress(Exception):
                    leave = partial(self._client.run, remote.detach, on_error="ignore")
                    await _in_thread(leave)
                    await _in_thread(self._client.run_on_scheduler, _forget, self._topic)


def _on(machine: str, done: GameDone) -> GameDone:
    return replace(done, row=done.row | {"machine": machine})


def _prepare_scheduler(dask_scheduler: Any) -> None:
    """On the scheduler: a task that took its worker down is never tried again by Dask."""
    dask_scheduler.allowed_failures = 0


def _addresses(dask_scheduler: Any) -> list[str]:
    """On the scheduler: the workers."""
    return list(dask_scheduler.workers)


def _forget(topic: str, dask_scheduler: Any) -> None:
    """On the scheduler: drop the events that it keeps of a run."""
    broker = getattr(dask_scheduler, "_broker", None)
    if broker is not None:
        broker.truncate(topic)


def _short(error: BaseException) -> str:
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}{': ' if text else ''}{text[0][:200] if text else ''}"


async def _in_thread(function: Callable[..., Any], *values: Any) -> Any:
    return await trio.to_thread.run_sync(partial(function, *values), abandon_on_cancel=True)


def _connect(address: Address, tls: Path | None) -> Any:
    """A client of the scheduler; blocks. Raises ArenaError where none answers."""
    from distributed import Client

    cluster.quiet()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that versions differ is said by us, by worker
            return Client(  # type: ignore[no-untyped-call]
                address.url, security=security(tls), timeout=CONNECT_S, set_as_default=False
            )
    except OSError as error:
        raise ArenaError(
            f"no Dask scheduler answers at {address.url}: {_short(error)}",
            hint="start it (`dask scheduler`, docs/cluster.md), or try --local 2",
            exit_code=Exit.ENVIRONMENT,
        ) from None


@asynccontextmanager
async def open_dask(
    where: Cluster,
    *,
    sources: Mapping[str, Path],
    isolation: str,
    tell: Tell,
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
        client = await _in_thread(_connect, address, tls)
        stack.callback(client.close, timeout=LEAVE_S)
        async with trio.open_nursery() as nursery:
            executor = DaskExecutor(nursery, client, sources, where, tell)
            executor.demand(isolation)
            try:
                await executor.begin()
                yield executor
            finally:
                nursery.cancel_scope.cancel()
        with trio.CancelScope(shield=True):
            await executor.close()
