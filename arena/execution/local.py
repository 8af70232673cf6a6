"""Runs blocks on this machine: one slot process a core, pinned, supervised from the caller's trio loop."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import IO

import trio

from arena.bots import tree
from arena.errors import ArenaError, Exit
from arena.execution.base import BlockJob, Event, Finished, Lost
from arena.execution.child import COMMAND, ending, environment, last_line
from arena.execution.cores import slot_cpus
from arena.execution.wire import CANCEL, FrameReader, WireError, encode, event_from_wire, job_to_wire, key_of

CANCEL_S = 5.0
"""How long a slot that was told to end may take to kill its bots, before it is killed itself."""
REAP_S = 5.0
ADOPTED_S = 3.0
"""How long a dead slot's guards may take to clear up after it."""
_READ = 1 << 16
_POLL_S = 0.005


class _Slot:
    """A slot process, its pipes, and what it wrote to stderr."""

    def __init__(self) -> None:
        """Start it, in the thread that lives as long as the loop. Raises ArenaError if the system refuses."""
        self._said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed in `end`)
        try:
            self.process = subprocess.Popen(
                COMMAND,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._said,
                env=environment(),
                start_new_session=True,
            )
        except OSError as error:
            self._said.close()
            raise ArenaError(
                f"no slot process can be started: {error.strerror or error}",
                hint="close other programs, or ask for fewer --slots",
                exit_code=Exit.ENVIRONMENT,
            ) from error
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._to = trio.lowlevel.FdStream(os.dup(self.process.stdin.fileno()))
        self._from = trio.lowlevel.FdStream(os.dup(self.process.stdout.fileno()))
        self.process.stdin.close()
        self.process.stdout.close()
        self._reader = FrameReader()
        self.ended = False
        self.gone = trio.Event()
        """Set when it is reaped."""

    async def send(self, message: dict[str, object]) -> None:
        """Send one message; a slot that is gone is noticed when reading."""
        with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            await self._to.send_all(encode(message))

    async def read(self) -> list[dict[str, object]]:
        """The next messages; none at the end of its stdout. Raises WireError."""
        while True:
            data = await self._from.receive_some(_READ)
            if not data:
                return []
            messages = self._reader.feed(data)
            if messages:
                return messages

    async def end(self, patience_s: float) -> str:
        """Close its stdin, wait, kill it if need be, reap it; how it ended, in words. Idempotent."""
        if not self.ended:
            self.ended = True
            with trio.CancelScope(shield=True):
                await self._to.aclose()
                if not await self._gone(patience_s):
                    self.process.kill()
                    await self._gone(REAP_S)
                await self._from.aclose()
            self._words = ending(self.process.poll(), last_line(self._said))
            self._said.close()
            self.gone.set()
        return self._words

    async def _gone(self, seconds: float) -> bool:
        with trio.move_on_after(seconds):
            while self.process.poll() is None:  # noqa: ASYNC110 (no event tells of it on every system)
                await trio.sleep(_POLL_S)
        return self.process.poll() is not None


class LocalExecutor:
    """Slots on this machine; made by `open_local`."""

    def __init__(self, nursery: trio.Nursery, slots: int, cores: int, *, pin: bool, adopt: bool) -> None:
        self._nursery = nursery
        self._slots = slots
        self._adopt = adopt
        self._jobs, jobs = trio.open_memory_channel[BlockJob](slots)
        self._emit, self._events = trio.open_memory_channel[Event](0)
        self._live: set[_Slot] = set()
        self._others = frozenset(tree.children(os.getpid())) if adopt else frozenset()
        self._cancelled = False
        self._finishing = False
        for cpus in slot_cpus(slots, cores, pin=pin):
            nursery.start_soon(self._serve, jobs.clone(), cpus)
        jobs.close()

    @property
    def slots(self) -> int:
        return self._slots

    @property
    def pids(self) -> tuple[int, ...]:
        """Process ids of the slots that run now."""
        return tuple(slot.process.pid for slot in self._live)

    async def submit(self, job: BlockJob) -> None:
        await self._jobs.send(job)

    def events(self) -> AsyncIterator[Event]:
        return self._events

    async def finish(self) -> None:
        self._finishing = True
        await trio.lowlevel.checkpoint()

    async def cancel(self) -> None:
        self._cancelled = True
        for slot in tuple(self._live):
            self._nursery.start_soon(self._cancel, slot)
        await trio.lowlevel.checkpoint()

    def kill(self) -> None:
        """Kill every slot at once; their guards clear up after them."""
        for slot in self._live:
            with contextlib.suppress(ProcessLookupError):
                slot.process.kill()

    async def _cancel(self, slot: _Slot) -> None:
        with trio.move_on_after(CANCEL_S) as scope:
            await slot.send(CANCEL)
            await slot.gone.wait()
        if scope.cancelled_caught and slot in self._live:
            slot.process.kill()

    async def _serve(self, jobs: trio.MemoryReceiveChannel[BlockJob], cpus: tuple[int, ...]) -> None:
        """One slot's life: jobs one after the other, a new process after one that died."""
        slot: _Slot | None = None
        try:
            async with jobs:
                async for job in jobs:
                    if self._cancelled or self._finishing:
                        await self._emit.send(Lost(job, "cancelled"))
                        continue
                    if slot is None:
                        slot = _Slot()
                        self._live.add(slot)
                    end = await self._play(slot, replace(job, cpus=cpus), job)
                    if slot.ended:
                        self._live.discard(slot)
                        slot = None
                        await self._clear_up()
                    elif self._adopt:
                        # The inner process of a sealed seat, killed together with its parent, comes to us.
                        _reap(self._adopted())
                    await self._emit.send(end)
        finally:
            if slot is not None:
                await slot.end(CANCEL_S)
                self._live.discard(slot)

    async def _play(self, slot: _Slot, pinned: BlockJob, job: BlockJob) -> Finished | Lost:
        """Have one job played: its games go out as they come; its end is returned."""
        jobs = {key_of(job): job}
        trouble = ""
        await slot.send(job_to_wire(pinned))
        try:
            while messages := await slot.read():
                for message in messages:
                    event = event_from_wire(message, jobs.__getitem__)
                    if isinstance(event, Finished | Lost):
                        return event
                    await self._emit.send(event)
        except WireError as error:
            trouble = f"it wrote {error}"
            slot.process.kill()
        except trio.BrokenResourceError:
            pass
        words = await slot.end(0.5)
        if self._cancelled:
            return Lost(job, "cancelled")
        return Lost(job, "slot_died", None, trouble or words)

    async def _clear_up(self) -> None:
        """Reap what a dead slot left to this process: first its guards clear up, then the rest is killed."""
        if not self._adopt:
            return
        with trio.CancelScope(shield=True):
            deadline = trio.current_time() + ADOPTED_S
            while adopted := self._adopted():
                if trio.current_time() > deadline:
                    tree.send(adopted, signal.SIGKILL)
                _reap(adopted)
                if trio.current_time() > deadline + REAP_S:
                    return
                await trio.sleep(_POLL_S)

    def _adopted(self) -> list[int]:
        """Children of this process that are no slots, and were not there before."""
        slots = {slot.process.pid for slot in self._live}
        return [pid for pid in tree.children(os.getpid()) if pid not in slots | self._others]

    async def close(self) -> None:
        """After the last slot has ended: see to it that nothing of any of them is left."""
        self._jobs.close()
        self._emit.close()
        self._events.close()
        await self._clear_up()


@asynccontextmanager
async def open_local(
    slots: int, cores: int = 1, *, pin: bool = True, adopt: bool = False
) -> AsyncIterator[LocalExecutor]:
    """A LocalExecutor for as long as the context lasts; after it no process of any slot is left.

    `cores`: physical cores that a slot and its bots share.

    With `adopt` this process takes in, kills and reaps what dead slots leave: only where it starts no other
    processes meanwhile, as on the command line. Children that it has already are left alone, and
    afterwards it adopts nobody any more.
    """
    with tree.as_before():
        if adopt:
            tree.adopt_orphans()
        async with trio.open_nursery() as nursery:
            executor = LocalExecutor(nursery, slots, cores, pin=pin, adopt=adopt)
            try:
                yield executor
            finally:
                nursery.cancel_scope.cancel()
        with trio.CancelScope(shield=True):
            await executor.close()


def _reap(pids: list[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
