"""The loop around real pipes, on a fake clock: every limit, and what seats do while they are not asked."""

from __future__ import annotations

import os
import select
from collections.abc import Callable
from typing import Any

import pytest

from arena.bots.limits import Limits
from arena.table.pipes import Cancelled, _Poll, new_poller
from arena.table.processes import ProcessSet
from arena.table.referee import Burned, Foul, NoFrame, Why, judge
from arena.table.verdict import Fault
from arena.table.watch import Watch
from protocol import decode_payload, encode_frame

Map = dict[str, Any]
LEGAL = ["pass", "order_up"]
READY = encode_frame({"type": "ready", "name": "fake"})


def request(number: int = 1) -> Map:
    return {"type": "act", "id": number, "legal": LEGAL}


def brain(act: Callable[[Map], Any]) -> Callable[[Map], Any]:
    """A brain that starts well and does `act(request)` at each request."""

    def think(message: Map) -> Any:
        if message["type"] == "hello":
            return [(0.0, READY)]
        return act(message) if message["type"] == "act" else []

    return think


def verdict(table: ProcessSet, seat: int = 0, *, limit: float | None = 1.0, number: int = 1) -> Any:
    came, seconds = table.seats[seat].ask(request(number), limit)
    return judge(came, number, LEGAL, decode_payload, number - 1), seconds


def code(result: Any) -> Fault | None:
    return result.code if isinstance(result, Foul) else None


# --- in time


def test_an_answer_at_once(bench: Any) -> None:
    table = bench.open()
    assert verdict(table) == (0, 0.0)
    assert bench.processes[0].heard[-1] == request()


def test_an_answer_after_a_while_is_charged_what_it_took(bench: Any, answer_to: Any) -> None:
    bench.seat(brain(lambda m: [(0.7, answer_to(m, "order_up"))]))
    table = bench.open()
    index, seconds = verdict(table)
    assert index == 1
    assert seconds == pytest.approx(0.7)


@pytest.mark.parametrize("limit", [0.001, 0.02, 1.0, 5.0])
def test_a_silent_seat_is_late_when_its_time_is_up_and_not_before(bench: Any, limit: float) -> None:
    bench.seat(brain(lambda m: []))
    table = bench.open()
    before = bench.clock.now()
    result, seconds = verdict(table, limit=limit)
    assert code(result) is Fault.TIMEOUT
    assert seconds == pytest.approx(limit)
    assert bench.clock.now() - before == pytest.approx(limit)
    assert bench.poller.waits[-1] == 0.0, "late means that a poll with no time left found nothing"


def test_without_a_limit_it_may_think_as_long_as_it_likes(bench: Any, answer_to: Any) -> None:
    bench.seat(brain(lambda m: [(3600.0, answer_to(m))]))
    table = bench.open()
    assert verdict(table, limit=None) == (0, pytest.approx(3600.0))


def test_half_a_frame_and_then_nothing_is_late(bench: Any, answer_to: Any) -> None:
    bench.seat(brain(lambda m: [(0.0, answer_to(m)[:9])]))
    result, _ = verdict(bench.open())
    assert code(result) is Fault.TIMEOUT
    assert "bytes of a frame came" in result.detail


def test_a_byte_now_and_then_is_no_answer(bench: Any, answer_to: Any) -> None:
    bench.seat(brain(lambda m: [(0.3 * (i + 1), answer_to(m)[i : i + 1]) for i in range(20)]))
    before = bench.clock.now()
    assert code(verdict(bench.open())[0]) is Fault.TIMEOUT
    assert bench.clock.now() - before == pytest.approx(1.0)


def test_an_answer_in_pieces_within_its_time(bench: Any, answer_to: Any) -> None:
    bench.seat(brain(lambda m: [(0.01 * i, answer_to(m)[i : i + 1]) for i in range(len(answer_to(m)))]))
    assert verdict(bench.open())[0] == 0


def test_late_and_illegal_is_late_and_what_came_late_is_never_read(bench: Any, answer_to: Any) -> None:
    bench.seat(brain(lambda m: [(1.2, answer_to(m, "nonsense"))]))
    assert code(verdict(bench.open())[0]) is Fault.TIMEOUT


def test_an_answer_that_lay_in_the_pipe_after_a_stall_is_in_time(bench: Any, answer_to: Any) -> None:
    """The referee is stopped for a second while a seat with 0.1 s answers after 0.05."""
    bench.seat(brain(lambda m: [(0.05, answer_to(m))]))
    table = bench.open()
    seat = table.seats[0]
    frame = seat.process.stdin_fd
    assert frame > 0
    real = bench.poller.poll

    def stalled(timeout: float, maxevents: int) -> Any:
        bench.poller.poll = real
        seat._poll = real
        real(0.0, maxevents)
        bench.clock.advance(1.0)
        return real(0.0, maxevents)

    seat._poll = stalled
    result, seconds = verdict(table, limit=0.1)
    assert result == 0
    assert seconds <= 0.1


# --- the end of a process, and writing to it


def test_eof_before_a_whole_frame_is_a_crash(bench: Any, answer_to: Any) -> None:
    bench.seat(brain(lambda m: [(0.01, answer_to(m)[:5]), (0.02, None)]))
    result, seconds = verdict(bench.open())
    assert code(result) is Fault.CRASHED
    assert seconds == pytest.approx(0.02)


def test_an_answer_followed_by_exit_counts_and_the_next_is_a_crash(bench: Any, answer_to: Any) -> None:
    bench.seat(brain(lambda m: [(0.0, answer_to(m)), (0.0, None)]))
    table = bench.open()
    assert verdict(table)[0] == 0
    assert code(verdict(table, number=2)[0]) is Fault.CRASHED


def test_an_exit_between_turns_is_charged_at_the_next_request_alone(bench: Any) -> None:
    process = bench.seat()
    table = bench.open()
    process.end(1)
    assert verdict(table, 1)[0] == 0, "the others play on"
    assert code(verdict(table, 0)[0]) is Fault.CRASHED


def test_an_exit_that_nobody_saw_is_the_same_crash(bench: Any) -> None:
    process = bench.seat()
    table = bench.open()
    process.end(1)
    assert code(verdict(table, 0)[0]) is Fault.CRASHED


def test_a_closed_stdout_is_a_crash_though_the_process_lives(bench: Any) -> None:
    process = bench.seat()
    table = bench.open()
    process.close_stdout()
    assert code(verdict(table)[0]) is Fault.CRASHED
    assert process.returncode is None


def test_a_seat_that_does_not_read_is_not_waited_for_longer_than_its_time(bench: Any) -> None:
    process = bench.seat()
    table = bench.open()
    process.reads = False
    for number in range(60):
        table.seats[0].tell({"type": "hand_end", "text": "x" * 4000, "n": number}, now=True)
    before = bench.clock.now()
    assert code(verdict(table, limit=0.5)[0]) is Fault.NOT_READING
    assert bench.clock.now() - before == pytest.approx(0.5)
    assert verdict(table, 1)[0] == 0


def test_a_slow_reader_gets_the_whole_request(bench: Any) -> None:
    process = bench.seat()
    table = bench.open()
    process.reads = False
    for number in range(60):
        table.seats[0].tell({"type": "hand_end", "text": "x" * 4000, "n": number}, now=True)
    bench.poller.at(0.2, process, lambda: setattr(process, "reads", True))
    result, seconds = verdict(table)
    assert result == 0
    assert seconds >= 0.2
    assert [m["n"] for m in process.heard if m["type"] == "hand_end"] == list(range(60))


def test_what_needs_no_answer_rides_with_the_next_request(bench: Any) -> None:
    process = bench.seat()
    table = bench.open()
    table.seats[0].tell({"type": "hand_end"})
    bench.poller.poll(0.0, 16)
    assert [m["type"] for m in process.heard] == ["hello"]
    assert verdict(table)[0] == 0
    assert [m["type"] for m in process.heard] == ["hello", "hand_end", "act"]


# --- what is not asked for


def test_two_answers_in_one_write_the_second_is_charged_later(bench: Any, answer_to: Any) -> None:
    bench.seat(brain(lambda m: [(0.0, answer_to(m) * 2)]))
    table = bench.open()
    assert verdict(table)[0] == 0
    assert verdict(table, 1)[0] == 0
    assert code(verdict(table, number=2)[0]) is Fault.UNSOLICITED


def test_a_frame_between_turns_is_charged_at_the_next_request(bench: Any, answer_to: Any) -> None:
    process = bench.seat()
    table = bench.open()
    process.emit(answer_to(request(77)))
    assert verdict(table, 1)[0] == 0
    assert code(verdict(table, 0)[0]) is Fault.UNSOLICITED


def test_a_second_answer_that_is_seen_late_is_unsolicited_too(bench: Any, answer_to: Any) -> None:
    process = bench.seat()
    table = bench.open()
    assert verdict(table)[0] == 0
    process.emit(answer_to(request(1)))
    assert code(verdict(table, number=2)[0]) is Fault.UNSOLICITED


def test_text_between_turns_says_so(bench: Any) -> None:
    process = bench.seat()
    table = bench.open()
    process.emit(b"thinking...\n")
    assert verdict(table, 1)[0] == 0
    result = verdict(table, 0)[0]
    assert code(result) is Fault.MALFORMED
    assert "printed to stdout" in result.detail


def test_endless_output_between_turns_is_read_once(bench: Any) -> None:
    process = bench.seat()
    table = bench.open()
    process.emit(b"\0" * 65536)
    for _ in range(20):
        assert verdict(table, 1)[0] == 0
    assert code(verdict(table, 0)[0]) is Fault.MALFORMED


@pytest.mark.parametrize(("size", "expected"), [(100, None), (101, Fault.MALFORMED), (4096, Fault.MALFORMED)])
def test_the_frame_limit_is_kept_on_the_short_way_too(bench: Any, size: int, expected: Fault | None) -> None:
    def padded(message: Map) -> bytes:
        answers = (
            encode_frame({"type": "action", "id": message["id"], "action": "pass", "pad": "x" * n})
            for n in range(size)
        )
        return next(frame for frame in answers if len(frame) == size + 4)

    bench.seat(brain(lambda m: [(0.0, padded(m))]))
    table = bench.open(limits=Limits(frame_bytes=100))
    assert code(verdict(table)[0]) is expected


def test_text_instead_of_an_answer(bench: Any) -> None:
    bench.seat(brain(lambda m: [(0.0, b"hi there\n")]))
    result = verdict(bench.open())[0]
    assert code(result) is Fault.MALFORMED
    assert "hi there" in result.detail


def test_stderr_is_drained_whoever_is_asked(bench: Any, answer_to: Any) -> None:
    process = bench.seat(brain(lambda m: [(0.0, lambda: process.say(b"x" * 60000)), (0.1, answer_to(m))]))
    table = bench.open()
    for number in range(1, 5):
        assert verdict(table, number=number)[0] == 0
    assert process.stderr.total == 240000
    process.say(b"y")
    bench.processes[1].brain = brain(lambda m: [(0.1, answer_to(m))])
    assert verdict(table, 1)[0] == 0
    assert process.stderr.text().endswith("y")


# --- start


def test_start_takes_each_answer(bench: Any) -> None:
    def says(*actions: Any) -> Callable[[Map], Any]:
        return lambda message: list(actions)

    bench.seat(says((0.5, encode_frame({"type": "ready", "name": "n", "version": "2"}))))
    bench.seat(says((0.1, None)))
    bench.seat(says((0.1, b"Hello!\n")))
    bench.seat(says())
    table = bench.open(start=False, limits=Limits(start_ms=2000))
    good, *bad = table.start({"type": "hello"}, bench.clock.now())
    assert good == ("n", "2")
    assert [b.code for b in bad] == [Fault.START_FAILED, Fault.BAD_READY, Fault.START_TIMEOUT]


def test_the_start_limit_counts_from_the_spawn(bench: Any) -> None:
    bench.seat(lambda m: [(0.5, READY)])
    table = bench.open(start=False, limits=Limits(start_ms=1000))
    ready = table.start({"type": "hello"}, bench.clock.now() - 0.6)
    assert isinstance(ready[0], Foul)
    assert ready[0].code is Fault.START_TIMEOUT
    assert ready[1:] == [("fake", "")] * 3


# --- memory


def test_a_seat_over_its_memory_is_killed_within_its_turn(bench: Any) -> None:
    process = bench.seat(brain(lambda m: [(0.3, lambda: setattr(process, "memory", 3 << 30))]))
    result, seconds = verdict(bench.open())
    assert code(result) is Fault.OVER_MEMORY
    assert process.killed
    assert seconds < 0.4


def test_one_that_grows_unasked_is_killed_at_once_and_charged_at_its_turn(bench: Any, answer_to: Any) -> None:
    bench.seat(brain(lambda m: [(0.3, answer_to(m))]))
    other = bench.seat()
    table = bench.open()
    other.memory = 3 << 30
    assert verdict(table, 0)[0] == 0
    assert other.killed
    assert code(verdict(table, 1)[0]) is Fault.OVER_MEMORY


def test_short_exchanges_look_at_memory_between_hands(bench: Any) -> None:
    other = bench.seat()
    table = bench.open()
    other.memory = 3 << 30
    table.hand_over()
    assert not other.killed, "not yet time"
    bench.clock.advance(0.1)
    table.hand_over()
    assert other.killed


# --- thinking in another's time


def test_a_seat_that_ponders_is_frozen_between_its_turns(bench: Any, answer_to: Any) -> None:
    bench.seat(brain(lambda m: [(0.5, answer_to(m))]))
    burner = bench.seat(burn=0.9)
    table = bench.open(cores=4)
    for number in range(1, 4):
        assert verdict(table, 0, number=number)[0] == 0
    assert burner.frozen
    assert table.seats[1].chilled
    used = burner.cpu_seconds()
    assert verdict(table, 0, number=4)[0] == 0
    assert burner.cpu_seconds() == used
    assert verdict(table, 1)[0] == 0, "its own turn it may have"
    assert burner.frozen
    table.say({"type": "bye"})
    assert not burner.frozen


@pytest.mark.parametrize("policy", ["allow", "watch"])
def test_background_work_and_allowed_pondering_are_let_be(bench: Any, answer_to: Any, policy: str) -> None:
    bench.seat(brain(lambda m: [(0.5, answer_to(m))]))
    runtime = bench.seat(burn=0.9 if policy == "allow" else 0.08)
    table = bench.open(ponder=policy, cores=4)
    for number in range(1, 20):
        assert verdict(table, 0, number=number)[0] == 0
    assert runtime.freezes == 0
    watch = table.watch
    watch.settle()
    assert watch.unasked[1] == pytest.approx(9.5 * runtime.burn, rel=0.05)


def test_freeze_stops_everybody_between_turns(bench: Any) -> None:
    table = bench.open(ponder="freeze")
    assert all(process.frozen for process in bench.processes)
    for seat in range(4):
        assert verdict(table, seat)[0] == 0
    assert all(process.freezes == 1 for process in bench.processes)


def test_own_thinking_is_not_pondering(bench: Any, answer_to: Any) -> None:
    def think(message: Map) -> Any:
        return [(0.4, lambda: thinker.use(0.4)), (0.4, answer_to(message))]

    thinker = bench.seat(brain(think))
    table = bench.open()
    for number in range(1, 10):
        assert verdict(table, 0, number=number)[0] == 0
    table.watch.settle()
    assert table.watch.asked[0] == pytest.approx(3.6)
    assert table.watch.unasked[0] == pytest.approx(0.0)
    assert thinker.freezes == 0


def test_an_opponent_that_burns_the_core_pays_for_the_time(bench: Any, answer_to: Any) -> None:
    """Asked works on a core that an opponent halves: late by the wall, in time by its own clock."""
    asked = bench.seat(brain(lambda m: [(1.2, answer_to(m))]), burn=lambda: 1.0 if burner.frozen else 0.5)
    burner = bench.seat(burn=0.5)
    came, _ = bench.open(ponder="watch").seats[0].ask(request(), 1.0)
    assert isinstance(came, Burned)
    assert came.seat == 1
    assert burner.frozen, "it was stopped when the time was up"
    assert asked.cpu_seconds() > 0.5


def test_where_not_every_seat_is_a_process_the_burner_is_named_by_its_seat(
    bench: Any, answer_to: Any
) -> None:
    bench.seat(brain(lambda m: [(1.2, answer_to(m))]), burn=lambda: 1.0 if burner.frozen else 0.5)
    burner = bench.seat(burn=0.5)
    table = bench.open(numbers=[2, 3, 4, 5])
    came, _ = table.seats[0].ask(request(), 1.0)
    assert isinstance(came, Burned)
    assert came.seat == 3


def test_where_pondering_is_allowed_burning_is_no_fault_and_costs_nobody_time(
    bench: Any, answer_to: Any
) -> None:
    bench.seat(brain(lambda m: [(1.8, answer_to(m))]), burn=0.5)
    burner = bench.seat(burn=0.5)
    assert verdict(bench.open(ponder="allow")) == (0, pytest.approx(0.9, abs=0.01))
    assert burner.freezes == 0


def test_a_partner_that_burns_excuses_nothing(bench: Any, answer_to: Any) -> None:
    bench.seat(brain(lambda m: [(1.2, answer_to(m))]), burn=0.5)
    bench.seat()
    bench.seat(burn=0.5)
    assert code(verdict(bench.open())[0]) is Fault.TIMEOUT


def test_a_seat_that_sleeps_cannot_blame_an_opponents_background_work(bench: Any, answer_to: Any) -> None:
    """It withholds its answer while an honest runtime collects garbage: the loss stands."""
    bench.seat(brain(lambda m: [(1.02, answer_to(m))]))
    honest = bench.seat(burn=0.05)
    assert code(verdict(bench.open())[0]) is Fault.TIMEOUT
    assert honest.freezes == 0


def test_beyond_what_was_stolen_it_is_late_whatever_the_other_did(bench: Any, answer_to: Any) -> None:
    bench.seat(brain(lambda m: [(9.0, answer_to(m))]), burn=lambda: 1.0 if burner.frozen else 0.5)
    burner = bench.seat(burn=0.5)
    table = bench.open()
    before = bench.clock.now()
    assert code(verdict(table)[0]) is Fault.TIMEOUT
    assert bench.clock.now() - before == pytest.approx(1.0 + burner.cpu_seconds(), abs=0.06)
    assert burner.cpu_seconds() > 0.25


def test_a_little_background_work_extends_the_time_and_nobody_is_blamed(bench: Any, answer_to: Any) -> None:
    bench.seat(brain(lambda m: [(1.02, answer_to(m))]), burn=0.96)
    bench.seat(burn=0.04)
    assert verdict(bench.open())[0] == 0


def test_own_cores_are_nobodys_loss(bench: Any, answer_to: Any) -> None:
    """With a core for each, a seat that burns keeps nobody from running."""
    bench.seat(brain(lambda m: [(1.2, answer_to(m))]), burn=1.0)
    bench.seat(burn=1.0)
    assert code(verdict(bench.open(cores=2))[0]) is Fault.TIMEOUT


# --- the host


def late(table: ProcessSet, limit: float = 1.0) -> NoFrame:
    came, _ = table.seats[0].ask(request(), limit)
    assert isinstance(came, NoFrame)
    assert came.why is Why.LATE
    return came


def test_a_host_that_is_late_excuses(bench: Any) -> None:
    bench.seat(brain(lambda m: []))
    table = bench.open()
    bench.poller.late = [0.0, 0.0, 0.3]
    assert late(table).excused_s == pytest.approx(0.3)
    assert table.watch.late_max == pytest.approx(0.3)


def test_a_host_in_time_excuses_nothing(bench: Any) -> None:
    bench.seat(brain(lambda m: []))
    assert late(bench.open()).excused_s == 0.0


def test_lateness_that_a_seat_may_have_caused_excuses_nothing(bench: Any) -> None:
    """A losing seat makes the referee late with many busy processes."""
    bench.seat(brain(lambda m: []), burn=1.0)
    crowded: list[bool] = []
    table = bench.open(crowded=lambda: crowded.append(True))
    bench.poller.late = [0.0, 0.0, 0.1]
    assert late(table).excused_s == pytest.approx(0.0)
    assert crowded == []
    bench.poller.late = [0.0, 0.0, 0.1, 0.1, 0.1, 0.1]
    assert late(table).excused_s == pytest.approx(0.0)
    assert crowded == [True], "the slot is told to leave the core, once"


def test_where_cpu_cannot_be_measured_lateness_excuses_nothing(bench: Any) -> None:
    process = bench.seat(brain(lambda m: []))
    process.cpu_seconds = lambda: None
    table = bench.open()
    bench.poller.late = [0.0, 0.0, 0.3]
    assert late(table).excused_s == 0.0


def test_the_hosts_lateness_is_not_charged_to_the_bank(bench: Any, answer_to: Any) -> None:
    bench.seat(brain(lambda m: [(0.2, answer_to(m))]))
    table = bench.open()
    bench.poller.late = [0.0, 0.4]
    _, seconds = verdict(table)
    assert seconds == pytest.approx(0.07, abs=0.01)


def measured(table: ProcessSet, clock: Any, ran: float, waited: float) -> None:
    """Let the asked seat's one thread run and wait for these shares of the time."""
    start = clock.now()
    table.watch._threads_of = lambda process: {
        1: ((clock.now() - start) * ran, 0.001 + (clock.now() - start) * waited, False)
    }


@pytest.mark.parametrize("ready", [True, False])
def test_a_wait_that_lasts_is_in_no_account_yet_and_counts_all_the_same(
    ready: bool, bench: Any, answer_to: Any
) -> None:
    """An opponent has the core all the time, the seat never once: only that it is ready tells of it."""
    bench.seat(brain(lambda m: [(1.2, answer_to(m))]))
    burner = bench.seat(burn=lambda: 0.0 if burner.frozen else 1.0)
    table = bench.open(ponder="allow")
    table.watch._threads_of = lambda process: {1: (0.0, 0.001, ready)}
    came, _ = table.seats[0].ask(request(), 1.0)
    assert isinstance(came, NoFrame) is not ready


def test_what_others_than_the_game_took_of_the_core_is_left_out_of_the_clock(
    bench: Any, answer_to: Any
) -> None:
    """A busy host: the seat runs half of the time and stands ready the other half."""
    bench.seat(brain(lambda m: [(1.7, answer_to(m))]), burn=0.5)
    table = bench.open()
    measured(table, bench.clock, 0.5, 0.5)
    assert verdict(table)[0] == 0


def test_but_up_to_a_bound_and_then_the_host_is_excused(bench: Any) -> None:
    bench.seat(brain(lambda m: []), burn=0.01)
    table = bench.open()
    measured(table, bench.clock, 0.01, 0.99)
    before = bench.clock.now()
    # Its clock was put back by three seconds of the host's: what there was of the fourth still excuses.
    assert late(table).excused_s == pytest.approx(0.89, abs=0.02)
    assert bench.clock.now() - before == pytest.approx(4.0, abs=0.1)


def test_what_the_referee_worked_excuses_nobody(bench: Any) -> None:
    """A bot that floods its stderr has the referee read it, on the core that it shares with the bot."""
    bench.seat(brain(lambda m: []), burn=0.01)
    table = bench.open()
    measured(table, bench.clock, 0.01, 0.99)
    began = bench.clock.now()
    bench.poller.working = lambda: setattr(bench.clock, "work", bench.clock.now() - began)
    assert late(table).excused_s == 0.0


def test_a_referee_that_is_late_by_its_own_work_excuses_nobody(bench: Any) -> None:
    bench.seat(brain(lambda m: []))
    table = bench.open()
    bench.poller.late = [0.0, 0.3]  # the first wait is not measured so closely
    began = bench.clock.now()
    bench.poller.working = lambda: setattr(bench.clock, "work", bench.clock.now() - began)
    assert late(table).excused_s < 0.05


# --- the start


def slow(bench: Any, seconds: float) -> Any:
    """A seat that is ready after so many seconds in which it is not frozen."""
    ready = encode_frame({"type": "ready", "name": "slow"})
    return bench.seat(lambda message: [(seconds, ready)] if message["type"] == "hello" else [])


def test_who_is_ready_is_frozen_until_all_are(bench: Any) -> None:
    burner = bench.seat(burn=1.0)
    slow(bench, 0.5)
    table = bench.open(start=False)
    began = bench.clock.now()
    table.start({"type": "hello"}, began)
    assert burner.freezes == 1
    assert not burner.frozen
    assert burner.cpu_seconds() < 0.01


@pytest.mark.parametrize(("waited", "ready"), [(0.0, False), (0.1, False), (0.7, True), (9.0, True)])
def test_a_start_that_others_kept_from_the_core_gets_that_time_again(
    bench: Any, monkeypatch: pytest.MonkeyPatch, waited: float, ready: bool
) -> None:
    """Alone: everybody else is frozen meanwhile."""
    slow(bench, 1.5)
    table = bench.open(start=False, limits=Limits(start_ms=1000))
    monkeypatch.setattr(Watch, "waited", lambda watch, seat: waited)
    answer = table.start({"type": "hello"}, bench.clock.now())[0]
    assert (answer == ("slow", "")) is ready


def test_a_start_is_not_waited_for_longer_than_twice(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow(bench, 99.0)
    table = bench.open(start=False, limits=Limits(start_ms=1000))
    monkeypatch.setattr(Watch, "waited", lambda watch, seat: 50.0)
    began = bench.clock.now()
    assert table.start({"type": "hello"}, began)[0].code is Fault.START_TIMEOUT
    assert bench.clock.now() - began == pytest.approx(2.0, abs=0.01)


def test_a_seat_that_was_seen_to_sleep_has_nobody_to_blame(bench: Any, answer_to: Any) -> None:
    bench.seat(brain(lambda m: [(1.1, answer_to(m))]))
    bench.seat(burn=0.9)
    table = bench.open(cores=2)
    measured(table, bench.clock, 0.0, 0.0005)
    assert late(table).excused_s == 0.0


def test_what_its_own_helpers_took_is_its_own(bench: Any, answer_to: Any) -> None:
    """Its main thread waits for its own busy children."""
    bench.seat(brain(lambda m: [(1.3, answer_to(m))]), burn=1.0)
    table = bench.open()
    measured(table, bench.clock, 0.1, 0.9)
    assert late(table).excused_s == pytest.approx(0.0, abs=0.01)


# --- the wake-up, and the pause of `--tempo`


def test_a_wake_up_breaks_off_whatever_is_waited_for(bench: Any) -> None:
    read, write = os.pipe()
    try:
        process = bench.seat(brain(lambda m: []))

        def cancel() -> None:
            raise Cancelled

        table = bench.open(wake=(read, cancel))
        bench.poller.at(0.1, process, lambda: os.write(write, b"x"))
        with pytest.raises(Cancelled):
            table.seats[0].ask(request(), None)
    finally:
        os.close(read)
        os.close(write)


def test_a_pause_ends_when_it_should(bench: Any) -> None:
    table = bench.open()
    until = bench.clock.now() + 0.33
    table.pause(until)
    assert bench.clock.now() == pytest.approx(until)


def test_where_there_is_no_epoll_poll_stands_in_for_it() -> None:
    read, write = os.pipe()
    try:
        for poller in (new_poller(), _Poll()):
            poller.register(read, select.POLLIN)
            assert poller.poll(0.001, 16) == []
            os.write(write, b"x")
            assert [fd for fd, _ in poller.poll(1.0, 16)] == [read]
            os.read(read, 1)
            poller.unregister(read)
            poller.close()
    finally:
        os.close(read)
        os.close(write)
