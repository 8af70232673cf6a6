"""Drawing the standings of a folder, with a word on stderr where that takes its time."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from arena.tournament.standings import Standings

SILENT_S = 1.0
"""What takes no longer is not worth a word."""
WORDS = {
    "table": "making the table of luck for these rules, once",
    "playouts": "playing out the deals of {total:,} new games",
}
SLOW_GAMES = 20_000
"""From so many games on, it is worth saying that a compiler makes this quicker."""


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
    from arena.analysis.luck import compiled
    from arena.tournament.results import open_results

    began, said = time.monotonic(), ""

    def progress(what: str, done: int, total: int) -> None:
        nonlocal said
        if time.monotonic() - began < SILENT_S:
            return
        text = WORDS[what].format(total=total)
        if not sys.stderr.isatty():
            if not said:
                click.echo(text, err=True)
            said = text
            return
        text = f"{text}: {100 * done // max(total, 1)}%"
        if text != said:
            if not said and total >= SLOW_GAMES and not compiled():
                click.echo("(the extra `analysis` makes this quicker: it compiles)", err=True)
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
        if said and sys.stderr.isatty():
            click.echo("\r" + " " * len(said) + "\r", nl=False, err=True)
