"""What slots carry: one, two, eight of them, the default beside slots pinned by hand, time charged.

    python benchmarks/slots.py [--rounds N] [--seconds S]

Blocks of instant bots (C and Python, the floors' own) are played for some seconds in each of these ways, in
turn, round by round; ratios are medians over the rounds of the ratio within a round (targets 2, 3, 4):
  one      one slot of the local executor, pinned
  two      two slots, each pinned to a core
  eight    eight slots on two cores
  default  as many slots as `arena run` would start, by the executor with its own defaults
  by hand  as many slot processes, pinned and fed by this program, with nothing in between
  pipes    two and eight programs on two cores that do the bare round trip and nothing else: what any eight
           lose to two when the processes of a core outgrow its caches
Needs a C compiler and at least two cores.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import trio
from referee import Bot, bots, floor, real_requests

from arena.bots.limits import Limits
from arena.execution.base import BlockJob, BotRef, Finished, Lost
from arena.execution.child import COMMAND, environment
from arena.execution.cores import default_slots, pinning_order
from arena.execution.local import open_local
from arena.execution.wire import FrameReader, encode, job_to_wire

PAIRS = 50
"""Of a block here: long, so that what is measured is play, not the start of processes."""
SCALING = {"C bot": 1.5, "Python bot": 1.85}
CROWDED = 0.9
PIPE = "--one-pipe"
DEFAULT = 0.9
CHARGED_P99_MS = 0.5


def job(bot: Bot, block: int, cpus: tuple[int, ...] = ()) -> BlockJob:
    """A block of a bot against its like."""
    one, other = (
        BotRef(name, "1", digit * 64, str(bot.directory), bot.command)
        for name, digit in (("one", "1"), ("other", "2"))
    )
    first = PAIRS * block
    return BlockJob(
        match_id="0" * 64,
        block=block,
        attempt=1,
        game="north-american",
        rules={},
        bots=(one, other),
        games=tuple((pair, leg) for leg in (0, 1) for pair in range(first, first + PAIRS)),
        block_seed=block.to_bytes(32, "big"),
        limits=Limits(grace_ms=100),
        isolation="basic",
        cpus=cpus,
    )


def through_executor(bot: Bot, slots: int, seconds: float, micros: list[int] | None = None) -> float:
    """Decisions a second by the local executor."""

    async def play() -> float:
        async with open_local(slots) as executor, trio.open_nursery() as nursery:

            async def feed() -> None:
                block = 0
                while True:
                    await executor.submit(job(bot, block))
                    block += 1

            nursery.start_soon(feed)
            decisions, began, warm = 0, 0.0, False
            seen: set[int] = set()
            async for event in executor.events():
                if isinstance(event, Lost):
                    raise SystemExit(f"a block was lost: {event.why} {event.text}")
                if isinstance(event, Finished):
                    continue
                seen.add(event[0].block)
                if not warm:
                    if len(seen) >= slots:  # every slot has begun by now
                        warm, began = True, trio.current_time()
                    continue
                decisions += event[1].row["decisions"]
                if micros is not None:
                    micros.extend(charged(event[1].lines))
                if trio.current_time() - began > seconds:
                    break
            rate = decisions / (trio.current_time() - began)
            nursery.cancel_scope.cancel()
        return rate

    return trio.run(play)


def charged(lines: tuple[str, ...]) -> Iterator[int]:
    """Microseconds charged, of every decision in a game's lines."""
    for line in lines:
        record = json.loads(line)
        if record["t"] == "hand":
            yield from record["us"]


def by_hand(bot: Bot, slots: int, seconds: float) -> float:
    """Decisions a second of slot processes that this program pins and feeds."""
    rates: list[float] = []

    def run(core: int) -> None:
        process = subprocess.Popen(
            COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(), bufsize=0
        )
        assert process.stdin is not None
        assert process.stdout is not None
        reader, decisions, began, block, warm = FrameReader(), 0, 0.0, 0, False
        for _ in range(2):
            process.stdin.write(encode(job_to_wire(job(bot, block, (core,)))))
            block += 1
        while not warm or time.monotonic() - began < seconds:
            for message in reader.feed(os.read(process.stdout.fileno(), 1 << 16)):
                if message["type"] == "game" and warm:
                    decisions += message["row"]["decisions"]
                elif message["type"] == "game":
                    warm, began = True, time.monotonic()
                else:
                    process.stdin.write(encode(job_to_wire(job(bot, block, (core,)))))
                    block += 1
        rates.append(decisions / (time.monotonic() - began))
        process.stdin.close()
        while os.read(process.stdout.fileno(), 1 << 16):
            pass
        process.stdout.close()
        process.wait()

    threads = [threading.Thread(target=run, args=(core,)) for core in pinning_order()[0][:slots]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(rates)


def pipes(bot: Bot, programs: int, seconds: float) -> float:
    """Decisions a second of so many bare round trips on two cores, each a program with four bots."""
    running = [
        subprocess.Popen(
            [sys.executable, __file__, PIPE, str(core), str(seconds), str(bot.directory), *bot.command],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for _, core in zip(range(programs), itertools.cycle(pinning_order()[0][:2]), strict=False)
    ]  # fmt: skip
    for process in running:
        assert process.stdout is not None
        process.stdout.readline()
    for process in running:
        assert process.stdin is not None
        process.stdin.write("all are there\n")
        process.stdin.flush()
    return sum(float(process.communicate()[0]) for process in running)


def one_pipe(core: int, seconds: float, directory: str, command: list[str]) -> None:
    """What `pipes` runs: says that it is there, waits for a line, and prints its rate."""
    os.sched_setaffinity(0, [core])
    requests = real_requests(6)
    four = [
        subprocess.Popen(command, cwd=directory, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        for _ in range(4)
    ]
    floor(four, requests[:200])
    print("there", flush=True)
    sys.stdin.readline()
    done, began = 0, time.perf_counter()
    while (passed := time.perf_counter() - began) < seconds:
        floor(four, requests)
        done += len(requests)
    print(done / passed, flush=True)
    for process in four:
        process.communicate()


def main() -> int:
    """Measure and print; 1 where a target is missed."""
    if sys.argv[1:2] == [PIPE]:
        one_pipe(int(sys.argv[2]), float(sys.argv[3]), sys.argv[4], sys.argv[5:])
        return 0
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=7, help="alternating rounds (default 7)")
    parser.add_argument("--seconds", type=float, default=2.0, help="of each measurement (default 2)")
    options = parser.parse_args()
    if len(pinning_order()[0]) < 2:
        raise SystemExit("two cores are needed")
    usual = default_slots()
    missed = 0

    def show(bot: Bot, what: str, rounds: list[dict[str, float]], top: str, low: str, target: float) -> int:
        ratios = [one[top] / one[low] for one in rounds]
        ratio = statistics.median(ratios)
        rate = statistics.median(one[top] for one in rounds)
        base = statistics.median(one[low] for one in rounds)
        print(
            f"{bot.name:10}  {what:34} {rate / 1000:6.1f} k/s beside {base / 1000:6.1f} k/s, "
            f"ratio {ratio:.2f} ({min(ratios):.2f}-{max(ratios):.2f}), target at least {target}",
            flush=True,
        )
        return ratio < target

    with tempfile.TemporaryDirectory() as folder:
        for bot in bots(Path(folder)):
            micros: list[int] = []
            ways: dict[str, Callable[[float], float]] = {
                "one": lambda s, bot=bot: through_executor(bot, 1, s),  # type: ignore[misc]
                "two": lambda s, bot=bot: through_executor(bot, 2, s),  # type: ignore[misc]
                "eight": lambda s, bot=bot: through_executor(bot, 8, s),  # type: ignore[misc]
                "default": lambda s, bot=bot, m=micros: through_executor(bot, usual, s, m),  # type: ignore[misc]
                "by hand": lambda s, bot=bot: by_hand(bot, usual, s),  # type: ignore[misc]
                "two pipes": lambda s, bot=bot: pipes(bot, 2, s),  # type: ignore[misc]
                "eight pipes": lambda s, bot=bot: pipes(bot, 8, s),  # type: ignore[misc]
            }
            rounds = [
                {name: way(options.seconds) for name, way in ways.items()} for _ in range(options.rounds)
            ]
            missed += show(bot, "two slots beside one", rounds, "two", "one", SCALING[bot.name])
            missed += show(bot, "eight slots on two cores beside two", rounds, "eight", "two", CROWDED)
            show(bot, "eight bare pipes beside two (floor)", rounds, "eight pipes", "two pipes", CROWDED)
            missed += show(bot, "the default beside pinned by hand", rounds, "default", "by hand", DEFAULT)
            micros.sort()
            p99 = micros[int(0.99 * len(micros))] / 1000
            missed += p99 > CHARGED_P99_MS
            print(
                f"{bot.name:10}  charged with {usual} slots: p50 {micros[len(micros) // 2] / 1000:.3f} ms, "
                f"p99 {p99:.3f} ms, target at most {CHARGED_P99_MS} ms",
                flush=True,
            )
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
