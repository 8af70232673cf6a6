"""`arena bot`: making, checking, registering and trying bots."""

from __future__ import annotations

from arena.cli.lazy import LazyGroup

SUBCOMMANDS = (
    ("new", "Write a complete small bot into a new folder."),
    ("check", "Build and examine a bot, and say what to change."),
    ("probe", "Watch a bot's messages, or play the arena's part."),
    ("add", "Register a bot: a folder, a zip or a tar file."),
    ("list", "List the registered bots, every version, the newest first."),
    ("show", "Show a registered bot: its versions, files and examination."),
    ("remove", "Remove a registered bot: its files and its build."),
)

command = LazyGroup(
    name="bot",
    sections=(("Commands", SUBCOMMANDS),),
    module="arena.cli.bot_{name}",
    help="""Make, check, register and try bots.

    \b
    Examples:
      arena bot new ./mybot --lang rust     a bot that plays at once
      arena bot check ./mybot               is everything right with it?
      arena bot add ./mybot                 registered: arena run mybot careful
      arena bot probe ./mybot               each message of a hand, as it goes
    """,
)
