"""Every registered game, under many sets of rules, passes the conformance kit."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.games import conformance as kit
from arena.games.base import RuleError
from arena.games.registry import game_ids, game_info, get_game

RULE_SETS: dict[str, list[dict[str, Any]]] = {
    "north-american": [
        {},
        {"stick_the_dealer": True, "defend_alone": "always", "may_discard_upcard": False},
        {"joker": True, "joker_up_alone": "blind", "lone_lead": "maker_left", "defend_alone": "vs_lone"},
        {"no_trump": "round2", "trump_to_call": "natural", "farmers_hand": "redeal", "hand_limit": 7},
    ],
    "british": [
        {},
        {"joker": False, "dealer_partner_order_up": "alone_only", "lone_short": "euchre", "target": 5},
        {"joker_up_alone": "blind", "dealer_partner_order_up": "forbidden", "all_pass": "same_dealer"},
        {"farmers_hand": "redeal", "super_euchre": True, "lone_doubles_all": True, "hand_limit": 3},
    ],
}

CASES = [
    pytest.param(game_id, rules, id=f"{game_id}-{number}")
    for game_id in game_ids()
    for number, rules in enumerate(RULE_SETS.get(game_id, [{}]))
]


def drawing(seed: object) -> kit.Draw:
    return random.Random(str(seed)).randrange


@pytest.mark.parametrize(("game_id", "rules"), CASES)
class TestKit:
    def test_actions(self, game_id: str, rules: dict[str, Any]) -> None:
        for seed in range(4):
            kit.check_actions(get_game(game_id, rules), drawing(seed), hands=4)

    def test_copies(self, game_id: str, rules: dict[str, Any]) -> None:
        for seed in range(6):
            kit.check_copies(get_game(game_id, rules), drawing(seed), hands=2)

    def test_packed(self, game_id: str, rules: dict[str, Any]) -> None:
        compared = sum(kit.check_packed(get_game(game_id, rules), drawing(seed)) for seed in range(6))
        assert compared > 1000

    def test_ending(self, game_id: str, rules: dict[str, Any]) -> None:
        for seed in range(20):
            kit.check_ending(get_game(game_id, rules), drawing(seed))

    def test_secrets(self, game_id: str, rules: dict[str, Any]) -> None:
        tried = sum(kit.check_secrets(get_game(game_id, rules), drawing(seed)) for seed in range(40))
        assert tried > 40

    def test_relabelling(self, game_id: str, rules: dict[str, Any]) -> None:
        for seed, suits in enumerate(kit.COLOUR_KEEPING * 2):
            kit.check_relabelling(get_game(game_id, rules), drawing(seed), suits, hands=2)


@st.composite
def games(draw: st.DrawFn) -> Any:
    """A registered game with any options that do not contradict each other."""
    info = game_info(draw(st.sampled_from(game_ids())))
    overrides: dict[str, Any] = {}
    for option in info.options:
        if draw(st.booleans()):
            values = st.sampled_from(option.values) if option.values else st.integers(option.minimum, 12)
            overrides[option.name] = draw(values)
    try:
        return get_game(info.id, overrides)
    except RuleError:
        return get_game(info.id)


@settings(max_examples=40, deadline=None)
@given(game=games(), seed=st.integers(0, 2**32), suits=st.sampled_from(kit.COLOUR_KEEPING))
def test_any_rules(game: Any, seed: int, suits: dict[str, str]) -> None:
    kit.check_actions(game, drawing(seed), hands=1)
    kit.check_copies(game, drawing(seed), hands=1)
    kit.check_packed(game, drawing(seed))
    kit.check_ending(game, drawing(seed))
    kit.check_secrets(game, drawing(seed))
    kit.check_relabelling(game, drawing(seed), suits)


def test_always_passing_ends_in_a_draw() -> None:
    for game_id in game_ids():
        game = get_game(game_id, {"hand_limit": 9})
        state = game.new_state()
        while state.outcome() is None:
            if state.needs_deal:
                state.deal(list(range(len(game.pack))))  # canonical order: no joker turned
            else:
                state.apply(state.legal()[0])
        outcome = state.outcome()
        assert outcome is not None
        assert (outcome.reason, outcome.winner, state.hand_number) == ("hand_limit", None, 8)
