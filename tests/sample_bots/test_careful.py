"""`careful`: sensible answers in positions that every club player knows, and its strength."""

from __future__ import annotations

import hashlib
import importlib.util
import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from arena.games.base import Game, HandResult, State
from arena.games.registry import get_game
from protocol import View, effective_suit, follow_suit

BOTS = Path(__file__).parents[2] / "sample_bots"
Chooser = Callable[[View], str]


def load(path: Path, name: str) -> ModuleType:
    """A module of a bot's folder, under a name of its own and without touching sys.path."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def careful() -> Iterator[ModuleType]:
    yield load(BOTS / "careful" / "strategy.py", "careful_strategy_under_test")
    del sys.modules["careful_strategy_under_test"]


# --- Positions


def request(phase: str, hand: str, legal: str = "", **changes: Any) -> View:
    """A request to seat 0, dealer 3, nothing scored; `legal` left out follows from phase and cards."""
    message: dict[str, Any] = {
        "type": "act", "id": 1, "game": "north-american", "rules": {}, "phase": phase, "hand_number": 0,
        "seat": 0, "dealer": 3, "scores": [0, 0], "hand": hand.split(), "upcard": "9H", "calls": [],
        "trump": None, "maker": None, "alone": [], "tricks": [], "won": [0, 0], "time_ms": 1000,
    }  # fmt: skip
    message.update(changes)
    if legal:
        words = legal.split()
    elif phase == "bid1":
        words = ["pass", "order_up", "order_up_alone"]
    elif phase == "bid2":
        suits = [suit for suit in "CDHS" if suit != message["upcard"][1]]
        words = ["pass", *(f"name:{suit}{lone}" for suit in suits for lone in ("", ":alone"))]
    elif phase == "discard":
        words = [f"discard:{card}" for card in message["hand"]]
    else:
        trick = message["tricks"][-1] if message["tricks"] and len(message["tricks"][-1]) < 4 else []
        led = effective_suit(trick[0][1], message["trump"]) if trick else None
        words = [f"play:{card}" for card in follow_suit(message["hand"], led, message["trump"])]
    return View(message | {"legal": words})


def trick(text: str) -> list[list[Any]]:
    """`1:9C 2:AC` as a trick of the wire."""
    return [[int(play[0]), play[2:]] for play in text.split()]


HEARTS: dict[str, Any] = {"trump": "H", "calls": ["pass", "pass", "pass", "pass", "name:H"], "upcard": "9S"}
"""Hearts made in round 2, the nine of spades turned down."""
TAKEN: dict[str, Any] = {"trump": "H", "calls": ["order_up"], "upcard": "9H"}
"""Hearts ordered up by seat 0; the dealer, seat 3, took the nine."""
DEALERS: dict[str, Any] = {"trump": "H", "maker": 0, "calls": ["pass", "pass", "pass", "order_up"]}
"""Hearts taken up by seat 0, who deals."""

POSITIONS = {
    "both bowers and an ace: ordered up": (request("bid1", "JH JD 9H AS 9C"), "order_up"),
    "nothing: pass": (request("bid1", "9C TC 9D TS QS"), "pass"),
    "one bower and rubbish: pass": (request("bid1", "JH 9C TC 9S TD"), "pass"),
    "the dealer counts the upcard": (
        request("bid1", "JD KH 9C AS TS", dealer=0, calls=["pass"] * 3, upcard="AH"),
        "order_up",
    ),
    "a bower is not ordered into an opponent's hand": (
        request("bid1", "AH KH 9H 9C TS", upcard="JH"),
        "pass",
    ),
    "a bower is ordered into partner's hand": (
        request("bid1", "AH KH 9H AC 9C", upcard="JH", dealer=2, calls=["pass"]),
        "order_up",
    ),
    "alone with the four highest trumps and an ace": (request("bid1", "JH JD AH KH AS"), "order_up_alone"),
    "not alone without the highest trump": (request("bid1", "JD AH KH QH AS"), "order_up"),
    "not alone with three small trumps": (request("bid1", "AH TH 9H AS KS", upcard="KH"), "order_up"),
    "not alone with two points to go": (
        request("bid1", "JH JD AH KH AS", scores=[8, 4]),
        "order_up",
    ),
    "not alone where the partner may not be left out": (
        request("bid1", "JH JD AH KH AS", legal="pass order_up"),
        "order_up",
    ),
    "dealer's partner may only go alone, and would not": (
        request("bid1", "JH KH 9H AS 9C", legal="pass order_up_alone", dealer=2, calls=["pass"]),
        "pass",
    ),
    "round 2: the suit with both bowers": (
        request("bid2", "JS JC AS 9D TD", calls=["pass"] * 4),
        "name:S",
    ),
    "round 2: the left bower counts as a trump": (
        request("bid2", "JC AS KS QS 9D", calls=["pass"] * 4),
        "name:S",
    ),
    "round 2: alone": (request("bid2", "JS JC AS KS AD", calls=["pass"] * 4), "name:S:alone"),
    "round 2: nothing": (request("bid2", "9C TC QD 9D TS", calls=["pass"] * 4), "pass"),
    "the dealer is stuck, and names his best": (
        request(
            "bid2", "9C TC AC 9D TS", dealer=0, calls=["pass"] * 7, rules={"stick_the_dealer": True},
            legal="name:C name:C:alone name:D name:D:alone name:S name:S:alone",
        ),
        "name:C",
    ),
    "no trump with four aces": (
        request(
            "bid2", "AC AD AS AH KH", calls=["pass"] * 4, rules={"no_trump": "round2"}, scores=[8, 0],
            legal="pass name:C name:C:alone name:D name:D:alone name:S name:S:alone name:NT name:NT:alone",
        ),
        "name:NT",
    ),
    "discards to be void": (
        request("discard", "JH AH 9H AS KS 9C", dealer=0, **DEALERS),
        "discard:9C",
    ),
    "discards a low card rather than an ace": (
        request("discard", "JH AH 9H AS TC QC", dealer=0, **DEALERS),
        "discard:TC",
    ),
    "the maker leads trumps": (request("play", "JH JD 9H AS 9C", maker=0, **TAKEN), "play:JH"),
    "the left bower is led after the right has gone": (
        request("play", "JD AH AS 9C", maker=0, won=[1, 0], tricks=[trick("0:JH 1:TH 2:QH 3:9H")], **TAKEN),
        "play:JD",
    ),
    "the maker's partner leads his best trump": (
        request("play", "KH 9H AS 9C TC", maker=2, **HEARTS),
        "play:KH",
    ),
    "a defender leads an ace": (request("play", "AC 9C TD QD 9H", maker=1, **HEARTS), "play:AC"),
    "partner's ace is not trumped": (
        request("play", "9H KH QC TC TS", maker=1, tricks=[trick("2:AD 3:TD")], **HEARTS),
        "play:TS",
    ),
    "an opponent's ace is trumped, as low as it goes": (
        request("play", "9H KH QC TS KS", maker=0, tricks=[trick("3:AD")], **HEARTS),
        "play:9H",
    ),
    "last to play, wins as cheaply as it can": (
        request("play", "AC QC 9D TS KS", maker=1, tricks=[trick("1:TC 2:9C 3:JC")], **HEARTS),
        "play:QC",
    ),
    "last to play, partner wins: the lowest": (
        request("play", "AC QC 9D TS KS", maker=1, tricks=[trick("1:TC 2:KC 3:9C")], **HEARTS),
        "play:QC",
    ),
    "cannot win: throws the lowest of the suit": (
        request("play", "KC QC 9D TS KS", maker=1, tricks=[trick("1:AC 2:9C 3:TC")], **HEARTS),
        "play:QC",
    ),
    "overruffs": (
        request("play", "TH KH QC TS KS", maker=1, tricks=[trick("1:AD 2:TD 3:9H")], **HEARTS),
        "play:TH",
    ),
    "throws off a lone low card, to ruff later": (
        request("play", "9H TC 9S KS", maker=1, won=[1, 0],
                tricks=[trick("3:TD 0:9D 1:QD 2:KD"), trick("2:AD 3:9C")], **HEARTS),
        "play:TC",
    ),
    "the left bower follows trumps": (
        request("play", "JD AD 9C TS KS", maker=1, tricks=[trick("1:AH 2:9H 3:TH")], **HEARTS),
        "play:JD",
    ),
    "defends alone only with the high trumps": (
        request("defend", "JH 9H AS 9C TC", legal="defend_alone defend_together", maker=1, **HEARTS),
        "defend_together",
    ),
    "British: the joker is the highest trump, and is led": (
        request("play", "JK JD 9H AS 9C", game="british", maker=0, **TAKEN),
        "play:JK",
    ),
    "British: the right bower is not high while the joker is out": (
        request("bid1", "JH JD AH KH 9C", game="british", scores=[0, 10]),
        "order_up",
    ),
    "British: joker and both bowers go alone": (
        request("bid1", "JK JH JD AH AS", game="british"),
        "order_up_alone",
    ),
    "British: the turned joker is never named alone": (
        request(
            "joker_name", "", game="british", dealer=0, upcard="JK", rules={"joker_up_alone": "blind"},
            legal="name:C name:C:alone name:D name:D:alone name:H name:H:alone name:S name:S:alone",
        ),
        "name:S",
    ),
    "British: the joker is kept": (
        request("discard", "AC KC 9D TD 9S JK", game="british", trump="S", maker=0, dealer=0, upcard="JK",
                calls=["name:S"]),
        "discard:9D",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", POSITIONS)
def test_plays_sensibly(careful: ModuleType, name: str) -> None:
    view, expected = POSITIONS[name]
    assert careful.choose(view) == expected


# --- Strength


def random_play(view: View) -> str:
    """Any legal action, by a hash of the request."""
    known = (view.hand_number, view.phase, view["calls"], view.hand, view.tricks)
    return view.legal[hashlib.sha256(repr(known).encode()).digest()[0] % len(view.legal)]


def decide(game: Game, state: State, teams: tuple[Chooser, Chooser], pair: int) -> None:
    """The next thing in a game on the decks of `pair`: a deal, or the decision of a seat."""
    if state.needs_deal:
        label = f"{game.id}|{pair}|{state.hand_number}|"
        cards = range(len(game.pack))
        state.deal(sorted(cards, key=lambda card: hashlib.sha256(f"{label}{card}".encode()).digest()))
        return
    seat = state.to_act
    assert seat is not None
    view = View(state.view(seat) | {"legal": state.legal_words()})
    action = game.action(teams[game.team_of(seat)](view))
    assert action is not None
    state.apply(action)


def leg(game: Game, teams: tuple[Chooser, Chooser], pair: int) -> float:
    """The score of team 0 in one game on the decks of `pair`."""
    state = game.new_state(dealer=pair % 4)
    while (outcome := state.outcome()) is None:
        decide(game, state, teams, pair)
    return {0: 1.0, 1: 0.0, None: 0.5}[outcome.winner]


def hands(game: Game, chooser: Chooser, pair: int) -> Iterator[HandResult]:
    """The hands of a game of one bot against itself."""
    state = game.new_state(dealer=pair % 4)
    ended = -1
    while state.outcome() is None:
        decide(game, state, (chooser, chooser), pair)
        hand = state.last_hand
        if hand is not None and hand.number > ended:
            ended = hand.number
            yield hand


def pair_scores(game: Game, a: Chooser, b: Chooser, pairs: int) -> list[float]:
    """A's score in each duplicate pair: 0, 1/2 or 1 (a game has no draw here)."""
    return [(leg(game, (a, b), pair) + 1 - leg(game, (b, a), pair)) / 2 for pair in range(pairs)]


def elo_low(scores: list[float]) -> float:
    """The lower end of the 95 % interval of the rating difference, pairs as the unit."""
    n = len(scores)
    mean = sum(scores) / n
    variance = sum((score - mean) ** 2 for score in scores) / (n - 1)
    low = mean - 1.96 * math.sqrt(variance / n)
    return -400 * math.log10(1 / low - 1)


@pytest.mark.slow
@pytest.mark.parametrize("game_id", ["north-american", "british"])
def test_beats_random(careful: ModuleType, game_id: str) -> None:
    scores = pair_scores(get_game(game_id), careful.choose, random_play, 60)
    decided = [score for score in scores if score != 0.5]
    assert len(decided) >= 40
    assert sum(decided) >= 0.95 * len(decided)


@pytest.mark.slow
@pytest.mark.parametrize("game_id", ["north-american", "british"])
def test_beats_greedy(careful: ModuleType, game_id: str) -> None:
    greedy = load(BOTS / "greedy" / "bot.py", "greedy_under_test").Greedy()
    assert elo_low(pair_scores(get_game(game_id), careful.choose, greedy.choose, 150)) > 150


@pytest.mark.slow
def test_goes_alone_now_and_then_and_not_in_vain(careful: ModuleType) -> None:
    """Bots that go alone too eagerly are what people who play euchre complain of most."""
    alone = marches = euchred = calls = 0
    for pair in range(60):
        for hand in hands(get_game("north-american"), careful.choose, pair):
            if hand.thrown_in:
                continue
            calls += 1
            if hand.facts["alone"]:
                alone += 1
                marches += hand.facts["march"]
                euchred += hand.facts["euchred"]
    assert 0.04 <= alone / calls <= 0.14
    assert marches >= 0.4 * alone
    assert euchred <= 0.05 * alone


@pytest.mark.slow
@pytest.mark.parametrize(
    "rules",
    [
        {"no_trump": "round2", "stick_the_dealer": True, "defend_alone": "always"},
        {"joker": True, "joker_up_alone": "blind", "may_discard_upcard": False, "lone_short": "euchre"},
        {"dealer_partner_order_up": "alone_only", "trump_to_call": "natural", "farmers_hand": "redeal"},
        {"dealer_partner_order_up": "forbidden", "defend_alone": "vs_lone", "target": 15},
    ],
    ids=lambda rules: ",".join(rules),
)
def test_plays_every_option_and_still_wins(careful: ModuleType, rules: dict[str, Any]) -> None:
    scores = pair_scores(get_game("north-american", rules), careful.choose, random_play, 20)
    assert sum(scores) >= 18
