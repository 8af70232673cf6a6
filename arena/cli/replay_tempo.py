"""`arena replay tempo`: does a bot draw conclusions from the time that others take?"""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.options import json_option, log_argument, print_json
from arena.errors import Exit


@click.command()
@log_argument
@click.option(
    "--bot", "name", metavar="BOT", required=True, help="The bot that played, as `arena run` takes it."
)
@click.option("--games", type=click.IntRange(min=1), default=3, metavar="N", help="So many of its games (3).")
@click.option("--delay", metavar="TIME", default="200ms", help="The longest delay before a request (200ms).")
@click.option("--isolation", metavar="LEVEL", help="Demand strong, namespaces or basic.")
@click.option("--home", metavar="DIR", help="Folder for builds and registered bots (ARENA_HOME).")
@json_option
def command(
    log: Path, name: str, games: int, delay: str, isolation: str | None, home: str | None, as_json: bool
) -> None:
    """Find out whether a bot uses the time that others take.

    PROTOCOL.md forbids to tell anything by the time that one takes, and to listen for it. Here the requests
    of recorded games are put to fresh processes of the bot again: twice without a pause, twice after delays
    of many lengths, twice after the same delays in reverse. One that decides the same each time is not
    blamed, nor one whose choices differ at the same tempo already (it uses a clock or dice of its own: it
    cannot be told). One that decides otherwise at another tempo alone is, and the exit code is 1.

    \b
    Examples:
      arena replay tempo arena-out --bot ./stranger
      arena replay tempo arena-out --bot mybot@1.0 --games 10 --delay 800ms
    """
    from dataclasses import asdict

    from arena.audit.tempo import TEMPI, TempoVerdict, audit_tempo
    from arena.bots.probe import probe
    from arena.bots.resolve import resolve
    from arena.replay.escape import plain
    from arena.store.folder import no_log
    from arena.tournament.config import parse_ms

    if not log.exists():
        raise no_log(log)
    logs = sorted(log.rglob("*.jsonl")) if log.is_dir() else [log]
    room = None if home is None else Path(home).expanduser()
    report = audit_tempo(
        logs,
        resolve(name, home=room),
        probe(isolation).level,
        games=games,
        longest_s=parse_ms(delay, "--delay") / 1000,
        home=room,
    )
    if as_json:
        print_json(asdict(report))
    else:
        words = {
            TempoVerdict.STEADY: "decides the same at every tempo.",
            TempoVerdict.FOLLOWS_TEMPO: "USES TEMPO: it decides otherwise when others take another time.",
            TempoVerdict.NOT_DETERMINISTIC: "is not deterministic: it cannot be told.",
        }
        click.echo(f"{plain(report.bot, 40)} {words[report.verdict]}")
        click.echo(
            f"{report.games} games, {report.decisions} decisions: {report.changed} otherwise at another "
            f"tempo, {report.noisy} at the same one"
        )
        if report.first is not None:
            one = report.first
            place = f"pair {one.pair} leg {one.leg} hand {one.hand}, seat {one.seat}, {one.phase}"
            said = ", ".join(f"{tempo}: {choice}" for tempo, choice in zip(TEMPI, one.choices, strict=True))
            click.echo(f"the first of them: {place} ({said})")
    if report.verdict is TempoVerdict.FOLLOWS_TEMPO:
        raise SystemExit(int(Exit.FAILED))
