"""`arena run`: a tournament, from its start or from where it stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from arena.cli.options import game_options, json_option
from arena.cli.running import configure, play, rating_options, tournament_options


@click.command()
@click.argument("bots", metavar="[BOT]...", nargs=-1)
@click.option(
    "--all", "all_registered", is_flag=True, help="All registered bots, the newest version of each."
)
@click.option(
    "--pairs", type=int, metavar="N", help="Duplicate pairs of each pairing (20); a pair is two games."
)
@click.option(
    "--schedule",
    metavar="NAME",
    help="Who meets whom: round-robin (default), gauntlet, swiss, adaptive.",
)
@click.option("--rounds", type=int, metavar="N", help="Swiss: rounds (as many as the bots need).")
@click.option("--confidence", type=float, metavar="P", help="Adaptive: stop when the order is sure (0.95).")
@click.option("--budget", type=int, metavar="N", help="Games at most (adaptive: 2000 a bot).")
@click.option("--common-decks", is_flag=True, default=None, help="The same decks for every pairing.")
@game_options
@rating_options
@tournament_options
@json_option
def command(
    bots: tuple[str, ...],
    rules: tuple[str, ...],
    config: Path | None,
    dump_config: bool,
    as_json: bool,
    all_registered: bool,
    **given: Any,
) -> None:
    """Run a tournament, or go on with one.

    BOT is a folder with a bot.toml (anything with a slash, or an existing folder), else the name of a
    registered bot, else a sample bot; without any, the sample bots play. Every pairing plays duplicate
    pairs: the same cards twice, with the teams' seats swapped.

    --schedule adaptive plays --pairs of each pairing, then puts pairs where the order of two neighbours is
    least certain, and stops when the whole order holds with --confidence, however often it looked.

    Results and logs lie in --out. The same command again goes on where it stopped; more --pairs or more
    bots add to it. Ctrl-C ends in order, a second one at once.

    \b
    Examples:
      arena run                                     the sample bots
      arena run ./mybot careful --pairs 50          your bot against one of them
      arena run mybot@1.0 mybot@1.1                 a registered bot against its older self
      arena run --all                               all registered bots
      arena run ./mybot --schedule gauntlet ./old greedy
      arena run --all --schedule adaptive --budget 20000
      arena run --game british --rule target=15 --out british-out
      arena run --time 30m --move-time 200ms        as far as half an hour goes
      arena run ./mybot careful --dry-run           how many games, how long
      arena run --dump-config > tournament.toml     then: arena run --config tournament.toml
    """
    settings = configure(
        given | {"bots": bots or None, "rules": rules}, config, all_registered=all_registered
    )
    play(settings, dump_config=dump_config, as_json=as_json)
