"""`arena replay`: games that were played."""

from __future__ import annotations

from arena.cli.lazy import LazyGroup

SUBCOMMANDS = (
    ("list", "List the games of a log or a tournament."),
    ("show", "Show a game hand by hand."),
    ("verify", "Recompute a log or a whole tournament."),
    ("stderr", "Print what the bots wrote to stderr."),
    ("tempo", "Find out whether a bot uses the time that others take."),
)

command = LazyGroup(
    name="replay",
    sections=(("Commands", SUBCOMMANDS),),
    module="arena.cli.replay_{name}",
    help="""Games that were played: list, show, verify, audit.

    LOG is a block log (a .jsonl file) or a tournament's folder.

    \b
    Examples:
      arena replay list arena-out --faults
      arena replay show arena-out --game 3 --hand 2
      arena replay verify arena-out
      arena replay stderr arena-out
      arena replay tempo arena-out --bot ./stranger
    """,
)
