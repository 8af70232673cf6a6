"""The driver: plays one game by asking real seats, keeps the clocks, writes the record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Protocol

from arena.bots.limits import Limits
from arena.games.base import Game, HandResult, Outcome, PackedView
from arena.table import referee
from arena.table.clock import Clock
from arena.table.referee import Foul, NoFrame, judge, request_ids, usual_answer
from arena.table.seats import PackedSeat, Seat
from arena.table.verdict import EndReason


class Recorder(Protocol):
    """Who writes the game down (`arena.replay.record.GameRecorder`, or an API's own)."""

    def hand(self, number: int, dealer: int, pack_words: Iterable[str]) -> None: ...
    def decision(self, word: str, micros: int, bank_ms: int | None = None) -> None: ...
    def hand_ended(self, points: Sequence[int], scores: Sequence[int], end: str) -> None: ...


class Table(Protocol):
    """What stands around seats that are processes (`ProcessSet`)."""

    def hand_over(self) -> None:
        """Called between hands."""

    def pause(self, until: float) -> None:
        """Wait until the clock says `until`."""


@dataclass(frozen=True, slots=True)
class Played:
    """How a game ended. With a foul, `seat` is the seat to blame and `winner` the other team."""

    scores: tuple[int, ...]
    winner: int | None
    reason: EndReason
    hands: int
    """Hands dealt, thrown-in ones and the forfeited one included."""
    decisions: int
    seconds: float
    foul: Foul | None = None
    seat: int | None = None
    hand_number: int | None = None
    """The hand in which the foul happened."""
    answered: bool = False
    """Whether the seat to blame had answered anything in this game."""
    excused_s: float = 0.0
    """With a loss on time: seconds for which the host was late, and no seat of the game to blame for it."""


def play_game(
    game: Game,
    seats: Sequence[Seat],
    deck: Callable[[int], Sequence[int]],
    *,
    limits: Limits,
    clock: Clock,
    recorder: Recorder,
    dealer: int = 0,
    scores: Sequence[int] | None = None,
    bot_seeds: Sequence[int] | None = None,
    ids: Iterator[int] | None = None,
    table: Table | None = None,
    tempo_s: float | None = None,
    on_hand: Callable[[HandResult], object] | None = None,
    max_hands: int | None = None,
) -> Played:
    """Play one game to its end: by target, hand limit, or forfeit at the first foul.

    `deck(k)` gives the k-th dealt hand's pack in order of dealing. With `tempo_s` requests are put at fixed
    times, so that no seat learns how long another thought. `max_hands` ends it earlier, as the hand limit
    does.
    """
    state = game.new_state(dealer=dealer, scores=scores)
    ids = ids or request_ids()
    seeds = bot_seeds if bot_seeds is not None else [0] * game.seats
    time_ms = limits.move_ms
    banked = time_ms is not None and limits.bank_ms is not None
    move_us = (time_ms or 0) * 1000
    banks_us = [(limits.bank_ms or 0) * 1000] * game.seats
    bank_ms: int | None = None
    limit = None if time_ms is None else time_ms / 1000
    previous: list[int | None] = [None] * game.seats
    asks = [seat.ask for seat in seats]
    view_of = state.packed_view if isinstance(state, PackedView) else None
    packed_asks = [seat.ask_packed if view_of and isinstance(seat, PackedSeat) else None for seat in seats]
    decodes = [seat.decode for seat in seats]
    legal_of, apply, action_of, record = state.legal_words, state.apply, game.action, recorder.decision
    act, packed_act = referee.act, referee.packed_act
    decisions = hands = 0
    began = clock.now()
    release = began
    for s, seat in enumerate(seats):
        seat.tell(referee.game_start(game, s, dealer, seeds[s]))
    while state.needs_deal and (max_hands is None or hands < max_hands):
        number, dealt_by = state.hand_number, state.dealer
        pack = deck(number)
        state.deal(pack)
        recorder.hand(number, dealt_by, [game.pack[card] for card in pack])
        hands += 1
        asked = state.to_act
        while asked is not None:
            if tempo_s is not None and table is not None:
                late = clock.now() - release
                release += tempo_s * max(1, ceil(late / tempo_s))
                table.pause(release)
            if banked:
                bank_ms = banks_us[asked] // 1000
                limit = (move_us + banks_us[asked]) / 1_000_000
            words = legal_of()
            request_id = next(ids)
            ask_packed = packed_asks[asked]
            if ask_packed is not None and view_of is not None:
                keys, view = view_of(asked)
                frame = packed_act(keys, view, words, request_id, time_ms, bank_ms)
                came, seconds = ask_packed(frame, limit)
            else:
                came, seconds = asks[asked](act(state, asked, words, request_id, time_ms, bank_ms), limit)
            verdict: int | Foul | None = usual_answer(came, request_id, words)
            if verdict is None:
                verdict = judge(came, request_id, words, decodes[asked], previous[asked])
            if isinstance(verdict, Foul):
                foul = verdict
                blamed = asked if foul.seat is None else foul.seat
                open_hand = referee.hand_forfeited(state, game.teams)
                for seat in seats:
                    seat.tell(open_hand)
                winner = next(team for team in range(game.teams) if team != game.team_of(blamed))
                ended = referee.game_end(state.scores, winner, EndReason.FORFEIT)
                for seat in seats:
                    seat.tell(ended, now=True)
                return Played(
                    tuple(state.scores), winner, EndReason.FORFEIT, hands, decisions, clock.now() - began,
                    foul, blamed, number, previous[blamed] is not None,
                    came.excused_s if isinstance(came, NoFrame) else 0.0,
                )  # fmt: skip
            word = words[verdict]
            micros = int(seconds * 1_000_000 + 0.5)
            record(word, micros, bank_ms)
            decisions += 1
            previous[asked] = request_id
            if banked and micros > move_us:
                banks_us[asked] = max(0, banks_us[asked] - (micros - move_us))
            action = action_of(word)
            assert action is not None
            apply(action)
            asked = state.to_act
        last = state.last_hand
        assert last is not None
        recorder.hand_ended(last.points, state.scores, referee.hand_end_word(last))
        if on_hand is not None:
            on_hand(last)
        end = referee.hand_end(last, state.scores)
        for seat in seats:
            seat.tell(end)
        if table is not None:
            table.hand_over()
    outcome = state.outcome() or _stopped(state.scores)
    end = referee.end_of(outcome)
    for seat in seats:
        seat.tell(end, now=True)
    return Played(
        outcome.scores, outcome.winner, EndReason(outcome.reason), hands, decisions, clock.now() - began
    )


def _stopped(scores: Sequence[int]) -> Outcome:
    """The end of a game that `max_hands` stopped: as the hand limit would."""
    best = max(scores)
    leaders = [team for team, points in enumerate(scores) if points == best]
    return Outcome(tuple(scores), leaders[0] if len(leaders) == 1 else None, EndReason.HAND_LIMIT)
