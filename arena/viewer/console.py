"""Where output goes: a console that respects pipes, NO_COLOR and what the terminal can show."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console

PIPE_WIDTH = 140
"""Columns where no terminal says how many there are (COLUMNS wins)."""


def make_console(file: TextIO | None = None, *, stderr: bool = False) -> Console:
    """A console on stdout (or `file`, or stderr) that never takes text for markup.

    Colours only on a terminal, never with NO_COLOR; into a pipe lines are not cut to 80 columns.
    """
    from rich.console import Console

    console = Console(
        file=file, stderr=stderr, highlight=False, markup=False, emoji=False, legacy_windows=False
    )
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = PIPE_WIDTH
    return console


def plus_minus(encoding: str | None) -> str:
    """The sign before an error bar that an output of this encoding can show."""
    try:
        "±".encode(encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return "+-"
    return "±"


def has_unicode(console: Console) -> bool:
    """Whether suit symbols and box lines can be shown."""
    return console.encoding.startswith("utf")
