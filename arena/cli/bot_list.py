"""`arena bot list`: the registered bots."""

from __future__ import annotations

import click

from arena.cli.examining import home_option, home_path
from arena.cli.options import json_option, print_json


@click.command()
@home_option
@json_option
def command(home: str | None, as_json: bool) -> None:
    """List the registered bots, every version, the newest first.

    \b
    Examples:
      arena bot list
      arena bot list --json
      arena run --all               plays them all, the newest version of each
    """
    from dataclasses import asdict

    from arena.bots.registry import Registry

    registry = Registry(home_path(home))
    found = registry.all()
    if as_json:
        print_json([asdict(record) for record in found])
        return
    if not found:
        click.echo(f"No bot is registered in {registry.home}: arena bot add ./mybot")
        return
    from rich.table import Table
    from rich.text import Text

    from arena.replay.escape import plain
    from arena.viewer.console import make_console

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for column in ("bot", "language", "games", "size", "added", "digest", "owner"):
        table.add_column(column, no_wrap=True)
    for record in found:
        games = " ".join(record.games) or "all"
        size = f"{record.size / 1024:.0f} KiB"
        row = (
            record.label,
            record.language,
            games,
            size,
            record.added[:10],
            record.digest[:12],
            record.owner,
        )
        table.add_row(*(Text(plain(text, 60)) for text in row))
    make_console().print(table)
