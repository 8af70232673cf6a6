"""Games against a bot that misbehaves at random: every game has one verdict, and no honest bot pays for it.

    python benchmarks/chaos.py [--games N] [--move-ms MS] [--isolation LEVEL] [--slots N]

Plays the chaos bot against each sample bot in tournaments of their own, `--games` in all (10,000 by default),
and then checks: each game is stored once with one reason, the reasons and the scores add up, every fault is
the chaos bot's and one that fits what it says it did, the logs agree with the store, the slots' memory is
flat, no process and no file is left. Exits with 1 where one of these does not hold.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from arena.audit.check import check_tournament
from arena.bots import tree
from arena.bots.resolve import sample_bots
from arena.store.queries import read_results
from arena.tournament.config import RunConfig
from arena.tournament.events import GameEnded, RunEvent
from arena.tournament.run import run_tournament

CHAOS = Path(__file__).parent / "chaos_bot"
HONEST = ("random", "greedy", "careful")
CRASH, TIME, FORM = {"crashed"}, {"timeout"}, {"malformed"}
FITTING = {
    "exit": CRASH, "segv": CRASH, "abort": CRASH, "raise": CRASH, "close": CRASH | TIME, "hang": TIME,
    "spin": TIME,
    "stop": TIME, "late": TIME, "half": TIME, "half then exit": CRASH, "illegal": {"illegal"},
    "wrong id": {"wrong_id"}, "two answers": {"unsolicited"}, "text": FORM, "huge": FORM, "nested": FORM,
    "endless": FORM, "answer then exit": CRASH, "memory": {"crashed", "over_memory", "timeout"},
    "stderr": TIME, "daemon": TIME, "ponder": {"burned", "timeout"},
}  # fmt: skip
"""What each of the bot's deeds may come to, if to anything."""
FLAT_MB = 24
FLOOR_GAMES = 200
"""Memory is compared only after so many games: before, it still grows to its size."""


class Watcher:
    """What is looked at while games are played."""

    def __init__(self) -> None:
        self.games = 0
        self.memory: list[int] = []
        self._shown = time.monotonic()

    def __call__(self, event: RunEvent) -> None:
        if not isinstance(event, GameEnded):
            return
        self.games += 1
        slots = tree.children(os.getpid())
        self.memory.append(max((_resident(pid) for pid in slots), default=0))
        if time.monotonic() - self._shown > 30:
            self._shown = time.monotonic()
            print(f"{self.games} games ...", flush=True)


def _resident(pid: int) -> int:
    """MiB."""
    try:
        with open(f"/proc/{pid}/status") as file:
            return next((int(line.split()[1]) >> 10 for line in file if line.startswith("VmRSS:")), 0)
    except OSError:
        return 0


def check(folder: Path, honest: str, games: int) -> tuple[list[str], Counter[str]]:
    """What is wrong with a played tournament, and how its games ended."""
    wrong: list[str] = []
    ends: Counter[str] = Counter()
    with read_results(folder) as results:
        (sums,) = results.sums()
        reasons = results.reasons()
        if sum(reasons.values()) != games or results.games_done() != games:
            wrong.append(f"{games} games, {results.games_done()} stored, reasons {reasons}")
        if sums.games != games or sum(sums.cells) * 2 != games:
            wrong.append(f"the pairs do not add up: {sums}")
        for game in results.games():
            row = game.game
            ends[row.fault_code or str(row.reason)] += 1
            if row.fault_code is None:
                continue
            blamed = game.a if row.fault_bot == "a" else game.b
            if blamed != "chaos":
                wrong.append(f"{honest} is blamed: {row.fault_text}")
            if (row.score_a == 0.0) != (row.fault_bot == "a"):
                wrong.append(f"a fault that is not a loss: {row}")
            deeds = re.findall(r"^CHAOS (.+)$", row.fault_stderr or "", re.MULTILINE)
            if deeds and row.fault_code not in set.union(*(FITTING[deed] for deed in deeds)):
                wrong.append(f"after {deeds} the verdict is {row.fault_code}: {row.fault_text}")
    report = check_tournament(folder)
    wrong += [problem.sentence() for problem in report.problems]
    return wrong, ends


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=10_000, help="in all (default 10,000)")
    parser.add_argument("--move-ms", type=int, default=200, help="time for a decision (default 200)")
    parser.add_argument("--isolation", default="auto")
    parser.add_argument("--slots", type=int, default=None)
    args = parser.parse_args()
    pairs = max(1, args.games // (2 * len(HONEST)))
    watcher = Watcher()
    wrong: list[str] = []
    ends: Counter[str] = Counter()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="arena-chaos-") as out:
        for honest in HONEST:
            folder = Path(out, honest)
            report = run_tournament(
                RunConfig(
                    bots=(str(CHAOS), str(sample_bots()[honest])), pairs=pairs, move_ms=args.move_ms,
                    start_ms=10_000, grace_ms=50, memory_mb=256, isolation=args.isolation, slots=args.slots,
                    out=str(folder),
                ),
                watcher,
                own_process=True,
            )  # fmt: skip
            if not report.complete:
                wrong.append(f"against {honest} it did not end: {report}")
            found, how = check(folder, honest, 2 * pairs)
            wrong += found
            ends += how
    left = tree.children(os.getpid())
    if left:
        wrong.append(f"processes are left: {left}")
    third = len(watcher.memory) // 3
    early, late = max(watcher.memory[:third], default=0), max(watcher.memory[-third:], default=0)
    if len(watcher.memory) >= FLOOR_GAMES and late > early + FLAT_MB:
        wrong.append(f"the slots grew from {early} to {late} MiB")
    seconds = time.monotonic() - began
    print(f"{watcher.games} games in {seconds:.0f} s; a slot's memory {early} MiB, then {late} MiB")
    for end, count in ends.most_common():
        print(f"  {count:6} {end}")
    for text in wrong:
        print(f"WRONG: {text}", file=sys.stderr)
    print("as it must be" if not wrong else f"{len(wrong)} things are wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
