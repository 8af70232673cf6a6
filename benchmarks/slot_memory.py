"""Memory of a slot: how much, and flat over 10,000 games and more than a million decisions (target 7).

    python benchmarks/slot_memory.py [--games N]

One slot plays blocks of ten pairs of instant C bots, as in a tournament; its resident memory is read after
every block. Needs a C compiler and /proc.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import replace
from pathlib import Path

import trio
from referee import Bot, bots
from slots import job

from arena.execution.base import Finished, Lost
from arena.execution.local import open_local

PAIRS = 10
MOST_MB = 40.0
GROWTH_MB = 5.0
"""From 500 games on, over a million decisions."""
GROWTH_SHARE = 0.05
WARM_GAMES = 500


def resident_mb(pid: int) -> float:
    """Resident memory of a process, MiB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise SystemExit("no VmRSS in /proc")


async def play(bot: Bot, games: int) -> list[tuple[int, int, float]]:
    """(games, decisions, MiB) after each block."""
    seen: list[tuple[int, int, float]] = []
    async with open_local(1) as executor, trio.open_nursery() as nursery:

        async def feed() -> None:
            for block in range(10**9):
                first = PAIRS * block
                pairs = range(first, first + PAIRS)
                order = tuple((pair, leg) for leg in (0, 1) for pair in pairs)
                await executor.submit(replace(job(bot, block), games=order))

        nursery.start_soon(feed)
        done = decisions = 0
        async for event in executor.events():
            if isinstance(event, Lost):
                raise SystemExit(f"a block was lost: {event.why} {event.text}")
            if isinstance(event, Finished):
                seen.append((done, decisions, resident_mb(executor.pids[0])))
                if done >= games:
                    break
            else:
                done += 1
                decisions += event[1].row["decisions"]
        nursery.cancel_scope.cancel()
    return seen


def main() -> int:
    """Measure and print; 1 where a target is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=10_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        seen = trio.run(play, bots(Path(folder))[0], options.games)
    games, decisions, _ = seen[-1]
    warm = next((at for at in seen if at[0] >= min(WARM_GAMES, games // 2)), seen[0])
    most = max(mb for _, _, mb in seen)
    late = seen[len(seen) // 2 :]
    end = sum(mb for _, _, mb in late[-10:]) / len(late[-10:])
    growth = end - warm[2]
    share = growth / warm[2]
    a_million = growth * 1e6 / max(1, decisions - warm[1])
    print(f"{games} games, {decisions} decisions")
    print(f"most {most:.1f} MB, target at most {MOST_MB} MB")
    print(
        f"after {warm[0]} games {warm[2]:.1f} MB, at the end {end:.1f} MB: {100 * share:+.1f} %, "
        "target under 5 %"
    )
    print(f"growth over a million decisions {a_million:+.2f} MB, target at most {GROWTH_MB} MB")
    return int(most > MOST_MB or share > GROWTH_SHARE or a_million > GROWTH_MB)


if __name__ == "__main__":
    raise SystemExit(main())
