"""What `run` and `match` share: the options of a tournament, playing it, and what is said at its end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.options import F, print_json, rule_errors
from arena.cli.table import drawn_standings
from arena.errors import ArenaError

if TYPE_CHECKING:
    from rich.console import Console

    from arena.tournament.config import RunConfig
    from arena.tournament.events import Estimate, Observer, RunEvent, RunReport
    from arena.tournament.standings import Standings

DEFAULT_BOTS = ("careful", "greedy", "random")
"""The sample bots that need nothing but Python."""

_OPTIONS = (
    click.option("--seed", metavar="TEXT", help="A chosen seed: reproducible, but a bot could guess it."),
    click.option("--move-time", "move_ms", metavar="TIME", help="Time for one decision (1s), or off."),
    click.option("--bank", "bank_ms", metavar="TIME", help="Extra time for a whole game (off)."),
    click.option("--start-time", "start_ms", metavar="TIME", help="Time to start and say ready (5s)."),
    click.option("--grace", "grace_ms", metavar="TIME", help="Time to end in after bye (500ms)."),
    click.option("--memory", "memory_mb", type=int, metavar="MIB", help="Memory of one seat (1024)."),
    click.option(
        "--isolation",
        metavar="LEVEL",
        help="Demand strong, namespaces or basic; auto (default) takes the best.",
    ),
    click.option(
        "--ponder", metavar="HOW", help="Thinking in another's time: watch (default), freeze, allow."
    ),
    click.option(
        "--tempo", "tempo_ms", metavar="TIME", help="Hold every answer back until this time has passed (off)."
    ),
    click.option("--slots", type=int, metavar="N", help="Games in parallel (as many as cores allow)."),
    click.option(
        "--cores-per-game", type=int, metavar="N", help="Physical cores that one game's bots share (1)."
    ),
    click.option("--pin/--no-pin", "pin", default=None, help="Pin each slot and its bots to cores (on)."),
    click.option("--executor", metavar="NAME", help="Where to play: local (default), or dask."),
    click.option("--scheduler", metavar="ADDR", help="Dask: the scheduler, as tls://HOST:8786."),
    click.option("--local", type=int, metavar="N", help="Dask: N workers on this machine, to try it."),
    click.option("--tls", metavar="DIR", help="Dask: certificates made by `arena tls new`."),
    click.option("--min-score", type=int, metavar="N", help="Dask: leave slower workers out."),
    click.option("--serve", type=int, metavar="PORT", help="Show the run as a live page in the browser."),
    click.option("--serve-host", metavar="ADDR", help="Who may see it (127.0.0.1: this machine alone)."),
    click.option("--time", "time_s", metavar="TIME", help="Stop in order after this time: 30m, 2h."),
    click.option("--out", metavar="DIR", help="Folder for results and logs (arena-out)."),
    click.option("--home", metavar="DIR", help="Folder for builds and registered bots (ARENA_HOME)."),
    click.option(
        "--dry-run", is_flag=True, default=None, help="Only say what would be played, and how long."
    ),
    click.option(
        "--config",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="Take options from a tournament.toml; flags win over it.",
    ),
    click.option("--dump-config", is_flag=True, help="Print the options as a tournament.toml and end."),
)


_RATING_OPTIONS = (
    click.option("--anchor", metavar="BOT[=ELO]", help="Fix a bot's rating (else the mean of all is 0)."),
    click.option(
        "--owners", metavar="HOW", help="Pairings within one owner: rated together (default), or apart."
    ),
)


def tournament_options(command: F) -> F:
    """All options of a tournament that are about neither who plays nor the table at its end."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def rating_options(command: F) -> F:
    """Options of the table at its end."""
    for option in reversed(_RATING_OPTIONS):
        command = option(command)
    return command


def configure(given: Mapping[str, Any], config: Path | None, *, all_registered: bool = False) -> RunConfig:
    """The configuration: defaults, then the file, then the flags that were given (None was not).

    With `all_registered` the registered bots play too, the newest version of each.
    """
    from arena.games.registry import get_game, parse_overrides
    from arena.tournament.config import KEYS, RunConfig, load, parse_ms, parse_ms_or_off

    base = load(config) if config is not None else RunConfig()
    kinds = {key.field: key for key in KEYS}
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name == "rules":
            overrides = rule_errors(partial(parse_overrides, value))
            if overrides:
                values["rules"] = {**base.rules, **overrides}
        elif value is not None:
            kind = kinds[name].kind if name in kinds else ""
            flag = f"--{kinds[name].name}" if name in kinds else name
            if kind == "time":
                value = parse_ms(value, flag)
            elif kind == "time_or_off":
                value = parse_ms_or_off(value, flag)
            elif kind == "seconds":
                value = parse_ms(value, flag) / 1000
            values[name] = value
    settings = replace(base, **values)
    if all_registered:
        from arena.bots.registry import Registry

        registry = Registry(None if settings.home is None else Path(settings.home).expanduser())
        given_too = {*settings.bots, *(bot.partition("@")[0] for bot in settings.bots)}
        newest = {record.name: record.label for record in reversed(registry.all())}
        labels = [label for name, label in newest.items() if not {name, label} & given_too]
        settings = replace(settings, bots=(*settings.bots, *sorted(labels)))
        if not settings.bots:
            raise ArenaError("--all: no bot is registered", hint="arena bot add ./mybot")
    if not settings.bots:
        settings = replace(settings, bots=DEFAULT_BOTS)
    typed = given.get("game") is not None or given.get("rules")
    game = rule_errors(lambda: get_game(settings.game, settings.rules), file=None if typed else config)
    return replace(settings, rules={name: game.rules[name] for name in settings.rules})


def dumped(settings: RunConfig, *, dump_config: bool) -> bool:
    """Print the configuration if that is what was asked for."""
    if dump_config:
        from arena.tournament.config import dump

        click.echo(dump(settings), nl=False)
    return dump_config


@contextmanager
def watching(settings: RunConfig) -> Iterator[tuple[Observer, Callable[[RunReport], None]]]:
    """What watches a run, on stderr and on a page if that is served; and whom to tell that it has ended."""
    from arena.tournament.events import Notice, Progress
    from arena.viewer.console import make_console
    from arena.viewer.progress import ProgressView

    with ExitStack() as stack:
        view = stack.enter_context(ProgressView(make_console(stderr=True)))
        if settings.serve is None or settings.dry_run:
            yield view, lambda report: None
            return
        from arena.web.server import is_open, serve_live

        live = stack.enter_context(serve_live(settings.serve_host, settings.serve))
        open_to = ", for whoever can reach this machine" if is_open(settings.serve_host) else ""
        served = False

        def observe(event: RunEvent) -> None:
            nonlocal served
            view(event)
            if isinstance(event, Progress) and not served:  # else nothing is left to play or to be seen
                served = True
                view(Notice(f"live page: {live.url}, for as long as this run{open_to}"))
            live.state(event)

        def ended(report: RunReport) -> None:
            if served:
                live.finish(report)
                view(Notice("the live page has ended with the run"))

        yield observe, ended


def play(settings: RunConfig, *, dump_config: bool, as_json: bool) -> None:
    """Run the tournament, show how it goes on stderr and how it ended on stdout; exits with its code."""
    if dumped(settings, dump_config=dump_config):
        return
    from arena.tournament.run import run_tournament
    from arena.viewer.console import make_console

    with watching(settings) as (observer, tell):
        report = run_tournament(settings, observer, own_process=True)
        tell(report)
    if as_json:
        print_json(_report_dict(report, settings))
    elif report.estimate is not None:
        say_notices(report)
        print_estimate(make_console(), report.estimate)
    else:
        print_report(make_console(), report, settings)
    if report.exit_code:
        raise SystemExit(int(report.exit_code))


def say_notices(report: RunReport) -> None:
    """What is unusual about a run that is not played, on stderr."""
    from arena.replay.escape import plain

    for text in report.notices:
        click.echo(f"note: {plain(text, None)}", err=True)


def _standings(report: RunReport, settings: RunConfig) -> Standings:
    from arena.tournament.config import parse_anchor

    anchor, elo = parse_anchor(settings.anchor)
    apart = settings.owners == "apart"
    return drawn_standings(
        Path(report.out), anchor=anchor, anchor_elo=elo, owners_apart=apart, home=settings.home
    )


def _report_dict(report: RunReport, settings: RunConfig) -> dict[str, Any]:
    data = asdict(report) | {"exit_code": int(report.exit_code)}
    if report.estimate is None:
        data["standings"] = _standings(report, settings).to_dict()
    return data


def print_estimate(console: Console, estimate: Estimate) -> None:
    from rich.text import Text

    from arena.replay.escape import plain
    from arena.viewer.progress import duration

    left = estimate.games - estimate.games_stored
    bots = ", ".join(plain(bot, 40) for bot in estimate.bots)
    stored = f", {estimate.games_stored} of them are stored already" if estimate.games_stored else ""
    console.print(Text(f"{len(estimate.bots)} bots: {bots}"), soft_wrap=True)
    most = "at most " if estimate.open_ended else ""
    console.print(Text(f"{most}{estimate.games} games{stored}; {estimate.slots} at a time"), soft_wrap=True)
    if left:
        high = estimate.seconds_high
        most = (
            f", at most {duration(high)} if every decision takes its whole time" if high is not None else ""
        )
        console.print(Text(f"time to expect: about {duration(estimate.seconds_low)}{most}"), soft_wrap=True)


def print_report(console: Console, report: RunReport, settings: RunConfig) -> None:
    """The table, and how the run ended."""
    import shlex

    from rich.text import Text

    from arena.replay.escape import plain
    from arena.viewer.progress import duration
    from arena.viewer.standings import print_standings

    def say(text: str, style: str = "") -> None:
        console.print(Text(text, style=style), soft_wrap=True)

    for bot in report.failed:
        say(f"bot `{plain(bot.name, 40)}` never started: {plain(bot.text, None)}", "red")
    for block in report.set_aside:
        pairing = f"{plain(block.a, 40)} - {plain(block.b, 40)}"
        say(
            f"{pairing}: {block.games} games of block {block.block} set aside: {plain(block.why, None)}",
            "red",
        )
    standings = _standings(report, settings)
    print_standings(console, standings)
    for machine in report.machines:
        losses = f"{machine.time_losses} lost on time" if machine.time_losses else "none lost on time"
        say(f"machine {plain(machine.machine, 60)}: {machine.games} games, {losses}")
    if standings.lines or standings.warnings:
        say("")
    if report.ended:
        say(f"{report.ended[0].upper()}{report.ended[1:]}.")
    out = plain(shlex.quote(report.out), None)
    if report.games_beside:
        whose = ", ".join(f"`{plain(bot, 40)}`" for bot in report.bots_beside[:8])
        more = f" and {len(report.bots_beside) - 8} more" if len(report.bots_beside) > 8 else ""
        parts = [f"{report.games_beside - report.games_further} with {whose}{more}"] if whose else []
        parts += [f"{report.games_further} further ones of these bots"] if report.games_further else []
        say(f"The table also counts games that this command does not ask for: {', '.join(parts)}.")
    done = f"{report.games_done} of {report.games_total} games"
    say(f"{done}, {report.games_played} in this run ({duration(report.seconds)}).")
    say(f"Results and logs: {out}   (arena replay list {out})")
    if report.head:
        say(f"Head of all logs: {report.head}   (for arena replay verify {out} --anchor)")
    if not report.complete:
        say("The same command again goes on where this stopped.")
