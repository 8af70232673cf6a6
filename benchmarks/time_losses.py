"""Losses on time that are nobody's fault: instant bots at many games a core, and a referee that stands still.

    python benchmarks/time_losses.py [--games N] [--stops N] [--isolation LEVEL]

1. Instant bots, 4 games a core at the same time, 50 ms for a decision (`--games`, 2,000 by default): how many
   were lost on time, and how many had to be played again because this machine was late. All must be zero.
2. One game after the other while its referee is stopped (SIGSTOP) for 200 ms, `--stops` times (100 by
   default): no loss on time, and nothing played again: an answer that lay in the pipe was in time.

The bot is the C one of `floor_bot.c` where there is a C compiler, else the sample bot `random`.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import trio

from arena.bots import tree
from arena.bots.limits import Limits
from arena.bots.probe import probe
from arena.bots.resolve import sample_bots
from arena.execution.base import BlockJob, BotRef, Event, Finished, Lost
from arena.execution.local import open_local

LIMITS = Limits(move_ms=50, start_ms=60_000, grace_ms=200)
STOPPED_S = 0.2
PAIRS = 5
"""Pairs of a block."""


def instant_bot(folder: Path) -> BotRef:
    """The quickest bot to be had here."""
    compiler = shutil.which("cc")
    if compiler is None:
        directory = sample_bots()["random"]
        return BotRef("random", "1", "", str(directory), ("{python}", "bot.py"))
    source = Path(__file__).parent / "floor_bot.c"
    subprocess.run([compiler, "-O2", "-o", folder / "floor_bot", source], check=True)
    folder.chmod(0o755)
    return BotRef("floor", "1", "", str(folder), ("./floor_bot",))


def job(bot: BotRef, block: int, isolation: str, pairs: int) -> BlockJob:
    """A block of the bot against itself."""
    return BlockJob(
        match_id="time", block=block, attempt=0, game="north-american", rules={}, bots=(bot, bot),
        games=tuple((pair, leg) for leg in range(2) for pair in range(pairs)), block_seed=os.urandom(32),
        limits=LIMITS, isolation=isolation, started_before=(True, True),
    )  # fmt: skip


async def take(events: AsyncIterator[Event], blocks: int, seen: Counter[str]) -> None:
    """Count how games ended until `blocks` blocks have."""
    while blocks:
        event = await anext(events)
        if isinstance(event, Lost):
            raise SystemExit(f"a block was lost: {event.why} {event.text}")
        if isinstance(event, Finished):
            blocks -= 1
            seen["late_ms"] = max(seen["late_ms"], round(event.facts["late_ms"]["max"]))
            continue
        row = event[1].row
        seen["games"] += 1
        seen["decisions"] += row["decisions"]
        seen["replays"] += row.get("replays", 0)
        seen[row.get("fault_code", "played")] += 1


async def crowded(bot: BotRef, isolation: str, games: int) -> Counter[str]:
    """Four games a core at the same time."""
    seen: Counter[str] = Counter()
    slots = 4 * len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 4
    blocks = max(1, games // (2 * PAIRS))
    async with open_local(min(slots, blocks), adopt=True) as executor, trio.open_nursery() as nursery:
        nursery.start_soon(take, executor.events(), blocks, seen)
        for block in range(blocks):
            await executor.submit(job(bot, block, isolation, PAIRS))
    return seen


async def stopped(bot: BotRef, isolation: str, stops: int) -> Counter[str]:
    """One referee, stopped so often at random moments of its games."""
    seen: Counter[str] = Counter()
    enough = threading.Event()

    def stop(pid: int) -> None:
        for _ in range(stops):
            time.sleep(random.uniform(0.01, 0.06))
            os.kill(pid, signal.SIGSTOP)
            time.sleep(STOPPED_S)
            os.kill(pid, signal.SIGCONT)
            seen["stops"] += 1
        enough.set()

    async with open_local(1, adopt=True) as executor:
        events = executor.events()
        block = 0
        await executor.submit(job(bot, block, isolation, PAIRS))
        await anext(events)
        (slot,) = executor.pids
        stopper = threading.Thread(target=stop, args=(slot,))
        stopper.start()
        await take(events, 1, seen)
        while not enough.is_set():
            block += 1
            await executor.submit(job(bot, block, isolation, PAIRS))
            await take(events, 1, seen)
        stopper.join()
    return seen


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=2000, help="of the crowded ones (default 2,000)")
    parser.add_argument("--stops", type=int, default=100, help="of the referee (default 100)")
    parser.add_argument("--isolation", default=None)
    args = parser.parse_args()
    isolation = probe(args.isolation).level
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="arena-time-") as folder:
        bot = instant_bot(Path(folder))
        for name, run, count in (("crowded", crowded, args.games), ("stopped", stopped, args.stops)):
            if not count:
                continue
            began = time.monotonic()
            seen = trio.run(run, bot, isolation, count)
            print(
                f"{name}: {seen['games']} games, {seen['decisions']} decisions in "
                f"{time.monotonic() - began:.0f} s, "
                + (f"{seen['stops']} stops, " if seen["stops"] else "")
                + f"{seen['timeout']} lost on time, {seen['replays']} played again, "
                f"the host late by at most {seen['late_ms']} ms"
            )
            wrong += seen["games"] - seen["played"] + seen["replays"]
    left = tree.children(os.getpid())
    if left:
        print(f"processes are left: {left}")
    return 1 if wrong or left else 0


if __name__ == "__main__":
    raise SystemExit(main())
