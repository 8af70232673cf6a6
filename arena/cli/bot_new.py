"""`arena bot new`: a complete small bot."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.options import json_option, print_json


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--lang", "language", metavar="LANG", default="python", help="The language (python).")
@click.option("--name", metavar="NAME", help="The bot's name, if not the folder's.")
@json_option
def command(directory: Path, language: str, name: str | None, as_json: bool) -> None:
    """Write a complete small bot into a new folder.

    LANG: python, javascript, typescript, c, cpp, rust, java, go, lua, ruby, perl, php, csharp. The bot plays
    legally at once, needs no package, and has a test of its own that needs no arena; its README says where
    to put your own thinking.

    \b
    Examples:
      arena bot new ./mybot
      arena bot new ./mybot --lang rust
      arena bot new ./mybot --lang c++ --name thinker
      arena bot check ./mybot && arena run ./mybot careful
    """
    import shlex

    from arena.bots.new import find_language, new_bot, tool_trouble

    made = new_bot(directory, find_language(language), name)
    if as_json:
        print_json(
            {
                "directory": str(made.directory),
                "name": made.name,
                "language": made.language.id,
                "files": sorted(path.name for path in made.directory.iterdir()),
                "missing": list(made.missing),
            }
        )
        return
    shown = shlex.quote(str(directory if directory.is_absolute() else Path(".") / directory))
    shown = shown if "/" in shown else f"./{shown}"
    click.echo(f"{shown}: a bot called {made.name}, in {made.language.title}.")
    click.echo(f"Your thinking goes into `choose` in {made.language.source}; README.md says more.")
    for tool in made.missing:
        trouble = tool_trouble(tool)
        remedy = "" if ": " in trouble else f": {made.language.install}"
        click.echo(f"`{tool}` {trouble or 'is not installed here'}{remedy}")
    click.echo()
    click.echo(f"  arena bot check {shown}       is everything right with it?")
    click.echo(f"  arena run {shown} careful     its first rated games")
