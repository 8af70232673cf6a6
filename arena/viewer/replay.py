"""A replay in a terminal: the lines of `arena.replay.text` in colour."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from arena.replay.log import LoggedGame
from arena.replay.text import Line, game_lines
from arena.viewer.console import has_unicode

if TYPE_CHECKING:
    from rich.console import Console

STYLES = {
    "title": "bold",
    "dim": "dim",
    "win": "bold reverse",
    "lead": "cyan",
    "fault": "bold red",
    "score": "italic",
    "suit-C": "green",
    "suit-D": "bright_blue",
    "suit-H": "red",
    "suit-S": "default",
}
"""The four colours of a four-colour deck, so that suits are told apart at a glance."""


def print_game(console: Console, logged: LoggedGame, *, hand: int | None = None) -> None:
    """Print a game, or one hand of it."""
    print_lines(console, game_lines(logged, hand=hand, symbols=has_unicode(console)))


def print_lines(console: Console, lines: Iterable[Line]) -> None:
    """Print styled lines as they come."""
    from rich.text import Text

    for line in lines:
        text = Text()
        for span in line:
            text.append(span.text, " ".join(STYLES[name] for name in span.style.split()))
        text.rstrip()
        console.print(text, soft_wrap=True)
