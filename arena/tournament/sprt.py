"""A sequential test of two bots on real games: blocks are played until the test is decided.

The test takes in the unbroken prefix of pairs in plan order, whichever end first; pairs beyond the stop are
stored and not counted. So the same command says the same again, and goes on where it was ended.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import trio

from arena.execution.cores import default_slots
from arena.ratings.pairs import PairUnit
from arena.ratings.sprt import Sprt, SprtReport, SprtTest
from arena.tournament.config import RunConfig
from arena.tournament.events import Observer, RunReport, Stopping, Tested
from arena.tournament.ledger import UnitSource
from arena.tournament.plan import Plan
from arena.tournament.prepare import open_store, prepare
from arena.tournament.run import ignore, plain_errors, play, unit_source
from arena.tournament.runner import Runner
from arena.tournament.schedule import PAIRS_PER_BLOCK

LOOK_S = 0.25
"""Seconds between two looks at what was played; they change when a test stops, never what it says."""


@dataclass(frozen=True, slots=True)
class SprtRun:
    """A test as far as it went; scores from the side of `new`."""

    new: str
    old: str
    test: SprtTest
    report: SprtReport
    run: RunReport


def run_sprt(
    config: RunConfig, test: SprtTest, observer: Observer = ignore, *, own_process: bool = False
) -> SprtRun:
    """Test whether the first of two bots is better than the second; returns when that is decided.

    `config.pairs` is the most that is played. Signals, and what is raised: as for `run_tournament`.
    """
    prepared = prepare(replace(config, dry_run=False))
    slots = config.slots or config.local or default_slots()
    store, plan = open_store(prepared)
    with store, plain_errors():
        source = unit_source(prepared, plan, observer)
        try:
            feed = _Feed(plan, source, Sprt(test))

            async def watch(runner: Runner) -> None:
                while True:
                    await trio.to_thread.run_sync(feed.take)
                    observer(Tested(feed.sprt.report()))
                    if not feed.sprt.running:
                        observer(Stopping("decided"))
                        runner.stop("decided")
                        return
                    await trio.sleep(LOOK_S)

            run = trio.run(play, prepared, store, plan, slots, observer, own_process, None, watch)
            feed.take()
            new, old = (bot.name for bot in plan.bots)
            return SprtRun(new, old, test, feed.sprt.report(), run)
        finally:
            source.close()


class _Feed:
    """Hands the pairs of the one pairing to the test, in plan order and without a gap."""

    def __init__(self, plan: Plan, source: UnitSource, sprt: Sprt) -> None:
        self.sprt = sprt
        self._source = source
        pairing = plan.pairing(0, 1)
        self._match = pairing.match_id
        self._swapped = pairing.a.name != plan.bots[0].name
        self._pairs = plan.pairs
        self._next = 0

    def take(self) -> None:
        """Take in what was played since the last time."""
        while self.sprt.running and self._next < self._pairs:
            found = self._source.units(self._match, self._next, PAIRS_PER_BLOCK)
            for unit in found:
                if unit.pair != self._next:
                    return
                self.sprt.add(self._of_new(unit))
                self._next += 1
            if len(found) < PAIRS_PER_BLOCK:
                return

    def _of_new(self, unit: PairUnit) -> PairUnit:
        """The pair from the side of the bot that is tested."""
        if not self._swapped:
            return unit
        luck = None if unit.luck is None else -unit.luck
        return PairUnit(unit.pair, 1.0 - unit.score, luck, -unit.margin)
