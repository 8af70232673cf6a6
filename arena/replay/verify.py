"""One block log checked by itself: hash chain, header, deals, rules, scores.

A log that verifies is consistent: someone who rewrites all of it, hashes included, is not found out. An
anchor (a line's hash that was published or sent out while the block was played) proves where it came from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from arena.cards import seeds
from arena.cards.notation import join_cards, pack_from_words
from arena.cards.shuffle import ALGORITHM, shuffled
from arena.games.base import Game, IllegalAction, RuleError, State
from arena.games.registry import get_game
from arena.replay.escape import plain
from arena.replay.log import GENESIS, Line, LogError, link, read_footer, read_lines
from arena.replay.records import (
    Close,
    GameEnd,
    GameStart,
    HandRecord,
    Header,
    describe,
)

PAIRS_PER_BLOCK = 10
ASKED = frozenset(
    ("crashed", "timeout", "not_reading", "malformed", "wrong_id", "illegal", "unsolicited", "over_memory")
)
"""The faults that are charged to the seat that was asked."""


class Status(StrEnum):
    """What became of a check."""

    VERIFIED = "verified"
    OPEN = "open"
    """Consistent, without a footer: the block was not played to its end, its seed is not revealed."""
    TRUNCATED = "truncated"
    """Consistent up to a point in the middle of a game, where the file ends."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class LogReport:
    """The result of checking one log."""

    path: str
    status: Status
    games: int
    """Whole games that were checked."""
    hands: int
    decisions: int
    records: int
    """Lines that were checked and found right."""
    head: str
    """The hash of the last of them."""
    line: int | None = None
    """The first line that differs, from 1; 0 for the file as a whole; None if none does."""
    problem: str = ""
    """What is wrong with it."""
    anchor: str | None = None
    """The anchor that was found, None where none was given."""

    @property
    def ok(self) -> bool:
        """Whether nothing speaks against the log: it is verified, or open."""
        return self.status in (Status.VERIFIED, Status.OPEN)

    def sentence(self) -> str:
        """The result in words, one line."""
        name = plain(self.path)
        count = f"{self.games} games, {self.hands} hands, {self.decisions} decisions"
        match self.status:
            case Status.VERIFIED:
                agree = "deals made from the revealed seed, rules, scores and hash chain agree"
                return f"{name}: verified ({count}; {agree})"
            case Status.OPEN:
                why = "no footer: the block was not played to its end, its seed is not revealed"
                return f"{name}: open ({count} agree; {why})"
            case Status.TRUNCATED:
                return f"{name}:{self.line}: truncated: {plain(self.problem)} ({count} before it agree)"
            case Status.FAILED:
                place = f":{self.line}" if self.line else ""
                return f"{name}{place}: {plain(self.problem, 500)}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for `--json`."""
        return {
            "path": self.path,
            "status": self.status.value,
            "games": self.games,
            "hands": self.hands,
            "decisions": self.decisions,
            "records": self.records,
            "head": self.head,
            "line": self.line,
            "problem": self.problem,
            "anchor": self.anchor,
        }


class _Differs(Exception):
    """The record at hand is not what it must be."""


def verify_log(
    path: Path, *, anchor: str | None = None, size: int | None = None, seed: bytes | None = None
) -> LogReport:
    """Check the log at `path` and name the first record that differs. Never raises for a bad log.

    Only its first `size` bytes are looked at, where that is given. `anchor` is the hash of some line of
    this log, got from elsewhere; up to that line the log is then proved to be the one that was published.
    `seed`: the block's, for a log that has no footer yet; not used where its header committed to another.
    """
    checker = _Checker(path, anchor, seed)
    try:
        for line in read_lines(path, size):
            checker.take(line)
        checker.finish()
    except LogError as error:
        if error.torn and checker.header is not None:
            return checker.report(Status.TRUNCATED, error.line, error.what)
        return checker.report(Status.FAILED, error.line, error.what)
    except _Differs as error:
        return checker.report(Status.FAILED, checker.line, str(error))
    if checker.start is not None:
        problem = f"the file ends inside of {describe(checker.start)[9:]}"
        return checker.report(Status.TRUNCATED, checker.line, problem)
    return checker.report(Status.OPEN if checker.close is None else Status.VERIFIED)


class _Checker:
    """Takes the lines of one log in order; raises _Differs at the first that is wrong."""

    def __init__(self, path: Path, anchor: str | None, seed: bytes | None) -> None:
        self.path = path
        self.anchor = anchor.strip().lower() if anchor is not None else None
        self.anchored = False
        self.head = GENESIS
        self.line = 0
        self.records = self.games = self.hands = self.decisions = 0
        self.header: Header | None = None
        self.close: Close | None = None
        footer = read_footer(path)
        self.seed = footer.seed if footer is not None else None
        self.known = seed
        self.game: Game
        self.start: GameStart | None = None
        self.played: list[HandRecord] = []
        self.state: State
        self.seen: set[tuple[int, int]] = set()
        self.decks: dict[tuple[int, int], tuple[str, ...]] = {}
        self.bot_seeds: dict[int, tuple[int, ...]] = {}

    def report(self, status: Status, line: int | None = None, problem: str = "") -> LogReport:
        return LogReport(
            path=str(self.path),
            status=status,
            games=self.games,
            hands=self.hands,
            decisions=self.decisions,
            records=self.records,
            head=self.head,
            line=line,
            problem=problem,
            anchor=self.anchor if self.anchored else None,
        )

    def take(self, line: Line) -> None:
        self.line = line.number
        digest = link(self.head, line.body)
        if digest != line.digest:
            raise _Differs(
                f"{self._where(line)}: the hash chain breaks here: this record, its hash or the order of "
                f"the records was changed (`h` is {line.digest}, the contents give {digest})"
            )
        try:
            self._record(line)
        except _Differs as error:
            raise _Differs(f"{self._where(line)}: {error}") from None
        self.head = digest
        self.records += 1
        if digest == self.anchor:
            self.anchored = True

    def finish(self) -> None:
        """The file has ended between two lines."""
        self.line = 0
        if self.header is None:
            raise _Differs("empty: not a block log")
        if self.anchor is not None and not self.anchored:
            raise _Differs(
                f"no line of this log has the anchor {self.anchor}: the log is not the one that was published"
            )

    def _where(self, line: Line) -> str:
        what = describe(line.record)
        if isinstance(line.record, HandRecord) and self.start is not None:
            return f"{what} of pair {self.start.pair} leg {self.start.leg}"
        return what

    def _record(self, line: Line) -> None:
        record = line.record
        if (self.header is None) != isinstance(record, Header):
            raise _Differs("a log begins with exactly one `block` record")
        if self.close is not None:
            raise _Differs("stands after the footer")
        if (self.start is None) == isinstance(record, HandRecord | GameEnd):
            raise _Differs("stands outside of a game" if self.start is None else "the game before has no end")
        match record:
            case Header():
                self._header(record)
            case GameStart():
                self._game_start(record)
            case HandRecord():
                self._hand(record)
            case GameEnd():
                self._game_end(record)
            case Close():
                self.close = record

    def _header(self, header: Header) -> None:
        if header.deal != ALGORITHM:
            raise _Differs(f"deal algorithm {header.deal}: this arena knows {ALGORITHM}")
        try:
            self.game = get_game(header.game, header.rules)
        except RuleError as error:
            raise _Differs(str(error)) from None
        _same("rules", dict(header.rules), dict(self.game.rules))
        if header.bots[0].digest > header.bots[1].digest:
            raise _Differs("bot A must be the one with the lower digest")
        if self.seed is None and self.known is not None:
            self.seed = self.known if seeds.commitment(self.known) == header.commitment else None
        elif self.seed is not None:
            _same("commitment (of the seed in the footer)", header.commitment, seeds.commitment(self.seed))
        self.header = header

    def _game_start(self, start: GameStart) -> None:
        assert self.header is not None
        seats = range(self.game.seats)
        if start.pair // PAIRS_PER_BLOCK != self.header.block:
            raise _Differs(f"pair {start.pair} is not in block {self.header.block}")
        if (start.pair, start.leg) in self.seen:
            raise _Differs("this game stands in the log twice")
        _same("dealer", start.dealer, start.pair % self.game.seats)
        _same("teams", start.teams, tuple(self.game.team_of(seat) ^ start.leg for seat in seats))
        if self.seed is not None:
            expected = tuple(seeds.bot_seed(self.seed, start.pair, seat) for seat in seats)
        else:
            expected = self.bot_seeds.setdefault(start.pair, start.seeds)
        _same("seeds", start.seeds, expected)
        self.seen.add((start.pair, start.leg))
        self.start, self.played = start, []
        self.state = self.game.new_state(dealer=start.dealer)

    def _hand(self, hand: HandRecord) -> None:
        assert self.start is not None
        state = self.state
        if self.played and self.played[-1].end == "forfeit":
            raise _Differs("a hand after the forfeited one")
        if not state.needs_deal:
            raise _Differs("a hand after the end of the game")
        _same("n", hand.number, state.hand_number)
        _same("dealer", hand.dealer, state.dealer)
        state.deal(self._deck(hand))
        for place, word in enumerate(hand.acts):
            self._act(state, place, word)
        over = state.to_act is None
        if not over:
            _same("end", hand.end, "forfeit")
            points: Sequence[int] = (0,) * self.game.teams
        else:
            last = state.last_hand
            assert last is not None
            points = last.points
            expected = "played" if not last.thrown_in else "thrown_in" if hand.acts else "redealt"
            _same("end", hand.end, expected)
        _same("points", hand.points, tuple(points))
        _same("scores", hand.scores, tuple(state.scores))
        self.played.append(hand)
        self.hands += 1
        self.decisions += len(hand.acts)

    def _deck(self, hand: HandRecord) -> list[int]:
        assert self.start is not None
        try:
            pack = pack_from_words(hand.pack, self.game.pack)
        except ValueError as error:
            raise _Differs(f"`pack`: {error}") from None
        if self.seed is not None:
            numbers = shuffled(seeds.deck_seed(self.seed, self.start.pair, hand.number), len(self.game.pack))
            dealt = join_cards(self.game.pack[card] for card in numbers)
            _same("pack (dealt from the seed)", join_cards(hand.pack), dealt)
        else:
            other = self.decks.setdefault((self.start.pair, hand.number), hand.pack)
            _same("pack (of the pair's other leg)", join_cards(hand.pack), join_cards(other))
        return pack

    def _act(self, state: State, place: int, word: str) -> None:
        seat = state.to_act
        if seat is None:
            raise _Differs(f"decision {place + 1} (`{plain(word, 40)}`) after the end of the hand")
        action = self.game.action(word)
        try:
            if action is None:
                raise IllegalAction
            state.apply(action)
        except IllegalAction:
            raise _Differs(
                f"decision {place + 1}, seat {seat}: `{plain(word, 40)}` is not legal "
                f"(legal: {' '.join(state.legal_words())})"
            ) from None

    def _game_end(self, end: GameEnd) -> None:
        start = self.start
        assert start is not None
        _same("pair", end.pair, start.pair)
        _same("leg", end.leg, start.leg)
        outcome = self.state.outcome()
        if outcome is not None:
            expected = (tuple(outcome.scores), outcome.winner, outcome.reason)
            if end.fault is not None:
                raise _Differs("a fault in a game that was over: a finished game stands")
        elif end.fault is None:
            raise _Differs("the game is not over, and no fault ended it")
        else:
            fault = end.fault
            if fault.seat >= self.game.seats:
                raise _Differs(f"`fault` names seat {fault.seat}")
            _same(f"fault team (of seat {fault.seat})", fault.team, self.game.team_of(fault.seat))
            cut = self.played[-1] if self.played and self.played[-1].end == "forfeit" else None
            if cut is not None:
                _same("fault hand_number", fault.hand_number, cut.number)
                if fault.code in ASKED:
                    _same("fault seat (the one to act)", fault.seat, self.state.to_act)
            elif fault.hand_number not in (None, self.state.hand_number):
                raise _Differs(f"fault hand_number is {fault.hand_number}, and no hand was cut short")
            expected = (tuple(self.state.scores), 1 - fault.team, "forfeit")
        _same("scores", end.scores, expected[0])
        _same("winner", end.winner, expected[1])
        _same("reason", end.reason, expected[2])
        score_a = 0.5 if end.winner is None else 1.0 - (end.winner ^ start.leg)
        _same("score_a", end.score_a, score_a)
        if end.cpu is not None and len(end.cpu) != self.game.seats:
            raise _Differs(f"`cpu` must have one entry for each of the {self.game.seats} seats")
        self.games += 1
        self.start = None


def _same(what: str, found: object, expected: object) -> None:
    if found != expected or type(found) is not type(expected):
        raise _Differs(f"{what} is {_show(found)}: expected {_show(expected)}")


def _show(value: object) -> str:
    return plain(str(list(value)) if isinstance(value, tuple) else str(value), 160)
