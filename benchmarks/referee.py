"""What the referee costs: its whole time per decision beside a bare pipe round trip with the same bot.

    python benchmarks/referee.py [--rounds N] [--games N] [--core C]

Floor: `os.write` and `os.read` with msgpack on blocking pipes, no limit, four bots asked in rotation, one
request open, the requests those of real games. Referee: whole games through rules, view, codec, limit,
ladder and record, at isolation `basic`; the cost of `strong` beside it, where this machine offers it. Both
with a C bot (floor b) and a Python bot (floor c), pinned to one core, taking turns round by round; medians
over the rounds of the ratio within a round. Also the time charged to an instant bot. Needs a C compiler.
"""

from __future__ import annotations

import argparse
import gc
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgpack

from arena.bots.levels import Level
from arena.bots.limits import Limits
from arena.bots.probe import probe
from arena.cards.shuffle import shuffled
from arena.games.base import Game
from arena.games.registry import get_game
from arena.replay.record import GameRecorder
from arena.table.clock import RealClock
from arena.table.job import BotRef
from arena.table.match import play_game
from arena.table.processes import ProcessSet
from arena.table.referee import request_ids
from arena.table.seats import CallableSeat
from arena.table.sets import LiveSet

HERE = Path(__file__).parent
TARGETS = {"C bot": 1.8, "Python bot": 1.5}
"""Target 1: at most so many times the floor."""
CHARGED_P99_MS = 0.1
"""Target 4, one slot."""


@dataclass
class Bot:
    """One of the two floor bots, running."""

    name: str
    directory: Path
    command: tuple[str, ...]
    floors: list[float] = field(default_factory=list)
    referees: list[float] = field(default_factory=list)
    strong: list[float] = field(default_factory=list)
    """As `referees`, at isolation `strong`."""
    charged: list[list[int]] = field(default_factory=list)
    """Microseconds, of every decision, by hand."""


class Recorder(GameRecorder):
    """Also keeps what was charged."""

    __slots__ = ("charged",)

    def hand_ended(self, points: Sequence[int], scores: Sequence[int], end: str) -> None:
        self.charged.append(self._us)
        super().hand_ended(points, scores, end)


def deck(seed: int) -> Callable[[int], list[int]]:
    return lambda hand: shuffled(b"%d|%d" % (seed, hand), 24)


class NoRecord:
    def hand(self, number: int, dealer: int, pack_words: Iterable[str]) -> None: ...
    def decision(self, word: str, micros: int, bank_ms: int | None = None) -> None: ...
    def hand_ended(self, points: Sequence[int], scores: Sequence[int], end: str) -> None: ...


def real_requests(games: int) -> list[dict[str, Any]]:
    """The `act` requests of some games, with limits as in the measured ones."""
    requests: list[dict[str, Any]] = []

    class Keeping(CallableSeat):
        def ask(self, request: dict[str, Any], limit: float | None) -> Any:
            requests.append(request)
            return super().ask(request, limit)

    seat = Keeping(lambda view: view.legal[view["id"] % len(view.legal)])
    for seed in range(games):
        play_game(get_game(), [seat] * 4, deck(seed), limits=Limits(), clock=RealClock(), recorder=NoRecord())
    return requests


def floor(bots: Sequence[subprocess.Popen[bytes]], requests: Sequence[dict[str, Any]]) -> float:
    """Seconds a decision of the bare round trip."""
    pipes = [(bot.stdin.fileno(), bot.stdout.fileno()) for bot in bots if bot.stdin and bot.stdout]
    pack, unpack, write, read = msgpack.Packer().pack, msgpack.unpackb, os.write, os.read
    start = time.perf_counter()
    for i, request in enumerate(requests):
        stdin, stdout = pipes[i & 3]
        payload = pack(request)
        write(stdin, len(payload).to_bytes(4, "big") + payload)
        data = read(stdout, 65536)
        unpack(data[4:])
    return (time.perf_counter() - start) / len(requests)


def referee(game: Game, table: ProcessSet, games: range, charged: list[list[int]], limits: Limits) -> float:
    """Seconds a decision of whole games."""
    clock, ids = RealClock(), request_ids()
    decisions = 0
    start = time.perf_counter()
    for number in games:
        recorder = Recorder(number, 0, 0, (0, 1, 0, 1), (1, 2, 3, 4))
        recorder.charged = charged
        played = play_game(
            game,
            table.seats,
            deck(number),
            limits=limits,
            clock=clock,
            recorder=recorder,
            table=table,
            ids=ids,
        )
        if played.foul is not None:
            raise SystemExit(f"a floor bot failed: {played.foul}")
        recorder.finish(played.scores, played.winner, played.reason, 0.0)
        decisions += played.decisions
    return (time.perf_counter() - start) / decisions


def bots(folder: Path) -> list[Bot]:
    compiler = shutil.which("cc")
    if compiler is None:
        raise SystemExit("a C compiler is needed: none of the name cc is on PATH")
    subprocess.run([compiler, "-O2", "-o", folder / "floor_bot", HERE / "floor_bot.c"], check=True)
    shutil.copy(HERE / "floor_bot.py", folder)
    return [
        Bot("C bot", folder, ("./floor_bot",)),
        Bot("Python bot", folder, (sys.executable, "floor_bot.py")),
    ]


def quantile(values: Sequence[int], share: float) -> int:
    """Of sorted values."""
    return values[min(len(values) - 1, int(share * len(values)))]


def seats(bot: Bot, level: Level, core: tuple[int, ...]) -> LiveSet:
    """Four of a bot, started."""
    ref = BotRef(bot.name, "1", "", str(bot.directory), bot.command)
    live = LiveSet(get_game(), [ref] * 4, limits=Limits(), isolation=level, clock=RealClock(), cpus=core)
    if live.table is None or any(live.fouls):
        raise SystemExit(f"{bot.name} did not start at `{level}`: {live.fouls}")
    return live


def measure(
    bot: Bot,
    requests: Sequence[dict[str, Any]],
    rounds: int,
    games: int,
    core: tuple[int, ...],
    levels: Sequence[Level],
) -> None:
    limits, game = Limits(), get_game()
    lives = [seats(bot, level, core) for level in levels]
    bare = [
        subprocess.Popen(
            bot.command, cwd=bot.directory, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        for _ in range(4)
    ]
    try:
        warm: list[list[int]] = []
        floor(bare, requests[:400])
        tables = [live.table for live in lives if live.table is not None]
        for table in tables:
            referee(game, table, range(2), warm, limits)
        for number in range(rounds):
            bot.floors.append(floor(bare, requests))
            span = range(number * games, (number + 1) * games)
            bot.referees.append(referee(game, tables[0], span, bot.charged, limits))
            for table in tables[1:]:
                bot.strong.append(referee(game, table, span, warm, limits))
    finally:
        for live in lives:
            live.end()
        for process in bare:
            process.communicate()


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=9, help="alternating rounds, at least 7 (default 9)")
    parser.add_argument("--games", type=int, default=20, help="games a round (default 20)")
    parser.add_argument("--core", type=int, help="the core to pin to (default: the last usable)")
    args = parser.parse_args()
    core: tuple[int, ...] = ()
    if hasattr(os, "sched_setaffinity"):
        core = (args.core if args.core is not None else max(os.sched_getaffinity(0)),)
        os.sched_setaffinity(0, core)
    requests = real_requests(args.games)
    sizes = [len(msgpack.packb(request)) for request in requests]
    print(
        f"{len(requests)} requests of {statistics.mean(sizes):.0f} bytes, {args.rounds} rounds, core {core}"
    )
    levels = [Level.BASIC] + [level for level in (probe().level,) if level is Level.STRONG]
    if len(levels) == 1:
        print("`strong` is not offered here: `arena doctor` says why")
    gc.collect()
    gc.freeze()
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        for bot in bots(Path(folder)):
            measure(bot, requests, args.rounds, args.games, core, levels)
            ratios = [r / f for r, f in zip(bot.referees, bot.floors, strict=True)]
            ratio, target = statistics.median(ratios), TARGETS[bot.name]
            missed += ratio > target
            print(
                f"{bot.name:10}  floor {statistics.median(bot.floors) * 1e6:5.1f} us  "
                f"referee {statistics.median(bot.referees) * 1e6:5.1f} us  ratio {ratio:.2f} "
                f"({min(ratios):.2f}-{max(ratios):.2f}), target at most {target}"
            )
            if bot.strong:
                beside = statistics.median(s / r for s, r in zip(bot.strong, bot.referees, strict=True))
                print(
                    f"{'':10}  at `strong` {statistics.median(bot.strong) * 1e6:5.1f} us, "
                    f"{beside:.2f} of `basic`"
                )
            charged = sorted(micros for hand in bot.charged for micros in hand)
            p50, p99 = quantile(charged, 0.5), quantile(charged, 0.99)
            missed += p99 > CHARGED_P99_MS * 1000
            print(
                f"{'':10}  charged p50 {p50} us, p99 {p99} us, max {charged[-1]} us; "
                f"target p99 at most {CHARGED_P99_MS * 1000:.0f} us"
            )
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
