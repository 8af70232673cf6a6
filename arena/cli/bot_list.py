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
    from arena.replay.escape import columns, padded, plain

    rows = [("bot", "language", "size", "added", "digest", "owner", "games")]
    for record in found:
        rows.append(
            (
                record.label,
                record.language,
                f"{record.size / 1024:.0f} KiB",
                record.added[:10],
                record.digest[:12],
                plain(record.owner, 30),
                " ".join(record.games) or "all",
            )
        )
    widths = [max(columns(row[place]) for row in rows) for place in range(len(rows[0]))]
    for row in rows:
        words = (padded(word, width) for word, width in zip(row, widths, strict=True))
        click.echo("  ".join(words).rstrip())
