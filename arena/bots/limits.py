"""The limits that a bot plays under, in one place; `hello` shows them to the bot."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class Limits:
    """Time in milliseconds, memory in MiB, sizes in bytes. `None` means no such limit."""

    move_ms: int | None = 1000
    """Time for one decision."""
    bank_ms: int | None = None
    """Extra time for a whole game, drawn on when a decision takes longer than `move_ms`."""
    start_ms: int = 5000
    """From spawn to `ready`."""
    grace_ms: int = 500
    """From `bye` to SIGTERM, and again from SIGTERM to SIGKILL."""
    cpu_s: int = 3600
    """CPU seconds of one process over its whole life (RLIMIT_CPU): a backstop, not a move clock."""
    memory_mb: int = 1024
    """The whole tree of one seat."""
    processes: int = 64
    files: int = 256
    file_bytes: int = 16 * 1024 * 1024
    """The largest single file that a bot may write, in its private /tmp."""
    tmp_bytes: int = 64 * 1024 * 1024
    """All that it may write there together, and to /dev/shm as much again (at level `strong`)."""
    stderr_bytes: int = 65536
    """How much of a seat's stderr is kept: half head, half tail."""
    frame_bytes: int = 65536

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Limits:
        """From a dict of known keys. Raises ValueError naming an unknown one."""
        known = {f.name for f in fields(cls)}
        for key in data:
            if key not in known:
                raise ValueError(f"unknown limit `{key}`: expected one of {', '.join(sorted(known))}")
        return cls(**data)
