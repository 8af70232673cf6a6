"""A list of games in a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from arena.audit.games import ListedGame
from arena.replay.escape import columns, padded, plain

if TYPE_CHECKING:
    from rich.console import Console

NAME_WIDTH = 24


def print_games(console: Console, games: Iterable[ListedGame]) -> None:
    """One line a game, printed as they come: a tournament may have a million."""
    from rich.text import Text

    head = (
        f"{'game':>6}  {'pair':>5} leg  {'A':>{NAME_WIDTH}}  {'points':^7}  {'B':<{NAME_WIDTH}}  hands  end"
    )
    console.print(Text(head, style="bold"), soft_wrap=True)
    count = 0
    for game in games:
        count += 1
        a, b = plain(game.a, NAME_WIDTH), plain(game.b, NAME_WIDTH)
        line = Text(f"{game.number:>6}  {game.pair:>5}   {game.leg}  ")
        line.append(" " * (NAME_WIDTH - columns(a)) + a, "bold" if game.score_a == 1 else "")
        line.append(f"  {game.points_a:>3}-{game.points_b:<3}  ")
        line.append(padded(b, NAME_WIDTH), "bold" if game.score_a == 0 else "")
        line.append(f"  {game.hands:>5}  ")
        if game.fault_code is None:
            line.append("" if game.reason == "target" else game.reason)
        else:
            line.append(f"{plain(game.fault_code)}: {plain(game.fault_bot or '', NAME_WIDTH)}", "red")
        console.print(line, soft_wrap=True)
    if not count:
        console.print(Text("No such games."))
