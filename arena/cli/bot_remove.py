"""`arena bot remove`: forget a registered bot."""

from __future__ import annotations

import click

from arena.cli.examining import home_option, home_path
from arena.cli.options import json_option, print_json
from arena.errors import ArenaError, Exit


@click.command()
@click.argument("bot", metavar="NAME[@VERSION]")
@click.option("--all-versions", is_flag=True, help="Every version of the bot.")
@home_option
@json_option
def command(bot: str, all_versions: bool, home: str | None, as_json: bool) -> None:
    """Remove a registered bot: its files and its build.

    Games that it has played stand, but it cannot play on.

    \b
    Examples:
      arena bot remove mybot@1.0
      arena bot remove mybot --all-versions
    """
    from arena.bots.registry import Registry

    registry = Registry(home_path(home))
    found = registry.find(bot)
    if len(found) > 1 and not all_versions:
        labels = ", ".join(record.label for record in found)
        raise ArenaError(
            f"`{bot}` has {len(found)} versions: {labels}",
            hint="name one of them, or give --all-versions",
            exit_code=Exit.USAGE,
        )
    for record in found:
        registry.remove(record)
        if not as_json:
            click.echo(f"{record.label} removed")
    if as_json:
        print_json({"removed": [record.label for record in found]})
