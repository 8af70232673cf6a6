"""`arena sprt`: is a new version better than an old one?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.options import game_options, json_option, print_json
from arena.cli.running import configure, dumped, print_estimate, tournament_options, watching

if TYPE_CHECKING:
    from arena.tournament.sprt import SprtRun


@click.command()
@click.argument("new", metavar="NEW")
@click.argument("old", metavar="OLD")
@click.option("--elo0", type=float, default=0.0, show_default=True, help="H0: NEW is so much better.")
@click.option("--elo1", type=float, default=10.0, show_default=True, help="H1: NEW is so much better.")
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Chance to accept under H0.")
@click.option("--beta", type=float, default=0.05, show_default=True, help="Chance to reject under H1.")
@click.option("--max-pairs", type=int, default=20_000, show_default=True, help="Give up after so many.")
@click.option("--normalised", is_flag=True, help="elo0 and elo1 are normalised Elo.")
@game_options
@tournament_options
@json_option
def command(
    new: str,
    old: str,
    elo0: float,
    elo1: float,
    alpha: float,
    beta: float,
    max_pairs: int,
    normalised: bool,
    rules: tuple[str, ...],
    config: Path | None,
    dump_config: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Test whether NEW is better than OLD, with as few games as that takes.

    A sequential probability ratio test on duplicate pairs, freed of the cards' luck: it stops as soon as one
    of the two hypotheses is clear. It looks at pairs in the order of the plan; those that were played beyond
    the last one it needed are kept, and do not count. The same command goes on where it stopped
    (arena-sprt-out by default), and a changed bot needs another --out.
    Exit code 0: accepted, rejected or undecided, as said; 130: interrupted.

    \b
    Examples:
      arena sprt ./new ./old
      arena sprt ./mybot mybot@0.1 --elo0 0 --elo1 10 --max-pairs 2000
      arena sprt careful greedy --elo1 50 --json
    """
    from arena.ratings.sprt import SprtModel, SprtTest

    model = SprtModel.NORMALISED if normalised else SprtModel.LOGISTIC
    test = SprtTest(elo0, elo1, alpha, beta, max_pairs, model)
    if config is None:
        given["out"] = given["out"] or "arena-sprt-out"
    plan = {"bots": (new, old), "rules": rules, "pairs": max_pairs, "schedule": "round-robin"}
    settings = configure(given | plan, config)
    if dumped(settings, dump_config=dump_config):
        return
    from arena.tournament.sprt import run_sprt
    from arena.viewer.console import make_console

    with watching(settings) as (observer, tell):
        done = run_sprt(settings, test, observer, own_process=True)
        tell(done.run)
    if as_json:
        print_json(
            {"new": done.new, "old": done.old, "out": done.run.out, "stopped": done.run.stopped}
            | {"elo0": elo0, "elo1": elo1, "alpha": alpha, "beta": beta, "max_pairs": max_pairs}
            | {
                "model": model.value,
                "games_played": done.run.games_played,
                "stored_pairs": done.stored_pairs,
                "head": done.run.head,
            }
            | done.report.to_dict()
        )
    elif done.run.estimate is not None:
        print_estimate(make_console(), done.run.estimate)
    else:
        for line in _words(done):
            click.echo(line)
    if done.run.exit_code:
        raise SystemExit(int(done.run.exit_code))


def _words(done: SprtRun) -> list[str]:
    """What the test says, and the numbers behind it."""
    from arena.ratings.sprt import SprtStatus
    from arena.replay.escape import plain
    from arena.viewer.console import plus_minus

    report, test = done.report, done.test
    new, old = plain(done.new, 40), plain(done.old, 40)
    one, none = f"{test.elo1:g} Elo", f"{test.elo0:g} Elo"
    said = {
        SprtStatus.ACCEPT: f"accepted: `{new}` is better than `{old}` by {one} rather than {none}.",
        SprtStatus.REJECT: f"rejected: `{new}` is better than `{old}` by {none} at most, not by {one}.",
        SprtStatus.UNDECIDED: f"undecided after {report.pairs} pairs: --max-pairs was reached.",
        SprtStatus.RUNNING: "not decided yet: the same command goes on where this stopped.",
    }[report.status]
    lost, level, won = report.cells[0] + report.cells[1], report.cells[2], report.cells[3] + report.cells[4]
    los = 100 * min(max(report.los, 0.001), 0.999)
    kind = "freed of the cards' luck" if report.adjusted else "of the scores as played"
    bounds = f"bounds {report.lower:.3f} and {report.upper:.3f}"
    sign = plus_minus(getattr(sys.stdout, "encoding", None))
    lines = [
        said,
        f"pairs    {report.pairs}: {won} won, {level} level, {lost} lost by `{new}`",
        f"LLR      {report.llr + 0.0:.3f}   {bounds}   ({kind}: this one decides)",
        f"raw LLR  {report.raw_llr + 0.0:.3f}   (exact, of the scores as played: it does not decide)",
        f"Elo      {report.elo:+.1f} {sign} {report.error:.1f}   LOS {los:.1f} %",
    ]
    if report.stopped is not None:
        lines.append(
            f"         {report.stopped.elo:+.1f} ({report.stopped.low:+.1f} to {report.stopped.high:+.1f})"
            " allowing for the early stop"
        )
    for bot in done.run.failed:
        lines.append(f"bot `{plain(bot.name, 40)}` never started: {plain(bot.text, None)}")
    for block in done.run.set_aside:
        lines.append(f"{block.games} games of block {block.block} set aside: {plain(block.why, None)}")
    stored = done.stored_pairs
    more = f"   ({stored} pairs, which `arena standings` counts; the test used the first {report.pairs})"
    lines.append(f"results  {plain(done.run.out, None)}{more if stored > report.pairs else ''}")
    return lines
