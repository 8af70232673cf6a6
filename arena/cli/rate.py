"""`arena rate`: results from elsewhere."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.options import json_option, print_json
from arena.errors import ArenaError, Exit


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--anchor", metavar="NAME[=ELO]", help="The player whose rating is fixed, at 0 or ELO.")
@click.option(
    "--owners",
    type=click.Choice(["together", "apart"]),
    default="together",
    show_default=True,
    help="Leave games within one owner out (CSV: the columns owner_a, owner_b).",
)
@click.option("--pairs", is_flag=True, help="Two games in a row with sides changed are one pair.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV instead of text.")
@json_option
def command(file: Path, anchor: str | None, owners: str, pairs: bool, as_csv: bool, as_json: bool) -> None:
    """Rate results from elsewhere.

    FILE is CSV, one game a line, with a header that names its columns: a, b, score (of a: 0, 0.5 or 1) and,
    where known, pair (games of one duplicate pair have the same), points_a, points_b, hands, owner_a,
    owner_b. Or it is PGN: the tags White, Black and Result are read.

    \b
    Examples:
      arena rate results.csv
      arena rate games.pgn --pairs --anchor stockfish=3500
      arena rate results.csv --json
    """
    from arena.exchange.results import read_results
    from arena.tournament.config import parse_anchor
    from arena.tournament.standings import StandingsOptions, make_standings

    anchor, anchor_elo = parse_anchor(anchor, "--anchor")
    results = read_results(file, consecutive=pairs)
    names = {name for pairing in results.pairings for name in (pairing.a, pairing.b)}
    if anchor is not None and anchor not in names:
        from difflib import get_close_matches

        near = get_close_matches(anchor, names, 1)
        raise ArenaError(
            f"--anchor: no player `{anchor}` in {file}",
            hint=f"did you mean `{near[0]}`?" if near else "",
            exit_code=Exit.USAGE,
        )
    if owners == "apart" and not results.owners:
        raise ArenaError(
            f"--owners apart: {file} names no owners",
            hint="they stand in the columns owner_a and owner_b of a CSV",
            exit_code=Exit.USAGE,
        )
    unit = "pair" if results.pairs else "game"
    options = StandingsOptions(
        anchor=anchor,
        anchor_elo=anchor_elo,
        owners=results.owners,
        owners_apart=owners == "apart",
        unit=unit,
    )
    standings = make_standings(results.pairings, options=options)
    if as_json:
        print_json(standings.to_dict())
    elif as_csv:
        click.echo(standings.to_csv(), nl=False)
    else:
        from arena.viewer.console import make_console
        from arena.viewer.standings import print_standings

        print_standings(make_console(), standings, unit=unit)
        units = f"{results.pairs} pairs" if results.pairs else "each game counted by itself"
        skipped = f", {results.skipped} without a result left out" if results.skipped else ""
        click.echo(f"{results.games} games, {units}{skipped}.")
