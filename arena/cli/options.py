"""Options and arguments that several commands share, each defined once, and how results are printed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from arena.errors import ArenaError, Exit

F = TypeVar("F", bound=Callable[..., Any])

DEFAULT_OUT = "arena-out"


def json_option(command: F) -> F:
    """`--json`: plain data on stdout instead of text."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")(command)


def directory_argument(command: F) -> F:
    """`[DIR]`: a tournament's folder, `arena-out` by default."""
    argument = click.argument(
        "directory",
        metavar="[DIR]",
        default=DEFAULT_OUT,
        type=click.Path(path_type=Path),
    )
    return argument(command)


def log_argument(command: F) -> F:
    """`[LOG]`: a block log or a tournament's folder, `arena-out` by default."""
    argument = click.argument("log", metavar="[LOG]", default=DEFAULT_OUT, type=click.Path(path_type=Path))
    return argument(command)


def game_options(command: F) -> F:
    """`--game` and `--rule`: a preset and the options that override it."""
    rule = click.option(
        "--rule",
        "rules",
        multiple=True,
        metavar="NAME=VALUE",
        help="Override a rule option of the game, as `target=15`; may be given many times.",
    )
    game = click.option(
        "--game",
        metavar="ID",
        default=None,
        help="The game: north-american (default), british; see `arena rules`.",
    )
    return game(rule(command))


def print_json(data: Mapping[str, Any] | Sequence[Any]) -> None:
    """Print plain data, keys in their order."""
    click.echo(json.dumps(data, indent=2, ensure_ascii=True, allow_nan=False))


def rule_errors(action: Callable[[], Any], *, file: Path | None = None) -> Any:
    """Run `action`; an unknown game or rule is the fault of the command line, or of `file`."""
    from arena.games.base import RuleError

    try:
        return action()
    except RuleError as error:
        text, near, hint = str(error).partition(": did you mean")
        if not near:
            text, near, hint = str(error).partition(": expected one of")
        where, code = (f"{file}: ", Exit.BAD_INPUT) if file is not None else ("", Exit.USAGE)
        near = near.removeprefix(": expected ").removeprefix(": ")
        raise ArenaError(where + text, hint=near + hint, exit_code=code) from None
