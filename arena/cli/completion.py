"""`arena completion`: the completion script of a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from arena.cli.main import cli


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script of a shell.

    Put it where your shell reads its completions, or load it at each start.

    \b
    Examples:
      arena completion bash > ~/.local/share/bash-completion/completions/arena
      eval "$(arena completion zsh)"           in ~/.zshrc
      arena completion fish > ~/.config/fish/completions/arena.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None
    complete = kind(cli, {}, "arena", "_ARENA_COMPLETE")
    click.echo(complete.source_template % complete.source_vars())
