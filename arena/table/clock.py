"""Clocks: what time is measured with. Passed in, so that every limit is tested without waiting."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """A monotonic clock."""

    def now(self) -> float:
        """Seconds since some fixed moment; never goes back."""

    def used(self) -> float:
        """CPU seconds that this thread has used."""


class RealClock:
    """The system's monotonic clock: no jump of the wall clock moves it."""

    __slots__ = ()
    now = staticmethod(time.monotonic)
    used = staticmethod(time.thread_time)


class FakeClock:
    """A clock that stands still until it is told to move."""

    __slots__ = ("_now", "work")

    def __init__(self, start: float = 0.0) -> None:
        self._now = start
        self.work = 0.0
        """What `used` tells."""

    def now(self) -> float:
        """Seconds, as last set."""
        return self._now

    def used(self) -> float:
        """CPU seconds, as last set."""
        return self.work

    def advance(self, seconds: float) -> None:
        """Let `seconds` pass. Raises ValueError for less than none: it is monotonic too."""
        if seconds < 0:
            raise ValueError(f"a monotonic clock cannot go back by {-seconds} s")
        self._now += seconds
