"""`arena standings`: the table of a tournament."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.options import directory_argument, json_option
from arena.cli.table import drawn_standings
from arena.errors import ArenaError, Exit


@click.command()
@directory_argument
@click.option(
    "--anchor", metavar="BOT[=ELO]", help="The bot whose rating is fixed, at 0 or ELO (else the mean is 0)."
)
@click.option(
    "--owners",
    type=click.Choice(["together", "apart"]),
    default="together",
    show_default=True,
    help="Leave pairings within one owner out of the ratings.",
)
@click.option("--raw", is_flag=True, help="Rate by the scores as played, not freed of the cards' luck.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV, one line a bot.")
@json_option
def command(
    directory: Path,
    anchor: str | None,
    owners: str,
    raw: bool,
    as_csv: bool,
    as_json: bool,
) -> None:
    """Print the table of a tournament.

    Elo with its 95 % interval (duplicate pairs are the unit), rank intervals, the probability of being
    better than the next and of being best, a crosstable, faults by reason. Works also while the tournament
    is being played.

    \b
    Examples:
      arena standings
      arena standings arena-out --anchor careful=1500
      arena standings arena-out --csv > table.csv
      arena standings arena-out --json
    """
    if as_csv and as_json:
        raise ArenaError("--csv and --json: give one of them", exit_code=Exit.USAGE)
    from arena.tournament.config import parse_anchor

    name, elo = parse_anchor(anchor, "--anchor")
    standings = drawn_standings(
        directory, anchor=name, anchor_elo=elo, owners_apart=owners == "apart", adjusted=not raw
    )
    if as_json:
        click.echo(standings.to_json(), nl=False)
    elif as_csv:
        click.echo(standings.to_csv(), nl=False)
    else:
        from arena.viewer.console import make_console
        from arena.viewer.standings import print_standings

        print_standings(make_console(), standings)
