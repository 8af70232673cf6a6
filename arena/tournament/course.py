"""The order of play as a generator of steps: blocks to be played, and waits for the results that decide on.

A plan looks at the results of its own first blocks alone, in its own order, however fast which of them were
played. It is a pure function of those results, so it is the same on any machine, and the same again when a
run that was ended goes on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, log2
from typing import Protocol

from arena.ratings.adaptive import next_blocks
from arena.ratings.pairs import PairingStats, PairUnit
from arena.ratings.swiss import swiss_round
from arena.tournament.schedule import PAIRS_PER_BLOCK, PlannedBlock, blocks

GAMES_A_BOT = 2000
"""An adaptive schedule without a budget ends after so many games a bot: equal bots are never told apart."""
LEAST_BATCH = 8
"""Blocks between two decisions of an adaptive schedule; as many as there are bots, if they are more."""
MORE_ROUNDS = 2
"""Rounds of a Swiss beyond those that find the best of a knock-out."""


@dataclass(frozen=True, slots=True)
class Await:
    """Go on once the first so many blocks of the plan are over: played, or given up."""

    blocks: int


Step = PlannedBlock | Await


class Seen(Protocol):
    """What a plan sees of the results (`Ledger`)."""

    def add(self, block: PlannedBlock) -> None:
        """Take in a block that is over; blocks come in plan order."""

    def pairings(self) -> Sequence[PairingStats]:
        """Sums by pairing, names as in the plan."""

    def decks(self) -> Mapping[tuple[str, str], Sequence[PairUnit]] | None:
        """The pairs themselves, where pairings share their decks."""

    def points(self) -> Mapping[str, float]:
        """Pair scores by bot."""


Say = Callable[[str], object]


def runs(one: int, other: int, first: int, pairs: int) -> Iterator[PlannedBlock]:
    """Pairs `first` and following of a pairing, cut where a block ends."""
    end = first + pairs
    while first < end:
        size = min(end - first, PAIRS_PER_BLOCK - first % PAIRS_PER_BLOCK)
        yield PlannedBlock(one, other, first // PAIRS_PER_BLOCK, first, size)
        first += size


def capped(steps: Iterator[Step], pairs: int | None, say: Say = str) -> Iterator[Step]:
    """The plan up to so many pairs in all; the last block is cut short. `say` is told if it comes to that."""
    left = pairs
    for step in steps:
        if isinstance(step, Await) or left is None:
            yield step
            continue
        if left <= 0:
            say(f"the budget of {2 * (pairs or 0):,} games is used up")
            return
        yield step if step.pairs <= left else replace(step, pairs=left)
        left -= step.pairs


def swiss_rounds(bots: int) -> int:
    """Rounds of a Swiss where none are asked for; with few bots everyone meets everyone."""
    return min(bots - 1 + bots % 2, ceil(log2(max(bots, 2))) + MORE_ROUNDS)


def swiss(bots: Sequence[str], rounds: int, pairs: int, seen: Seen, out: Collection[str]) -> Iterator[Step]:
    """Rounds in which bots of like score meet who have not met, each for `pairs` pairs.

    The first round goes by name. A bot that sits out is given half of what it could have won. `out` are the
    bots that have dropped out so far.
    """
    place = {name: k for k, name in enumerate(bots)}
    met: list[tuple[str, str]] = []
    byes: list[str] = []
    planned = 0
    for _ in range(rounds):
        points = seen.points()
        scores = {bot: points[bot] + byes.count(bot) * pairs / 2 for bot in bots if bot not in out}
        if len(scores) < 2:
            return
        round_ = swiss_round(scores, met, byes)
        begun = [(place[a], place[b], pairs * _times(met, a, b)) for a, b in round_.pairings]
        met += round_.pairings
        byes += [round_.bye] if round_.bye is not None else []
        laps = [list(runs(one, other, first, pairs)) for one, other, first in begun]
        now = [lap[k] for k in range(max(map(len, laps))) for lap in laps if k < len(lap)]
        yield from now
        planned += len(now)
        yield Await(planned)
        for block in now:
            seen.add(block)


def _times(met: Sequence[tuple[str, str]], a: str, b: str) -> int:
    return sum({a, b} == set(pair) for pair in met)


def adaptive(
    bots: Sequence[str],
    first_pairs: int,
    confidence: float,
    seen: Seen,
    out: Collection[str],
    say: Say,
) -> Iterator[Step]:
    """A round robin, then blocks for the neighbours whose order is least certain, until all are settled.

    Blocks are chosen by the batch. While one batch is played the next is known already: it was chosen by the
    results of those before. So no core waits, and yet nothing hangs on who is faster. `say` is told why it
    ends.
    """
    place = {name: k for k, name in enumerate(bots)}
    size = max(LEAST_BATCH, len(bots))
    count: Counter[tuple[int, int]] = Counter()
    known: list[PlannedBlock] = []
    for block in blocks("round-robin", len(bots), first_pairs):
        count[block.one, block.other] += block.pairs
        known.append(block)
        yield block
    planned = len(known)
    yield Await(planned)
    ahead: list[PlannedBlock] = []
    while True:
        for block in known:
            seen.add(block)
        playing = [bot for bot in bots if bot not in out]
        pairings = [p for p in seen.pairings() if p.a in playing and p.b in playing]
        if len(playing) < 2 or not pairings:
            return
        decision = next_blocks(
            playing,
            pairings,
            count=size,
            confidence=confidence,
            first_pairs=0,
            pending=[(bots[block.one], bots[block.other]) for block in ahead],
            shared=seen.decks(),
        )
        if decision.settled:
            say(f"the order is settled at {100 * confidence:g} %")
            return
        batch = []
        for a, b in decision.blocks:
            one, other = sorted((place[a], place[b]))
            first = count[one, other]
            (block,) = runs(one, other, first, PAIRS_PER_BLOCK - first % PAIRS_PER_BLOCK)
            count[one, other] += block.pairs
            batch.append(block)
            yield block
        known, ahead = ahead, batch
        if known:
            planned += len(known)
            yield Await(planned)
