"""`arena replay list`: the games of a log or a tournament, numbered."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.options import json_option, log_argument, print_json


@click.command()
@log_argument
@click.option(
    "--bot", "bots", multiple=True, metavar="NAME", help="Only games of this bot; twice: of these two."
)
@click.option("--faults", is_flag=True, help="Only games that ended by a fault.")
@json_option
def command(log: Path, bots: tuple[str, ...], faults: bool, as_json: bool) -> None:
    """List the games of a log or a tournament.

    Each game has a number, which `arena replay show --game N` takes.

    \b
    Examples:
      arena replay list arena-out
      arena replay list arena-out --bot mybot --faults
      arena replay list arena-out --json
    """
    from arena.audit.games import check_bots, listed_games

    check_bots(log, bots)
    games = (
        game
        for game in listed_games(log)
        if (not faults or game.fault_code is not None) and all(bot in (game.a, game.b) for bot in bots)
    )
    if as_json:
        print_json([game.to_dict() for game in games])
        return
    from arena.viewer.console import make_console
    from arena.viewer.games import print_games

    print_games(make_console(), games)
