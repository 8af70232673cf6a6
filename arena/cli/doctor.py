"""`arena doctor`: what this machine can do."""

from __future__ import annotations

import click

from arena.cli.options import json_option, print_json
from arena.errors import Exit


@click.command()
@click.option(
    "--isolation", metavar="LEVEL", help="Fail unless this level can be had: strong, namespaces, basic."
)
@click.option(
    "--selftest", is_flag=True, help="Play the misbehaving sample bots; minutes. Fails if one gets through."
)
@click.option(
    "--only",
    "names",
    multiple=True,
    metavar="NAME",
    help="With --selftest: this bot; may be given many times.",
)
@click.option(
    "--write",
    "page",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="With --selftest: a Markdown page.",
)
@json_option
def command(
    isolation: str | None, selftest: bool, names: tuple[str, ...], page: str | None, as_json: bool
) -> None:
    """Say what this machine can do, and what is missing.

    The isolation level that `arena run` would choose, tried with the very arguments that it uses; cores;
    how fast a bot starts; and for everything that is missing one line with the remedy.

    \b
    Examples:
      arena doctor
      arena doctor --isolation strong && arena run ./stranger careful
      arena doctor --selftest --isolation strong
    """
    if (names or page) and not selftest:
        raise click.UsageError("--only and --write belong to --selftest")
    if selftest:
        _selftest(isolation, names, page, as_json)
        return
    from dataclasses import asdict

    from arena.bots.doctor import doctor
    from arena.replay.escape import plain
    from arena.version import __version__

    found = doctor(isolation)
    if as_json:
        print_json({"arena": __version__, **asdict(found)})
        return
    start = "does not start" if found.bot_start_ms is None else f"{found.bot_start_ms:.0f} ms"
    if found.controllers is None:
        groups = "cannot be made"
    elif found.controllers:
        groups = "can be made, with " + " and ".join(found.controllers)
    else:
        groups = "can be made, without controllers"
    rows = [
        ("arena", __version__),
        ("Python", f"{found.python} ({plain(found.interpreter)})"),
        ("system", found.system),
        ("isolation", found.level.value),
        ("bubblewrap", found.bubblewrap or "not found"),
        ("control groups", groups),
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
    click.echo(f"\nhow two seats could still talk at `{found.level.value}`, which the rules forbid:")
    for way in found.left_open:
        click.echo(f"  {way}")
    if found.bot_start_ms is None:
        raise SystemExit(int(Exit.ENVIRONMENT))


def _selftest(isolation: str | None, names: tuple[str, ...], page: str | None, as_json: bool) -> None:
    """Play the table of bad bots at the level asked for, or at each that can be had."""
    from pathlib import Path

    from arena.audit import isolation as document
    from arena.audit.selftest import selftest
    from arena.bots.levels import Level
    from arena.bots.probe import probe
    from arena.errors import ArenaError

    levels = []
    for level in Level:
        if isolation is None or isolation not in tuple(Level) or level == isolation:
            try:
                levels.append(probe(isolation or level).level)
            except ArenaError as error:
                if isolation is not None:
                    raise
                click.echo(f"not tried: {error}", err=True)
    outcomes = []
    for outcome in selftest(names, levels):
        outcomes.append(outcome)
        if not as_json:
            click.echo(document.line(outcome))
    if page:
        try:
            Path(page).write_text(document.page(outcomes), encoding="utf-8")
        except OSError as error:
            raise ArenaError(
                f"`{page}` cannot be written: {error.strerror}", exit_code=Exit.ENVIRONMENT
            ) from None
    failed = [outcome for outcome in outcomes if outcome.problems]
    if as_json:
        print_json([document.to_dict(outcome) for outcome in outcomes])
    else:
        click.echo(f"{len(outcomes)} trials, {len(failed)} not as they must be")
    if failed:
        raise SystemExit(int(Exit.FAILED))
