"""Playthroughs: a whole game written out, the same for ever under one seed, for a person to review."""

from __future__ import annotations

import json
from collections.abc import Iterator

from arena.cards.notation import join_cards
from arena.cards.seeds import derive
from arena.cards.shuffle import shuffled
from arena.games.base import Game


def playthrough(game: Game, seed: str, *, views: int = 1) -> Iterator[str]:
    """A game as lines of text: decks and choices follow from `seed`; all views of the first `views` hands."""
    key = seed.encode()
    state = game.new_state()
    yield f"game: {game.id}"
    yield f"rules: {_json(dict(game.rules))}"
    yield f"seed: {seed}"
    decision = 0
    while state.outcome() is None:
        number = state.hand_number
        pack = shuffled(derive(key, "deck", number), len(game.pack))
        yield ""
        yield f"hand {number}, dealer {state.dealer}, scores {list(state.scores)}"
        yield f"  pack {join_cards(game.pack[card] for card in pack)}"
        state.deal(pack)
        while (seat := state.to_act) is not None:
            legal = state.legal()
            action = legal[derive(key, "choice", decision)[0] % len(legal)]
            decision += 1
            if number < views:
                for watcher in range(game.seats):
                    yield f"  view {watcher}: {_json(state.view(watcher))}"
            yield f"  seat {seat}: {' '.join(state.legal_words())} -> {game.word(action)}"
            state.apply(action)
        hand = state.last_hand
        if hand is not None:
            yield f"  points {list(hand.points)}, {'thrown in' if hand.thrown_in else 'played'}"
            yield f"  facts {_json(dict(hand.facts))}"
    yield ""
    outcome = state.outcome()
    if outcome is not None:
        yield f"end: {list(outcome.scores)}, winner {outcome.winner}, {outcome.reason}"


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))
