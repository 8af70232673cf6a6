"""An executor that plays from a script, in process: for tests of whatever hands jobs out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import trio

from arena.execution.base import BlockJob, Event, Finished, GameDone, Lost


@dataclass(frozen=True, slots=True)
class Loss:
    """A job is lost after so many of its games."""

    after: int
    why: str
    bot: str | None = None
    text: str = ""


Play = Callable[[BlockJob, int, int], Mapping[str, Any]]
Script = Callable[[BlockJob], Loss | None]


def even_game(job: BlockJob, pair: int, leg: int) -> dict[str, Any]:
    """A game's row out of the block's seed: it does not depend on who runs it, when, or how often."""
    draw = hashlib.sha256(job.block_seed + bytes([pair % 256, leg])).digest()
    won = draw[0] % 2
    points = (10, draw[1] % 10) if won else (draw[1] % 10, 10)
    return {
        "score_a": float(won),
        "points_a": points[0],
        "points_b": points[1],
        "hands": 6 + draw[2] % 8,
        "decisions": 200,
        "reason": "target",
        "seconds": 0.5,
    }


class FakeExecutor:
    """Runs `slots` jobs at a time; `play` gives each game's row, `script` says which jobs are lost."""

    def __init__(self, nursery: trio.Nursery, slots: int, play: Play, script: Script) -> None:
        self._nursery = nursery
        self._slots = slots
        self._play = play
        self._script = script
        self._window = trio.Semaphore(2 * slots)
        self._free = trio.Semaphore(slots)
        self._send, self._receive = trio.open_memory_channel[Event](0)
        self._scopes: set[trio.CancelScope] = set()
        self._cancelled = False
        self._finishing = False
        self.submitted: list[BlockJob] = []
        """Every job, in the order in which it was taken."""

    @property
    def slots(self) -> int:
        return self._slots

    async def submit(self, job: BlockJob) -> None:
        await self._window.acquire()
        self.submitted.append(job)
        self._nursery.start_soon(self._run, job)

    def events(self) -> AsyncIterator[Event]:
        return self._receive

    async def finish(self) -> None:
        self._finishing = True
        await trio.lowlevel.checkpoint()

    async def cancel(self) -> None:
        self._cancelled = True
        for scope in self._scopes:
            scope.cancel()
        await trio.lowlevel.checkpoint()

    def close(self) -> None:
        """Close the channel of events."""
        self._send.close()
        self._receive.close()

    async def _run(self, job: BlockJob) -> None:
        end: Finished | Lost = Lost(job, "cancelled")
        with trio.CancelScope() as scope:
            self._scopes.add(scope)
            if self._cancelled:
                scope.cancel()
            async with self._free:
                if not self._finishing:
                    end = await self._games(job)
        self._scopes.discard(scope)
        await self._send.send(end)
        self._window.release()

    async def _games(self, job: BlockJob) -> Finished | Lost:
        loss = self._script(job)
        for number, (pair, leg) in enumerate(job.games):
            if loss is not None and number == loss.after:
                break
            lines = [_line({"t": "end", "pair": pair, "leg": leg})]
            if number == 0:
                lines.insert(0, _line({"t": "block", "block": job.block, "attempt": job.attempt}))
            await self._send.send((job, GameDone(pair, leg, dict(self._play(job, pair, leg)), tuple(lines))))
        if loss is not None:
            return Lost(job, loss.why, loss.bot, loss.text)
        return Finished(job, (_line({"t": "close", "seed": job.block_seed.hex()}),), {})


def _line(record: dict[str, Any]) -> str:
    return json.dumps({**record, "h": "0" * 32}, separators=(",", ":"))


def _no_loss(job: BlockJob) -> Loss | None:
    return None


@asynccontextmanager
async def open_fake(
    slots: int = 2, *, play: Play = even_game, script: Script = _no_loss
) -> AsyncIterator[FakeExecutor]:
    """A `FakeExecutor` for as long as the context lasts."""
    async with trio.open_nursery() as nursery:
        executor = FakeExecutor(nursery, slots, play, script)
        try:
            yield executor
        finally:
            nursery.cancel_scope.cancel()
    executor.close()
