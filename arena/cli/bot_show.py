"""`arena bot show`: one registered bot."""

from __future__ import annotations

import click

from arena.cli.examining import home_option, home_path
from arena.cli.options import json_option, print_json


@click.command()
@click.argument("bot", metavar="NAME[@VERSION]")
@home_option
@json_option
def command(bot: str, home: str | None, as_json: bool) -> None:
    """Show a registered bot: its versions, files and examination.

    \b
    Examples:
      arena bot show mybot
      arena bot show mybot@1.0 --json
    """
    from dataclasses import asdict

    from arena.bots.build import build_place
    from arena.bots.manifest import read_manifest
    from arena.bots.registry import Registry
    from arena.replay.escape import plain

    registry = Registry(home_path(home))
    found = registry.find(bot)
    if as_json:
        print_json([asdict(record) | {"directory": str(registry.directory(record))} for record in found])
        return
    for number, record in enumerate(found):
        if number:
            click.echo()
        manifest = read_manifest(registry.directory(record))
        build = "; ".join(" ".join(step) for step in manifest.build)
        built = " (built)" if build_place(record.digest, registry.home).is_dir() else ""
        rows = (
            ("bot", record.label),
            ("language", record.language),
            ("owner", record.owner),
            ("games", " ".join(record.games) or "all"),
            ("command", " ".join(manifest.command)),
            ("build", build + built if build else ""),
            ("encoding", manifest.encoding.value),
            ("digest", record.digest),
            ("files", f"{record.files}, {record.size} bytes, in {registry.directory(record)}"),
            ("added", f"{record.added} from {record.source}" if record.added else ""),
            ("check", record.check),
        )
        for name, text in rows:
            if text:
                click.echo(f"{name + ':':<10}{plain(text, 500)}")
