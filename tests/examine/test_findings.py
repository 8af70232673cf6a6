"""An examination's result in words."""

from __future__ import annotations

import pytest

from arena.examine.findings import Figures, Report, memory_words


@pytest.mark.parametrize(
    ("mb", "words"), [(0.0, "below 1 MiB"), (0.4, "below 1 MiB"), (1.0, "1 MiB"), (13.6, "14 MiB")]
)
def test_memory_is_never_said_to_be_nothing(mb: float, words: str) -> None:
    assert memory_words(mb) == words
    report = Report("tiny", "1", "d" * 64, "rust", "basic", ("british",), (), Figures(memory_mb=mb))
    assert f"; {words}; basic, arena " in report.summary()
