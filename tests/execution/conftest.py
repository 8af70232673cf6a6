"""A Dask cluster on loopback for the tests of this room."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def dask_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """ARENA_HOME of the workers."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="session")
def dask_cluster(dask_home: Path) -> Iterator[tuple[Any, Path, list[Any]]]:
    """A scheduler and two workers, as processes of their own."""
    pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    from arena.execution.cluster import local_cluster

    started = local_cluster([(), ()])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARENA_HOME", str(dask_home))
        cluster = started.__enter__()
    yield cluster
    started.__exit__(None, None, None)
