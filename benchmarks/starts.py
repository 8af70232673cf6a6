"""What it takes to begin: a set of bots beside bare processes, `arena --help` beside an empty click program.

    python benchmarks/starts.py [--rounds N]

In turn, round by round; ratios are medians over the rounds of the ratio within a round (targets 8, 9):
  bots   four Python bots from spawn until all have said `ready`, at isolation `basic`, beside four bare Popen
         of the same command, spoken to in the same way
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
from pathlib import Path

from arena.bots.limits import Limits
from arena.games.registry import get_game
from arena.table.clock import RealClock
from arena.table.job import BotRef
from arena.table.referee import hello
from arena.table.sets import LiveSet
from protocol import codec

STARTS, HELP = 1.3, 1.2
ROOT = Path(__file__).resolve().parents[1]
EMPTY = "import click\n@click.command()\ndef main(): 'Nothing.'\nmain()\n"
ARENA = "from arena.cli.main import main\nmain()\n"


def arena_set(bot: BotRef, limits: Limits) -> float:
    """Seconds until a set of four is ready."""
    began = time.perf_counter()
    live = LiveSet(get_game(), [bot] * 4, limits=limits, isolation="basic", clock=RealClock())
    seconds = time.perf_counter() - began
    if any(live.fouls):
        raise SystemExit(f"the bot did not start: {live.fouls}")
    live.kill()
    return seconds


def bare_set(bot: BotRef, limits: Limits, environment: dict[str, str]) -> float:
    """Seconds until four bare processes have answered the same hello."""
    frame = codec("msgpack").encode(hello(get_game(), limits))
    began = time.perf_counter()
    processes = [
        subprocess.Popen(
            bot.command, cwd=bot.directory, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0,
            env=environment,
        )
        for _ in range(4)
    ]  # fmt: skip
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
        bare_set(bot, limits, dict(os.environ))
        sets, bare = [], []
        for _ in range(options.rounds):
            sets.append(arena_set(bot, limits))
            bare.append(bare_set(bot, limits, dict(os.environ)))
    missed = show("start of a set", sets, bare, STARTS)
    helped(ARENA)
    ours, empty = [], []
    for _ in range(options.rounds):
        ours.append(helped(ARENA))
        empty.append(helped(EMPTY))
    missed += show("arena --help", ours, empty, HELP)
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
