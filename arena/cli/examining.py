"""What `bot check`, `bot add` and `bot probe` share: limits, finding the bot, showing what was found."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.options import F

if TYPE_CHECKING:
    from arena.bots.levels import Level
    from arena.bots.limits import Limits
    from arena.bots.resolve import Bot
    from arena.examine.findings import Check, Report

_OPTIONS = (
    click.option("--move-time", metavar="TIME", default="1s", help="Time for one decision (1s)."),
    click.option("--start-time", metavar="TIME", default="5s", help="Time to start and say ready (5s)."),
    click.option("--memory", type=int, metavar="MIB", default=1024, help="Memory of one seat (1024)."),
    click.option(
        "--isolation",
        metavar="LEVEL",
        default="auto",
        help="Demand strong, namespaces or basic; auto (default) takes the best.",
    ),
    click.option("--home", metavar="DIR", help="Folder for builds and registered bots (ARENA_HOME)."),
)
LINE = 1000
"""So much of a line that a bot may have written is shown."""
_STYLES = {"ok": "green", "warn": "yellow", "FAIL": "red", "skip": "bright_black"}


def limit_options(command: F) -> F:
    """The limits and the isolation under which a bot is started."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def home_option(command: F) -> F:
    """`--home` alone."""
    return _OPTIONS[-1](command)


def read_limits(move_time: str, start_time: str, memory: int) -> Limits:
    """The limits that the options say."""
    from arena.bots.limits import Limits
    from arena.tournament.config import parse_ms, parse_ms_or_off

    return Limits(
        move_ms=parse_ms_or_off(move_time, "--move-time"),
        start_ms=parse_ms(start_time, "--start-time"),
        memory_mb=memory,
    )


def read_level(isolation: str) -> Level:
    """The isolation level asked for; with `auto` the best that this machine gives."""
    from arena.bots.probe import probe

    return probe(None if isolation == "auto" else isolation).level


def home_path(home: str | None) -> Path | None:
    """`--home` as a path."""
    return None if home is None else Path(home).expanduser().absolute()


def examination(
    bot: str,
    *,
    games: int,
    move_time: str,
    start_time: str,
    memory: int,
    isolation: str,
    home: str | None,
    watch: Callable[[Check], object],
) -> Report:
    """Find a bot and examine it."""
    from arena.bots.resolve import resolve
    from arena.examine.check import examine

    limits = read_limits(move_time, start_time, memory)
    found = resolve(bot, home=home_path(home))
    say_which(bot, found, home)
    return examine(
        found, level=read_level(isolation), limits=limits, home=home_path(home),
        games=games, watch=watch,
    )  # fmt: skip


def say_which(argument: str, bot: Bot, home: str | None) -> None:
    """Say which bot is meant where a name means more than one."""
    from arena.bots.resolve import overshadowed
    from arena.replay.escape import plain

    if said := overshadowed(argument, bot, home=home_path(home)):
        click.echo(f"note: {plain(said, None)}", err=True)


def say_check(check: Check) -> None:
    """One thing tried, in a line; in a few more where it did not go well."""
    from arena.replay.escape import plain

    status = click.style(f"{check.status:<4}", fg=_STYLES[check.status.value])
    click.echo(f"{status}  {check.id:<8}  {plain(check.said, None)}")
    texts = (("sent", check.sent), ("came", check.came), ("change", check.change), ("stderr", check.stderr))
    width = max(40, shutil.get_terminal_size((118, 24)).columns - 18)
    for name, text in texts:
        for line in text.splitlines():
            for part in textwrap.wrap(plain(line, LINE), width, break_on_hyphens=False) or [""]:
                click.echo(f"      {name:>8}  {part}")
                name = ""
    sys.stdout.flush()
