"""A block by fake processes on a fake clock: sets, starts, forfeits, replays, what is handed back."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.bots.limits import Limits
from arena.errors import ArenaError, Exit
from arena.replay.verify import verify_log
from arena.table.block import play_block
from arena.table.clock import FakeClock
from arena.table.job import BlockJob, BotRef, Finished, GameDone, Lost
from arena.table.processes import Cancelled
from protocol import encode_frame

Map = dict[str, Any]
READY = encode_frame({"type": "ready"})
A = BotRef("anna", "1", "a" * 64, "/nowhere/anna", ("./bot",))
B = BotRef("bert", "2", "b" * 64, "/nowhere/bert", ("./bot",))


def job(pairs: int = 2, **changes: Any) -> BlockJob:
    games = tuple((pair, leg) for leg in (0, 1) for pair in range(pairs))
    values: Map = {
        "match_id": "m",
        "block": 0,
        "attempt": 0,
        "game": "north-american",
        "rules": {"hand_limit": 2},
        "bots": (A, B),
        "games": games,
        "block_seed": b"s" * 32,
        "limits": Limits(move_ms=200, start_ms=1000),
        "isolation": "basic",
        "cpus": (0,),
    }
    return BlockJob(**(values | changes))


def run(job: BlockJob, clock: FakeClock, system: Any, **rest: Any) -> tuple[list[GameDone], Finished | Lost]:
    events = list(play_block(job, clock=clock, system=system, **rest))
    *games, end = events
    assert isinstance(end, Finished | Lost)
    assert all(process.closed for _, process in system.spawned), "no process is left"
    return [done for _, done in games], end  # type: ignore[misc]


def brain_of(act: Callable[[Map], Any]) -> Callable[[Map], Any]:
    def think(message: Map) -> Any:
        if message["type"] == "hello":
            return [(0.0, READY)]
        return act(message) if message["type"] == "act" else []

    return think


def silent(message: Map) -> Any:
    return []


# --- the two sets


def test_a_block_gives_each_game_once_and_a_log_that_verifies(
    clock: FakeClock, make_system: Any, tmp_path: Path
) -> None:
    games, end = run(job(3), clock, make_system())
    assert isinstance(end, Finished)
    assert [(g.pair, g.leg) for g in games] == [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)]
    lines = [line for game in games for line in game.lines] + list(end.lines)
    log = tmp_path / "block.jsonl"
    log.write_text("\n".join(lines) + "\n")
    report = verify_log(log)
    assert report.problem == ""
    assert (report.games, report.hands) == (6, 12)
    header = json.loads(lines[0])
    assert header["t"] == "block"
    assert [bot["name"] for bot in header["bots"]] == ["anna", "bert"]
    assert sum(json.loads(line)["t"] == "block" for line in lines) == 1
    assert json.loads(end.lines[-1])["t"] == "close"
    json.dumps(end.facts)


def test_the_legs_swap_seats_on_the_same_decks_and_seeds(clock: FakeClock, make_system: Any) -> None:
    games, _ = run(job(2), clock, make_system())
    by = {(g.pair, g.leg): [json.loads(line) for line in g.lines] for g in games}
    for pair in (0, 1):
        first, second = by[pair, 0], by[pair, 1]
        start, again = (next(r for r in records if r["t"] == "game") for records in (first, second))
        assert (start["teams"], again["teams"]) == ([0, 1, 0, 1], [1, 0, 1, 0])
        assert start["seeds"] == again["seeds"]
        assert start["dealer"] == again["dealer"] == pair
        packs = [[r["pack"] for r in records if r["t"] == "hand"] for records in (first, second)]
        assert packs[0] == packs[1]
    assert by[0, 0][-2]["pack"] != by[1, 0][-2]["pack"]


def test_the_sets_of_the_two_legs_never_live_at_the_same_time(clock: FakeClock, make_system: Any) -> None:
    system = make_system()
    run(job(2), clock, system)
    assert len(system.spawned) == 8
    assert system.alive_together == 4
    assert [name for name, _ in system.spawned] == ["anna", "bert"] * 2 + ["bert", "anna"] * 2
    for _, process in system.spawned:
        kinds = Counter(message["type"] for message in process.heard)
        assert kinds["hello"] == kinds["bye"] == 1
        assert kinds["game_start"] == kinds["game_end"] == 2


def test_bye_carries_the_head_of_the_log_so_far(clock: FakeClock, make_system: Any) -> None:
    system = make_system()
    games, _ = run(job(1), clock, system)
    byes = [process.heard[-1] for _, process in system.spawned]
    heads = [json.loads(game.lines[-1])["h"] for game in games]
    assert [bye["head"] for bye in byes] == [heads[0]] * 4 + [heads[1]] * 4


def test_scores_are_those_of_bot_a_in_both_legs(clock: FakeClock, make_system: Any, answer_to: Any) -> None:
    """bert answers nonsense: anna wins both legs from either side."""
    bad = brain_of(lambda m: [(0.0, answer_to(m, "nonsense"))])
    good = brain_of(lambda m: [(0.0, answer_to(m))])
    system = make_system(lambda name, n: bad if name == "bert" else good)
    games, _ = run(job(1), clock, system)
    for game in games:
        assert game.row["score_a"] == 1.0
        assert game.row["fault_bot"] == "b"
        assert game.row["fault_code"] == "illegal"
        assert game.row["reason"] == "forfeit"
        assert "bert" in game.row["fault_text"]
        assert "did you mean" not in game.row["fault_text"]


# --- faults and starts


def test_a_set_is_replaced_after_a_fault(clock: FakeClock, make_system: Any, answer_to: Any) -> None:
    def brains(name: str, before: int) -> Any:
        bad = name == "bert" and before == 0
        return brain_of(lambda m: [(0.0, answer_to(m, "nonsense" if bad else None))])

    system = make_system(brains)
    games, _ = run(job(3), clock, system)
    assert [g.row["reason"] for g in games] == ["forfeit"] + ["hand_limit"] * 5
    assert len(system.spawned) == 12


def test_stderr_of_the_seat_at_fault_is_in_the_record(clock: FakeClock, make_system: Any) -> None:
    system = make_system()

    def crash(message: Map) -> Any:
        process = next(p for name, p in system.spawned if name == "bert" and p.brain is brain)
        return [(0.0, lambda: process.say(b"ValueError: no\n")), (0.0, lambda: process.end(1))]

    brain = brain_of(crash)
    system._brains = lambda name, n: brain if (name, n) == ("bert", 0) else brain_of(silent)
    games, _ = run(job(1, games=((0, 0),)), clock, system)
    row = games[0].row
    assert row["fault_code"] == "crashed"
    assert row["fault_stderr"] == "ValueError: no\n"
    assert "exit code 1" in row["fault_text"]
    end = json.loads(games[0].lines[-1])
    assert end["fault"]["stderr_tail"] == "ValueError: no\n"
    assert end["fault"]["seat"] == row["fault_seat"] == 1


def test_a_bot_that_never_started_loses_nothing(clock: FakeClock, make_system: Any) -> None:
    system = make_system(lambda name, n: "bot `bert`: its program is missing" if name == "bert" else silent)
    games, end = run(job(), clock, system)
    assert games == []
    assert isinstance(end, Lost)
    assert (end.why, end.bot) == ("start_failed", "bert")
    assert "its program is missing" in end.text


@pytest.mark.parametrize(
    ("brain", "says"),
    [
        (lambda m: [(0.1, None)], "before it said ready"),
        (silent, "did not say ready within 1000 ms"),
        (lambda m: [(0.0, b"Hello world\n")], "printed to stdout"),
    ],
)
def test_a_first_start_that_goes_wrong_is_no_result(
    clock: FakeClock, make_system: Any, brain: Any, says: str, honest_brain: Any
) -> None:
    system = make_system(lambda name, n: brain if name == "anna" else honest_brain)
    games, end = run(job(), clock, system)
    assert games == []
    assert isinstance(end, Lost)
    assert (end.why, end.bot) == ("start_failed", "anna")
    assert says in end.text


def test_after_a_good_start_a_failed_one_is_a_forfeit_and_three_are_the_rest(
    clock: FakeClock, make_system: Any, honest_brain: Any
) -> None:
    """Quitting while ahead: good in the first leg, no start in the second."""
    system = make_system(
        lambda name, n: honest_brain if name == "anna" or n < 2 else (lambda m: [(0.0, None)])
    )
    games, end = run(job(5), clock, system)
    assert isinstance(end, Finished)
    assert [g.row["reason"] for g in games] == ["hand_limit"] * 5 + ["forfeit"] * 5
    for game in games[5:]:
        assert game.row["score_a"] == 1.0
        assert game.row["fault_code"] == "start_failed"
    started = sum(name == "bert" for name, _ in system.spawned)
    assert started == 2 + 3 * 2, "after three in a row it is not started again"
    assert all("not played" in g.row["fault_text"] for g in games[8:])
    assert not any("not played" in g.row.get("fault_text", "") for g in games[:8])


def test_started_before_in_the_tournament_counts_from_the_first_game(
    clock: FakeClock, make_system: Any, honest_brain: Any, tmp_path: Path
) -> None:
    system = make_system(lambda name, n: honest_brain if name == "anna" else "it is gone")
    games, end = run(job(5, started_before=(True, True)), clock, system)
    assert isinstance(end, Finished)
    assert Counter(g.row["fault_code"] for g in games) == {"start_failed": 10}
    log = tmp_path / "block.jsonl"
    log.write_text("\n".join([line for g in games for line in g.lines] + list(end.lines)) + "\n")
    assert verify_log(log).problem == ""


def test_three_faults_in_a_row_and_the_block_is_over_but_a_good_game_between_forgives(
    clock: FakeClock, make_system: Any, answer_to: Any
) -> None:
    def brains(name: str, before: int) -> Any:
        """bert's sets, two processes each: bad, bad, good (one game), then bad for ever."""
        counted = Counter[str]()

        def act(message: Map) -> Any:
            if message["type"] == "hello":
                return [(0.0, READY)]
            if message["type"] == "game_start":
                counted["games"] += 1
            if message["type"] != "act":
                return []
            good = name == "anna" or (before // 2 == 2 and counted["games"] == 1)
            return [(0.0, answer_to(message, None if good else "nonsense"))]

        return act

    games, _ = run(job(8), clock, make_system(brains))
    reasons = [g.row["reason"][0] for g in games]
    assert "".join(reasons) == "ff" + "h" + "f" * 13
    assert sum("not played" in g.row.get("fault_text", "") for g in games) == 10


# --- losses on time that the host caused


def test_a_loss_on_time_is_played_again_where_the_host_was_late(
    clock: FakeClock, make_system: Any, honest_brain: Any
) -> None:
    system = make_system()

    def stalled(message: Map) -> Any:
        system._poller.late = [0.0, 0.2]
        return []

    system._brains = lambda name, n: brain_of(stalled) if (name, n) == ("bert", 0) else honest_brain
    games, end = run(job(1), clock, system)
    assert isinstance(end, Finished)
    assert [g.row["reason"] for g in games] == ["hand_limit", "hand_limit"]
    assert games[0].row["replays"] == 1
    assert "replays" not in games[1].row
    assert end.facts["replays"] == 1
    assert end.facts["late_ms"]["max"] == pytest.approx(200)
    assert len(system.spawned) == 12, "played again by a fresh set"
    assert sum(json.loads(line)["t"] == "game" for line in games[0].lines) == 1


def test_when_the_replays_are_used_up_the_loss_stands(
    clock: FakeClock, make_system: Any, honest_brain: Any
) -> None:
    system = make_system()

    def stalled(message: Map) -> Any:
        system._poller.late = [0.0, 0.2]
        return []

    system._brains = lambda name, n: brain_of(stalled) if name == "bert" else honest_brain
    games, end = run(job(4), clock, system)
    assert isinstance(end, Finished)
    assert all(g.row["fault_code"] == "timeout" for g in games)
    assert end.facts["replays"] == 4
    assert [g.row.get("replays", 0) for g in games] == [2, 2, 0, 0, 0, 0, 0, 0]


# --- ends that nobody is charged for


def test_a_cancel_in_the_middle_of_a_game_charges_nobody(clock: FakeClock, make_system: Any) -> None:
    read, write = os.pipe()
    try:

        def cancel() -> None:
            raise Cancelled

        os.write(write, b"x")
        games, end = run(job(), clock, make_system(), wake=(read, cancel))
    finally:
        os.close(read)
        os.close(write)
    assert games == []
    assert isinstance(end, Lost)
    assert (end.why, end.bot) == ("cancelled", None)


def test_a_house_error_charges_nobody(clock: FakeClock, make_system: Any) -> None:
    system = make_system()

    def refuse(*args: Any, **rest: Any) -> Any:
        raise ArenaError("no file descriptors left", exit_code=Exit.ENVIRONMENT)

    system.spawn = refuse
    games, end = run(job(), clock, system)
    assert games == []
    assert isinstance(end, Lost)
    assert (end.why, end.bot) == ("error", None)
    assert "no file descriptors left" in end.text


def test_an_iterator_closed_early_leaves_no_process(clock: FakeClock, make_system: Any) -> None:
    system = make_system()
    events = play_block(job(), clock=clock, system=system)
    next(events)
    assert not any(process.closed for _, process in system.spawned)
    events.close()
    assert all(process.closed for _, process in system.spawned)


def test_a_resumed_block_plays_only_what_is_left(clock: FakeClock, make_system: Any) -> None:
    system = make_system()
    games, _ = run(job(games=((1, 1),)), clock, system)
    assert [(g.pair, g.leg) for g in games] == [(1, 1)]
    assert [name for name, _ in system.spawned] == ["bert", "anna"] * 2


def test_what_was_measured_is_told(clock: FakeClock, make_system: Any) -> None:
    _, end = run(job(), clock, make_system())
    assert isinstance(end, Finished)
    assert set(end.facts) == {"late_ms", "cpu_s", "replays", "frozen", "stderr"}
    assert end.facts["frozen"] == []


@pytest.mark.parametrize(("by_system", "code"), [(True, "over_memory"), (False, "crashed")])
def test_a_bot_that_the_system_killed_for_its_memory_is_not_merely_crashed(
    by_system: bool, code: str, clock: FakeClock, make_system: Any
) -> None:
    def answers(message: Map) -> Any:
        word = message["legal"][0]
        return [(0.0, encode_frame({"type": "action", "id": message["id"], "action": word}))]

    def dies(message: Map) -> Any:
        def end() -> None:
            for name, process in system.spawned:
                process.out_of_memory = by_system and name == "anna"

        return [(0.0, end), (0.0, None)]

    system = make_system(lambda name, number: brain_of(dies if name == "anna" else answers))
    games, _ = run(job(1), clock, system)
    row = games[0].row
    assert (row["fault_code"], row["fault_bot"]) == (code, "a")
    assert ("memory" in row["fault_text"]) is by_system
