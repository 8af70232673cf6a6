"""Each mistake that people make on the wire is named in words, in Python, JavaScript and C."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from arena.examine.findings import Check, Report, Status

_spec = importlib.util.spec_from_file_location("_wrong_cases", Path(__file__).parent / "wrong.py")
assert _spec is not None
assert _spec.loader is not None
_cases = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_cases)
CASES = [(mistake, language) for mistake, languages in _cases.MISTAKES.items() for language in languages]
TOOLS = {"javascript": "node", "c": "cc"}
ONLY_WARNED = ("reads the shortest forms only",)


@pytest.mark.slow
@pytest.mark.parametrize(("mistake", "language"), CASES)
def test_the_mistake_is_named(
    mistake: str,
    language: str,
    tmp_path: Path,
    wrong: ModuleType,
    examined: Callable[..., Report],
    failed: Callable[[Report], list[Check]],
    need_tool: Callable[[str], str],
) -> None:
    if language in TOOLS:
        need_tool(TOOLS[language])
    edits, words = wrong.MISTAKES[mistake][language]
    report = examined(wrong.write_wrong(tmp_path / "bot", language, edits), games=20)
    (found, *more) = failed(report)
    assert words in f"{found.came} {found.change}", found
    assert more == [] or mistake in ("reads the shortest forms only", "prints without a flush"), more
    assert report.ok == (mistake in ONLY_WARNED)
    assert found.status is (Status.WARNING if report.ok else Status.FAILED)
    assert found.said
    assert found.change
    assert found.sent or found.id == "quiet"


@pytest.mark.slow
@pytest.mark.parametrize("language", ["python", "javascript", "c"])
def test_the_right_bots_pass(
    language: str,
    tmp_path: Path,
    wrong: ModuleType,
    examined: Callable[..., Report],
    failed: Callable[[Report], list[Check]],
    need_tool: Callable[[str], str],
) -> None:
    if language in TOOLS:
        need_tool(TOOLS[language])
    report = examined(wrong.write_wrong(tmp_path / "bot", language, ()))
    assert (failed(report), report.ok) == ([], True)


def test_each_mistake_of_the_list_is_there_in_three_languages() -> None:
    in_all = {mistake for mistake, languages in _cases.MISTAKES.items() if len(languages) == 3}
    assert {
        "prints to stdout", "reads text", "packs strings as bin", "takes a read for a frame", "cuts the id",
        "writes the length little-endian", "writes no length", "ends each frame with a newline",
        "ends with its first game", "answers illegally", "goes on after bye",
    } <= in_all  # fmt: skip
    # Node's stdout has no buffer to flush.
    assert set(_cases.MISTAKES["does not flush"]) == {"python", "c"}
