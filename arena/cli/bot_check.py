"""`arena bot check`: examine a bot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from arena.cli.examining import examination, limit_options, say_check
from arena.cli.options import json_option, print_json
from arena.errors import Exit

if TYPE_CHECKING:
    from arena.examine.findings import Report


@click.command()
@click.argument("bot", metavar="DIR")
@click.option("--games", type=click.IntRange(1), default=20, help="Games in one process (20).")
@limit_options
@json_option
def command(
    bot: str,
    games: int,
    move_time: str,
    start_time: str,
    memory: int,
    isolation: str,
    home: str | None,
    as_json: bool,
) -> None:
    """Build and examine a bot, and say what to change.

    DIR is a folder with a bot.toml, or the name of a registered or sample bot. It is built and started as in
    a tournament, asked in every phase of each game that it plays, and tried with all that the arena may do:
    many games in one process, unknown keys, messages in pieces, long pauses. Of whatever goes wrong you are
    told what was sent, what came, and what to change. The last line is one to paste.

    Exit code 0: it may play; 1: something failed.

    \b
    Examples:
      arena bot check ./mybot
      arena bot check ./mybot --move-time 200ms --json
      arena bot check careful && arena run careful greedy
    """
    report: Report = examination(
        bot, games=games, move_time=move_time, start_time=start_time, memory=memory, isolation=isolation,
        home=home, watch=(lambda check: None) if as_json else say_check,
    )  # fmt: skip
    if as_json:
        print_json(report.to_dict())
    else:
        click.echo()
        click.echo(report.summary())
    if not report.ok:
        raise SystemExit(int(Exit.FAILED))
