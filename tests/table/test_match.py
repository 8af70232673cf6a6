"""One game by scripted seats and callables: clocks, forfeits, records, what seats are told."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

from arena.bots.limits import Limits
from arena.cards.shuffle import shuffled
from arena.games.registry import get_game
from arena.replay.record import GameRecorder
from arena.table.clock import FakeClock
from arena.table.match import Played, play_game
from arena.table.seats import CallableSeat, ScriptSeat, Step
from arena.table.verdict import EndReason, Fault

Map = dict[str, Any]


class Notes:
    """A recorder that keeps everything."""

    def __init__(self) -> None:
        self.hands: list[tuple[int, int, str]] = []
        self.decisions: list[tuple[str, int, int | None]] = []
        self.ends: list[tuple[tuple[int, ...], tuple[int, ...], str]] = []

    def hand(self, number: int, dealer: int, pack_words: Iterable[str]) -> None:
        self.hands.append((number, dealer, "".join(pack_words)))

    def decision(self, word: str, micros: int, bank_ms: int | None = None) -> None:
        self.decisions.append((word, micros, bank_ms))

    def hand_ended(self, points: Sequence[int], scores: Sequence[int], end: str) -> None:
        self.ends.append((tuple(points), tuple(scores), end))


class Listener(CallableSeat):
    """A callable seat that keeps what it is told."""

    def __init__(self, choose: Callable[[Any], str], clock: FakeClock) -> None:
        self.told: list[Map] = []
        super().__init__(choose, hear=self.told.append, clock=clock)


def deck(number: int) -> list[int]:
    return shuffled(b"deck %d" % number, 24)


def first(view: Any) -> str:
    word: str = view.legal[0]
    return word


def play(
    seats: Sequence[Any], clock: FakeClock, *, rules: Map | None = None, **rest: Any
) -> tuple[Played, Notes]:
    notes = Notes()
    played = play_game(
        get_game("north-american", rules), seats, deck, clock=clock, recorder=notes,
        limits=rest.pop("limits", Limits()), **rest,
    )  # fmt: skip
    return played, notes


def test_a_game_is_played_to_its_target(clock: FakeClock) -> None:
    rng = random.Random(3)
    seats = [Listener(lambda view: rng.choice(view.legal), clock) for _ in range(4)]
    played, notes = play(seats, clock, dealer=2, bot_seeds=[7, 8, 9, 10])
    assert played.reason is EndReason.TARGET
    assert max(played.scores) >= 10
    assert played.winner == played.scores.index(max(played.scores))
    assert played.hands == len(notes.hands) == len(notes.ends)
    assert played.decisions == len(notes.decisions)
    assert [number for number, _, _ in notes.hands] == list(range(played.hands))
    assert notes.hands[0][1] == 2
    assert notes.ends[-1][1] == played.scores
    for number, seat in enumerate(seats):
        kinds = [message["type"] for message in seat.told]
        assert kinds == ["game_start", *["hand_end"] * played.hands, "game_end"]
        assert seat.told[0]["seat"] == number
        assert seat.told[0]["seed"] == 7 + number
        assert seat.told[0]["dealer"] == 2
        assert seat.told[-1] == {
            "type": "game_end",
            "scores": list(played.scores),
            "winner": played.winner,
            "reason": "target",
        }


def test_teams_that_always_pass_end_at_the_hand_limit_with_a_draw(clock: FakeClock) -> None:
    seats = [CallableSeat(first, clock=clock)] * 4
    played, notes = play(seats, clock, rules={"hand_limit": 7})
    assert played.reason is EndReason.HAND_LIMIT
    assert played.winner is None
    assert played.scores == (0, 0)
    assert [end for _, _, end in notes.ends] == ["thrown_in"] * 7
    assert [dealer for _, dealer, _ in notes.hands] == [0, 1, 2, 3, 0, 1, 2]


def test_max_hands_ends_a_game_as_the_hand_limit_does(clock: FakeClock) -> None:
    played, notes = play([CallableSeat(first, clock=clock)] * 4, clock, max_hands=2, scores=[3, 1])
    assert (played.hands, len(notes.ends)) == (2, 2)
    assert (played.scores, played.winner, played.reason) == ((3, 1), 0, EndReason.HAND_LIMIT)


def test_redealt_hands_are_named_so(clock: FakeClock) -> None:
    game = get_game("north-american", {"farmers_hand": "redeal", "hand_limit": 2})
    low = [game.pack.index(word) for word in ("9C", "TC", "9D", "TD", "9H")]
    rest = [card for card in range(24) if card not in low]
    notes = Notes()
    seats = [CallableSeat(first, clock=clock)] * 4
    play_game(game, seats, lambda number: low + rest, limits=Limits(), clock=clock, recorder=notes)
    assert [end for _, _, end in notes.ends] == ["redealt", "redealt"]
    assert notes.decisions == []


def test_the_seat_at_fault_forfeits_and_all_are_told(clock: FakeClock) -> None:
    others = [Listener(first, clock) for _ in range(3)]
    bad = ScriptSeat(["pass", "play:JS"], clock)
    played, notes = play([others[0], bad, others[1], others[2]], clock)
    assert played.reason is EndReason.FORFEIT
    assert played.foul is not None
    assert played.foul.code is Fault.ILLEGAL
    assert (played.seat, played.winner, played.hand_number) == (1, 0, 0)
    assert played.answered
    assert [word for word, _, _ in notes.decisions] == ["pass"] * 4
    assert notes.ends == [], "the open hand is the recorder's to close"
    for seat in others:
        end, over = seat.told[-2:]
        assert end["forfeit"] is True
        assert len(end["hands"]) == 4
        assert over == {"type": "game_end", "scores": [0, 0], "winner": 0, "reason": "forfeit"}


PHASES = [("bid1", 0), ("bid2", 4), ("play", 8), ("play", 13)]


@pytest.mark.parametrize(("phase", "after"), PHASES)
def test_a_fault_in_each_phase_is_one_verdict(clock: FakeClock, phase: str, after: int) -> None:
    seen: list[str] = []

    def choose(view: Any) -> str:
        seen.append(view.phase)
        return "nonsense" if len(seen) > after else first(view)

    played, notes = play([CallableSeat(choose, clock=clock)] * 4, clock, rules={"stick_the_dealer": True})
    assert seen[-1] == phase
    assert played.reason is EndReason.FORFEIT
    assert len(notes.decisions) == after


def test_each_fault_of_a_script_is_its_own_verdict(clock: FakeClock) -> None:
    cases: list[tuple[Any, Fault]] = [
        (None, Fault.CRASHED),
        (b"Traceback (most recent call last)\n", Fault.MALFORMED),
        (b"\0\0\0\1\x80", Fault.MALFORMED),
        (Step("pass", after_s=1.5), Fault.TIMEOUT),
        (Step("nonsense", after_s=1.5), Fault.TIMEOUT),
        (Step(b"\0\0", after_s=0.5), Fault.TIMEOUT),
        ("nonsense", Fault.ILLEGAL),
    ]
    for step, fault in cases:
        played, _ = play([CallableSeat(first, clock=clock), ScriptSeat([step], clock)] * 2, clock)
        assert played.foul is not None
        assert (played.foul.code, played.seat) == (fault, 1)
        assert not played.answered


def test_an_answer_in_pieces_is_one_answer(clock: FakeClock) -> None:
    seat = ScriptSeat([Step(b"", more=True), Step("pass", after_s=0.4)], clock)
    played, notes = play([CallableSeat(first, clock=clock), seat] * 2, clock)
    assert notes.decisions[0] == ("pass", 400_000, None)
    assert played.foul is not None


def test_the_move_limit_is_in_the_request_and_kept(clock: FakeClock) -> None:
    seat = ScriptSeat([Step("pass", after_s=0.2), Step("pass", after_s=0.2001)], clock)
    played, notes = play(
        [CallableSeat(first, clock=clock), seat] + [CallableSeat(first, clock=clock)] * 2, clock,
        limits=Limits(move_ms=200),
    )  # fmt: skip
    assert [request["time_ms"] for request in seat.requests] == [200, 200]
    assert all("bank_ms" not in request for request in seat.requests)
    assert notes.decisions[0][1] == pytest.approx(200_000, abs=1)
    assert played.foul is not None
    assert played.foul.code is Fault.TIMEOUT


def test_without_a_move_limit_time_is_null(clock: FakeClock) -> None:
    seat = ScriptSeat([Step("pass", after_s=500.0), "nonsense"], clock)
    played, _ = play([CallableSeat(first, clock=clock), seat] * 2, clock, limits=Limits(move_ms=None))
    assert seat.requests[0]["time_ms"] is None
    assert played.seconds >= 500


def test_the_bank_is_drawn_on_beyond_the_move_time_and_then_it_is_over(clock: FakeClock) -> None:
    steps = [Step("pass", after_s=s) for s in (0.1, 0.35, 0.25, 0.3)]
    seat = ScriptSeat(steps, clock)
    others = [CallableSeat(first, clock=clock)] * 3
    played, notes = play([others[0], seat, *others[1:]], clock, limits=Limits(move_ms=200, bank_ms=240))
    assert [request["bank_ms"] for request in seat.requests] == [240, 240, 90, 40]
    assert [request["time_ms"] for request in seat.requests] == [200] * 4
    assert played.foul is not None
    assert played.foul.code is Fault.TIMEOUT
    banks = {bank for _, _, bank in notes.decisions}
    assert banks == {240, 90}, "each seat has its own, and the record holds what was sent"


def test_a_callable_that_comes_back_late_is_late(clock: FakeClock) -> None:
    def slow(view: Any) -> str:
        clock.advance(1.01)
        return first(view)

    played, _ = play([CallableSeat(first, clock=clock), CallableSeat(slow, clock=clock)] * 2, clock)
    assert played.foul is not None
    assert played.foul.code is Fault.TIMEOUT


def test_a_callable_cannot_change_what_is_judged(clock: FakeClock) -> None:
    def cheat(view: Any) -> str:
        view.legal.append("name:NT:alone")
        return "name:NT:alone"

    played, _ = play([CallableSeat(cheat, clock=clock)] * 4, clock)
    assert played.foul is not None
    assert played.foul.code is Fault.ILLEGAL


def test_what_a_callable_raises_is_the_callers_own(clock: FakeClock) -> None:
    def broken(view: Any) -> str:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        play([CallableSeat(broken, clock=clock)] * 4, clock)


class Ticker:
    """A table that notes when requests were released."""

    def __init__(self, clock: FakeClock) -> None:
        self._clock = clock
        self.released: list[float] = []

    def hand_over(self) -> None:
        pass

    def pause(self, until: float) -> None:
        self._clock.advance(max(0.0, until - self._clock.now()))
        self.released.append(self._clock.now())


def test_with_a_fixed_tempo_no_seat_learns_how_long_another_thought(clock: FakeClock) -> None:
    rng = random.Random(1)

    def choose(view: Any) -> str:
        clock.advance(rng.choice([0.0, 0.013, 0.05, 0.099]))
        return first(view)

    table = Ticker(clock)
    play([CallableSeat(choose, clock=clock)] * 4, clock, table=table, tempo_s=0.1, rules={"hand_limit": 2})
    gaps = {round(b - a, 6) for a, b in zip(table.released, table.released[1:], strict=False)}
    assert gaps == {0.1}


def test_the_record_of_the_replay_room_fits(clock: FakeClock) -> None:
    recorder = GameRecorder(0, 0, 0, (0, 1, 0, 1), (1, 2, 3, 4))
    rng = random.Random(5)
    game = get_game()
    seats = [CallableSeat(lambda view: rng.choice(view.legal), clock=clock)] * 4
    played = play_game(game, seats, deck, limits=Limits(bank_ms=5), clock=clock, recorder=recorder)
    bodies = recorder.finish(played.scores, played.winner, played.reason, 1.0)
    assert len(bodies) == played.hands + 2
    assert recorder.decisions == played.decisions
