"""`arena replay show`: a game hand by hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.options import json_option, log_argument, print_json
from arena.errors import ArenaError, Exit

if TYPE_CHECKING:
    from arena.audit.games import ListedGame
    from arena.replay.log import LoggedGame


@click.command()
@log_argument
@click.option(
    "--game",
    "number",
    type=int,
    metavar="N",
    default=1,
    show_default=True,
    help="The game, as `replay list` numbers them.",
)
@click.option("--hand", type=int, metavar="K", help="Only this hand, as printed (the first one is 1).")
@json_option
def command(log: Path, number: int, hand: int | None, as_json: bool) -> None:
    """Show a game hand by hand.

    Who called what, every trick with its leader (>) and winner (*), the points; a fault stands where it
    happened, with the end of the bot's stderr. --json exports the game with every decision and its time;
    there hands have the numbers of the wire, the first one 0.

    \b
    Examples:
      arena replay show arena-out --game 3
      arena replay show arena-out --game 3 --hand 2
      arena replay show arena-out/logs/3f2a9c1b/0-1.jsonl --game 2
      arena replay show arena-out --game 3 --json > game.json
    """
    from arena.audit.games import find_game

    listed, logged = find_game(log, number)
    if hand is not None:
        if not 1 <= hand <= len(logged.hands):
            have = f"it has hands 1 to {len(logged.hands)}" if logged.hands else "none was dealt"
            raise ArenaError(f"{log}: game {number} has no hand {hand}", hint=have, exit_code=Exit.USAGE)
        hand = logged.hands[hand - 1].number
    if as_json:
        print_json(_export(listed, logged, hand))
        return
    from arena.viewer.console import make_console
    from arena.viewer.replay import print_game

    print_game(make_console(), logged, hand=hand)


def _export(listed: ListedGame, logged: LoggedGame, hand: int | None) -> dict[str, Any]:
    """The game as plain data: what the log says, and what follows from it by the rules."""
    from dataclasses import asdict

    from arena.replay.story import StoryError, hand_stories

    try:
        stories = list(hand_stories(logged))
    except StoryError as error:
        raise ArenaError(f"{listed.log}: game {listed.number}: {error}") from None
    header = asdict(logged.header)
    return {
        "number": listed.number,
        "log": listed.log,
        "header": header | {"rules": dict(logged.header.rules), "limits": dict(logged.header.limits)},
        "start": asdict(logged.start),
        "hands": [
            {
                "number": story.record.number,
                "dealer": story.record.dealer,
                "pack": list(story.record.pack),
                "hands": [list(cards) for cards in story.hands],
                "upcard": story.upcard,
                "trump": story.trump,
                "maker": story.maker,
                "alone": list(story.alone),
                "decisions": [
                    {"seat": d.seat, "phase": d.phase, "action": d.word, "micros": d.micros}
                    for d in story.decisions
                ],
                "tricks": [
                    {"plays": [list(play) for play in trick.plays], "winner": trick.winner}
                    for trick in story.tricks
                ],
                "points": list(story.record.points),
                "scores": list(story.record.scores),
                "end": story.record.end,
            }
            for story in stories
            if hand is None or story.record.number == hand
        ],
        "end": asdict(logged.end),
    }
