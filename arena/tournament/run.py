"""`run_tournament`: a tournament from a configuration to its report, in one call."""

from __future__ import annotations

import signal
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Protocol

import trio

from arena.bots.resolve import arena_home
from arena.errors import ArenaError
from arena.execution.base import Executor
from arena.execution.cores import check_cores, default_slots, slot_cpus
from arena.execution.local import open_local
from arena.store.store import Store
from arena.tournament.config import RunConfig
from arena.tournament.course import Await, Seen
from arena.tournament.events import Estimate, Notice, Observer, RunEvent, RunReport, Started, Stopping
from arena.tournament.ledger import Ledger, UnitSource
from arena.tournament.plan import Plan
from arena.tournament.prepare import Prepared, look, open_store, prepare
from arena.tournament.runner import Runner
from arena.tournament.schedule import games_of

DECISIONS_PER_GAME = 240
"""Of a typical game to 10: some 11 hands."""
QUICK_DECISION_S = 0.0002
QUICK_GAME_S = 0.03
"""A game's share of the start and end of its block's processes."""


def ignore(event: RunEvent) -> None:
    """An observer that watches nothing."""


def run_tournament(config: RunConfig, observer: Observer = ignore, *, own_process: bool = False) -> RunReport:
    """Play the tournament that `config` describes, or what is missing of it; returns when it ends.

    In the main thread the first SIGINT or SIGTERM stops it in order and the second at once; finished
    games stand either way. `own_process` says that this process starts no others meanwhile: it then
    takes in and ends whatever a killed slot leaves. Raises ArenaError for what can be said in one line: a
    bad bot or option, a folder that cannot be used, a full disk.
    """
    _check_cluster(config)
    slots = slots_of(config)
    prepared = prepare(config)
    if config.dry_run:
        return dry_run(prepared, slots)
    store, plan = open_store(prepared)
    with store, plain_errors(), ExitStack() as stack:
        seen = None
        if plan.looks:
            source = unit_source(prepared, plan, observer)
            stack.callback(source.close)
            ended = nothing_left(plan, store, Ledger(plan, source))
            seen = Ledger(plan, source)
        else:
            ended = nothing_left(plan, store)
        if ended is not None:
            return report_nothing(prepared, store, plan, observer, ended)
        return trio.run(play, prepared, store, plan, slots, observer, own_process, seen)


def nothing_left(plan: Plan, store: Store, seen: Seen | None = None) -> str | None:
    """Whether every game of the plan is stored: then why the plan ends (as in `RunReport.ended`), else None.

    `seen`: for a plan that looks at results, a ledger of its own.
    """
    if not plan.looks and plan.games_stored(store) < plan.games_total():
        return None
    ended: list[str] = []
    for step in plan.course(seen, (), ended.append):
        if isinstance(step, Await):
            continue
        match_id = plan.pairing(step.one, step.other).match_id
        played = store.played(match_id, step.first, step.first + step.pairs - 1)
        if not played.issuperset(games_of(step.first, step.pairs)):
            return None
    return ended[-1] if ended else ""


def report_nothing(
    prepared: Prepared, store: Store, plan: Plan, observer: Observer, ended: str = ""
) -> RunReport:
    """The report of a run that finds nothing left to play; no executor is started for it."""
    done = plan.games_stored(store)
    beside, others, further = _beside(plan, store, done)
    total = plan.games_total() if plan.open_ended else done
    observer(_started(prepared, plan, total, done, slots_of(prepared.config)))
    for text in prepared.notices:
        observer(Notice(text))
    observer(Notice(f"nothing left to play: {ended or f'all {done} games are stored'}"))
    return RunReport(
        out=prepared.config.out,
        complete=True,
        stopped=None,
        games_played=0,
        games_done=done,
        games_total=done,
        seconds=0.0,
        head=store.head(),
        machines=tuple(store.machines()) if prepared.config.executor != "local" else (),
        notices=prepared.notices,
        ended=ended,
        games_beside=beside,
        bots_beside=others,
        games_further=further,
    )


def _beside(plan: Plan, store: Store, done: int) -> tuple[int, tuple[str, ...], int]:
    """What the table counts beside the plan, as `RunReport` has it: games, bots, games of the plan's bots."""
    own = {bot.name for bot in plan.bots}
    games, foreign, others = 0, 0, set()
    for sums in store.sums():
        games += sums.games
        if sums.games and (strangers := {sums.a, sums.b} - own):
            foreign += sums.games
            others |= strangers
    beside = max(0, games - done)
    return beside, tuple(sorted(others)), max(0, beside - foreign)


def slots_of(config: RunConfig) -> int:
    """How many games are played at a time. Raises ArenaError where one wants more cores than there are."""
    check_cores(config.cores_per_game)
    return config.slots or config.local or default_slots(config.cores_per_game)


def unit_source(prepared: Prepared, plan: Plan, observer: Observer) -> UnitSource:
    """The pairs of a tournament that is being played, as decisions look at them."""
    config = prepared.config
    told: set[str] = set()

    def progress(what: str, done: int, total: int) -> None:
        if what == "table" and what not in told:
            told.add(what)
            observer(Notice("making the table of luck for these rules, which takes a minute, once"))

    home = arena_home() if config.home is None else Path(config.home).expanduser()
    return UnitSource(plan, Path(config.out), home, progress)


Watch = Callable[[Runner], Awaitable[None]]


async def play(
    prepared: Prepared,
    store: Store,
    plan: Plan,
    slots: int,
    observer: Observer,
    own_process: bool,
    seen: Seen | None = None,
    watch: Watch | None = None,
) -> RunReport:
    """Play what is missing of a plan. `seen`: the results that the plan looks at; `watch` runs beside it and
    may stop it.
    """
    config = prepared.config
    notices = list(prepared.notices)
    if store.set_aside:
        notices.append(f"{store.set_aside} bytes of unfinished games were cut off the logs of a killed run")
    async with _executor(prepared, plan, slots, observer, own_process) as executor:
        runner = Runner(plan, store, executor, observer, seen=seen)
        observer(_started(prepared, plan, runner.total, runner.done, executor.slots))
        for text in notices:
            observer(Notice(text))
        async with trio.open_nursery() as nursery:
            if threading.current_thread() is threading.main_thread():
                await nursery.start(_listen, runner, executor, observer)
            if config.time_s is not None:
                nursery.start_soon(_budget, config.time_s, runner, observer)
            if watch is not None:
                nursery.start_soon(watch, runner)
            began = trio.current_time()
            await runner.run()
            seconds = trio.current_time() - began
            nursery.cancel_scope.cancel()
    done, total = runner.done, runner.total
    beside, others, further = _beside(plan, store, done)
    return RunReport(
        out=config.out,
        complete=runner.complete,
        stopped=runner.stopped,
        games_played=runner.played,
        games_done=done,
        games_total=total,
        seconds=seconds,
        failed=tuple(runner.failed.values()),
        set_aside=tuple(runner.set_aside),
        head=store.head(),
        machines=tuple(store.machines()) if config.executor != "local" else (),
        notices=tuple(notices),
        ended=runner.ended,
        games_beside=beside,
        bots_beside=others,
        games_further=further,
    )


class StoppableExecutor(Executor, Protocol):
    """An executor whose jobs can be ended without any patience."""

    def kill(self) -> None:
        """End every slot at once."""


def _check_cluster(config: RunConfig) -> None:
    """Raise ArenaError for a cluster that cannot be reached whoever plays, before anything is written."""
    if config.executor != "dask":
        return
    from arena.execution.cluster import need_dask
    from arena.execution.tls import parse_address, security

    tls = Path(config.tls).expanduser() if config.tls is not None else None
    if config.scheduler is not None:
        parse_address(config.scheduler, tls)
    need_dask()
    security(tls)


def _executor(
    prepared: Prepared, plan: Plan, slots: int, observer: Observer, own_process: bool
) -> AbstractAsyncContextManager[StoppableExecutor]:
    config = prepared.config
    if config.executor == "local":
        return open_local(slots, config.cores_per_game, pin=config.pin, adopt=own_process)
    from arena.execution.dask import Cluster, open_dask

    workers = config.local or 0
    return open_dask(
        Cluster(
            scheduler=config.scheduler,
            local=workers,
            most=config.slots,
            tls=Path(config.tls).expanduser() if config.tls is not None else None,
            min_score=config.min_score or 0,
            isolation=plan.isolation,
            home=Path(config.home).expanduser().absolute() if config.home is not None else None,
        ),
        sources={bot.digest: bot.directory for bot in prepared.bots},
        tell=lambda text: observer(Notice(text)),
        cpus=slot_cpus(workers, config.cores_per_game, pin=config.pin),
    )


async def _listen(
    runner: Runner,
    executor: StoppableExecutor,
    observer: Observer,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """The first signal stops in order, the next one at once."""
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        task_status.started()
        async for _ in signals:
            if runner.stopped == "interrupted":
                executor.kill()
            else:
                observer(Stopping("interrupted"))
                runner.stop("interrupted")


async def _budget(seconds: float, runner: Runner, observer: Observer) -> None:
    await trio.sleep(seconds)
    if runner.stopped is None:
        observer(Stopping("time"))
        runner.stop("time", finish=True)


def _started(prepared: Prepared, plan: Plan, total: int, done: int, slots: int) -> Started:
    return Started(
        out=prepared.config.out,
        game=plan.game.id,
        rules=plan.game.non_default_rules(),
        bots=tuple(bot.name for bot in plan.bots),
        games_total=total,
        games_stored=done,
        slots=slots,
        isolation=plan.isolation,
        commitment=plan.commitment,
        guessable=plan.guessable,
        open_ended=plan.open_ended,
    )


def dry_run(prepared: Prepared, slots: int) -> RunReport:
    """What would be played, and how long that may take."""
    config = prepared.config
    plan, results = look(prepared)
    stored, spent = 0, 0.0
    if results is not None:
        with results:
            stored = plan.games_stored(results)
            sums = results.sums()
            spent = sum(pairing.seconds for pairing in sums) / max(1, sum(pairing.games for pairing in sums))
    games = plan.games_total()
    left = max(0, games - stored)
    quick = spent or DECISIONS_PER_GAME * QUICK_DECISION_S
    slow = None if config.move_ms is None else DECISIONS_PER_GAME * config.move_ms / 1000
    estimate = Estimate(
        games=games,
        games_stored=stored,
        seconds_low=left * (quick + QUICK_GAME_S) / slots,
        seconds_high=None if slow is None else left * max(slow, quick) / slots,
        slots=slots,
        bots=tuple(bot.name for bot in plan.bots),
        open_ended=plan.open_ended,
    )
    return RunReport(
        out=config.out,
        complete=left == 0,
        stopped=None,
        games_played=0,
        games_done=stored,
        games_total=games,
        seconds=0.0,
        estimate=estimate,
        notices=prepared.notices,
    )


@contextmanager
def plain_errors() -> Iterator[None]:
    """What a nursery wraps in groups, as the one error that a caller can act on."""
    try:
        yield
    except BaseExceptionGroup as group:
        leaves = list(_leaves(group))
        for error in leaves:
            if not isinstance(error, ArenaError | trio.Cancelled | KeyboardInterrupt):
                raise error from group
        for error in leaves:
            if isinstance(error, ArenaError | KeyboardInterrupt):
                raise error from None
        raise


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error
