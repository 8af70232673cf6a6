"""How late a limit is noticed, and how soon a bot is gone, while every slot is busy (target 5).

    python benchmarks/limits.py [--times N] [--move-ms MS]

A silent bot is asked once and runs into its move limit; how much later than the limit that is noticed, and
how long it then takes until it is killed and reaped. This program is one slot, on a core of its own; all the
others that `arena run` would start play blocks of instant C bots. Isolation `basic`; needs a C compiler.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import trio
from referee import Bot, bots
from slots import job

from arena.bots.limits import Limits
from arena.bots.process import stop_all
from arena.execution.cores import default_slots, pinning_order
from arena.execution.local import open_local
from arena.games.registry import get_game
from arena.table.clock import RealClock
from arena.table.job import BotRef
from arena.table.referee import NoFrame, Why
from arena.table.sets import LiveSet

LATE_P95_MS, GONE_P95_MS = 2.0, 25.0
SILENT = """
import os, time
read = os.read(0, 65536)
os.write(1, len(b"\\x81\\xa4type\\xa5ready").to_bytes(4, "big") + b"\\x81\\xa4type\\xa5ready")
while True:
    time.sleep(3600)
"""


async def load(bot: Bot, slots: int) -> None:
    """Keep slots busy until stdin ends; say so when they are."""
    async with open_local(slots) as executor, trio.open_nursery() as nursery:

        async def feed() -> None:
            for block in range(10**9):
                await executor.submit(job(bot, block))

        async def until_told() -> None:
            await trio.lowlevel.wait_readable(0)
            nursery.cancel_scope.cancel()

        nursery.start_soon(feed)
        nursery.start_soon(until_told)
        said = False
        async for _ in executor.events():
            if not said:
                print("busy", flush=True)
                said = True


def once(bot: BotRef, limits: Limits, core: tuple[int, ...]) -> tuple[float, float]:
    """Milliseconds: how late the limit was noticed, and from then on until all is reaped."""
    clock, game = RealClock(), get_game()
    live = LiveSet(game, [bot] * 4, limits=limits, isolation="basic", clock=clock, cpus=core)
    if live.table is None or any(live.fouls):
        raise SystemExit(f"the silent bot did not start: {live.fouls}")
    assert limits.move_ms is not None
    seat = live.table.seats[0]
    began = clock.now()
    answer = seat.ask({"type": "act", "id": 1}, limits.move_ms / 1000)
    noticed = clock.now()
    if not (isinstance(answer[0], NoFrame) and answer[0].why is Why.LATE):
        raise SystemExit(f"a silent bot answered: {answer}")
    seat.process.kill()
    stop_all([seat.process], 0)
    gone = clock.now()
    live.kill()
    return (noticed - began) * 1000 - limits.move_ms, (gone - noticed) * 1000


def main() -> int:
    """Measure and print; 1 where a target is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--move-ms", type=int, default=20)
    parser.add_argument("--load", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if options.load:
            trio.run(load, bots(Path(folder))[0], options.load)
            return 0
        Path(folder, "silent.py").write_text(SILENT)
        silent = BotRef("silent", "1", "", folder, (sys.executable, "-S", "silent.py"))
        limits = Limits(move_ms=options.move_ms, start_ms=60_000)
        slots = default_slots()
        busy = subprocess.Popen(
            [sys.executable, __file__, "--load", str(max(1, slots - 1))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        with busy:
            assert busy.stdin is not None
            assert busy.stdout is not None
            busy.stdout.readline()
            core = pinning_order()[0][slots - 1 :][:1]
            if slots > 1 and hasattr(os, "sched_setaffinity"):
                os.sched_setaffinity(0, core)  # this is the last slot, on its own core
            found = [once(silent, limits, core) for _ in range(options.times)]
            busy.stdin.close()
    missed = 0
    for what, values, target in (
        ("the limit is noticed late by", [late for late, _ in found], LATE_P95_MS),
        ("killed and reaped after", [gone for _, gone in found], GONE_P95_MS),
    ):
        p95 = sorted(values)[int(0.95 * len(values))]
        missed += p95 > target
        print(
            f"{what:28} median {statistics.median(values):5.2f} ms, p95 {p95:5.2f} ms, max "
            f"{max(values):5.2f} ms; target p95 at most {target} ms ({options.times} times, {slots} slots)"
        )
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
