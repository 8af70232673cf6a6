"""What the arena really sends: every request of random games is a valid message, the schema agrees, and the
helpers for authors come to the same end as the rules engine."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import protocol
from arena.games.registry import get_game
from arena.table import referee
from protocol import (
    Act,
    View,
    codec,
    effective_suit,
    follow_suit,
    full_pack,
    parse,
    trick_winner,
)

RULES: list[tuple[str, dict[str, Any]]] = [
    ("north-american", {}),
    ("british", {}),
    ("north-american", {"joker": True, "defend_alone": "always", "farmers_hand": "redeal"}),
    ("north-american", {"no_trump": "round2", "stick_the_dealer": True, "defend_alone": "vs_lone"}),
    ("british", {"joker_up_alone": "blind", "may_discard_upcard": False, "trump_to_call": "natural"}),
    ("british", {"joker": False, "dealer_partner_order_up": "alone_only", "lone_lead": "dealer_left"}),
]


def over_the_wire(encoding: str, message: dict[str, Any]) -> dict[str, Any]:
    wire = codec(encoding)
    decoder = wire.decoder()
    decoder.feed(wire.encode(message))
    payload = decoder.next_frame()
    assert payload is not None
    return wire.decode(payload)


@pytest.mark.parametrize("number", range(len(RULES)))
def test_random_games(number: int) -> None:
    game_id, rules = RULES[number]
    game = get_game(game_id, {"target": 999, **rules})
    rng = random.Random(number)
    content = json.loads((Path(protocol.__file__).parent / "schema.json").read_text(encoding="utf-8"))
    check = jsonschema.Draft202012Validator(content)
    phases = set()
    longest = 0

    def sent(message: dict[str, Any]) -> None:
        nonlocal longest
        maps = [over_the_wire(encoding, message) for encoding in ("msgpack", "json")]
        assert maps[0] == maps[1]
        check.validate(maps[0])
        typed = parse(maps[0])
        assert typed is not None
        assert typed.to_map() == maps[0]
        longest = max(longest, len(codec("msgpack").encode(message)))

    state = game.new_state(dealer=number % 4)
    for _ in range(30):
        pack = list(range(len(game.pack)))
        rng.shuffle(pack)
        state.deal(pack)
        dealt = [game.pack[i] for i in pack]
        voids: dict[int, set[str]] = {seat: set() for seat in range(4)}
        while (seat := state.to_act) is not None:
            message = referee.act(state, seat, state.legal_words(), rng.getrandbits(53), 1000, None)
            sent(message)
            phases.add(message["phase"])
            view = View(message)
            look(view, dealt, voids)
            # Many passes, few alone, so that every phase comes up.
            words = [word for word in view.legal if "alone" not in word or rng.random() < 0.3] or view.legal
            word = "pass" if "pass" in words and rng.random() < 0.8 else rng.choice(words)
            if view.phase == "play" and view.led is not None:
                card = word.split(":")[1]
                if effective_suit(card, view.trump) != view.led:
                    voids[seat].add(view.led)
            action = game.action(word)
            assert action is not None
            state.apply(action)
        assert state.last_hand is not None
        sent(referee.hand_end(state.last_hand, state.scores))
    expected = {"bid1", "bid2", "discard", "play"}
    if game.rules["joker"]:
        expected.add("joker_name")
    if game.rules["defend_alone"] != "off":
        expected.add("defend")
    assert phases == expected
    assert longest < 450


def look(view: View, dealt: list[str], voids: dict[int, set[str]]) -> None:
    """What the helpers say of a view, against the legal words and the true cards."""
    dealer = view.dealer
    hands = {(dealer + 1 + i) % 4: dealt[5 * i : 5 * i + 5] for i in range(4)}
    assert view.joker == (len(dealt) == 25)
    assert view.upcard == dealt[20]
    assert view.taken_up() == (view.maker is not None and len(view.calls) <= 4 and view.calls[-1:] != ["pass"]
                               and (view.upcard == "JK" or "order_up" in view.calls[-1]))  # fmt: skip
    assert not set(view.unseen()) & {*view.hand, *view.played(), view.upcard}
    kitty = set(dealt[21:])
    if view.phase != "joker_name":
        assert kitty <= set(view.unseen())
    assert set(view.played()) | set(view.unseen()) | {view.upcard, view.get("discard")} | set(
        view.hand
    ) >= set(full_pack(view.joker))
    if view.phase != "play":
        return
    assert view.cards == [card for card in view.hand if card in view.cards]
    assert sorted(view.cards) == sorted(follow_suit(view.hand, view.led, view.trump))
    assert view.seat not in view.sitting_out
    assert {seat for seat, _ in view.trick} | set(view.to_follow()) | {view.seat} | set(view.sitting_out) == {
        0,
        1,
        2,
        3,
    }
    assert view.voids() == voids
    players = 4 - len(view.alone)
    complete = [trick for trick in view.tricks if len(trick) == players]
    winners = [trick_winner(trick, view.trump) for trick in complete]
    assert [sum(w is not None and w[0] % 2 == team for w in winners) for team in (0, 1)] == view.won
    leaders = [trick[0][0] for trick in view.tricks] + ([] if view.trick else [view.seat])
    assert [w[0] for w in winners if w] == leaders[1:]
    for seat, card in ((s, c) for trick in view.tricks for s, c in trick):
        assert card in hands[seat] or card == view.upcard


def test_the_other_messages_of_the_arena_are_valid() -> None:
    from arena.bots.limits import Limits

    for game_id, rules in RULES:
        game = get_game(game_id, rules)
        state = game.new_state()
        state.deal(list(range(len(game.pack))))
        for message in (
            referee.hello(game, Limits(move_ms=None, bank_ms=5000)),
            referee.game_start(game, 3, 1, 2**53 - 1),
            referee.hand_forfeited(state, 2),
            referee.game_end((10, 3), 0, "forfeit"),
            referee.bye(),
            referee.bye("00ff"),
        ):
            came = over_the_wire("msgpack", message)
            typed = parse(came)
            assert typed is not None
            assert typed.to_map() == came
            assert not isinstance(typed, Act)
