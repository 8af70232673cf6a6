"""`arena close`: the tournament's seed revealed, the tournament ended."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from arena.cli.options import directory_argument, json_option, print_json
from arena.errors import ArenaError, Exit


@click.command()
@directory_argument
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@json_option
def command(directory: Path, yes: bool, as_json: bool) -> None:
    """Reveal a tournament's seed and end it.

    The seed's hash was published before the first game; with the seed itself anybody can make every deck
    of the tournament again. Whoever knows the seed knows all cards to come, so nothing can be added to a
    closed tournament: no bot, no pair. To close it again prints the seed again.

    \b
    Examples:
      arena close arena-out
      arena close arena-out --yes --json
    """
    from arena.store.queries import read_results
    from arena.tournament.close import close_tournament

    with read_results(directory) as results:
        meta = results.meta
        games, head = results.games_done(), results.head()
    if meta.closed is None:
        if not yes:
            question = f"{directory}: {games} games are stored. Reveal the seed and end the tournament?"
            try:
                agreed = click.confirm(question, err=True)
            except click.Abort:
                if sys.stdin.isatty():
                    raise
                agreed = False  # a script's stdin is at its end: nobody was there to answer
                click.echo(err=True)
            if not agreed:
                raise ArenaError("not closed", hint="--yes asks nothing", exit_code=Exit.FAILED)
        close_tournament(directory)
        with read_results(directory) as results:
            meta = results.meta
    if as_json:
        print_json(
            {
                "folder": str(directory),
                "closed": meta.closed,
                "seed": meta.seed,
                "commitment": meta.commitment,
                "games": games,
                "head": head,
            }
        )
        return
    click.echo(f"seed        {meta.seed}")
    click.echo(f"commitment  {meta.commitment}   (SHA-256 of `arena/commit/1|` and the seed's 32 bytes)")
    click.echo(f"head        {head}")
    click.echo(f"{games} games; closed at {meta.closed}. `arena replay verify` recomputes everything.")
