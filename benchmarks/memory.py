"""No memory across the legs of a pair: a bot that keeps every deal it sees meets none of them again.

    python benchmarks/memory.py [--pairs N] [--isolation LEVEL]

Plays `sample_bots/bad/remembers_deals`, which writes each deal to every place that it can write to, against
`random` for `--pairs` pairs (500 by default) as a tournament does, and counts the deals that it says it knew.
At `strong` there must be none. (Below, it leaves `arena-bad-deals` in the temporary directories.)
Then the control: one set of processes is handed both legs of a pair, and must know every deal of the second.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import Counter

import trio

from arena.audit.selftest import bad_bots
from arena.bots import tree
from arena.bots.limits import Limits
from arena.bots.probe import probe
from arena.bots.resolve import sample_bots
from arena.cards.shuffle import shuffled
from arena.execution.base import BlockJob, BotRef, Finished, Lost
from arena.execution.cores import default_slots
from arena.execution.local import open_local
from arena.games.registry import get_game
from arena.replay.record import GameRecorder
from arena.table.clock import RealClock
from arena.table.match import play_game
from arena.table.sets import LiveSet

BLOCK = 10
"""Pairs of a block, as in a tournament."""
LIMITS = Limits(move_ms=5000, start_ms=60_000)
RULES = {"hand_limit": 4}


def ref(name: str, directory: object) -> BotRef:
    return BotRef(name, "1", "", str(directory), ("{python}", "bot.py"))


def job(bots: tuple[BotRef, BotRef], number: int, pairs: range, isolation: str) -> BlockJob:
    """A block as a tournament makes it."""
    return BlockJob(
        match_id="memory", block=number, attempt=0, game="north-american", rules=RULES, bots=bots,
        games=tuple((pair, leg) for leg in range(2) for pair in pairs), block_seed=os.urandom(32),
        limits=LIMITS, isolation=isolation, started_before=(True, True),
    )  # fmt: skip


async def sealed(pairs: int, isolation: str) -> Counter[str]:
    """As a tournament plays: repeats found, over all blocks."""
    seen: Counter[str] = Counter()
    bots = ref("remembers", bad_bots() / "remembers_deals"), ref("random", sample_bots()["random"])
    blocks = [range(at, min(at + BLOCK, pairs)) for at in range(0, pairs, BLOCK)]

    async def count() -> None:
        events = executor.events()
        while seen["blocks"] < len(blocks):
            event = await anext(events)
            if isinstance(event, Lost):
                raise SystemExit(f"a block was lost: {event.why} {event.text}")
            if isinstance(event, Finished):
                seen["blocks"] += 1
                for entry in event.facts["stderr"]:
                    seen["repeats"] += entry["text"].count("REPEAT")
                continue
            seen["games"] += 1
            seen["hands"] += event[1].row["hands"]
            seen["faults"] += "fault_code" in event[1].row

    slots = min(default_slots(), len(blocks))
    async with open_local(slots, adopt=True) as executor, trio.open_nursery() as nursery:
        nursery.start_soon(count)
        for number, block in enumerate(blocks):
            await executor.submit(job(bots, number, block, isolation))
    return seen


def together(isolation: str) -> tuple[int, int]:
    """The control: (hands of the second leg, of them known), with one set of processes for both legs."""
    game, clock = get_game("north-american", RULES), RealClock()
    bot = ref("remembers", bad_bots() / "remembers_deals")
    live = LiveSet(game, [bot] * game.seats, limits=LIMITS, isolation=isolation, clock=clock)
    seed = os.urandom(32)
    hands = 0
    try:
        if live.table is None or any(live.fouls):
            raise SystemExit(f"the bot did not start: {live.fouls}")
        for leg in range(2):
            played = play_game(
                game, live.table.seats, lambda hand: shuffled(seed + bytes([hand]), len(game.pack)),
                limits=LIMITS, clock=clock, recorder=GameRecorder(0, leg, 0, (0, 1, 0, 1), (0, 0, 0, 0)),
                table=live.table,
            )  # fmt: skip
            hands = played.hands
    finally:
        live.end()
    return hands, min(text.count("REPEAT") for text in live.stderr())


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=500)
    parser.add_argument("--isolation", default=None)
    args = parser.parse_args()
    isolation = probe(args.isolation).level
    began = time.monotonic()
    seen = trio.run(sealed, args.pairs, isolation)
    print(
        f"{isolation}: {args.pairs} pairs, {seen['games']} games, {seen['hands']} hands in "
        f"{time.monotonic() - began:.0f} s: {seen['repeats']} deals known again, {seen['faults']} faults"
    )
    hands, known = together(isolation)
    print(f"control, both legs by one set of processes: {known} of {hands} hands known again")
    for pid in tree.children(os.getpid()):
        os.waitpid(pid, os.WNOHANG)  # what has ended only waits to be collected
    left = tree.children(os.getpid())
    if left:
        print(f"processes are left: {left}")
    good = not seen["repeats"] and not seen["faults"] and seen["games"] == 2 * args.pairs
    return 0 if good and known == hands and not left else 1


if __name__ == "__main__":
    raise SystemExit(main())
