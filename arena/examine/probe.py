"""A bot's messages as they go: in a hand against simple seats, by hand, or for one recorded request."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.cards.seeds import derive, master_from_text
from arena.cards.shuffle import shuffled
from arena.errors import ArenaError, Exit
from arena.examine.play import Silent
from arena.examine.subject import Subject
from arena.examine.talk import Talk
from arena.games.base import Game, RuleError
from arena.games.registry import get_game
from arena.table import referee
from arena.table.clock import RealClock
from arena.table.explain import advice, what_came
from arena.table.match import play_game
from arena.table.referee import Came, Foul, Map, judge
from arena.table.seats import CallableSeat, Choose, Seat
from protocol import RemoteProtocolError, View

MAX_FILE_BYTES = 64 << 20
UNASKED_S = 0.1
"""How long an answer that nothing had asked for is looked for."""


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that happened."""

    seat: int
    sent: bool
    """From the arena to the bot, or the other way."""
    message: Map | None
    text: str = ""
    """What stands in the place of a message: a line of the bot's stderr, or why there is none."""
    ms: float | None = None
    """Of an answer: how long it took."""


Show = Callable[[Line], object]


class ProbedSeat:
    """A bot's seat that shows everything that goes over its wire."""

    def __init__(self, talk: Talk, seat: int, show: Show) -> None:
        self.talk = talk
        self._seat = seat
        self._show = show
        self._stderr = 0

    def greet(self, game: Game) -> Foul | None:
        hello = referee.hello(game, self.talk.subject.limits)
        self._show(Line(self._seat, True, hello))
        ready, seconds = self.talk.greet(hello)
        if isinstance(ready, Foul):
            self._errors()
            return ready
        answer = {"type": "ready", "name": ready[0], "version": ready[1]}
        shown = {key: value for key, value in answer.items() if value}
        self._show(Line(self._seat, False, shown, ms=seconds * 1000))
        self._errors()
        return None

    def tell(self, message: Map, *, now: bool = False) -> None:
        self._show(Line(self._seat, True, message))
        self.talk.send(message)
        self._errors()

    def ask(self, request: Map, limit: float | None) -> tuple[Came, float]:
        self._show(Line(self._seat, True, request))
        trouble = self.talk.send(request, limit)
        began = time.monotonic()
        came = trouble or self.talk.receive(3600.0 if limit is None else limit)
        seconds = time.monotonic() - began
        if isinstance(came, bytes):
            try:
                self._show(Line(self._seat, False, self.decode(came), ms=seconds * 1000))
            except RemoteProtocolError as error:
                self._show(Line(self._seat, False, None, error.text))
        self._errors()
        return came, seconds

    def decode(self, payload: bytes) -> Map:
        return self.talk.codec.decode(payload)

    def _errors(self) -> None:
        """Show what it wrote to stderr since the last time."""
        text = self.talk.stderr()
        for line in text[self._stderr :].splitlines():
            self._show(Line(self._seat, False, None, f"stderr: {line}"))
        self._stderr = len(text)


def chance(seed: str) -> Choose:
    """A simple seat: any legal word, but it passes more often than not."""
    dice = random.Random(seed)

    def choose(view: View) -> str:
        return "pass" if "pass" in view.legal and dice.random() < 0.6 else dice.choice(view.legal)

    return choose


def watch(
    subject: Subject,
    game: Game,
    *,
    seats: Sequence[int],
    others: Choose,
    hands: int,
    seed: str,
    show: Show,
) -> str:
    """Play `hands` hands with the bot in `seats` and `others` in the rest; what went wrong, or ""."""
    master = master_from_text(seed)
    with ExitStack() as stack:
        probed = {seat: ProbedSeat(stack.enter_context(Talk(subject)), seat, show) for seat in seats}
        for seat in probed.values():
            foul = seat.greet(game)
            if foul is not None:
                return words(foul, subject, seat.talk)
        table: list[Seat] = [probed.get(seat) or CallableSeat(others) for seat in range(game.seats)]
        played = play_game(
            game, table, lambda hand: shuffled(derive(master, "probe", hand), len(game.pack)),
            limits=subject.limits, clock=RealClock(), recorder=Silent(), max_hands=hands,
            bot_seeds=[1 + seat for seat in range(game.seats)],
        )  # fmt: skip
        if played.foul is not None and played.seat in probed:
            return words(played.foul, subject, probed[played.seat].talk)
        for seat in probed.values():
            seat.tell({"type": "bye"})
            seat.talk.wait_end(subject.limits.grace_ms / 1000)
    return ""


def words(foul: Foul, subject: Subject, talk: Talk) -> str:
    """A foul in words, with what to do about it."""
    text = what_came(foul, subject.limits)
    more = advice(foul, answered=talk.answered > 1, stderr=talk.stderr())
    return f"{text}; {more}" if more else text


# --- one recorded request


def read_requests(path: Path) -> list[Map]:
    """The requests in a file: one JSON object, a list of them, or one a line. Raises ArenaError."""
    try:
        with path.open("rb") as file:
            text = file.read(MAX_FILE_BYTES).decode("utf-8")
    except OSError as error:
        raise ArenaError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ArenaError(f"{path}: not UTF-8 text") from None
    return parse_requests(text, str(path))


def parse_requests(text: str, name: str) -> list[Map]:
    """The requests in a text; `name` is its file's in errors."""
    try:
        whole = json.loads(text)
        found = list(enumerate(whole if isinstance(whole, list) else [whole], 1))
    except ValueError:
        found = []
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip():
                try:
                    found.append((number, json.loads(line)))
                except ValueError as error:
                    raise ArenaError(f"{name}: line {number}: not JSON: {error}") from None
    for number, request in found:
        legal = request.get("legal") if isinstance(request, dict) else None
        if not isinstance(legal, list) or not legal or not all(isinstance(word, str) for word in legal):
            raise ArenaError(
                f"{name}: request {number} is no `act`: it has no list `legal`",
                hint='for example {"type":"act","id":1,"game":"north-american",...,"legal":["pass"]}',
            )
    if not found:
        raise ArenaError(f"{name}: it holds no request")
    return [{"type": "act", "id": 1, **request} for _, request in found]


def ask_recorded(subject: Subject, requests: Sequence[Map], show: Show) -> str:
    """Put recorded requests to the bot, a process for each game and its rules; what went wrong, or ""."""
    at = 0
    while at < len(requests):
        game = _game_of(requests[at])
        with Talk(subject) as talk:
            seat = ProbedSeat(talk, int(requests[at].get("seat") or 0), show)
            foul = seat.greet(game)
            if foul is not None:
                return words(foul, subject, talk)
            seat.tell(referee.game_start(game, int(requests[at].get("seat") or 0), 0, 1))
            while at < len(requests) and _rules_of(requests[at]) == (game.id, game.non_default_rules()):
                request = requests[at]
                move = subject.limits.move_ms
                came, _ = seat.ask(request, None if move is None else move / 1000)
                verdict = judge(came, request["id"], request["legal"], seat.decode)
                if isinstance(verdict, Foul):
                    return words(verdict, subject, talk)
                at += 1
            seat.tell({"type": "bye"})
    return ""


def _rules_of(request: Map) -> tuple[str, Any]:
    game = _game_of(request)
    return game.id, game.non_default_rules()


def _game_of(request: Map) -> Game:
    try:
        return get_game(request.get("game", "north-american"), request.get("rules") or {})
    except RuleError as error:
        raise ArenaError(str(error), exit_code=Exit.BAD_INPUT) from None


# --- by hand


def conversation(game: Game, limits: Any, seed: str) -> Generator[Map, Map | None, None]:
    """The messages of one game, one by one; what the bot answered is sent back in. Seat 0 is the bot's."""
    master, others = master_from_text(seed), chance(seed)
    yield referee.hello(game, limits)
    yield referee.game_start(game, 0, 0, 1)
    state = game.new_state()
    ids = referee.request_ids()
    while (outcome := state.outcome()) is None:
        if state.needs_deal:
            state.deal(shuffled(derive(master, "probe", state.hand_number), len(game.pack)))
            continue
        seat = state.to_act
        assert seat is not None
        legal = state.legal_words()
        if seat == 0:
            answer = yield referee.act(state, seat, legal, next(ids), limits.move_ms, None)
            word = (answer or {}).get("action")
            word = word if word in legal else legal[0]
        else:
            word = others(View(referee.act(state, seat, legal, 0, None, None)))
        action = game.action(str(word))
        assert action is not None
        state.apply(action)
        if state.last_hand is not None and (state.needs_deal or state.outcome() is not None):
            yield referee.hand_end(state.last_hand, state.scores)
    yield referee.end_of(outcome)
    yield {"type": "bye"}


def by_hand(subject: Subject, game: Game, lines: Iterator[str], seed: str, show: Show) -> None:
    """Send what a person types: a JSON object is sent as it is, an empty line is the next message of a game.

    Raises ArenaError for a line that is neither.
    """
    messages = conversation(game, subject.limits, seed)
    answer: Map | None = None
    begun = False
    with Talk(subject) as talk:
        for line in lines:
            if line.strip():
                message = _typed(line)
            else:
                try:
                    message = messages.send(answer) if begun else next(messages)
                except StopIteration:
                    return
                begun = True
            show(Line(0, True, message))
            trouble = talk.send(message)
            answer = None
            if trouble is None and message.get("type") in ("hello", "act"):
                answer = _show_answer(talk, show)
            else:
                stray = talk.stray(UNASKED_S)
                if stray:
                    show(Line(0, False, None, f"unasked: {stray[:200]!r}"))
            for error in talk.stderr().splitlines()[-1:]:
                show(Line(0, False, None, f"stderr: {error}"))
            if trouble is not None or message.get("type") == "bye":
                took = talk.wait_end(subject.limits.grace_ms / 1000)
                show(Line(0, False, None, "it still runs" if took is None else "it has ended"))
                return


def _typed(line: str) -> Map:
    try:
        message = json.loads(line)
    except ValueError as error:
        raise ArenaError(f"not JSON: {error}", hint='for example {"type":"bye"}') from None
    if not isinstance(message, dict):
        raise ArenaError("a message is a JSON object", hint='for example {"type":"bye"}')
    return message


def _show_answer(talk: Talk, show: Show) -> Map | None:
    began = time.monotonic()
    came = talk.receive()
    if not isinstance(came, bytes):
        detail = getattr(came, "detail", "")
        why = getattr(came, "why", "nothing")
        show(Line(0, False, None, f"no answer ({why}{': ' if detail else ''}{detail})"))
        return None
    try:
        answer = talk.codec.decode(came)
    except RemoteProtocolError as error:
        show(Line(0, False, None, error.text))
        return None
    show(Line(0, False, answer, ms=(time.monotonic() - began) * 1000))
    return answer
