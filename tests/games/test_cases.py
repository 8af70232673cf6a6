"""Every vector and every trace of tests/data/cases; CASES=DIR runs the same over another set."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.cards.notation import SUITS
from arena.cards.shuffle import shuffled
from arena.games.euchre.deals import pack_for
from arena.games.euchre.scoring import makers_points
from arena.games.euchre.tables import NO_TRUMP, PACK_25, STRENGTH, SUIT, TRUMPS
from arena.games.registry import game_ids, get_game

CASES = Path(os.environ.get("CASES") or Path(__file__).parents[1] / "data" / "cases")
EUCHRE = ("north-american", "british")


def vectors() -> Iterator[Any]:
    """The vectors of the games that are registered, of every edge_cases*.json."""
    for path in sorted(CASES.glob("edge_cases*.json")):
        for vector in json.loads(path.read_text())["vectors"]:
            if vector["rules"] in game_ids():
                yield pytest.param(vector, id=vector["id"])


def traces() -> list[Path]:
    return sorted(CASES.glob("traces_*.jsonl.gz"))


def test_there_are_cases() -> None:
    assert list(vectors())
    assert traces()


def suit_of(card: str, trump: str) -> str:
    return TRUMPS[SUIT[TRUMPS.index(trump)][PACK_25.index(card)]]


def plays(state: Any) -> list[str]:
    return [word.removeprefix("play:") for word in state.legal_words()]


def act(state: Any, *words: str) -> None:
    for word in words:
        action = state.game.action(word)
        assert action is not None, f"{word} is no action"
        state.apply(action)


def dealt(vector: Any, dealer: int, hands: Any = None, upcard: str | None = None, **more: Any) -> Any:
    """A state of the vector's game, dealt to order; `more` is further options, and `unseen` cards."""
    unseen = more.pop("unseen", ())
    game = get_game(vector["rules"], vector["options"] | more)
    state = game.new_state(dealer=dealer)
    state.deal(pack_for(game, dealer, hands or {}, upcard, unseen=unseen))
    return state


def into_play(vector: Any, trump: str, hands: Any, *, leader: int, out: Any = ()) -> Any:
    """A state in which `leader` is to lead with `trump` named in round 2, and the seats of `out` sit out.

    A seat whose one told card does not follow the lead holds nothing that does.
    """
    led = suit_of(hands[leader][0], trump)
    told = {card for cards in hands.values() for card in cards}
    void = [seat for seat, cards in hands.items() if all(suit_of(c, trump) != led for c in cards)]
    joker = "joker" if vector["rules"] == "british" else None
    free = [c for c in PACK_25 if c not in told and (joker or c != "JK")]
    upcard = next(c for c in free if c != "JK" and c[1] != trump and (c[1] != led or not void))
    free.remove(upcard)
    lead_cards = [c for c in free if suit_of(c, trump) == led]
    others = [c for c in free if suit_of(c, trump) != led]
    full = {seat: list(cards) for seat, cards in hands.items()}
    for seat in full:  # the void seats first: they can take no card of the suit led
        if seat in void:
            while len(full[seat]) < 5:
                full[seat].append(others.pop(0))
    while len(full[leader]) < 5 and lead_cards:
        full[leader].append(lead_cards.pop(0))
    options = {"lone_lead": "dealer_left"}
    if trump == "NT":
        options["no_trump"] = "round2"
    if len(out) == 2:
        options["defend_alone"] = "always"
    dealer = (leader - 1) % 4
    follow = [seat for seat in range(4) if seat not in void and seat != leader]
    for seat in range(4):
        if seat not in follow:
            continue
        cards = full.setdefault(seat, [])
        while len(cards) < 5:
            cards.append((lead_cards or others).pop(0))
    state = dealt(vector, dealer, full, upcard, **options)
    act(state, "pass", "pass", "pass", "pass")
    maker = (out[0] + 2) % 4 if out else state.to_act
    while state.to_act != maker:
        act(state, "pass")
    act(state, f"name:{trump}" + (":alone" if out else ""))
    while state.phase == "defend":
        act(state, "defend_alone" if (state.to_act + 2) % 4 in out else "defend_together")
    assert state.to_act == leader
    return state


# --- one function a kind: it gives what the engine does, in the shape of `expected`


def deck(vector: Any, setup: Any) -> Any:
    game = get_game(vector["rules"], vector["options"])
    state = game.new_state()
    state.deal(shuffled(b"deck", len(game.pack)))
    shown = state.reveal()
    in_hands = [len(hand) for hand in shown["hands"]]
    expected = vector["expected"]
    assert all(card in game.pack for card in expected["has"])
    assert not any(card in game.pack for card in expected["has_not"])
    return expected | {
        "size": len(game.pack),
        "per_suit": sum(card.endswith("H") for card in game.pack),
        "dealt_each": in_hands[0],
        "turned_up": 1,
        "unseen": len(game.pack) - sum(in_hands) - 1,
    }


def rank_order(vector: Any, setup: Any) -> Any:
    trump = TRUMPS.index(setup["trump"])
    game = get_game(vector["rules"], vector["options"])
    cards = [c for c in range(len(game.pack)) if TRUMPS[SUIT[trump][c]] == setup["suit"]]
    cards.sort(key=lambda card: STRENGTH[trump][card], reverse=True)
    return {"high_to_low": [PACK_25[card] for card in cards]}


def effective_suit(vector: Any, setup: Any) -> Any:
    return {"suit": suit_of(setup["card"], setup["trump"])}


def trick_winner(vector: Any, setup: Any) -> Any:
    order = [seat for seat, _ in setup["plays"]]
    out = [seat for seat in range(4) if seat not in order]
    hands = {seat: [card] for seat, card in setup["plays"]}
    state = into_play(vector, setup["trump"], hands, leader=order[0], out=out)
    for seat, card in setup["plays"]:
        assert state.to_act == seat
        act(state, f"play:{card}")
    return {"winner": state.to_act, "card": dict(setup["plays"])[state.to_act]}


def legal_plays(vector: Any, setup: Any) -> Any:
    hands = {0: [setup["led"]], 1: setup["hand"]}
    state = into_play(vector, setup["trump"], hands, leader=0)
    act(state, f"play:{setup['led']}")
    legal = set(plays(state))
    return {"legal": [card for card in setup["hand"] if card in legal]}


def legal_calls(vector: Any, setup: Any) -> Any:
    dealer, calls = setup["dealer"], setup["calls"]
    hands = {}
    if "hand" in setup:
        hands[(dealer + 1 + len(calls)) % 4] = setup["hand"]
    state = dealt(vector, dealer, hands, setup["upcard"])
    act(state, *calls)
    return {"seat": state.to_act, "legal": state.legal_words()}


def all_pass(vector: Any, setup: Any) -> Any:
    state = dealt(vector, setup["dealer"], upcard=setup.get("upcard", "9H"))
    act(state, *setup["calls"])
    hand = state.last_hand
    assert state.needs_deal
    return {
        "points_by_team": list(hand.points),
        "next_dealer": state.dealer,
        "thrown_in": hand.thrown_in,
    }


def order_up(state: Any, maker: int, *, alone: bool = False) -> None:
    """Have `maker` fix trumps: the joker's turner, or by ordering up, or in round 2 if he may not."""
    if state.phase == "joker_name":
        assert maker == state.to_act
        act(state, "name:H:alone" if alone else "name:H")
        return
    while state.to_act is not None:
        words = [w for w in state.legal_words() if w.endswith("alone") == alone and w != "pass"]
        if state.to_act == maker and words:
            act(state, words[0])
            return
        act(state, "pass")


def discard(vector: Any, setup: Any) -> Any:
    dealer = setup["dealer"]
    state = dealt(vector, dealer, {dealer: setup["dealer_hand"]}, setup["upcard"])
    order_up(state, setup["maker"], alone=setup.get("alone", False))
    assert state.phase == "discard"
    return {"seat": state.to_act, "legal": [w.removeprefix("discard:") for w in state.legal_words()]}


def after_call(vector: Any, setup: Any) -> Any:
    dealer = setup["dealer"]
    state = dealt(vector, dealer, upcard=setup["upcard"])
    act(state, *setup["calls"])
    view = state.view(dealer)
    return {
        "maker": view["maker"],
        "trump": view["trump"],
        "alone": view["maker"] in view["alone"],
        "next_seat": state.to_act,
        "next_phase": view["phase"],
        "dealer_cards": len(view["hand"]),
    }


def first_leader(vector: Any, setup: Any) -> Any:
    state = dealt(vector, setup["dealer"], upcard=setup.get("upcard", "9H"))
    order_up(state, setup["maker"], alone=setup.get("alone", False))
    while state.phase != "play":
        if state.phase == "defend":
            lone = setup.get("lone_defender") == state.to_act
            act(state, "defend_alone" if lone else "defend_together")
        else:
            state.apply(state.legal()[0])
    leader = state.to_act
    for _ in range(4):
        if not any(state.view(0)["won"]):
            state.apply(state.legal()[0])
    played = {seat for seat, _ in state.view(0)["tricks"][0]}
    return {"leader": leader, "sits_out": sorted({0, 1, 2, 3} - played)}


def score_hand(vector: Any, setup: Any) -> Any:
    game = get_game(vector["rules"], vector["options"])
    side = setup["maker"] % 2
    points = makers_points(
        game.rules,
        setup["tricks_by_team"][side],
        alone=setup.get("alone", False),
        lone_defender=setup.get("lone_defender") not in (None, False),
    )
    by_team = [0, 0]
    by_team[side if points > 0 else 1 - side] = abs(points)
    return {"points_by_team": by_team}


def game_end(vector: Any, setup: Any) -> Any:
    game = get_game(vector["rules"], vector["options"])
    wanted = tuple(setup["points_by_team"])
    for n in range(20_000):
        state = game.new_state(dealer=n % 4, scores=setup["scores_before"])
        state.deal(shuffled(n.to_bytes(4, "big"), len(game.pack)))
        picks = iter(shuffled(b"picks%d" % n, 60))
        while state.to_act is not None:
            legal = state.legal()
            state.apply(legal[next(picks) % len(legal)])
        if state.last_hand is not None and state.last_hand.points == wanted:
            outcome = state.outcome()
            return {"scores": list(state.scores), "winner": outcome.winner if outcome else None}
    raise AssertionError(f"found no hand that scores {wanted}")


def next_dealer(vector: Any, setup: Any) -> Any:
    state = dealt(vector, setup["dealer"])
    while state.to_act is not None:
        state.apply(state.legal()[-1])
    return {"dealer": state.dealer}


def farmers_hand(vector: Any, setup: Any) -> Any:
    state = dealt(vector, 0, {2: setup["hand"]})
    hand = state.last_hand
    return {"eligible": hand is not None and hand.facts["redealt"]}


def visibility(vector: Any, setup: Any) -> Any:
    state = dealt(vector, setup["dealer"], upcard=setup["upcard"])
    for _ in range(4):
        if state.phase != setup["phase"]:
            state.apply(state.legal()[-1])
    assert state.phase == setup["phase"]
    return {"own_hand_visible": bool(state.view(setup["seat"])["hand"])}


KINDS: dict[str, Callable[[Any, Any], Any]] = {
    check.__name__: check
    for check in (
        deck,
        rank_order,
        effective_suit,
        trick_winner,
        legal_plays,
        legal_calls,
        all_pass,
        discard,
        after_call,
        first_leader,
        score_hand,
        game_end,
        next_dealer,
        farmers_hand,
        visibility,
    )
}


def comparable(expected: Any) -> Any:
    """Lists under `legal` are sets."""
    return {k: sorted(v) if k == "legal" else v for k, v in expected.items()}


@pytest.mark.parametrize("vector", list(vectors()))
def test_vector(vector: Any) -> None:
    if vector["rules"] not in EUCHRE or vector["kind"] not in KINDS:
        pytest.fail(f"no test for vectors of kind `{vector['kind']}` of {vector['rules']}")
    got = KINDS[vector["kind"]](vector, vector["setup"])
    assert comparable(got) == comparable(vector["expected"]), vector["reason"]


def read_trace(path: Path) -> Iterable[Any]:
    with gzip.open(path, "rt") as lines:
        yield from map(json.loads, lines)


@pytest.mark.parametrize("path", traces(), ids=lambda path: path.name)
def test_trace(path: Path) -> None:
    games: dict[tuple[bool, bool], Any] = {}
    hands = 0
    for trace in read_trace(path):
        params = trace["params"]
        key = (params["stick_the_dealer"], params["allow_lone_defender"])
        if key not in games:
            games[key] = get_game(
                "north-american",
                {
                    "may_discard_upcard": False,
                    "lone_lead": "dealer_left",
                    "lone_short": "one",
                    "super_euchre": False,
                    "stick_the_dealer": key[0],
                    "defend_alone": "always" if key[1] else "off",
                },
            )
        follow(games[key], trace)
        hands += 1
    assert hands


def follow(game: Any, trace: Any) -> None:
    """Play one traced hand, comparing everything that the trace says."""
    where = trace["id"]
    dealer = trace["dealer"]
    state = game.new_state(dealer=dealer)
    hands = dict(enumerate(trace["hands"]))
    state.deal(pack_for(game, dealer, hands, trace["upcard"], unseen=trace["rest"]))
    won: list[int] = []
    for number, (seat, phase, legal, chosen) in enumerate(trace["decisions"]):
        at = f"{where}, decision {number}"
        assert state.to_act == seat, at
        assert state.phase == phase, at
        assert set(state.legal_words()) == set(legal), at
        view = state.view(seat)
        if phase == "play" and len(won) < sum(view["won"]):
            won.append(seat)  # the winner leads
        act(state, chosen)
    assert state.to_act is None, where
    hand = state.last_hand
    assert list(hand.points) == trace["points_by_team"], where
    facts = hand.facts
    assert facts["maker"] == trace["maker"], where
    assert facts["trump"] == trace["trump"], where
    if trace["maker"] is not None:
        assert facts["alone"] == trace["alone"], where
        assert facts["lone_defender"] == trace["lone_defender"], where
        assert facts["tricks"] == trace["tricks_by_team"], where
        assert won == trace["trick_winners"][:4], where
    points = hand.points
    assert trace["returns"] == [points[s % 2] - points[1 - s % 2] for s in range(4)], where


def test_tables_know_no_other_trump() -> None:
    assert TRUMPS[NO_TRUMP] == "NT"
    assert "".join(TRUMPS[:4]) == SUITS
