"""Two whole games of each preset are as they were written down; tests/data/rewrite.py writes them anew."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[1] / "data" / "rewrite.py"


def rewriter() -> Any:
    spec = importlib.util.spec_from_file_location("rewrite", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("game_id", "seed"), rewriter().PLAYTHROUGHS)
def test_playthrough(game_id: str, seed: str) -> None:
    script = rewriter()
    golden = script.playthrough_path(game_id, seed).read_text()
    assert script.playthrough_text(game_id, seed).splitlines() == golden.splitlines()


def test_deals_file() -> None:
    script = rewriter()
    assert script.deals_text() == (SCRIPT.parent / "deals.json").read_text()
