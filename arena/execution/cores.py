"""The cores that slots run on: one hardware thread of each physical core first, the siblings after."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from arena.errors import ArenaError, Exit

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
    layers = _layers(usable_cpus() if cpus is None else cpus, root)
    return tuple(cpu for layer in layers for cpu in layer), len(layers[0]) if layers else 0


def _layers(cpus: Sequence[int], root: Path) -> list[list[int]]:
    """The first hardware thread of each physical core, then the second of each that has one, and so on."""
    threads: dict[tuple[int, ...], int] = {}
    layers: list[list[int]] = []
    for cpu in cpus:
        core = _siblings(cpu, root)
        number = threads.get(core, 0)
        threads[core] = number + 1
        if number == len(layers):
            layers.append([])
        layers[number].append(cpu)
    return layers


def check_cores(per_game: int, root: Path = _CPUS) -> None:
    """Raise ArenaError where one game is to have more physical cores than this process may use."""
    order, cores = pinning_order(root=root)
    if per_game > cores:
        threads = f" ({len(order)} with hyper-threads)" if len(order) > cores else ""
        raise ArenaError(
            f"cores-per-game: {per_game}, and this machine has {cores} for it{threads}",
            hint=f"--cores-per-game {cores}, or fewer",
            exit_code=Exit.ENVIRONMENT,
        )


def default_slots(per_game: int = 1, root: Path = _CPUS, quota: Path = _QUOTA) -> int:
    """As many slots of `per_game` cores as there are physical cores for, and as the CPU quota allows."""
    cores = pinning_order(root=root)[1]
    try:
        limit, period = quota.read_text(encoding="ascii").split()
        allowed = cores if limit == "max" else int(limit) // int(period)
    except (OSError, ValueError, ZeroDivisionError):
        allowed = cores
    return max(1, min(cores, allowed) // per_game)


def slot_cpus(
    slots: int, per_game: int = 1, *, pin: bool = True, root: Path = _CPUS
) -> list[tuple[int, ...]]:
    """The cores of each slot, `per_game` different physical ones; none with pinning off or not to be had.

    Hyper-threads of the same cores come next, and where slots outnumber even those they share in turn.
    """
    if not pin or not hasattr(os, "sched_setaffinity"):
        return [()] * slots
    groups = [
        tuple(layer[at : at + per_game])
        for layer in _layers(usable_cpus(), root)
        for at in range(0, len(layer) - per_game + 1, per_game)
    ]
    if not groups:
        check_cores(per_game, root)
    return [groups[slot % len(groups)] for slot in range(slots)]


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
