"""`arena doctor`: what this machine can do."""

from __future__ import annotations

import click

from arena.cli.options import json_option, print_json
from arena.errors import Exit


@click.command()
@click.option(
    "--isolation", metavar="LEVEL", help="Fail unless this level can be had: strong, namespaces, basic."
)
@json_option
def command(isolation: str | None, as_json: bool) -> None:
    """Say what this machine can do, and what is missing.

    The isolation level that `arena run` would choose, tried with the very arguments that it uses; cores;
    how fast a bot starts; and for everything that is missing one line with the remedy.

    \b
    Examples:
      arena doctor
      arena doctor --isolation strong && arena run ./stranger careful
    """
    from dataclasses import asdict

    from arena.bots.doctor import doctor
    from arena.replay.escape import plain
    from arena.version import __version__

    found = doctor(isolation)
    if as_json:
        print_json({"arena": __version__, **asdict(found)})
        return
    start = "does not start" if found.bot_start_ms is None else f"{found.bot_start_ms:.0f} ms"
    controllers = ", ".join(found.controllers) if found.controllers else "none"
    rows = [
        ("arena", __version__),
        ("Python", f"{found.python} ({plain(found.interpreter)})"),
        ("system", found.system),
        ("isolation", found.level.value),
        ("bubblewrap", found.bubblewrap or "not found"),
        ("control groups", controllers),
        (
            "cores",
            f"{found.physical_cores} ({found.cores} with hyper-threads)"
            if found.cores != found.physical_cores
            else str(found.cores),
        ),
        ("msgpack", "with its C extension" if found.msgpack_fast else "in plain Python: slow"),
        ("a Python bot starts in", start),
    ]
    for name, value in rows:
        click.echo(f"{name + ':':<24}{value}")
    if found.findings:
        click.echo()
    for finding in found.findings:
        click.echo(f"missing: {plain(finding.what, None)}")
        click.echo(f"  remedy: {plain(finding.remedy, None)}")
    if found.bot_start_ms is None:
        raise SystemExit(int(Exit.ENVIRONMENT))
