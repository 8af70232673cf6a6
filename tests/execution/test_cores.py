"""Cores and hyper-threads told apart, over a made-up /sys."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.execution import cores
from arena.execution.cores import check_cores, default_slots, pinning_order, slot_cpus


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
    assert default_slots(1, tmp_path, tmp_path / "cpu.max") == slots


def test_slots_take_cores_in_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "usable_cpus", lambda: (0, 1))
    monkeypatch.setattr(cores.os, "sched_setaffinity", lambda pid, cpus: None, raising=False)
    assert slot_cpus(2, root=tmp_path) == [(0,), (1,)]
    assert slot_cpus(3, root=tmp_path) == [(0,), (1,), (0,)]
    assert slot_cpus(2, pin=False, root=tmp_path) == [(), ()]


FOUR_CORES = {cpu: f"{cpu % 4},{cpu % 4 + 4}" for cpu in range(8)}
"""Four cores with two hardware threads each."""


@pytest.fixture
def four(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(cores, "usable_cpus", lambda: tuple(range(8)))
    monkeypatch.setattr(cores.os, "sched_setaffinity", lambda pid, cpus: None, raising=False)
    return machine(tmp_path, FOUR_CORES)


@pytest.mark.parametrize(("per_game", "slots"), [(1, 4), (2, 2), (3, 1), (4, 1)])
def test_slots_by_default_are_as_many_as_there_are_physical_cores_for(
    four: Path, per_game: int, slots: int
) -> None:
    assert default_slots(per_game, four, four / "cpu.max") == slots


def test_a_game_has_different_physical_cores_first_ones_nobody_else_has(four: Path) -> None:
    assert slot_cpus(2, 2, root=four) == [(0, 1), (2, 3)]
    assert slot_cpus(5, 2, root=four) == [(0, 1), (2, 3), (4, 5), (6, 7), (0, 1)]
    assert slot_cpus(3, 3, root=four) == [(0, 1, 2), (4, 5, 6), (0, 1, 2)]
    assert slot_cpus(2, 2, pin=False, root=four) == [(), ()]


def test_a_core_of_which_only_one_thread_may_be_used(four: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "usable_cpus", lambda: (0, 1, 4))
    assert default_slots(2, four, four / "cpu.max") == 1
    assert slot_cpus(2, 2, root=four) == [(0, 1), (0, 1)]


def test_more_cores_than_there_are_is_refused_in_words(four: Path) -> None:
    check_cores(4, four)
    with pytest.raises(ArenaError, match=r"cores-per-game: 5, .* 4 for it \(8 with hyper-threads\)"):
        check_cores(5, four)
