"""`arena db`: a tournament's database."""

from __future__ import annotations

from arena.cli.lazy import LazyGroup

command = LazyGroup(
    name="db",
    sections=(("Commands", (("check", "Compare a tournament's rows with its logs."),)),),
    module="arena.cli.db_{name}",
    help="""A tournament's database.

    \b
    Examples:
      arena db check arena-out
    """,
)
