"""The games of a log or of a tournament, numbered, and the way from a number to the game's record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from arena.errors import ArenaError, Exit, suggestion
from arena.replay.log import LoggedGame, read_games, read_header
from arena.store.folder import holds_tournament, no_log
from arena.store.queries import read_results


@dataclass(frozen=True, slots=True)
class ListedGame:
    """One game with its number in a list; points and score from the side of `a`."""

    number: int
    """From 1, in plan order."""
    a: str
    b: str
    pair: int
    leg: int
    points_a: int
    points_b: int
    score_a: float
    reason: str
    hands: int
    fault_code: str | None
    fault_bot: str | None
    """The name of the bot at fault."""
    fault_text: str
    log: str
    """The log that holds it: a path that can be opened."""

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for `--json`."""
        return asdict(self)


def check_bots(path: Path, asked: Iterable[str]) -> None:
    """Raise ArenaError (USAGE) for a name that no bot of a tournament's folder, or of one log, has."""
    names: tuple[str, ...]
    if path.is_dir() and holds_tournament(path):
        with read_results(path) as results:
            names = tuple(bot.name for bot in results.bots())
    elif path.is_file():
        names = tuple(bot.name for bot in read_header(path).bots)
    else:
        return  # whoever reads it says what is wrong
    for name in asked:
        if name not in names:
            raise ArenaError(
                f"{path}: no bot `{name}` played here",
                hint=suggestion(name, names),
                exit_code=Exit.USAGE,
            )


def listed_games(path: Path) -> Iterator[ListedGame]:
    """The games of a tournament's folder (those that count), or of one log. Raises ArenaError."""
    if path.is_dir():
        if not holds_tournament(path):
            raise ArenaError(f"{path}: holds no tournament", hint="give its folder, or a .jsonl log in it")
        return _of_tournament(path)
    if not path.exists():
        raise no_log(path)
    return _of_log(path)


def find_game(path: Path, number: int) -> tuple[ListedGame, LoggedGame]:
    """Game `number` (from 1) of a tournament's folder or a log. Raises ArenaError if there is none."""
    count = 0
    for listed in listed_games(path):
        count += 1
        if listed.number == number:
            for logged in read_games(Path(listed.log)):
                if (logged.start.pair, logged.start.leg) == (listed.pair, listed.leg):
                    return listed, logged
            raise ArenaError(
                f"{listed.log}: does not hold game {number}, and the database says so", exit_code=Exit.FAILED
            )
    have = f"it has games 1 to {count}" if count else "it has no games yet"
    raise ArenaError(f"{path}: there is no game {number}", hint=have, exit_code=Exit.USAGE)


def _of_tournament(folder: Path) -> Iterator[ListedGame]:
    with read_results(folder) as results:
        for number, stored in enumerate(results.games(), 1):
            game = stored.game
            yield ListedGame(
                number=number,
                a=stored.a,
                b=stored.b,
                pair=game.pair,
                leg=game.leg,
                points_a=game.points_a,
                points_b=game.points_b,
                score_a=game.score_a,
                reason=game.reason,
                hands=game.hands,
                fault_code=game.fault_code,
                fault_bot={"a": stored.a, "b": stored.b}.get(game.fault_bot or ""),
                fault_text=game.fault_text or "",
                log=str(folder / stored.log),
            )


def _of_log(path: Path) -> Iterator[ListedGame]:
    for number, logged in enumerate(read_games(path), 1):
        end, teams = logged.end, logged.start.teams
        names = [bot.name for bot in logged.header.bots]
        points = {teams[team]: score for team, score in enumerate(end.scores)}
        fault = end.fault
        yield ListedGame(
            number=number,
            a=names[0],
            b=names[1],
            pair=end.pair,
            leg=end.leg,
            points_a=points[0],
            points_b=points[1],
            score_a=end.score_a,
            reason=end.reason,
            hands=len(logged.hands),
            fault_code=fault.code if fault else None,
            fault_bot=names[teams[fault.seat]] if fault else None,
            fault_text=fault.text if fault else "",
            log=str(path),
        )
