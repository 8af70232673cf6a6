"""`arena replay verify`: a log, or a tournament with all its logs, recomputed."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.checking import ORIGIN, check_folder
from arena.cli.options import json_option, log_argument, print_json
from arena.errors import ArenaError, Exit


@click.command()
@log_argument
@click.option(
    "--anchor",
    metavar="HEX",
    help="A head from elsewhere that must be found: a tournament's (64 digits) or a line's (32).",
)
@json_option
def command(log: Path, anchor: str | None, as_json: bool) -> None:
    """Recompute a log or a whole tournament.

    Deals are made again from the revealed seed, every call and play is put through the rules, points and
    scores are added up, the chain of hashes is followed; of a tournament also every row of its database.
    The first record that differs is named, and the exit code is 1.

    A log without a footer is `open`: its block was not played to its end, and its seed is not revealed.

    \b
    Examples:
      arena replay verify arena-out
      arena replay verify arena-out --anchor 5f0c...
      arena replay verify arena-out/logs/3f2a9c1b/0-1.jsonl
    """
    from arena.store.folder import holds_tournament

    if anchor is not None and not (
        len(anchor) in (32, 64) and all(c in "0123456789abcdefABCDEF" for c in anchor)
    ):
        raise ArenaError(f"--anchor: `{anchor}` is not 32 or 64 hex digits", exit_code=Exit.USAGE)
    if log.is_dir() and holds_tournament(log):
        ok = check_folder(log, anchor=anchor, as_json=as_json)
    else:
        ok = _check_logs(log, anchor, as_json)
    if not ok:
        raise SystemExit(int(Exit.FAILED))


def _check_logs(path: Path, anchor: str | None, as_json: bool) -> bool:
    """Logs by themselves, without a database."""
    from arena.replay.verify import verify_log
    from arena.store.folder import no_log

    if not path.exists():
        raise no_log(path)
    paths = sorted(path.rglob("*.jsonl")) if path.is_dir() else [path]
    if not paths:
        raise ArenaError(f"{path}: holds no tournament and no .jsonl log")
    reports = [verify_log(one, anchor=anchor) for one in paths]
    if as_json:
        print_json([report.to_dict() for report in reports])
    else:
        for report in reports:
            click.echo(report.sentence())
        if all(report.ok for report in reports):
            click.echo(ORIGIN if anchor is None else "The anchor is found: this is the published log.")
    return all(report.ok for report in reports)
