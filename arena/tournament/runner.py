"""Playing the plan: hands blocks to an executor, stores what comes back, and tries lost blocks again."""

from __future__ import annotations

import itertools
from collections import Counter, deque
from dataclasses import dataclass, replace

import trio

from arena.cards.seeds import derive
from arena.execution.base import BlockJob, Event, Executor, Finished, GameDone, Lost
from arena.store.rows import GameRow
from arena.store.store import Store
from arena.table.verdict import Fault
from arena.tournament.course import Await, Seen
from arena.tournament.events import BotFailure, GameEnded, Notice, Observer, Progress, RunEvent, SetAside
from arena.tournament.forfeit import ForfeitLog
from arena.tournament.losses import (
    Again,
    Block,
    DropsOut,
    Forfeited,
    GivenUp,
    Judge,
    Judgement,
    OnTrial,
    first_line,
)
from arena.tournament.plan import Pairing, Plan
from arena.tournament.schedule import games_of

TICK_S = 0.25
MAX_BATCH = 64
"""So many events are stored in one transaction, at most."""

_START_FAULTS = (Fault.START_FAILED, Fault.START_TIMEOUT, Fault.BAD_READY)


@dataclass(frozen=True, slots=True)
class _Work:
    """One job in flight. `trial` names the bot that plays against itself."""

    block: Block
    match: int
    job: BlockJob
    trial: str = ""


class _Prefix:
    """How many blocks of the plan, from its first on without a gap, are over: played, or given up."""

    def __init__(self) -> None:
        self.blocks = 0
        self._ahead: set[int] = set()

    def add(self, number: int) -> None:
        """A block is over; it may be told again."""
        if number >= self.blocks:
            self._ahead.add(number)
        while self.blocks in self._ahead:
            self._ahead.remove(self.blocks)
            self.blocks += 1


class Runner:
    """One run of a tournament. `run` returns when the plan is played or `stop` was called."""

    def __init__(
        self,
        plan: Plan,
        store: Store,
        executor: Executor,
        observer: Observer,
        *,
        seen: Seen | None = None,
    ) -> None:
        """`seen`: the results for a plan that `looks` at them; it is used in other threads."""
        self.failed: dict[str, BotFailure] = {}
        self._plan = plan
        self._store = store
        self._executor = executor
        self._observe = observer
        self._steps = plan.course(seen, self.failed, self._ends)
        self._numbers = itertools.count()
        self._over = _Prefix()
        self._wait: Await | None = None
        """What the plan waits for."""
        self._at_once = False
        self._again: deque[tuple[Block, str]] = deque()
        """Blocks to be tried again, and trials: these go before the rest of the plan."""
        self._running: dict[tuple[str, int, int], _Work] = {}
        self._inbox: list[Event] = []
        self._news: list[RunEvent] = []
        """What to tell once it is stored."""
        self._arrived = trio.Event()
        self._changed = trio.Event()
        self._feeding = trio.CancelScope()
        self._started = {bot.name for bot in store.bots() if bot.started}
        self._judge = Judge(self._started, {bot.name for bot in store.bots() if bot.breaks})
        self._digests = {bot.name: bot.digest for bot in store.bots()}
        self._faults: Counter[str] = Counter()
        self._began = trio.current_time()
        self.set_aside: list[SetAside] = []
        self.stopped: str | None = None
        self.played = 0
        """Games that this run added."""
        self.ended = ""
        """Why the plan ended, where it is not simply that all is played."""
        self.complete = False
        """Whether the plan came to its end, nothing of it set aside."""
        self.done = plan.games_stored(store)

    @property
    def total(self) -> int:
        """Games of the plan, those of bots that do not start left out; the most while results decide."""
        if self.complete and self._plan.open_ended:
            return self.done
        return self._plan.games_total(without=self.failed)

    async def run(self) -> None:
        """Play until nothing is left or `stop` is called. Raises ArenaError where the disk refuses."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._tick)
            async with trio.open_nursery() as inner:
                inner.start_soon(self._collect)
                inner.start_soon(self._write)
                with self._feeding:
                    await self._feed()
                    self.complete = not self.set_aside
                if self.stopped is not None and not self._at_once:
                    await self._executor.finish()
                while self._running and not self._at_once:
                    await self._change()
                if self._at_once:
                    await self._executor.cancel()
                while self._running:
                    await self._change()
                inner.cancel_scope.cancel()
            nursery.cancel_scope.cancel()
        self._observe(self.progress())

    def stop(self, why: str, *, finish: bool = False) -> None:
        """Hand out nothing more. Games in flight have no result, but with `finish`: then every block that was
        begun is played to its end, since what ends early is no fair sample. Without it an earlier stop is
        overruled.
        """
        if self.stopped is None or not (finish or self._at_once):
            self.stopped = why
            self._at_once = not finish
            self._feeding.cancel()
            self._changed.set()

    def progress(self) -> Progress:
        """Where the run stands."""
        seconds = trio.current_time() - self._began
        rate = self.played / seconds if seconds > 0 else 0.0
        left = self.total - self.done
        running = list(self._running.values())[: self._executor.slots]
        return Progress(
            games_done=self.done,
            games_total=self.total,
            games_played=self.played,
            games_per_second=rate,
            seconds=seconds,
            seconds_left=left / rate if self.played else None,
            faults=dict(self._faults),
            running=tuple(work.block.title for work in running),
            open_ended=self._plan.open_ended and not self.complete,
        )

    async def more_than(self, played: int) -> int:
        """Wait until this run has stored more games than that; how many it has."""
        while self.played <= played:
            await self._change()
        return self.played

    async def _tick(self) -> None:
        while True:
            await trio.sleep(TICK_S)
            self._observe(self.progress())

    def _ends(self, why: str) -> None:
        self.ended = why

    async def _feed(self) -> None:
        while True:
            chosen = self._again.popleft() if self._again else await self._next()
            if chosen is None:
                if not self._running and not self._again:
                    return
                await self._change()
                continue
            work = self._begin(*chosen)
            if work is None:
                self._over.add(chosen[0].number)
                await trio.lowlevel.checkpoint()
                continue
            try:
                await self._executor.submit(work.job)
            except trio.Cancelled:
                self._take(Lost(work.job, "cancelled"))
                raise

    async def _next(self) -> tuple[Block, str] | None:
        """The next block of the plan; None where it is at its end, or waits for results."""
        while True:
            if self._wait is None:
                step = next(self._steps, None)
            elif self._wait.blocks <= self._over.blocks:
                # It looks at results now, and at the luck of their cards: that takes its time.
                self._wait = None
                step = await trio.to_thread.run_sync(next, self._steps, None)
            else:
                return None
            if step is None:
                return None
            if isinstance(step, Await):
                self._wait = step
                continue
            pairing = self._plan.pairing(step.one, step.other)
            return Block(pairing, step, next(self._numbers)), ""

    def _begin(self, block: Block, trial: str) -> _Work | None:
        """Record an attempt at what is left of a block; None if nothing is, or one of its bots is out."""
        pairing, planned = block.pairing, block.planned
        if pairing.a.name in self.failed or pairing.b.name in self.failed:
            return None
        left = self._left(block)
        if not left:
            return None
        bots = (pairing.a, pairing.b)
        seed = self._plan.block_seed(pairing, planned.block)
        if trial:
            bots = (bots[0], bots[0]) if trial == bots[0].name else (bots[1], bots[1])
            seed = derive(seed, "trial", self._digests[trial])
        with self._store.transaction():
            match = self._store.match(pairing.match_id, pairing.a.digest, pairing.b.digest)
            attempt = self._store.begin(
                match, planned.block, len(left), kind="trial" if trial else "block", bot=trial
            )
        job = self._plan.job(pairing, planned.block, attempt, left, seed)
        a, b = bots
        job = replace(job, bots=bots, started_before=(a.name in self._started, b.name in self._started))
        work = _Work(block, match, job, trial)
        self._running[_key(job)] = work
        return work

    def _left(self, block: Block) -> tuple[tuple[int, int], ...]:
        first, size = block.planned.first, block.planned.pairs
        played = self._store.played(block.pairing.match_id, first, first + size - 1)
        return tuple(game for game in games_of(first, size) if game not in played)

    async def _collect(self) -> None:
        async for event in self._executor.events():
            while len(self._inbox) >= MAX_BATCH:
                await self._change()
            self._inbox.append(event)
            self._arrived.set()

    async def _write(self) -> None:
        """Store what has arrived, as much of it as there is in one transaction; only then tell of it."""
        while True:
            await self._arrived.wait()
            self._arrived = trio.Event()
            batch, self._inbox = self._inbox, []
            with self._store.transaction():
                for event in batch:
                    self._take(event)
            news, self._news = self._news, []
            for told in news:
                self._observe(told)
            self._changed.set()

    async def _change(self) -> None:
        """Wait until something more is stored."""
        if self._changed.is_set():
            self._changed = trio.Event()
        await self._changed.wait()

    def _take(self, event: Event) -> None:
        match event:
            case Finished():
                work = self._running.pop(_key(event.job))
                with self._store.transaction():
                    lines = () if work.trial else event.lines
                    self._store.finish(work.match, event.job.block, event.job.attempt, lines, event.facts)
                if work.trial:
                    self._judged(work.block, self._judge.tried(work.block, work.trial, died=False))
                else:
                    self._over.add(work.block.number)
            case Lost():
                work = self._running.pop(_key(event.job))
                with self._store.transaction():
                    self._store.lose(
                        work.match,
                        event.job.block,
                        event.job.attempt,
                        event.why,
                        bot=event.bot,
                        text=event.text,
                    )
                self._lost(work, event)
            case (job, done):
                work = self._running[_key(job)]
                if not work.trial:
                    self._game(work, job, done)

    def _game(self, work: _Work, job: BlockJob, done: GameDone) -> None:
        row = GameRow.of(done.pair, done.leg, done.row)
        starts = (
            [] if row.fault_code in _START_FAULTS else [b for b in job.bots if b.name not in self._started]
        )
        with self._store.transaction():
            counts = self._store.game(work.match, job.block, job.attempt, row, done.lines)
            for bot in starts:
                self._store.bot_started(bot.digest)
        self._started |= {bot.name for bot in starts}
        if counts:
            self._count(work.block.pairing, row, job.block, job.attempt)

    def _count(self, pairing: Pairing, row: GameRow, block: int, attempt: int) -> None:
        self.played += 1
        self.done += 1
        if row.fault_code is not None:
            self._faults[row.fault_code] += 1
        guilty = {"a": pairing.a.name, "b": pairing.b.name, None: None}[row.fault_bot]
        self._news.append(
            GameEnded(
                a=pairing.a.name,
                b=pairing.b.name,
                pair=row.pair,
                leg=row.leg,
                score_a=row.score_a,
                points_a=row.points_a,
                points_b=row.points_b,
                reason=row.reason,
                fault_code=row.fault_code,
                fault_bot=guilty,
                fault_text=row.fault_text or "",
                hands=row.hands,
                decisions=row.decisions,
                seconds=row.seconds,
                log=self._plan.log(pairing, block, attempt),
            )
        )

    def _lost(self, work: _Work, lost: Lost) -> None:
        block = work.block
        if lost.why == "cancelled" or self.stopped is not None:
            return
        if work.trial:
            self._judged(block, self._judge.tried(block, work.trial, died=lost.why == "slot_died"))
            return
        if lost.why != "start_failed":
            text = first_line(lost.text)
            self._tell(f"{block.title}: lost ({lost.why}{': ' if text else ''}{text})")
        self._judged(block, self._judge.lost(block, lost))

    def _judged(self, block: Block, judgement: Judgement | None) -> None:
        """Do with a lost block as was judged; with None there is nothing to do yet."""
        match judgement:
            case Again():
                self._again.append((block, ""))
            case OnTrial(bots):
                self._again.extend((block, bot) for bot in bots)
            case Forfeited(bot):
                self._forfeit(block, bot)
            case GivenUp(why):
                self._over.add(block.number)
                left = self._left(block)
                a, b = block.pairing.a.name, block.pairing.b.name
                self.set_aside.append(SetAside(a, b, block.planned.block, len(left), why))
                self._tell(f"{block.title}: set aside after {block.losses} losses ({why})")
            case DropsOut(bot, text):
                self._over.add(block.number)
                if bot not in self.failed:
                    self.failed[bot] = BotFailure(bot, text)
                    self._tell(f"bot `{bot}` does not start, and drops out: {first_line(text)}")

    def _tell(self, text: str) -> None:
        self._news.append(Notice(text))

    def _forfeit(self, block: Block, bot: str) -> None:
        """What is left of a block is forfeited by the bot that brought its slot down."""
        pairing, planned = block.pairing, block.planned
        left = self._left(block)
        seed = self._plan.block_seed(pairing, planned.block)
        guilty = 0 if bot == pairing.a.name else 1
        text = f"{bot}: the referee's process died while it played, and does so too when it plays alone"
        rows = []
        with self._store.transaction():
            match = self._store.match(pairing.match_id, pairing.a.digest, pairing.b.digest)
            attempt = self._store.begin(match, planned.block, len(left), kind="forfeit", bot=bot)
            job = self._plan.job(pairing, planned.block, attempt, left, seed)
            log = ForfeitLog(self._plan, job, guilty, text)
            for pair, leg in left:
                row, lines = log.game(pair, leg)
                self._store.game(match, planned.block, attempt, row, lines)
                rows.append(row)
            self._store.finish(match, planned.block, attempt, log.footer(), {})
            self._store.bot_broke(self._digests[bot])
        self._over.add(block.number)
        self._tell(f"{block.title}: `{bot}` brought the slot down; the rest of the block is forfeited")
        for row in rows:
            self._count(pairing, row, planned.block, attempt)


def _key(job: BlockJob) -> tuple[str, int, int]:
    return job.match_id, job.block, job.attempt
