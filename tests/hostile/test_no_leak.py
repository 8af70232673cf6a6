"""What a seat is sent depends neither on cards that it cannot see nor on how long the others think.

Whole games are played twice through the referee's own driver, up to one decision: with the deck as it is, and
with unseen cards swapped and the other seats' times changed. The bytes sent to the seat must be the same.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pytest

from arena.bots.limits import Limits
from arena.games.base import Game
from arena.games.registry import get_game
from arena.table.clock import FakeClock
from arena.table.match import play_game
from arena.table.referee import Came, Map
from protocol import codec

BASE = Limits(move_ms=1000, bank_ms=30_000)
GAMES: list[tuple[str, Mapping[str, Any], set[str]]] = [
    ("north-american", {"hand_limit": 3}, {"bid1", "bid2", "discard", "play"}),
    ("north-american", {"hand_limit": 3, "joker": True}, {"bid1", "bid2", "discard", "play", "joker_name"}),
    ("british", {"hand_limit": 3}, {"bid1", "bid2", "discard", "play", "joker_name"}),
    (
        "north-american",
        {"hand_limit": 3, "defend_alone": "always"},
        {"bid1", "bid2", "discard", "play", "defend"},
    ),
]
SWAPS = 6
LEAST = 20
"""Comparisons in each phase."""


class Stop(Exception):
    """The decision has come up to which the game was to be played."""


class Silent:
    """A recorder that writes nothing."""

    def hand(self, number: int, dealer: int, pack_words: Iterable[str]) -> None: ...
    def decision(self, word: str, micros: int, bank_ms: int | None = None) -> None: ...
    def hand_ended(self, points: Sequence[int], scores: Sequence[int], end: str) -> None: ...


class Table:
    """Seats that follow a line of words, and keep every byte that would be sent to each."""

    def __init__(
        self,
        game: Game,
        decks: Sequence[Sequence[int]],
        words: Iterator[str],
        times: random.Random | None,
        eye: int,
    ) -> None:
        """`times`: how long seats other than `eye` think; None: no time."""
        self.clock = FakeClock()
        self.sent: list[list[bytes]] = [[] for _ in range(game.seats)]
        self.asked: list[tuple[int, str, int]] = []
        self.words = words
        self.times = times
        self.eye = eye
        self.game = game
        self.decks = decks

    def play(self, encoding: str = "msgpack") -> None:
        """Until the words are used up."""
        encode = codec(encoding).encode
        seats = [_Seat(self, seat, encode) for seat in range(self.game.seats)]
        ids = itertools.count(1000)
        try:
            play_game(
                self.game, seats, lambda hand: self.decks[hand], limits=BASE, clock=self.clock,
                recorder=Silent(), dealer=0, bot_seeds=[11, 12, 13, 14], ids=ids,
            )  # fmt: skip
        except Stop:
            return


class _Seat:
    def __init__(self, table: Table, seat: int, encode: Any) -> None:
        self._table, self._seat, self._encode = table, seat, encode

    def tell(self, message: Map, *, now: bool = False) -> None:
        self._table.sent[self._seat].append(self._encode(message))

    def ask(self, request: Map, limit: float | None) -> tuple[Came, float]:
        table = self._table
        table.sent[self._seat].append(self._encode(request))
        table.asked.append((self._seat, request["phase"], request["hand_number"]))
        word = next(table.words, None)
        if word is None:
            raise Stop
        if word not in request["legal"]:
            raise LookupError(word)
        seconds = 0.0
        if table.times is not None and self._seat != table.eye:
            seconds = table.times.random() * 1.2
        table.clock.advance(seconds)
        return {"type": "action", "id": request["id"], "action": word}, seconds

    def decode(self, payload: bytes) -> Map:
        raise AssertionError("never called")


def random_line(game: Game, dice: random.Random) -> tuple[list[list[int]], list[str], list[str]]:
    """Decks, and the words of a random game with their phases; most calls are passes."""
    decks, words, phases = [], [], []
    state = game.new_state(dealer=0)
    while state.outcome() is None:
        if state.needs_deal:
            decks.append(dice.sample(range(len(game.pack)), len(game.pack)))
            state.deal(decks[-1])
            continue
        legal = state.legal_words()
        calls = [word for word in legal if word != "pass"]
        word = dice.choice(calls if calls and dice.random() < 0.2 else legal[:1])
        if state.view(state.to_act)["phase"] == "play":
            word = dice.choice(legal)
        phases.append(state.view(state.to_act)["phase"])
        words.append(word)
        action = game.action(word)
        assert action is not None
        state.apply(action)
    return decks, words, phases


def seen_by(game: Game, sent: Sequence[bytes], decode: Any) -> set[str]:
    """Every card that the open hand's messages have shown to a seat."""
    last = decode(sent[-1])
    cards = {last["upcard"], *last["hand"], *(card for trick in last["tricks"] for _, card in trick)}
    if "discard" in last:
        cards.add(last["discard"])
    for data in reversed(sent[:-1]):  # what it held earlier in this hand
        message = decode(data)
        if message["type"] != "act" or message["hand_number"] != last["hand_number"]:
            break
        cards |= set(message["hand"])
    return cards


@pytest.mark.parametrize("encoding", ["msgpack", "json"])
@pytest.mark.parametrize(
    ("name", "rules", "phases"), GAMES, ids=lambda value: value if type(value) is str else None
)
def test_the_bytes_do_not_depend_on_what_a_seat_cannot_see(
    name: str, rules: Mapping[str, Any], phases: set[str], encoding: str
) -> None:
    game = get_game(name, rules)
    wire = codec(encoding)

    def decode(data: bytes) -> Map:
        return wire.decode(data[4:] if encoding == "msgpack" else data.rstrip(b"\n"))

    dice = random.Random(f"{name}{rules}")
    compared: Counter[str] = Counter()
    for _ in range(400):
        rare = min(sorted(phases), key=lambda phase: compared[phase])
        if compared[rare] >= LEAST:
            break
        decks, words, met = random_line(game, dice)
        places = [at for at, phase in enumerate(met) if phase == rare]
        if not places:
            continue
        upto = dice.choice(places)
        plain = Table(game, decks, iter(words[:upto]), None, 0)
        plain.play(encoding)
        eye, phase, hand = plain.asked[-1]
        plain = Table(game, decks, iter(words[:upto]), random.Random(1), eye)
        plain.play(encoding)
        known = seen_by(game, plain.sent[eye], decode)
        unseen = [at for at, card in enumerate(decks[hand]) if game.pack[card] not in known]
        for swap in range(SWAPS):
            order = unseen[:]
            dice.shuffle(order)
            other = list(decks[hand])
            for to, come in zip(unseen, order, strict=True):
                other[to] = decks[hand][come]
            if other == list(decks[hand]):
                continue
            changed = [*decks[:hand], other, *decks[hand + 1 :]]
            again = Table(game, changed, iter(words[:upto]), random.Random(swap + 2), eye)
            try:
                again.play(encoding)
            except LookupError:
                continue  # with these cards somebody could not have done what he did
            assert again.asked == plain.asked
            assert again.sent[eye] == plain.sent[eye], f"{phase}: {decode(plain.sent[eye][-1])}"
            compared[phase] += 1
    assert min(compared[phase] for phase in phases) >= LEAST, compared


def test_the_comparison_can_fail() -> None:
    """Other cards do change what the seat that holds them is sent, and nobody else."""
    game = get_game("north-american", {"hand_limit": 1})
    deck = list(range(24))
    swapped = [*deck[:5], *deck[21:24], *deck[8:21], *deck[5:8]]
    tables = [Table(game, [cards], iter(["pass", "pass"]), None, 3) for cards in (deck, swapped)]
    for table in tables:
        table.play()
    assert [tables[0].sent[seat] == tables[1].sent[seat] for seat in range(4)] == [True, True, False, True]


def test_no_other_seats_clock_is_sent() -> None:
    """A seat that thought long has a smaller bank; what the others are sent stays the same."""
    game = get_game("north-american", {"hand_limit": 2})
    decks, words, _ = random_line(game, random.Random(5))
    quick, slow = (Table(game, decks, iter(words), times, 0) for times in (None, random.Random(3)))
    quick.play()
    slow.play()
    assert quick.sent[0] == slow.sent[0]
    assert quick.sent[1] != slow.sent[1]
