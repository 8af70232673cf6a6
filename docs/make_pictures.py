"""Draw the pictures of README.md from a tournament: `python docs/make_pictures.py DIR [GAME HAND]`.

Writes docs/standings.svg and docs/replay.svg, as the terminal shows them.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

from rich.console import Console

from arena.audit.games import find_game
from arena.tournament.results import open_results
from arena.viewer.replay import print_game
from arena.viewer.standings import print_standings

FOLDER = Path(__file__).parent


def recorder(width: int) -> Console:
    return Console(
        file=io.TextIOWrapper(io.BytesIO(), encoding="utf-8"),
        record=True, width=width, force_terminal=True, highlight=False, markup=False, emoji=False,
    )  # fmt: skip


def save(console: Console, name: str, title: str) -> None:
    console.save_svg(str(FOLDER / f"{name}.svg"), title=title, unique_id=name)


def main() -> None:
    results, game, hand = Path(sys.argv[1]), *(int(word) for word in (sys.argv[2:4] or ("3", "2")))
    console = recorder(118)
    with open_results(results) as stored:
        print_standings(console, stored.standings())
    save(console, "standings", "arena run")
    console = recorder(76)
    _, logged = find_game(results, game)
    print_game(console, logged, hand=logged.hands[hand - 1].number)
    save(console, "replay", f"arena replay show --game {game} --hand {hand}")


if __name__ == "__main__":
    main()
