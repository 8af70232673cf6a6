"""Exact numbers of lines of play from fixed deals, per rule set.

The second engine of test_oracle.py counts the same; OpenSpiel agrees on endings under its own rules.
"""

from __future__ import annotations

from typing import Any

import pytest

from arena.cards.shuffle import shuffled
from arena.games.perft import perft
from arena.games.registry import get_game

NA, BR = "north-american", "british"
STUCK: dict[str, Any] = {"stick_the_dealer": True}


@pytest.mark.parametrize(
    ("game_id", "rules", "seed", "steps", "depth", "lines"),
    [
        (NA, {}, "perft 1", 0, 3, 75),
        (NA, {}, "perft 1", 0, 6, 3_196),
        (NA, {}, "perft 1", 0, 8, 31_751),
        (NA, {}, "perft 2", 2, 7, 1_176),
        (NA, {}, "perft 3", 6, 99, 3_688),
        (NA, {**STUCK, "defend_alone": "always", "may_discard_upcard": False}, "perft 4", 0, 8, 3_501),
        (NA, {**STUCK, "defend_alone": "vs_lone"}, "perft 4", 0, 8, 4_145),
        (NA, {"no_trump": "round2"}, "perft 5", 0, 7, 9_485),
        (NA, {"dealer_partner_order_up": "alone_only", "trump_to_call": "natural"}, "perft 6", 0, 8, 15_505),
        (NA, {"joker": True, "lone_lead": "maker_left"}, "perft 7", 0, 7, 4_605),
        (BR, {}, "perft 1", 0, 3, 75),
        (BR, {}, "perft 1", 0, 7, 3_786),
        (BR, {}, "perft 2", 0, 7, 8_800),
        (BR, {}, "perft 3", 2, 8, 3_840),
        (BR, {}, "perft 4", 7, 99, 2_832),
        (BR, {"joker_up_alone": "blind"}, "perft 2", 0, 6, 4_440),
        (
            BR,
            {"joker_up_alone": "blind", "may_discard_upcard": False, "defend_alone": "vs_lone"},
            "perft 13",
            0,
            6,
            2_043,
        ),
        (BR, {**STUCK, "dealer_partner_order_up": "forbidden"}, "perft 5", 0, 8, 12_899),
    ],
)
def test_perft(game_id: str, rules: dict[str, Any], seed: str, steps: int, depth: int, lines: int) -> None:
    """Counting starts `steps` actions after the deal, each from the middle of the legal ones."""
    game = get_game(game_id, rules)
    state = game.new_state()
    state.deal(shuffled(seed.encode(), len(game.pack)))
    for _ in range(steps):
        legal = state.legal()
        state.apply(legal[len(legal) // 2])
    before = state.view(0)
    assert perft(state, depth) == lines
    assert state.view(0) == before
