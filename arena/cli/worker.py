"""`arena worker`: let this machine play blocks for a tournament elsewhere."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("address", metavar="ADDR")
@click.option(
    "--slots", type=click.IntRange(min=1), metavar="N", help="Games in parallel (as many as cores allow)."
)
@click.option(
    "--cores-per-game",
    type=click.IntRange(min=1),
    default=1,
    metavar="N",
    help="Physical cores that one game's bots share (1).",
)
@click.option("--pin/--no-pin", default=True, help="Pin each slot and its bots to cores (on).")
@click.option(
    "--tls", metavar="DIR", type=click.Path(path_type=Path), help="Certificates of `arena tls new`."
)
@click.option("--home", metavar="DIR", help="Folder for bots and builds (ARENA_HOME).")
def command(
    address: str, slots: int | None, cores_per_game: int, pin: bool, tls: Path | None, home: str | None
) -> None:
    """Let this machine play for a tournament elsewhere.

    It joins the cluster whose Dask scheduler is at ADDR, as tls://HOST:8786 (docs/cluster.md). Each slot is
    a process of its own with one thread. The bots come by themselves and are built here. Runs until the
    scheduler goes or Ctrl-C; a slot that dies is started again.

    \b
    Examples:
      arena worker tls://head.example.org:8786 --tls cluster-tls
      arena worker tcp://127.0.0.1:8786 --slots 2
    """
    import os

    from arena.execution.cluster import serve_slots
    from arena.execution.cores import check_cores, default_slots, slot_cpus
    from arena.execution.tls import parse_address

    if home is not None:
        os.environ["ARENA_HOME"] = home
    where = parse_address(address, tls)
    check_cores(cores_per_game)
    count = slots or default_slots(cores_per_game)
    cpus = slot_cpus(count, cores_per_game, pin=pin)
    serve_slots(where, tls, cpus, lambda text: click.echo(text, err=True))
