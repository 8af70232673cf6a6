"""What the table needs of a seat's process, and what it waits with: real ones or fakes."""

from __future__ import annotations

import select
from typing import Protocol

MAX_EVENTS = 16
TICK_S = 0.05
"""How often, in a long wait, memory and CPU are looked at."""

Events = list[tuple[int, int]]


class Cancelled(Exception):
    """The slot was told to end: the game is broken off, nobody is charged."""


class Stderr(Protocol):
    """What is kept of a seat's stderr."""

    def text(self) -> str:
        """Head and tail, as text."""

    def tail(self, characters: int = 2000) -> str:
        """The last characters of it."""


class Process(Protocol):
    """The process of a seat, as the table needs it (arena/bots/process.py)."""

    @property
    def stdin_fd(self) -> int: ...
    @property
    def stdout_fd(self) -> int: ...
    @property
    def stderr_fd(self) -> int: ...
    @property
    def stderr(self) -> Stderr: ...
    def drain_stderr(self) -> bool: ...
    def cpu_seconds(self) -> float | None: ...
    def processes(self) -> list[int]: ...
    def memory_bytes(self) -> int | None: ...
    def freeze(self) -> object: ...
    def thaw(self) -> object: ...
    def kill(self) -> object: ...


class Poller(Protocol):
    """`select.epoll()`, what stands in for it elsewhere, or a fake one that runs on a fake clock."""

    def register(self, fd: int, eventmask: int, /) -> None: ...
    def unregister(self, fd: int, /) -> None: ...
    def poll(self, timeout: float, maxevents: int, /) -> Events:
        """Events that are there within `timeout` seconds."""

    def close(self) -> None: ...


class _Poll:
    """`select.poll()` in the shape of epoll. epoll costs the same however many descriptors are watched."""

    def __init__(self) -> None:
        self._poll = select.poll()
        self.register = self._poll.register
        self.unregister = self._poll.unregister

    def poll(self, timeout: float, maxevents: int) -> Events:
        return self._poll.poll(timeout * 1000)

    def close(self) -> None:
        pass


def new_poller() -> Poller:
    """What a set waits with on this system."""
    return select.epoll() if hasattr(select, "epoll") else _Poll()
