"""`run_sprt`: is the new version better? Pairs are played until the answer is clear enough, and no longer.

The test looks at the unbroken prefix of pairs in plan order. Pairs beyond the one that decided it are stored
and not looked at; so the same test gives the same answer on any number of cores, and after any interruption.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import trio

from arena.errors import ArenaError, Exit
from arena.ratings.pairs import PairUnit
from arena.ratings.sprt import Sprt, SprtReport, SprtTest
from arena.store.queries import Queries
from arena.tournament.config import RunConfig
from arena.tournament.events import Observer, RunReport, Stopping, Tested
from arena.tournament.ledger import UnitSource
from arena.tournament.plan import Plan
from arena.tournament.prepare import open_store, prepare
from arena.tournament.run import (
    dry_run,
    ignore,
    plain_errors,
    play,
    report_nothing,
    slots_of,
    unit_source,
)
from arena.tournament.runner import Runner

MAX_PAIRS = 20_000
"""Where the test gives up if no other cap is given."""


@dataclass(frozen=True, slots=True)
class SprtRun:
    """How a test ended, or where it was interrupted. Everything in it is from the side of `new`."""

    new: str
    old: str
    test: SprtTest
    report: SprtReport
    run: RunReport
    stored_pairs: int = 0
    """Whole pairs of the two in the folder, those that the test did not look at among them."""


def run_sprt(
    config: RunConfig, test: SprtTest, observer: Observer = ignore, *, own_process: bool = False
) -> SprtRun:
    """Test whether the first bot of `config` is better than the second; goes on where it was interrupted.

    `test.max_pairs` is the cap (MAX_PAIRS without one). Signals, `own_process` and errors are those of
    `run_tournament`.
    """
    if len(config.bots) != 2:
        raise ArenaError("a test needs two bots, the new one and the old one", exit_code=Exit.USAGE)
    if test.max_pairs is None:
        test = replace(test, max_pairs=MAX_PAIRS)
    slots = slots_of(config)
    prepared = prepare(replace(config, schedule="round-robin", pairs=test.max_pairs or 1), test)
    if config.dry_run:
        new, old = (bot.name for bot in prepared.bots)
        return SprtRun(new, old, test, Sprt(test).report(), dry_run(prepared, slots))
    store, plan = open_store(prepared)
    with store, plain_errors():
        source = unit_source(prepared, plan, observer)
        try:
            match = Match(plan, source, test)
            match.look()
            observer(Tested(match.sprt.report()))
            watch = Watch(match, observer)
            if match.sprt.running:
                run = trio.run(play, prepared, store, plan, slots, observer, own_process, None, watch)
                match.look()
            else:
                run = report_nothing(prepared, store, plan, observer, f"the test is {match.words}")
            stored = match.stored(store)
        finally:
            source.close()
    new, old = (bot.name for bot in plan.bots)
    report = match.sprt.report()
    return SprtRun(new, old, test, report, replace(run, complete=not match.sprt.running), stored)


class Match:
    """The pairs of the two bots as the test sees them: in order, without a gap, from the new bot's side."""

    def __init__(self, plan: Plan, source: UnitSource, test: SprtTest) -> None:
        self.sprt = Sprt(test)
        self._pairing = plan.pairing(0, 1)
        self._turned = self._pairing.a.name != plan.bots[0].name
        self._source = source
        self._next = 0

    @property
    def words(self) -> str:
        """What has become of the test, once it does not run any more."""
        return "decided" if self.sprt.report().decided else "at its --max-pairs"

    def stored(self, results: Queries) -> int:
        """Whole pairs in the store."""
        return sum(sums.pairs for sums in results.sums() if sums.match_id == self._pairing.match_id)

    def look(self) -> None:
        """Take in what has come since the last look, as long as the test runs."""
        most = self.sprt.test.max_pairs or MAX_PAIRS
        if self.sprt.running:
            self._add(self._source.units(self._pairing.match_id, self._next, most - self._next))

    def _add(self, units: Iterable[PairUnit]) -> None:
        for unit in units:
            if unit.pair != self._next or not self.sprt.running:
                return
            self._next += 1
            luck = unit.luck
            if self._turned:
                unit = PairUnit(unit.pair, 1.0 - unit.score, None if luck is None else -luck, -unit.margin)
            self.sprt.add(unit)


class Watch:
    """Looks at the match as games come in, tells how the test stands, and stops the run at its end."""

    def __init__(self, match: Match, observer: Observer) -> None:
        self._match = match
        self._observe = observer

    async def __call__(self, runner: Runner) -> None:
        played = -1
        while True:
            played = await runner.more_than(played)
            await trio.to_thread.run_sync(self._match.look)
            self._observe(Tested(self._match.sprt.report()))
            if runner.set_aside:
                # The test looks at nothing beyond a gap: to play on would be in vain.
                runner.stop("incomplete")
                return
            if not self._match.sprt.running:
                self._observe(Stopping("decided"))
                runner.stop("decided")
                return
