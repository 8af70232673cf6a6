"""`arena bot add`: register a bot."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.examining import home_path, limit_options, read_level, read_limits, say_check
from arena.cli.options import json_option, print_json
from arena.errors import ArenaError, Exit


@click.command()
@click.argument("source", metavar="PATH|ZIP|TAR", type=click.Path(path_type=Path))
@click.option("--check/--no-check", default=True, help="Examine it first (on).")
@limit_options
@json_option
def command(
    source: Path,
    check: bool,
    move_time: str,
    start_time: str,
    memory: int,
    isolation: str,
    home: str | None,
    as_json: bool,
) -> None:
    """Register a bot: a folder, a zip or a tar file.

    Its files are copied into the arena's home, built and examined as `arena bot check` does, and kept as
    NAME@VERSION, as its bot.toml says. From then on `arena run NAME` plays it. A changed bot needs a new
    version; old versions stay, and can be played against new ones.

    \b
    Examples:
      arena bot add ./mybot
      arena bot add mybot-1.2.zip && arena run mybot@1.1 mybot@1.2
      arena bot add submission.tar.gz --isolation strong --json
    """
    from dataclasses import asdict

    from arena.bots.registry import Registry

    registry = Registry(home_path(home))
    with registry.staged(source.expanduser()) as bot:
        known = registry.admissible(bot)
        new = known is None
        if known is None:
            summary = ""
            if check:
                from arena.examine.check import examine

                report = examine(
                    bot, level=read_level(isolation), limits=read_limits(move_time, start_time, memory),
                    home=registry.home, watch=(lambda check: None) if as_json else say_check,
                )  # fmt: skip
                summary = report.summary()
                if not report.ok:
                    if as_json:
                        print_json({"registered": False, "examination": report.to_dict()})
                        raise SystemExit(int(Exit.FAILED))
                    raise ArenaError(
                        f"bot `{bot.name}` is not registered: {summary}",
                        hint="put right what failed, or register it all the same with --no-check",
                        exit_code=Exit.FAILED,
                    )
            known = registry.register(bot, source=str(source), check=summary)
    if as_json:
        print_json({"registered": True, "new": new, **asdict(known)})
        return
    if known.check and new:
        click.echo()
        click.echo(known.check)
    said = "registered" if new else "is registered already, with the same files"
    click.echo(f"{known.label} {said}: arena run {known.name} careful")
