"""The fault runs of benchmarks/faults.py in their short forms, and one tournament on two executors."""

from __future__ import annotations

import os
import random
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from arena.tournament.config import RunConfig
from arena.tournament.results import open_results
from arena.tournament.run import run_tournament

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def faults() -> ModuleType:
    """benchmarks/faults.py as a module."""
    pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    if sys.platform != "linux":
        pytest.skip("the fault runs need Linux")
    spec = spec_from_file_location("arena_fault_runs", ROOT / "benchmarks" / "faults.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "kills", "pairs"),
    [
        ("kill-cli", 2, 4),
        ("kill-slot", 2, 20),
        ("kill-worker", 2, 20),
        ("stop-worker", 1, 20),
        ("kill-scheduler", 1, 40),
        ("clock-back", 1, 4),
    ],
)
def test_after_a_fault_the_same_games(
    faults: ModuleType, need_tool, tmp_path: Path, name: str, kills: int, pairs: int
) -> None:
    if name == "clock-back":
        need_tool("gcc")
    faults.run(name, tmp_path, kills, random.Random(os.urandom(8)), pairs)


def test_the_same_tournament_on_slots_and_on_dask_workers(tmp_path: Path, faults: ModuleType) -> None:
    """The same deals, and the same table byte for byte."""
    tables = []
    for name, more in (("local", {"slots": 2}), ("dask", {"executor": "dask", "local": 2})):
        config = RunConfig(
            bots=("random", "greedy", "careful"),
            rules={"target": 3},
            pairs=3,
            seed="7",
            isolation="basic",
            start_ms=60_000,
            move_ms=20_000,
            grace_ms=100,
            out=str(tmp_path / name),
            home=str(tmp_path / "home"),
            **more,
        )
        report = run_tournament(config)
        assert (report.complete, report.games_played) == (True, 18)
        with open_results(tmp_path / name) as results:
            standings = results.standings()
            tables.append((standings.to_json(), standings.to_csv()))
            machines = results.stored.machines()
        assert bool(machines) == (name == "dask")
        assert sum(machine.games for machine in machines) == (18 if name == "dask" else 0)
    assert tables[0] == tables[1]
    assert faults.games(tmp_path / "local") == faults.games(tmp_path / "dask")
