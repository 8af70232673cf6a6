"""What `replay verify` and `db check` share: checking a tournament's folder and saying what was found."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from arena.cli.options import print_json

MANY_LOGS = 500
"""From so many on it is worth a word how far the check is."""
ORIGIN = (
    "This proves that the records agree with each other, not where they come from: give --anchor a head that "
    "was published\n(the end of `arena run` prints it, bots get theirs at `bye`)."
)


def check_folder(folder: Path, *, anchor: str | None, as_json: bool) -> bool:
    """Check every log and row of a tournament, print what was found; whether all is well."""
    from arena.audit.check import check_tournament
    from arena.replay.escape import plain

    show = sys.stderr.isatty()

    def progress(done: int, total: int) -> None:
        if show and total > MANY_LOGS and (done % 50 == 0 or done == total):
            click.echo(
                f"\r{done} of {total} logs" if done < total else "\r" + " " * 40 + "\r", nl=False, err=True
            )

    report = check_tournament(folder, anchor=anchor, progress=progress)
    if as_json:
        print_json(report.to_dict())
        return report.ok
    name = plain(str(folder))
    for problem in report.problems:
        click.echo(plain(problem.sentence(), 1000))
    count = f"{report.games} games, {report.hands} hands, {report.decisions} decisions in {report.logs} logs"
    if not report.ok:
        number = len(report.problems)
        click.echo(f"{name}: {number} problem{'s' if number > 1 else ''} ({count} looked at)")
        if report.luck and not report.luck_checked:
            click.echo(report.luck)
        return False
    click.echo(f"{name}: verified ({count}; deals, rules, scores, hashes and rows agree)")
    if report.open_logs:
        click.echo(open_words(report.open_logs))
    if report.closed is None:
        click.echo(
            "Deals were made again from the tournament's seed, which its database holds; `arena close` "
            "reveals it to everyone."
        )
    else:
        click.echo(
            f"Closed at {report.closed}: every deal was made again from the tournament's revealed seed."
        )
    if report.luck:
        click.echo(report.luck)
    click.echo(f"head {report.head}")
    click.echo("The anchor is found: these are the published results." if report.anchored else ORIGIN)
    return True


def open_words(logs: int) -> str:
    """What it means that so many logs are open."""
    which = "1 log is open: its block was" if logs == 1 else f"{logs} logs are open: their blocks were"
    return (
        f"{which} not played to the end (a run was stopped, or still goes on). Games that were finished "
        "there count.\nSuch a log reveals no seed yet: by itself, without this folder, its deals cannot "
        "be made again."
    )
