"""What every executor promises: each job ends once, losses are told, cancel, back-pressure, no growth."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

import pytest
import trio
import trio.testing

from arena.bots import tree
from arena.bots.limits import Limits
from arena.bots.resolve import load, sample_bots
from arena.execution.base import BlockJob, BotRef, Event, Executor, Finished, Lost
from arena.execution.fake import FakeExecutor, Loss, open_fake
from arena.execution.local import LocalExecutor, open_local

Games = tuple[tuple[int, int], ...]
PAIR: Games = ((0, 0), (0, 1))
LIMIT_S = 60


class Kind(Protocol):
    """An executor under test: how it is opened, and how one of its running jobs is broken."""

    def open(self, slots: int) -> AbstractAsyncContextManager[Executor]: ...
    async def break_one(self, executor: Executor) -> None: ...


class Fake:
    """The scripted one: a job whose block is odd and whose attempt is 1 is lost."""

    broken = False

    @asynccontextmanager
    async def open(self, slots: int) -> AsyncIterator[Executor]:
        def script(job: BlockJob) -> Loss | None:
            if self.broken:
                self.broken = False
                return Loss(0, "slot_died")
            return None

        async with open_fake(slots, script=script) as executor:
            yield executor
            executor.submitted.clear()

    async def break_one(self, executor: Executor) -> None:
        self.broken = True


class Local:
    """Real slots and real bots."""

    def open(self, slots: int) -> AbstractAsyncContextManager[LocalExecutor]:
        return open_local(slots)

    async def break_one(self, executor: Executor) -> None:
        assert isinstance(executor, LocalExecutor)
        with trio.fail_after(LIMIT_S):
            while not executor.pids:  # noqa: ASYNC110 (the executor tells nobody when it starts a process)
                await trio.sleep(0.001)
        os.kill(executor.pids[0], signal.SIGKILL)


class Dask:
    """Real slots on the workers of a real cluster on loopback, over TLS."""

    def __init__(self, cluster: tuple[Any, Path, list[Any]]) -> None:
        self.address, self.tls, self.children = cluster

    @asynccontextmanager
    async def open(self, slots: int) -> AsyncIterator[Executor]:
        from arena.execution.dask import Cluster, open_dask

        where = Cluster(self.address.url, tls=self.tls, most=slots)
        sources = {load(path).digest: path for path in sample_bots().values()}
        async with open_dask(where, sources=sources, tell=str) as executor:
            with trio.fail_after(LIMIT_S):
                # They join when they like, and a slot of an earlier test ends when it can.
                while len(executor.workers) < slots or self.slots():  # noqa: ASYNC110
                    await trio.sleep(0.01)
            yield executor

    def slots(self) -> list[int]:
        """Process ids of the slots of all workers."""
        found = []
        for child in self.children[1:]:
            for pid in tree.children(child.process.pid):
                with contextlib.suppress(OSError):  # one that has just ended
                    if b"arena.execution.slot" in Path(f"/proc/{pid}/cmdline").read_bytes():
                        found.append(pid)
        return found

    async def break_one(self, executor: Executor) -> None:
        with trio.fail_after(LIMIT_S):
            while not self.slots():  # noqa: ASYNC110 (a worker tells nobody when it starts a process)
                await trio.sleep(0.001)
        os.kill(self.slots()[0], signal.SIGKILL)


@pytest.fixture(params=["fake", "local", "dask"])
def kind(request: pytest.FixtureRequest) -> Kind:
    match request.param:
        case "fake":
            return Fake()
        case "local":
            return Local()
        case _:
            return Dask(request.getfixturevalue("dask_cluster"))


def ref(name: str) -> BotRef:
    bot = load(sample_bots()[name])
    return BotRef(name, "1", bot.digest, str(bot.directory), bot.manifest.command)


def a_job(block: int, games: Games = PAIR, attempt: int = 1) -> BlockJob:
    return BlockJob(
        match_id="ab" * 32,
        block=block,
        attempt=attempt,
        game="north-american",
        rules={"target": 1},
        bots=(ref("random"), ref("greedy")),
        games=games,
        block_seed=block.to_bytes(32, "big"),
        limits=Limits(start_ms=60_000, move_ms=20_000, grace_ms=100),
        isolation="basic",
    )


def run(main: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        with trio.fail_after(LIMIT_S):
            await main()

    trio.run(bounded)


async def collect(executor: Executor, ends: int) -> list[Event]:
    """Events until so many jobs have ended."""
    events: list[Event] = []
    stream = executor.events()
    while ends:
        event = await anext(stream)
        events.append(event)
        ends -= isinstance(event, Finished | Lost)
    return events


def test_every_job_ends_once_after_its_games(kind: Kind) -> None:
    jobs = [a_job(block) for block in range(5)]
    events: list[Event] = []

    async def main() -> None:
        async with kind.open(2) as executor, trio.open_nursery() as nursery:
            assert executor.slots == 2

            async def feed() -> None:
                for job in jobs:
                    await executor.submit(job)

            nursery.start_soon(feed)
            events.extend(await collect(executor, len(jobs)))

    run(main)
    ends = [event.job.block for event in events if isinstance(event, Finished)]
    assert sorted(ends) == [job.block for job in jobs]
    for job in jobs:
        mine = [e for e in events if (e[0] if isinstance(e, tuple) else e.job) == job]
        games = tuple((e[1].pair, e[1].leg) for e in mine if isinstance(e, tuple))
        assert games == job.games
        assert isinstance(mine[-1], Finished)
        assert all(e[1].lines for e in mine if isinstance(e, tuple))


def test_a_job_that_breaks_is_lost_once_and_others_go_on(kind: Kind) -> None:
    events: list[Event] = []
    long: Games = tuple((pair, 0) for pair in range(2000))

    async def main() -> None:
        async with kind.open(1) as executor:
            if isinstance(kind, Fake):
                await kind.break_one(executor)
            await executor.submit(a_job(0, long))
            if not isinstance(kind, Fake):
                await kind.break_one(executor)
            events.extend(await collect(executor, 1))
            await executor.submit(a_job(1))
            events.extend(await collect(executor, 1))

    run(main)
    ends = [event for event in events if not isinstance(event, tuple)]
    lost, finished = ends
    assert isinstance(lost, Lost)
    assert (lost.job.block, lost.why, lost.bot) == (0, "slot_died", None)
    assert isinstance(finished, Finished)
    assert finished.job.block == 1


def test_cancel_ends_every_job_with_its_finished_games_told(kind: Kind) -> None:
    long: Games = tuple((pair, 0) for pair in range(2000))
    counts: Counter[str] = Counter()

    async def main() -> None:
        async with kind.open(1) as executor:
            await executor.submit(a_job(0, long))
            await executor.submit(a_job(1))
            stream = executor.events()
            assert isinstance(await anext(stream), tuple)
            await executor.cancel()
            while counts["lost"] < 2:
                event = await anext(stream)
                assert not isinstance(event, Finished)
                if isinstance(event, Lost):
                    assert event.why == "cancelled"
                    counts["lost"] += 1
            await executor.submit(a_job(2))
            assert isinstance(await anext(stream), Lost)

    run(main)


def test_finishing_plays_what_runs_and_begins_nothing_more(kind: Kind) -> None:
    ends: list[Finished | Lost] = []

    async def main() -> None:
        async with kind.open(1) as executor:
            await executor.submit(a_job(0, tuple((pair, 0) for pair in range(40))))
            await executor.submit(a_job(1))
            stream = executor.events()
            assert isinstance(await anext(stream), tuple)
            await executor.finish()
            while len(ends) < 2:
                event = await anext(stream)
                if not isinstance(event, tuple):
                    ends.append(event)

    run(main)
    found = {event.job.block: event for event in ends}
    assert isinstance(found[0], Finished)
    refused = found[1]
    assert isinstance(refused, Lost)
    assert refused.why == "cancelled"


def test_submitting_waits_while_nobody_listens(kind: Kind) -> None:
    taken: list[int] = []

    async def main() -> None:
        async with kind.open(1) as executor, trio.open_nursery() as nursery:

            async def feed() -> None:
                for block in range(50):
                    await executor.submit(a_job(block))
                    taken.append(block)

            nursery.start_soon(feed)
            await trio.testing.wait_all_tasks_blocked(0.05)
            assert 1 <= len(taken) <= 4
            nursery.cancel_scope.cancel()

    run(main)


def test_nothing_is_kept_of_jobs_that_have_ended(kind: Kind) -> None:
    left: list[int] = []

    async def main() -> None:
        async with kind.open(1) as executor:
            for block in range(6):
                await executor.submit(a_job(block))
                await collect(executor, 1)
            if isinstance(executor, FakeExecutor):
                executor.submitted.clear()
            await trio.testing.wait_all_tasks_blocked()
            gc.collect()
            left.append(sum(isinstance(thing, BlockJob) for thing in gc.get_objects()))

    run(main)
    assert left[0] <= 2


def test_no_process_is_left(kind: Kind) -> None:
    before = set(tree.descendants(os.getpid()))  # the cluster of other tests, its slots included

    async def main() -> None:
        async with kind.open(2) as executor:
            await executor.submit(a_job(0, tuple((pair, 0) for pair in range(2000))))
            await anext(executor.events())
            pids.extend(p for child in tree.children(os.getpid()) for p in tree.descendants(child))

    pids: list[int] = []
    run(main)
    assert set(tree.children(os.getpid())) <= before
    assert not [pid for pid in pids if pid not in before and Path(f"/proc/{pid}").exists()]
