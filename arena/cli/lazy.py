"""A group of commands that imports a command when it is used."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click


class LazyGroup(click.Group):
    """`sections`: titles with (name, first line of help) of each command; `module`: where `name` is found.

    The help of the group comes from `sections` alone, so that it imports no command.
    """

    def __init__(
        self,
        *args: Any,
        sections: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (),
        module: str = "",
        **more: Any,
    ) -> None:
        super().__init__(*args, **more)
        self.sections = sections
        self.module = module

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, in the order of the help."""
        return [name for _, commands in self.sections for name, _ in commands]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported now; None if there is none."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command = import_module(self.module.format(name=cmd_name)).command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does; of an unknown name it says which there are, and which is near."""
        names = self.list_commands(ctx)
        if args and not args[0].startswith("-") and args[0] not in names:
            near = get_close_matches(args[0], names, 1)
            meant = f"did you mean `{near[0]}`? " if near else ""
            ctx.fail(f"no such command `{args[0]}`: {meant}Commands: {', '.join(names)}.")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The sections, imported or not."""
        for title, commands in self.sections:
            with formatter.section(title):
                formatter.write_dl(commands)
