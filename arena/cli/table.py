"""Drawing the standings of a folder, with a word on stderr where that takes its time."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from arena.tournament.standings import Standings

SILENT = 5_000
"""Playouts of so few games are not worth a word."""


def drawn_standings(
    folder: Path,
    *,
    anchor: str | None = None,
    anchor_elo: float = 0.0,
    owners_apart: bool = False,
    adjusted: bool = True,
    home: str | None = None,
) -> Standings:
    """The standings of the tournament in `folder` (see `Results.standings`)."""
    from arena.tournament.results import open_results

    said = ""

    def progress(what: str, done: int, total: int) -> None:
        nonlocal said
        if total < SILENT:
            return
        words = {"table": "making the table of these rules (once)", "playouts": "playing deals out"}
        text = f"{words.get(what, what)}: {100 * done // total}%"
        if text != said and sys.stderr.isatty():
            click.echo(f"\r{text}", nl=False, err=True)
            said = text

    try:
        with open_results(folder) as results:
            return results.standings(
                anchor=anchor,
                anchor_elo=anchor_elo,
                owners_apart=owners_apart,
                adjusted=adjusted,
                home=Path(home).expanduser() if home is not None else None,
                progress=progress,
            )
    finally:
        if said:
            click.echo("\r" + " " * len(said) + "\r", nl=False, err=True)
