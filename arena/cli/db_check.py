"""`arena db check`: rows against logs."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.checking import check_folder
from arena.cli.options import directory_argument, json_option
from arena.errors import Exit


@click.command()
@directory_argument
@json_option
def command(directory: Path, as_json: bool) -> None:
    """Compare a tournament's rows with its logs.

    Every game that is stored must stand in its log and say the same there, every game in a log must be
    stored, every log must verify, what counts must be what the logs say, and every sum kept for the
    standings must add up, those of luck.db too. The exit code is 1 if anything differs.

    \b
    Examples:
      arena db check arena-out
      arena db check arena-out --json
    """
    from arena.store.folder import holds_tournament, no_tournament

    if not holds_tournament(directory):
        raise no_tournament(directory)
    if not check_folder(directory, anchor=None, as_json=as_json):
        raise SystemExit(int(Exit.FAILED))
