"""`arena match`: one bot against another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from arena.cli.options import game_options, json_option
from arena.cli.running import configure, play, rating_options, tournament_options


@click.command()
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option("--pairs", type=int, metavar="N", help="Duplicate pairs to play (20); a pair is two games.")
@game_options
@rating_options
@tournament_options
@json_option
def command(
    a: str,
    b: str,
    rules: tuple[str, ...],
    config: Path | None,
    dump_config: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Play one bot against another.

    A tournament of two, in a folder of its own (arena-match-out by default): see `arena run --help`.

    \b
    Examples:
      arena match ./mybot careful
      arena match ./new ./old --pairs 200 --seed spring --out new-old
      arena match ./mybot greedy --move-time off    for debugging
    """
    if config is None:
        given["out"] = given["out"] or "arena-match-out"
    settings = configure(given | {"bots": (a, b), "rules": rules}, config)
    play(settings, dump_config=dump_config, as_json=as_json)
