"""A tournament of 1,000 bots begins at once, and holds no list of its half million pairings.

    python benchmarks/many_bots.py [--bots N]

Makes that many bots, and runs a round robin of them until the first game is stored: seconds of finding and
reading the bots, then from the beginning of play to the first game; and what the schedule holds in memory.
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
import time
import tracemalloc
from pathlib import Path

from arena.tournament.config import RunConfig
from arena.tournament.events import GameEnded, RunEvent, Started
from arena.tournament.run import run_tournament
from arena.tournament.schedule import blocks, count_pairings

FIRST_GAME_S = 1.0
SCHEDULE_MB = 1.0


class _Enough(Exception):
    """The first game is stored."""


def main() -> int:
    """Measure and print; 1 where a target is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bots", type=int, default=1000)
    options = parser.parse_args()
    times: dict[str, float] = {}

    def watch(event: RunEvent) -> None:
        if isinstance(event, Started):
            times["started"] = time.monotonic()
        elif isinstance(event, GameEnded):
            times["game"] = time.monotonic()
            raise _Enough

    with tempfile.TemporaryDirectory(prefix="arena-many-") as folder:
        program = (Path(__file__).parent / "floor_bot.py").read_text()
        names = []
        for number in range(options.bots):
            bot = Path(folder) / f"bot{number}"
            bot.mkdir()
            (bot / "bot.toml").write_text(
                f'name = "bot{number}"\nversion = "1"\ncommand = ["{{python}}", "bot.py"]\n'
            )
            (bot / "bot.py").write_text(program)
            names.append(str(bot))
        config = RunConfig(
            bots=tuple(names), rules={"target": 1}, isolation="basic", start_ms=60_000, grace_ms=100,
            out=f"{folder}/out",
        )  # fmt: skip
        began = time.monotonic()
        try:
            run_tournament(config, watch)
        except* _Enough:
            pass
    first = times["game"] - times["started"]
    print(f"{options.bots} bots, {count_pairings('round-robin', options.bots)} pairings")
    print(f"bots found, read and entered in {times['started'] - began:.2f} s")
    print(f"from the beginning of play to the first game {first:.2f} s, target at most {FIRST_GAME_S} s")
    tracemalloc.start()
    began = time.monotonic()
    for _ in itertools.islice(blocks("round-robin", options.bots, 20), 100_000):
        pass
    held = tracemalloc.get_traced_memory()[1] / 2**20
    print(
        f"100,000 blocks of the schedule in {time.monotonic() - began:.2f} s (traced), "
        f"holding at most {held:.3f} MB, target at most {SCHEDULE_MB} MB"
    )
    return int(first > FIRST_GAME_S or held > SCHEDULE_MB)


if __name__ == "__main__":
    raise SystemExit(main())
