"""What it takes to begin: a set of bots beside bare processes, `arena --help` beside an empty click program.

    python benchmarks/starts.py [--rounds N]

In turn, round by round; ratios are medians over the rounds of the ratio within a round (targets 8, 9):
  bots   four Python bots from spawn until all have said `ready`, at isolation `basic`, beside four bare Popen
         of the same command, spoken to in the same way. Isolation's own cost is apart: what bare Popen takes
         longer when it starts the same command in the same boxes is printed, and taken off
  strong one bot at isolation `strong` beside one at `basic`, where this machine has it
  help   `arena --help` beside the `--help` of a click program with one empty command
"""

from __future__ import annotations

import argparse
import os
import select
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from arena.bots.levels import Level
from arena.bots.limits import Limits
from arena.bots.probe import probe
from arena.bots.program import find_program
from arena.bots.sandbox import Box, new_token, prepare
from arena.games.registry import get_game
from arena.table.clock import RealClock
from arena.table.job import BotRef
from arena.table.referee import hello
from arena.table.sets import LiveSet
from protocol import codec

STARTS, HELP = 1.3, 1.2
STRONG_MS = 20
ROOT = Path(__file__).resolve().parents[1]
EMPTY = "import click\n@click.command()\ndef main(): 'Nothing.'\nmain()\n"
ARENA = "from arena.cli.main import main\nmain()\n"


def arena_set(bot: BotRef, limits: Limits, level: str = "basic", seats: int = 4) -> float:
    """Seconds until a set is ready."""
    began = time.perf_counter()
    live = LiveSet(
        get_game(), [bot] * seats, limits=limits, isolation=level, clock=RealClock(), seats=range(seats)
    )
    seconds = time.perf_counter() - began
    if any(live.fouls):
        raise SystemExit(f"the bot did not start: {live.fouls}")
    live.kill()
    return seconds


def boxes(bot: BotRef, limits: Limits) -> Iterator[Box]:
    """What to start four times: the bot's command as it stands."""
    for _ in range(4):
        yield Box([*bot.command], dict(os.environ), "")


def basic_boxes(bot: BotRef, limits: Limits) -> Iterator[Box]:
    """The same command at isolation `basic`, which is made ready one by one as the arena does."""
    directory = Path(bot.directory)
    for _ in range(4):
        yield prepare(new_token(), Level.BASIC, directory, find_program(directory, bot.command), limits)


def bare_set(bot: BotRef, limits: Limits, made: Callable[[BotRef, Limits], Iterable[Box]]) -> float:
    """Seconds until four processes, started one after the other, have answered the same hello."""
    frame = codec("msgpack").encode(hello(get_game(), limits))
    began = time.perf_counter()
    used, processes = [], []
    for box in made(bot, limits):
        used.append(box)
        processes.append(
            subprocess.Popen(
                box.argv, cwd=bot.directory, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0,
                env=box.env, pass_fds=tuple(box.pass_fds),
            )
        )  # fmt: skip
    poll = select.poll()
    for process in processes:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(frame)
        poll.register(process.stdout.fileno(), select.POLLIN)
    left = 4
    while left:
        for fd, _ in poll.poll():
            if not os.read(fd, 65536):
                raise SystemExit("a bare bot did not start")
            poll.unregister(fd)
            left -= 1
    seconds = time.perf_counter() - began
    for process in processes:
        process.kill()
    for process in processes:
        process.communicate()
    for box in used:
        box.release()
    return seconds


def helped(code: str) -> float:
    """Seconds of a program's --help."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", code, "--help"], cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


def show(what: str, ours: list[float], bare: list[float], target: float) -> int:
    """Print a ratio; whether it misses its target."""
    ratios = [one / other for one, other in zip(ours, bare, strict=True)]
    ratio = statistics.median(ratios)
    print(
        f"{what:24} {statistics.median(ours) * 1000:6.1f} ms beside {statistics.median(bare) * 1000:6.1f} "
        f"ms, ratio {ratio:.2f} ({min(ratios):.2f}-{max(ratios):.2f}), target at most {target}"
    )
    return ratio > target


def main() -> int:
    """Measure and print; 1 where a target is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    limits = Limits(start_ms=60_000)
    with tempfile.TemporaryDirectory() as folder:
        floor = Path(__file__).parent / "floor_bot.py"
        Path(folder, "floor_bot.py").write_bytes(floor.read_bytes())
        bot = BotRef("floor", "1", "", folder, (sys.executable, "floor_bot.py"))
        arena_set(bot, limits)
        bare_set(bot, limits, boxes)
        sets, boxed, bare, single, strong = [], [], [], [], []
        sealed = probe().level is Level.STRONG
        for _ in range(options.rounds):
            sets.append(arena_set(bot, limits))
            boxed.append(bare_set(bot, limits, basic_boxes))
            bare.append(bare_set(bot, limits, boxes))
            if sealed:
                single.append(arena_set(bot, limits, seats=1))
                strong.append(arena_set(bot, limits, "strong", seats=1))
    own = [one - other for one, other in zip(boxed, bare, strict=True)]
    print(
        f"a set as it is started: {statistics.median(sets) * 1000:.1f} ms, of which isolation's own cost "
        f"{statistics.median(own) * 1000:.1f} ms"
    )
    apart = [one - off for one, off in zip(sets, own, strict=True)]
    missed = show("start without isolation", apart, bare, STARTS)
    if strong:
        more = statistics.median(one - other for one, other in zip(strong, single, strict=True)) * 1000
        print(f"start of a bot at `strong`: {more:+.1f} ms beside `basic`, target at most {STRONG_MS:+}")
        missed += more > STRONG_MS
    helped(ARENA)
    ours, empty = [], []
    for _ in range(options.rounds):
        ours.append(helped(ARENA))
        empty.append(helped(EMPTY))
    missed += show("arena --help", ours, empty, HELP)
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
