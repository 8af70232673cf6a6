"""What all tests share: where the data lies, and what a missing toolchain means."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from arena.bots import tree

# The same examples in every run: a suite that can fail by chance is not one to trust. To look for
# new ones, HYPOTHESIS_PROFILE=explore.
settings.register_profile("same", derandomize=True, deadline=None, database=None)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """tests/data."""
    return DATA


def need_tool(name: str) -> str:
    """The path of a program; without it the test is skipped, but fails under CI=true."""
    path = shutil.which(name)
    if path is None:
        if os.environ.get("CI") == "true":
            pytest.fail(f"`{name}` is not installed, and under CI=true that is a failure")
        pytest.skip(f"`{name}` is not installed")
    return path


@pytest.fixture(autouse=True)
def _no_orphans() -> Iterator[None]:
    """What played in this process, in a test or for a fixture, may have had it adopt orphans: not beyond
    that, since tests count its children."""
    tree.adopt_orphans(False)
    yield
    tree.adopt_orphans(False)


@pytest.fixture(scope="session", name="need_tool")
def need_tool_fixture():  # type: ignore[no-untyped-def]
    """`need_tool` as a fixture: tests do not import conftest."""
    return need_tool
