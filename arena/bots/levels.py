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
