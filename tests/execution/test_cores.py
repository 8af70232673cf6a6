"""Cores and hyper-threads told apart, over a made-up /sys."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.execution import cores
from arena.execution.cores import default_slots, pinning_order, slot_cpus


def machine(root: Path, siblings: dict[int, str]) -> Path:
    for cpu, text in siblings.items():
        folder = root / f"cpu{cpu}" / "topology"
        folder.mkdir(parents=True)
        (folder / "thread_siblings_list").write_text(text + "\n")
    return root


def test_one_thread_of_each_core_first(tmp_path: Path) -> None:
    root = machine(tmp_path, {0: "0,2", 1: "1,3", 2: "0,2", 3: "1,3"})
    assert pinning_order((0, 1, 2, 3), root) == ((0, 1, 2, 3), 2)


def test_siblings_side_by_side(tmp_path: Path) -> None:
    root = machine(tmp_path, {0: "0-1", 1: "0-1", 2: "2-3", 3: "2-3"})
    assert pinning_order((0, 1, 2, 3), root) == ((0, 2, 1, 3), 2)


def test_only_cpus_that_may_be_used(tmp_path: Path) -> None:
    root = machine(tmp_path, {0: "0-1", 1: "0-1", 2: "2-3", 3: "2-3"})
    assert pinning_order((1, 2, 3), root) == ((1, 2, 3), 2)


def test_without_a_word_from_the_system_each_cpu_is_a_core(tmp_path: Path) -> None:
    assert pinning_order((0, 1), tmp_path) == ((0, 1), 2)


@pytest.mark.parametrize(
    ("quota", "slots"),
    [("max 100000", 4), ("150000 100000", 1), ("250000 100000", 2), ("50000 100000", 1), ("?", 4)],
)
def test_a_quota_bounds_the_slots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quota: str, slots: int
) -> None:
    monkeypatch.setattr(cores, "usable_cpus", lambda: (0, 1, 2, 3))
    (tmp_path / "cpu.max").write_text(quota)
    assert default_slots(tmp_path, tmp_path / "cpu.max") == slots


def test_slots_take_cores_in_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "usable_cpus", lambda: (0, 1))
    monkeypatch.setattr(cores.os, "sched_setaffinity", lambda pid, cpus: None, raising=False)
    assert slot_cpus(2, root=tmp_path) == [(0,), (1,)]
    assert slot_cpus(3, root=tmp_path) == [(0,), (1,), (0,)]
    assert slot_cpus(2, pin=False, root=tmp_path) == [(), ()]
