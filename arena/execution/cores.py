"""The cores that slots run on: one hardware thread of each physical core first, the siblings after."""

from __future__ import annotations

import os
from pathlib import Path

_CPUS = Path("/sys/devices/system/cpu")
_QUOTA = Path("/sys/fs/cgroup/cpu.max")


def usable_cpus() -> tuple[int, ...]:
    """The logical CPUs that this process may run on, in order."""
    if hasattr(os, "sched_getaffinity"):
        return tuple(sorted(os.sched_getaffinity(0)))
    return tuple(range(os.cpu_count() or 1))


def pinning_order(cpus: tuple[int, ...] | None = None, root: Path = _CPUS) -> tuple[tuple[int, ...], int]:
    """`cpus` in the order in which slots take them, and how many of them are physical cores.

    Hyper-threads share one core's units: two slots on one core slow each other down, so every
    physical core gets its first slot before any gets a second.
    """
    cpus = usable_cpus() if cpus is None else cpus
    first: list[int] = []
    siblings: list[int] = []
    seen: set[tuple[int, ...]] = set()
    for cpu in cpus:
        core = _siblings(cpu, root)
        (siblings if core in seen else first).append(cpu)
        seen.add(core)
    return (*first, *siblings), len(first)


def default_slots(root: Path = _CPUS, quota: Path = _QUOTA) -> int:
    """One slot a physical core that this process may use, and no more than its CPU quota allows."""
    cores = pinning_order(root=root)[1]
    try:
        limit, period = quota.read_text(encoding="ascii").split()
        allowed = cores if limit == "max" else int(limit) // int(period)
    except (OSError, ValueError, ZeroDivisionError):
        allowed = cores
    return max(1, min(cores, allowed))


def slot_cpus(slots: int, *, pin: bool = True, root: Path = _CPUS) -> list[tuple[int, ...]]:
    """The core of each slot, in turn where slots outnumber cores; none with pinning off or not to be had."""
    if not pin or not hasattr(os, "sched_setaffinity"):
        return [()] * slots
    order, _ = pinning_order(root=root)
    return [(order[slot % len(order)],) for slot in range(slots)]


def _siblings(cpu: int, root: Path) -> tuple[int, ...]:
    """The hardware threads of the core of `cpu`; itself alone where the system does not say."""
    try:
        text = (root / f"cpu{cpu}" / "topology" / "thread_siblings_list").read_text(encoding="ascii")
        threads: list[int] = []
        for part in text.strip().split(","):
            low, _, high = part.partition("-")
            threads += range(int(low), int(high or low) + 1)
    except (OSError, ValueError):
        return (cpu,)
    return tuple(sorted(threads))
