"""A tournament's folder for the commands that look at results."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tournament of three bots, two blocks a pairing; tests leave it as it is."""
    spec = spec_from_file_location("audit_logs", Path(__file__).parents[1] / "audit" / "conftest.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    folder: Path = module.make_tournament(tmp_path_factory.mktemp("stored") / "out")
    return folder
