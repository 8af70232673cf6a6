"""`arena merge`: two tournaments' results as one."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.options import json_option, print_json

FOLDER = click.Path(path_type=Path)


@click.command()
@click.argument("first", metavar="A", type=FOLDER)
@click.argument("second", metavar="B", type=FOLDER)
@click.option("-o", "--out", "target", metavar="C", type=FOLDER, required=True, help="A new folder.")
@json_option
def command(first: Path, second: Path, target: Path, as_json: bool) -> None:
    """Join the results of two tournaments.

    Those of A and B go into a new folder C. Both must have been played under the same conditions: game,
    rules, limits, isolation. A and B stay as they are; C holds copies of their logs, verifies, and can be
    gone on with under A's seed. Of a game that both hold, A's counts. A bot must be the same program, under
    the same name, in both.

    \b
    Examples:
      arena merge monday-out tuesday-out -o week-out
    """
    from dataclasses import asdict

    from arena.tournament.merge import merge_tournaments

    report = merge_tournaments(first, second, target)
    if as_json:
        print_json(asdict(report))
        return
    repeated = f"; {report.repeated} games were in both, and the first one's count" if report.repeated else ""
    click.echo(f"{report.bots} bots, {report.games} games in {target}{repeated}")
