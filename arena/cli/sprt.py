"""`arena sprt`: is a new version better than an old one?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.options import game_options, json_option, print_json
from arena.cli.running import configure, tournament_options

if TYPE_CHECKING:
    from arena.tournament.sprt import SprtRun

MOST_PAIRS = 5000


@click.command()
@click.argument("new", metavar="NEW")
@click.argument("old", metavar="OLD")
@click.option("--elo0", type=float, default=0.0, show_default=True, help="H0: NEW is so much better.")
@click.option("--elo1", type=float, default=10.0, show_default=True, help="H1: NEW is so much better.")
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Chance to accept under H0.")
@click.option("--beta", type=float, default=0.05, show_default=True, help="Chance to reject under H1.")
@click.option("--max-pairs", type=int, default=MOST_PAIRS, show_default=True, help="Give up after so many.")
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
    of the two hypotheses is clear. The same command goes on where it stopped (arena-sprt-out by default).
    Exit code 0: decided or undecided, as said; 130: interrupted.

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
    settings = configure(given | {"bots": (new, old), "rules": rules, "pairs": max_pairs}, config)
    if dump_config:
        from arena.tournament.config import dump

        click.echo(dump(settings), nl=False)
        return
    from arena.tournament.sprt import run_sprt
    from arena.viewer.console import make_console
    from arena.viewer.progress import ProgressView

    with ProgressView(make_console(stderr=True)) as view:
        done = run_sprt(settings, test, view, own_process=True)
    if as_json:
        print_json(
            {"new": done.new, "old": done.old, "out": done.run.out, "stopped": done.run.stopped}
            | {"elo0": elo0, "elo1": elo1, "alpha": alpha, "beta": beta, "max_pairs": max_pairs}
            | done.report.to_dict()
        )
    else:
        for line in _words(done):
            click.echo(line)
    if done.run.exit_code:
        raise SystemExit(int(done.run.exit_code))


def _words(done: SprtRun) -> list[str]:
    """What the test says, and the numbers behind it."""
    from arena.ratings.sprt import SprtStatus
    from arena.replay.escape import plain

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
    kind = "freed of luck" if report.adjusted else "as played"
    lines = [
        said,
        f"pairs    {report.pairs}: {won} won, {level} level, {lost} lost by `{new}`",
        f"LLR      {report.llr + 0.0:.3f}   bounds {report.lower:.3f} and {report.upper:.3f}   ({kind})",
        f"raw LLR  {report.raw_llr + 0.0:.3f}   (exact, of the scores as played)",
        f"Elo      {report.elo:+.1f} +- {report.error:.1f}   LOS {los:.1f} %",
    ]
    if report.stopped is not None:
        lines.append(
            f"         {report.stopped.elo:+.1f} ({report.stopped.low:+.1f} to {report.stopped.high:+.1f})"
            " allowing for the early stop"
        )
    lines.append(f"results  {plain(done.run.out, None)}")
    return lines
