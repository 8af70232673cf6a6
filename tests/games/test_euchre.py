"""Euchre's own rules: options, what is seen, scores, ends."""

from __future__ import annotations

import json
from typing import Any

import pytest

from arena.cards.shuffle import shuffled
from arena.games.base import IllegalAction, Outcome
from arena.games.euchre.deals import pack_for
from arena.games.euchre.scoring import makers_points
from arena.games.registry import get_game

VIEW_KEYS = {
    "game",
    "rules",
    "phase",
    "hand_number",
    "seat",
    "dealer",
    "scores",
    "hand",
    "upcard",
    "calls",
    "trump",
    "maker",
    "alone",
    "tricks",
    "won",
}


def deal(rules: Any, hands: Any, upcard: str, *, game_id: str = "north-american", **start: Any) -> Any:
    game = get_game(game_id, rules)
    state = game.new_state(**start)
    state.deal(pack_for(game, state.dealer, hands, upcard))
    return state


def act(state: Any, *words: str) -> None:
    for word in words:
        state.apply(state.game.action(word))


def finish(state: Any) -> None:
    while state.to_act is not None:
        state.apply(state.legal()[0])


class TestView:
    def test_keys(self) -> None:
        state = deal({}, {0: ["9C", "TC", "JC", "QC", "KC"]}, "AC")
        while state.to_act is not None:
            for seat in range(4):
                view = state.view(seat)
                discarded = view["phase"] == "play" and seat == 0
                assert set(view) == (VIEW_KEYS | {"discard"} if discarded else VIEW_KEYS)
                assert json.loads(json.dumps(view)) == view
            state.apply(state.legal()[1] if state.phase == "bid1" else state.legal()[0])

    def test_whole(self) -> None:
        hands = {1: ["9H", "TH", "JH", "QH", "KH"], 0: ["9C", "TC", "JC", "QC", "KC"]}
        state = deal({"target": 15}, hands, "AC", scores=(3, 7), hand_number=5)
        act(state, "pass", "pass", "order_up_alone", "discard:9C", "play:9D")
        assert state.view(0) == {
            "game": "north-american",
            "rules": {"target": 15},
            "phase": "play",
            "hand_number": 5,
            "seat": 0,
            "dealer": 0,
            "scores": [3, 7],
            "hand": ["TC", "JC", "QC", "KC", "AC"],
            "upcard": "AC",
            "calls": ["pass", "pass", "order_up_alone"],
            "trump": "C",
            "maker": 3,
            "alone": [3],
            "tricks": [[[2, "9D"]]],
            "won": [0, 0],
            "discard": "9C",
        }
        assert state.to_act == 3
        assert "discard" not in state.view(1)

    def test_joker_turned_the_dealer_is_not_shown_his_hand(self) -> None:
        hand = ["9C", "TC", "JC", "QC", "KC"]
        state = deal({}, {2: hand}, "JK", game_id="british", dealer=2)
        assert (state.to_act, state.phase) == (2, "joker_name")
        assert state.legal_words() == ["name:C", "name:D", "name:H", "name:S"]
        assert state.view(2)["hand"] == []
        assert len(state.view(0)["hand"]) == 5
        act(state, "name:S")
        view = state.view(2)
        assert view["hand"] == [*hand, "JK"]
        assert (view["phase"], view["calls"], view["maker"], view["alone"]) == ("discard", ["name:S"], 2, [])
        act(state, "discard:JK")
        assert state.view(2)["discard"] == "JK"
        assert state.to_act == 3

    def test_joker_turned_in_the_north_american_game(self) -> None:
        state = deal({"joker": True, "joker_up_alone": "blind"}, {}, "JK")
        assert (state.to_act, state.phase, len(state.legal())) == (0, "joker_name", 8)
        act(state, "name:H:alone")
        assert state.view(1)["alone"] == [0]
        act(state, state.legal_words()[0])
        assert state.to_act == 1
        assert state.sits_out == 0b0100

    def test_not_between_hands(self) -> None:
        state = get_game().new_state()
        with pytest.raises(ValueError, match="no hand"):
            state.view(0)
        with pytest.raises(ValueError, match="no hand"):
            state.reveal()


class TestOptions:
    def test_lone_defender_sits_his_partner_down_and_is_shown(self) -> None:
        state = deal({"defend_alone": "always"}, {}, "AC")
        act(state, "order_up", "discard:AC")
        assert (state.to_act, state.phase) == (2, "defend")
        assert state.legal_words() == ["defend_together", "defend_alone"]
        act(state, "defend_together")
        assert state.to_act == 0
        act(state, "defend_alone")
        assert state.view(1)["alone"] == [0]
        assert state.view(1)["calls"] == ["order_up"]
        asked = []
        while not any(state.view(1)["won"]):
            asked.append(state.to_act)
            state.apply(state.legal()[0])
        assert asked == [1, 3, 0]

    def test_vs_lone_asks_only_against_a_lone_maker(self) -> None:
        state = deal({"defend_alone": "vs_lone"}, {}, "AC")
        act(state, "order_up", "discard:AC")
        assert state.phase == "play"

    def test_maker_left_skips_the_lone_defenders_partner(self) -> None:
        state = deal({"defend_alone": "vs_lone", "lone_lead": "maker_left"}, {}, "AC", dealer=3)
        act(state, "pass", "order_up_alone", "discard:AC", "defend_alone")
        assert state.view(0)["alone"] == [1, 0]
        assert state.to_act == 0  # maker 1; 2 sits out for his partner 0, 3 for the maker

    def test_farmers_hand(self) -> None:
        farmer = {3: ["9C", "9D", "TH", "TS", "9H"]}
        state = deal({"farmers_hand": "redeal"}, farmer, "AC", dealer=2)
        hand = state.last_hand
        assert state.needs_deal
        assert (state.dealer, state.hand_number, state.scores) == (2, 1, (0, 0))
        assert (hand.number, hand.thrown_in, hand.points) == (0, True, (0, 0))
        assert hand.facts["redealt"]
        assert hand.facts["maker"] is None
        assert state.reveal()["hand_number"] == 0
        assert deal({}, farmer, "AC").phase == "bid1"

    def test_farmers_hand_counts_for_the_hand_limit(self) -> None:
        farmer = {3: ["9C", "9D", "TH", "TS", "9H"]}
        state = deal({"farmers_hand": "redeal", "hand_limit": 1}, farmer, "AC", scores=(1, 0))
        assert state.outcome() == Outcome((1, 0), 0, "hand_limit")
        assert not state.needs_deal

    def test_trump_to_call(self) -> None:
        rules = {"trump_to_call": "natural"}
        left_alone = {1: ["JS", "9D", "TD", "9H", "TH"]}
        assert deal(rules, left_alone, "AC").legal_words() == ["pass"]
        assert deal(rules, {1: ["JC", "9D", "TD", "9H", "TH"]}, "AC").legal_words() != ["pass"]
        benny = deal(rules, {1: ["JK", "9D", "TD", "9H", "TH"]}, "AC", game_id="british")
        assert len(benny.legal()) == 3

    def test_trump_to_call_exempts_a_stuck_dealer_who_could_do_nothing(self) -> None:
        rules = {"trump_to_call": "natural", "stick_the_dealer": True}
        hand = {0: ["9C", "TC", "QC", "KC", "AC"]}
        state = deal(rules, hand, "JC")
        act(state, *["pass"] * 7)
        assert state.to_act == 0
        assert [w for w in state.legal_words() if not w.endswith("alone")] == ["name:D", "name:H", "name:S"]

    def test_no_trump_has_no_bowers(self) -> None:
        hands = {1: ["JC", "9S", "TS", "QS", "KS"], 2: ["9C", "JS", "AD", "AH", "KH"]}
        state = deal({"no_trump": "round2"}, hands, "TH")
        act(state, *["pass"] * 4, "name:NT")
        assert state.view(0)["trump"] == "NT"
        act(state, "play:JC")
        assert state.legal_words() == ["play:9C"]

    def test_same_dealer(self) -> None:
        for rules, dealer in (({}, 3), ({"all_pass": "same_dealer"}, 2)):
            state = deal(rules, {}, "AC", dealer=2)
            finish(state)
            assert (state.dealer, state.hand_number) == (dealer, 1)
            assert state.last_hand.thrown_in
            assert not state.last_hand.facts["redealt"]


@pytest.mark.parametrize(
    ("rules", "tricks", "alone", "lone_defender", "points"),
    [
        ({}, 4, True, False, 1),
        ({}, 5, True, False, 4),
        ({}, 0, True, True, -4),
        ({}, 2, False, True, -4),
        ({}, 5, False, True, 2),
        ({"lone_march_points": 3}, 5, True, False, 3),
        ({"lone_march_points": 5, "lone_doubles_all": True}, 5, True, False, 5),
        ({"lone_march_points": 3, "lone_doubles_all": True}, 5, True, False, 4),
        ({"lone_doubles_all": True}, 3, True, False, 2),
        ({"lone_doubles_all": True}, 3, False, False, 1),
        ({"lone_doubles_all": True}, 2, True, False, -4),
        ({"lone_doubles_all": True, "super_euchre": True, "lone_euchre_points": 4}, 0, True, True, -4),
        ({"lone_short": "euchre"}, 4, True, False, -2),
        ({"lone_short": "euchre"}, 4, False, False, 1),
        ({"lone_short": "euchre", "lone_euchre_points": 4}, 3, True, False, -4),
        ({"lone_short": "euchre", "super_euchre": True}, 3, True, False, -2),
        ({"lone_short": "euchre"}, 4, True, True, -4),
        ({"super_euchre": True}, 0, False, False, -4),
        ({"super_euchre": True}, 1, False, False, -2),
    ],
)
def test_points(rules: dict[str, Any], tricks: int, alone: bool, lone_defender: bool, points: int) -> None:
    game = get_game("north-american", rules)
    assert makers_points(game.rules, tricks, alone=alone, lone_defender=lone_defender) == points


class TestEnds:
    def test_hand_limit(self) -> None:
        for scores, winner in (((2, 2), None), ((2, 1), 0), ((0, 1), 1)):
            state = deal({"hand_limit": 3}, {}, "AC", scores=scores, hand_number=2)
            finish(state)
            assert state.outcome() == Outcome(scores, winner, "hand_limit")
            assert (state.dealer, state.hand_number, state.needs_deal) == (0, 2, False)

    def test_target_in_the_last_hand_is_the_reason(self) -> None:
        state = deal({"hand_limit": 1, "target": 1}, {}, "AC")
        act(state, "order_up")
        finish(state)
        outcome = state.outcome()
        assert outcome is not None
        assert outcome.reason == "target"
        with pytest.raises(IllegalAction):
            state.apply(0)

    @pytest.mark.parametrize(
        "start",
        [
            {"dealer": 4},
            {"dealer": -1},
            {"scores": (10, 0)},
            {"scores": (-1, 0)},
            {"scores": (0, 0, 0)},
            {"hand_number": 200},
            {"hand_number": -1},
        ],
    )
    def test_no_such_start(self, start: dict[str, Any]) -> None:
        with pytest.raises(ValueError, match="expected"):
            get_game().new_state(**start)

    def test_last_hand_stays_while_the_next_is_played(self) -> None:
        state = deal({}, {}, "AC")
        act(state, "order_up")
        finish(state)
        last = state.last_hand
        state.deal(shuffled(b"next", 24))
        assert state.last_hand == last
        assert state.reveal()["hand_number"] == 1


class TestPackFor:
    def test_fills_up(self) -> None:
        game = get_game("british")
        pack = pack_for(game, 3, {1: ["JK", "9C"], 3: ["AS"]}, "TD", unseen=["KS", "QS"])
        state = game.new_state(dealer=3)
        state.deal(pack)
        shown = state.reveal()
        assert shown["upcard"] == "TD"
        assert {"JK", "9C"} < set(shown["hands"][1])
        assert "AS" in shown["hands"][3]
        assert not {"KS", "QS"} & {card for hand in shown["hands"] for card in hand}

    @pytest.mark.parametrize(
        ("hands", "upcard", "message"),
        [
            ({0: ["9C", "TC", "JC", "QC", "KC", "AC"]}, None, "at most 5"),
            ({0: ["9C"], 1: ["9C"]}, None, "there twice"),
            ({0: ["JK"]}, None, "not a card of this game's pack"),
            ({0: ["9C"]}, "9C", "there twice"),
        ],
    )
    def test_refuses(self, hands: Any, upcard: str | None, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            pack_for(get_game(), 0, hands, upcard)
