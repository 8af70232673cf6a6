"""How jobs are run: what a tournament hands out, and what comes back, each once."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Protocol

from arena.table.job import BlockJob, BotRef, Event, Finished, GameDone, Lost

__all__ = ["BlockJob", "BotRef", "Event", "Executor", "Finished", "GameDone", "Lost"]


class Executor(Protocol):
    """Runs blocks. Each submitted job yields its `GameDone`s and then exactly one `Finished` or `Lost`."""

    @property
    def slots(self) -> int:
        """How many blocks run at a time."""

    async def submit(self, job: BlockJob) -> None:
        """Take a job; waits while the window of jobs in flight is full (back-pressure)."""

    def events(self) -> AsyncIterator[Event]:
        """Everything that happens, in the order in which it happened."""

    async def finish(self) -> None:
        """Begin no further job: those that run go on, each of the others yields `Lost(why="cancelled")`."""

    async def cancel(self) -> None:
        """End all jobs now: each unfinished one yields `Lost(why="cancelled")`."""
