"""`arena tls new`: an authority and a certificate for each role."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.options import json_option, print_json


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--host", "hosts", multiple=True, metavar="NAME", help="A host name or address to put in.")
@click.option(
    "--days", type=click.IntRange(min=1), default=730, metavar="N", help="How long they last (730)."
)
@json_option
def command(directory: Path, hosts: tuple[str, ...], days: int, as_json: bool) -> None:
    """Make the certificates of a cluster.

    They go into DIR. Every machine of the cluster gets a copy of it without ca-key.pem: who holds a
    certificate out of it may run programs on all of them. ca-key.pem signs further certificates; keep it
    where nobody plays.

    \b
    Examples:
      arena tls new cluster-tls
      arena tls new cluster-tls --host head.example.org --days 90
    """
    from arena.execution.tls import CA, CA_KEY, PORT, make_certificates

    made = make_certificates(directory, hosts, days)
    if as_json:
        print_json([str(path) for path in made])
        return
    for path in made:
        click.echo(path)
    d = directory
    click.echo(
        f"\nOn the machine of the scheduler ({CA_KEY} stays at home):\n"
        f"  dask scheduler --protocol tls --port {PORT} --no-dashboard --tls-ca-file {d}/{CA} \\\n"
        f"    --tls-cert {d}/scheduler.pem --tls-key {d}/scheduler-key.pem\n"
        f"On each machine that plays:\n  arena worker tls://HOST:{PORT} --tls {d}\n"
        f"Then:\n  arena run --executor dask --scheduler tls://HOST:{PORT} --tls {d}"
    )
