"""Isolation levels: how far apart a bot is kept from the machine and from the other seats."""

from __future__ import annotations

from enum import StrEnum


class Level(StrEnum):
    """From the strongest down. Stored in each match record; results under different levels are not mixed."""

    STRONG = "strong"
    """bubblewrap, a seccomp filter and resource limits (Linux)."""
    NAMESPACES = "namespaces"
    """util-linux `unshare`: own processes and no network, but shared files (Linux)."""
    BASIC = "basic"
    """Own session, resource limits, group kill (any POSIX system)."""


_ALWAYS = (
    "CPU and cache timing: how busy the shared core is",
    "tempo: how long the others thought before a seat was asked (`--tempo TIME` closes it)",
    "pages of shared files: whether one was lately read, is mapped by another seat, or waited on (futex)",
    "the kernel's own numbering: a pipe or eventfd made by one seat moves the number of the next one's",
)
_ORDINARY_USER = (
    "allowances of one user: memory for pipes, epoll watches (as root, each seat has a user of its own)"
)
_SHARED_FILES = "files: temporary directories, shared memory, locks and watches on files"
_ALL_ELSE = "network, signals, queues, each other's processes, the machine's counters"


def left_open(level: Level, *, as_root: bool) -> tuple[str, ...]:
    """Ways by which two seats could still talk at `level`, for the rule book to forbid."""
    found = list(_ALWAYS)
    if not as_root:
        found.append(_ORDINARY_USER)
    if level is not Level.STRONG:
        found.append(_SHARED_FILES)
    if level is Level.BASIC:
        found.append(_ALL_ELSE)
    return tuple(found)
