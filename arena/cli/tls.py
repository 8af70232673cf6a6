"""`arena tls`: the certificates of a cluster."""

from __future__ import annotations

from arena.cli.lazy import LazyGroup

command = LazyGroup(
    name="tls",
    sections=(("Commands", (("new", "Make the certificates of a cluster."),)),),
    module="arena.cli.tls_{name}",
    help="""Certificates with which a cluster's machines know each other.

    \b
    Examples:
      arena tls new cluster-tls
    """,
)
