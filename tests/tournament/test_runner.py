"""The runner over a scripted executor: losses, blame, stops, and what stays when it goes on later."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
import trio

from arena.bots.limits import Limits
from arena.execution.base import BlockJob, BotRef
from arena.execution.fake import Loss, Play, Script, even_game, open_fake
from arena.games.registry import get_game
from arena.replay.log import read_games
from arena.store.rows import BotRow, Meta
from arena.store.store import Store
from arena.tournament.events import GameEnded, Notice, Progress, RunEvent
from arena.tournament.losses import MAX_LOSSES
from arena.tournament.plan import Plan
from arena.tournament.runner import Runner

NAMES = ("ann", "bob", "eve", "joe")


def a_plan(bots: int = 3, pairs: int = 12, schedule: str = "round-robin", common_decks: bool = False) -> Plan:
    return Plan(
        game=get_game("north-american"),
        bots=[
            BotRef(name, "1", f"{i + 1:x}" * 64, f"/bots/{name}", ("run",))
            for i, name in enumerate(NAMES[:bots])
        ],
        schedule=schedule,
        pairs=pairs,
        limits=Limits(),
        isolation="basic",
        conditions={"ponder": "watch", "tempo_ms": None, "common_decks": common_decks},
        master=bytes(32),
        commitment="cd" * 32,
        guessable=False,
    )


def opened(folder: Path, plan: Plan) -> Store:
    store = Store(
        folder, Meta("0", "2026-01-01T00:00:00+00:00", plan.game.id, {}, {}, "00" * 32, "cd" * 32, False)
    )
    with store.transaction():
        for bot in plan.bots:
            store.add_bot(BotRow(bot.digest, bot.name, bot.version))
    return store


def no_loss(job: BlockJob) -> Loss | None:
    return None


class Ran:
    """A run over the fake executor, and what came of it."""

    def __init__(
        self,
        folder: Path,
        plan: Plan,
        *,
        play: Play = even_game,
        script: Script = no_loss,
        slots: int = 2,
        on_event: Callable[[Runner, RunEvent], None] | None = None,
    ) -> None:
        self.events: list[RunEvent] = []
        self.jobs: list[BlockJob] = []

        async def main() -> None:
            async with open_fake(slots, play=play, script=script) as executor:
                runner = Runner(plan, store, executor, observe)
                self.runner = runner
                await runner.run()
                self.jobs = executor.submitted

        def observe(event: RunEvent) -> None:
            self.events.append(event)
            if on_event is not None:
                on_event(self.runner, event)

        with opened(folder, plan) as store:
            trio.run(main)
            self.sums = store.sums()
            self.games = {(g.match_id, g.game.pair, g.game.leg) for g in store.games()}
            self.stored = sum(1 for _ in store.games(all_statuses=True))
            self.attempts = list(store.attempts())
            self.faults = [(f.bot, f.code, f.games) for f in store.faults()]

    @property
    def notices(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, Notice)]


def test_every_game_of_the_plan_once(tmp_path: Path) -> None:
    ran = Ran(tmp_path, a_plan())
    assert len(ran.games) == ran.stored == 3 * 12 * 2
    assert [(s.a, s.b, s.pairs) for s in ran.sums] == [
        ("ann", "bob", 12),
        ("ann", "eve", 12),
        ("bob", "eve", 12),
    ]
    assert sum(isinstance(event, GameEnded) for event in ran.events) == 72
    last = [event for event in ran.events if isinstance(event, Progress)][-1]
    assert (last.games_done, last.games_total) == (72, 72)
    assert ran.runner.stopped is None


def test_first_legs_before_second_legs() -> None:
    plan = a_plan()
    job = plan.job(plan.pairing(0, 1), 0, 1, tuple((p, leg) for leg in (0, 1) for p in range(10)), bytes(32))
    assert [leg for _, leg in job.games] == [0] * 10 + [1] * 10


def test_the_same_table_at_any_number_of_slots(tmp_path: Path) -> None:
    tables = [Ran(tmp_path / str(slots), a_plan(4), slots=slots).sums for slots in (1, 2, 5)]
    assert tables[0] == tables[1] == tables[2]


def test_all_pairings_advance_evenly(tmp_path: Path) -> None:
    ran = Ran(tmp_path, a_plan(4, pairs=30), slots=1)
    assert [job.block for job in ran.jobs] == [0] * 6 + [1] * 6 + [2] * 6


def test_going_on_plays_only_what_is_missing(tmp_path: Path) -> None:
    def stop(runner: Runner, event: RunEvent) -> None:
        if isinstance(event, GameEnded) and runner.played >= 30:
            runner.stop("interrupted")

    first = Ran(tmp_path / "a", a_plan(), on_event=stop)
    assert first.runner.stopped == "interrupted"
    assert 30 <= len(first.games) < 72
    assert {attempt.status for attempt in first.attempts} <= {"finished", "lost"}
    second = Ran(tmp_path / "a", a_plan())
    whole = Ran(tmp_path / "b", a_plan())
    assert second.runner.played == 72 - len(first.games)
    assert second.stored == 72
    assert second.games == whole.games
    assert [s.cells for s in second.sums] == [s.cells for s in whole.sums]


def test_more_pairs_and_bots_add_to_it(tmp_path: Path) -> None:
    few = Ran(tmp_path / "a", a_plan(2, pairs=5))
    more = Ran(tmp_path / "a", a_plan(3, pairs=12))
    whole = Ran(tmp_path / "b", a_plan(3, pairs=12))
    assert few.games < more.games == whole.games
    assert more.runner.played == 72 - 10
    assert more.sums == whole.sums
    again = Ran(tmp_path / "a", a_plan(3, pairs=12))
    assert (again.jobs, again.runner.done) == ([], 72)


def test_a_gauntlet(tmp_path: Path) -> None:
    ran = Ran(tmp_path, a_plan(4, schedule="gauntlet"))
    assert [(s.a, s.b) for s in ran.sums] == [("ann", "bob"), ("ann", "eve"), ("ann", "joe")]
    assert ran.runner.total == 72


def test_common_decks_are_common() -> None:
    shared, own = a_plan(common_decks=True), a_plan()
    pairings = [(0, 1), (0, 2), (1, 2)]
    assert len({shared.block_seed(shared.pairing(*p), 3) for p in pairings}) == 1
    assert len({own.block_seed(own.pairing(*p), 3) for p in pairings}) == 3


def test_a_lost_block_is_tried_again(tmp_path: Path) -> None:
    ran = Ran(tmp_path, a_plan(), script=lambda job: Loss(7, "slot_died") if job.attempt == 1 else None)
    assert len(ran.games) == ran.stored == 72
    lost = [attempt for attempt in ran.attempts if attempt.status == "lost"]
    assert {attempt.why for attempt in lost} == {"slot_died"}
    assert len(lost) == 6
    assert all(len(job.games) in (13, 4) for job in ran.jobs if job.attempt == 2 and job.block == 0)
    assert not ran.runner.set_aside


def test_losses_are_bounded_and_shown(tmp_path: Path) -> None:
    ran = Ran(tmp_path, a_plan(2, pairs=10), script=lambda job: Loss(2, "error", text="no memory"))
    assert len(ran.jobs) == MAX_LOSSES
    (aside,) = ran.runner.set_aside
    assert (aside.a, aside.b, aside.block, aside.games) == ("ann", "bob", 0, 20 - 2 * MAX_LOSSES)
    assert "no memory" in aside.why
    assert len(ran.games) == 2 * MAX_LOSSES
    assert ran.faults == []


def dies_with(*names: str) -> Script:
    return lambda job: Loss(1, "slot_died") if any(bot.name in names for bot in job.bots) else None


def test_who_brings_slots_down_forfeits(tmp_path: Path) -> None:
    ran = Ran(tmp_path, a_plan(3, pairs=10), script=dies_with("bob"))
    assert len(ran.games) == ran.stored == 60
    ((bot, code, games),) = ran.faults
    assert (bot, code) == ("bob", "killed_slot")
    assert games >= 40 - 2 * 3
    trials = [job.bots for job in ran.jobs if job.bots[0] == job.bots[1]]
    assert trials
    assert not ran.runner.set_aside
    assert any("`bob` brought the slot down" in notice for notice in ran.notices)


def test_forfeits_stand_in_a_log_that_can_be_read(tmp_path: Path) -> None:
    ran = Ran(tmp_path, a_plan(2, pairs=10), script=dies_with("ann"))
    (attempt,) = (attempt for attempt in ran.attempts if attempt.kind == "forfeit")
    games = list(read_games(tmp_path / attempt.log))
    assert len(games) == attempt.played == attempt.games
    for game in games:
        assert game.end.fault is not None
        assert game.start.teams[game.end.fault.seat] == 0
        assert game.end.score_a == 0.0
        assert game.end.winner == 1 - game.end.fault.seat % 2


def test_a_proven_breaker_is_known_when_it_goes_on(tmp_path: Path) -> None:
    Ran(tmp_path, a_plan(2, pairs=10), script=dies_with("ann"))
    ran = Ran(tmp_path, a_plan(2, pairs=20), script=dies_with("ann"))
    assert len(ran.jobs) == 1


def test_two_breakers_have_no_result(tmp_path: Path) -> None:
    ran = Ran(tmp_path, a_plan(2, pairs=10), script=dies_with("ann", "bob"))
    assert ran.faults == []
    (aside,) = ran.runner.set_aside
    assert "both bots" in aside.why


def test_an_unlucky_slot_blames_nobody(tmp_path: Path) -> None:
    deaths = iter([True, True, True])
    ran = Ran(
        tmp_path,
        a_plan(2, pairs=10),
        slots=1,
        script=lambda job: (
            Loss(0, "slot_died") if job.bots[0] != job.bots[1] and next(deaths, False) else None
        ),
    )
    assert len(ran.games) == 20
    assert ran.faults == []
    assert not ran.runner.set_aside


@pytest.mark.parametrize("kills", range(1, 2**5))
def test_kills_from_outside_blame_nobody(tmp_path: Path, kills: int) -> None:
    """A block is hit twice, then any of what follows, but no bot's trials twice in a row."""
    tried: Counter[str] = Counter()
    moment = itertools.count()

    def script(job: BlockJob) -> Loss | None:
        number = next(moment)
        if number < 2:
            return Loss(0, "slot_died")
        if job.bots[0] == job.bots[1]:
            tried[job.bots[0].name] += 1
            if tried[job.bots[0].name] > 1:
                return None
        return Loss(0, "slot_died") if kills >> (number - 2) & 1 else None

    ran = Ran(tmp_path, a_plan(2, pairs=10), script=script, slots=1)
    assert ran.faults == []
    assert len(ran.games) == (0 if ran.runner.set_aside else 20)
    assert max(tried.values()) <= 2


def test_a_breaker_is_tried_twice(tmp_path: Path) -> None:
    ran = Ran(tmp_path, a_plan(2, pairs=10), script=dies_with("bob"), slots=1)
    played = [tuple(bot.name for bot in job.bots) for job in ran.jobs]
    assert played == [("ann", "bob"), ("ann", "bob"), ("ann", "ann"), ("bob", "bob"), ("bob", "bob")]
    assert ran.faults[0][:2] == ("bob", "killed_slot")


def test_a_notice_is_one_line(tmp_path: Path) -> None:
    text = "no memory\nTraceback\n  more"
    ran = Ran(tmp_path, a_plan(2, pairs=10), script=lambda job: Loss(0, "error", text=text))
    assert ran.notices
    assert not any("\n" in notice for notice in ran.notices)
    assert "\n" not in ran.runner.set_aside[0].why
    ran = Ran(tmp_path / "b", a_plan(2), script=lambda job: Loss(0, "start_failed", "bob", text))
    assert ran.notices == ["bot `bob` does not start, and drops out: no memory"]
    assert ran.runner.failed["bob"].text == text


def never_starts(name: str) -> Script:
    return lambda job: (
        Loss(0, "start_failed", name, "no such file") if name in {b.name for b in job.bots} else None
    )


def test_a_bot_that_never_starts_drops_out(tmp_path: Path) -> None:
    ran = Ran(tmp_path, a_plan(3, pairs=30), script=never_starts("eve"))
    assert {(s.a, s.b) for s in ran.sums} == {("ann", "bob")}
    assert ran.runner.failed["eve"].text == "no such file"
    assert (ran.runner.total, ran.runner.done) == (60, 60)
    assert sum("eve" in {bot.name for bot in job.bots} for job in ran.jobs) <= 5
    assert sum("`eve` does not start" in notice for notice in ran.notices) == 1


def test_a_start_that_fails_later_is_for_the_slot_to_judge(tmp_path: Path) -> None:
    seen: list[tuple[bool, bool]] = []

    def script(job: BlockJob) -> Loss | None:
        seen.append(job.started_before)
        return None

    Ran(tmp_path, a_plan(2, pairs=60), script=script, slots=1)
    assert seen[0] == (False, False)
    assert seen[-1] == (True, True)
    seen.clear()
    Ran(tmp_path, a_plan(2, pairs=70), script=script, slots=1)
    assert seen == [(True, True)]


def test_a_faulty_start_is_no_good_start(tmp_path: Path) -> None:
    def play(job: BlockJob, pair: int, leg: int) -> dict[str, object]:
        return {
            **even_game(job, pair, leg),
            "reason": "forfeit",
            "fault_code": "start_failed",
            "fault_bot": "b",
        }

    ran = Ran(tmp_path, a_plan(2, pairs=20), play=play, slots=1)
    assert [job.started_before for job in ran.jobs] == [(False, False), (False, False)]


def test_memory_does_not_grow_with_blocks(tmp_path: Path) -> None:
    ran = Ran(tmp_path, a_plan(4, pairs=50))
    assert ran.runner._running == {}
    assert not ran.runner._again
