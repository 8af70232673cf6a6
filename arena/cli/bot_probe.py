"""`arena bot probe`: a bot's messages, as they go."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.examining import home_path, limit_options, read_level, read_limits, say_which
from arena.cli.options import game_options, rule_errors
from arena.errors import ArenaError, Exit

if TYPE_CHECKING:
    from arena.examine.probe import Line
    from protocol import View


@click.command()
@click.argument("bot", metavar="DIR")
@click.option("--seat", type=click.IntRange(0, 3), default=0, show_default=True, help="The bot's seat.")
@click.option("--all-seats", is_flag=True, help="The bot in every seat.")
@click.option("--hands", type=click.IntRange(1), default=1, show_default=True, help="Hands to play.")
@click.option("--choose", is_flag=True, help="You choose for the other seats.")
@click.option("--by-hand", is_flag=True, help="You play the arena's part, message by message.")
@click.option("--view", metavar="FILE", help="Put the requests recorded in FILE (JSON; `-` is stdin).")
@click.option("--seed", metavar="TEXT", default="probe", help="Other cards (probe).")
@game_options
@limit_options
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def command(
    bot: str,
    seat: int,
    all_seats: bool,
    hands: int,
    choose: bool,
    by_hand: bool,
    view: str | None,
    seed: str,
    game: str | None,
    rules: tuple[str, ...],
    move_time: str,
    start_time: str,
    memory: int,
    isolation: str,
    home: str | None,
    as_json: bool,
) -> None:
    """Watch a bot's messages, or play the arena's part.

    DIR is a folder with a bot.toml, or the name of a registered or sample bot. Every message is printed as
    JSON, whatever the encoding: `>` goes to the bot, `<` comes from it, `!` is its stderr. The other seats
    are played at random, or by you with --choose. With --by-hand an empty line sends the next message of a
    game, and a JSON object is sent as you type it. --move-time off gives a bot all the time that it needs.

    \b
    Examples:
      arena bot probe ./mybot
      arena bot probe ./mybot --all-seats --hands 3 --game british
      arena bot probe ./mybot --by-hand --move-time off
      arena bot probe ./mybot --view request.json
      arena replay show arena-out --json    decisions of a game, to make such a file from
    """
    from arena.bots.build import build
    from arena.bots.resolve import resolve
    from arena.examine import probe
    from arena.examine.subject import Subject
    from arena.games.registry import DEFAULT_GAME, get_game, parse_overrides

    if sum((choose, by_hand, view is not None)) > 1:
        raise ArenaError("--choose, --by-hand and --view: give one of them", exit_code=Exit.USAGE)
    found = resolve(bot, home=home_path(home))
    say_which(bot, found, home)
    chosen = game or (found.manifest.games[0] if found.manifest.games else DEFAULT_GAME)
    played = rule_errors(lambda: get_game(chosen, parse_overrides(rules)))
    level, limits = read_level(isolation), read_limits(move_time, start_time, memory)
    subject = Subject(found, build(found, level, home=home_path(home)).directory, level, limits)
    show: probe.Show = _show_json if as_json else _show
    if by_hand:
        probe.by_hand(subject, played, _typed(), seed, show)
        return
    if view is not None:
        requests = (
            probe.parse_requests(sys.stdin.read(), "stdin")
            if view == "-"
            else probe.read_requests(Path(view))
        )
        trouble = probe.ask_recorded(subject, requests, show)
    else:
        trouble = probe.watch(
            subject, played, seats=range(played.seats) if all_seats else [seat],
            others=_ask_person if choose else probe.chance(seed), hands=hands, seed=seed, show=show,
        )  # fmt: skip
    if trouble:
        raise ArenaError(f"bot `{found.name}`: {trouble}", exit_code=Exit.FAILED)


def _typed() -> Iterator[str]:
    """Lines that a person types, until the end of input."""
    click.echo(
        "Enter sends the next message of a game, a JSON object is sent as it is; Ctrl-D ends.", err=True
    )
    while line := sys.stdin.readline():
        yield line


def _ask_person(view: View) -> str:
    """The choice of a person for another seat."""
    hand = " ".join(view.hand)
    click.echo(f"seat {view.seat}, {view.phase}: {hand}", err=True)
    words: dict[str, str] = {str(number): word for number, word in enumerate(view.legal, 1)}
    shown = "  ".join(f"{number} {word}" for number, word in words.items())
    valid: Callable[[str], str] = lambda text: _word(text, words)  # noqa: E731
    chosen: str = click.prompt(f"  {shown}", value_proc=valid, default="1", show_default=False, err=True)
    return chosen


def _word(text: str, words: dict[str, str]) -> str:
    if text in words:
        return words[text]
    if text in words.values():
        return text
    raise click.UsageError(f"`{text}` is none of them")


def _show(line: Line) -> None:
    from arena.replay.escape import plain

    arrow = ">" if line.sent else "!" if line.text else "<"
    message = line.message
    if message is not None:  # what it is, and which, first
        message = {key: message[key] for key in ("type", "id") if key in message} | message
    text = json.dumps(message, ensure_ascii=True) if message is not None else line.text
    after = f"   ({line.ms:.1f} ms)" if line.ms is not None else ""
    click.echo(f"{line.seat} {arrow} {plain(text.removeprefix('stderr: '), None)}{after}")


def _show_json(line: Line) -> None:
    data: dict[str, object] = {"seat": line.seat, "to": "bot" if line.sent else "arena"}
    data |= {"message": line.message} if line.message is not None else {"text": line.text}
    if line.ms is not None:
        data["ms"] = round(line.ms, 3)
    click.echo(json.dumps(data))
