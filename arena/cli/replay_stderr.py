"""`arena replay stderr`: what the bots wrote to stderr."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.options import json_option, log_argument, print_json


@click.command()
@log_argument
@click.option("--bot", metavar="NAME", help="Only of this bot.")
@click.option(
    "--game", "number", type=int, metavar="N", help="Only before the fault of this game of `replay list`."
)
@click.option("--faults", is_flag=True, help="Only what was written before a fault.")
@json_option
def command(log: Path, bot: str | None, number: int | None, faults: bool, as_json: bool) -> None:
    """Print what the bots wrote to stderr.

    The referee keeps the head and the tail of each seat's stderr: for every set of processes of a block,
    and, where a game ended by a fault, its end at that moment. A log by itself has the latter alone.

    \b
    Examples:
      arena replay stderr arena-out
      arena replay stderr arena-out --bot mybot --faults
      arena replay stderr arena-out --game 3
    """
    from arena.audit.games import check_bots, find_game
    from arena.audit.stderr import kept_stderr, stderr_of_game
    from arena.replay.escape import plain, plain_lines

    check_bots(log, [] if bot is None else [bot])
    if number is None:
        found = kept_stderr(log)
    else:
        listed, logged = find_game(log, number)
        found = stderr_of_game(logged, listed.log)
    kept = [one for one in found if (bot is None or one.bot == bot) and (one.fault or not faults)]
    if as_json:
        print_json([one.to_dict() for one in kept])
        return
    if not kept:
        click.echo(
            "Nothing was written to stderr." if number is None else "Nothing is kept beside this game."
        )
    for one in kept:
        what = f", {plain(one.fault)}" if one.fault else ""
        click.echo(click.style(f"{plain(one.bot)}, seat {one.seat}, {plain(one.place)}{what}", bold=True))
        for line in plain_lines(one.text, 10_000, None):
            click.echo(f"  | {line}")
