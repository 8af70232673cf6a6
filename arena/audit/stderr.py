"""What seats wrote to stderr, as it was kept: by set of processes, and before each fault."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from arena.errors import ArenaError
from arena.replay.log import LoggedGame, read_games
from arena.store.folder import holds_tournament, no_log
from arena.store.queries import read_results


@dataclass(frozen=True, slots=True)
class KeptStderr:
    """One seat's stderr."""

    bot: str
    seat: int
    place: str
    """Where: a block and leg, or a game."""
    fault: str
    """The code of the fault that it stands beside, or empty."""
    text: str
    log: str

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for `--json`."""
        return asdict(self)


def kept_stderr(path: Path) -> Iterator[KeptStderr]:
    """All that was kept in a tournament's folder, or in one log (there, beside faults alone)."""
    if path.is_dir():
        if not holds_tournament(path):
            raise ArenaError(f"{path}: holds no tournament", hint="give its folder, or a .jsonl log in it")
        return _of_tournament(path)
    if not path.exists():
        raise no_log(path)
    return _of_log(path)


def _of_tournament(folder: Path) -> Iterator[KeptStderr]:
    with read_results(folder) as results:
        for attempt in results.attempts():
            for kept in results.attempt_facts(attempt).get("stderr", ()):
                place = f"{attempt.a} - {attempt.b}, block {attempt.block}, leg {kept['leg']}"
                yield KeptStderr(kept["bot"], kept["seat"], place, "", kept["text"], attempt.log)
        for stored in results.faulty_games():
            game = stored.game
            if game.fault_stderr:
                bot = stored.a if game.fault_bot == "a" else stored.b
                place = f"{stored.a} - {stored.b}, pair {game.pair} leg {game.leg}"
                seat = -1 if game.fault_seat is None else game.fault_seat
                yield KeptStderr(bot, seat, place, game.fault_code or "", game.fault_stderr, stored.log)


def _of_log(path: Path) -> Iterator[KeptStderr]:
    for logged in read_games(path):
        yield from stderr_of_game(logged, str(path))


def stderr_of_game(logged: LoggedGame, log: str) -> Iterator[KeptStderr]:
    """What the seat at fault had written when a game ended by its fault; nothing of any other game."""
    fault = logged.end.fault
    if fault is not None and fault.stderr_tail:
        bots = logged.header.bots
        bot = bots[logged.start.teams[fault.seat]].name
        place = f"{bots[0].name} - {bots[1].name}, pair {logged.start.pair} leg {logged.start.leg}"
        yield KeptStderr(bot, fault.seat, place, fault.code, fault.stderr_tail, log)
