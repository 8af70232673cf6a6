"""Cards and views for bot authors."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from protocol import (
    Card,
    View,
    by_suit,
    effective_suit,
    follow_suit,
    full_pack,
    is_trump,
    left_bower,
    parse_card,
    right_bower,
    sister,
    strength,
    trick_winner,
    trump_order,
)


def test_cards_and_words() -> None:
    assert parse_card("TC") == Card("T", "C")
    assert parse_card("JK") == Card("JK", None)
    for word in full_pack(joker=True):
        assert str(parse_card(word)) == word
    for word in ("", "T", "8C", "TX", "KJ", "tc", "10C", "JKK"):
        with pytest.raises(ValueError, match="is not a card"):
            parse_card(word)


def test_the_pack() -> None:
    assert full_pack()[:7] == ("9C", "TC", "JC", "QC", "KC", "AC", "9D")
    assert len(full_pack()) == 24
    assert full_pack(joker=True)[24:] == ("JK",)


def test_bowers() -> None:
    assert [sister(suit) for suit in "CDHS"] == ["S", "H", "D", "C"]
    assert right_bower("H") == "JH"
    assert left_bower("H") == "JD"
    assert trump_order("H") == ("JH", "JD", "AH", "KH", "QH", "TH", "9H")
    assert trump_order("S", joker=True) == ("JK", "JS", "JC", "AS", "KS", "QS", "TS", "9S")


@pytest.mark.parametrize("trump", ["C", "D", "H", "S"])
def test_trumps_rank_as_the_order_says(trump: str) -> None:
    pack = full_pack(joker=True)
    trumps = [card for card in pack if is_trump(card, trump)]
    assert sorted(trumps, key=lambda card: -strength(card, trump)) == list(trump_order(trump, joker=True))
    assert min(strength(card, trump) for card in trumps) > max(
        strength(card, trump) for card in pack if card not in trumps
    )
    assert len([card for card in pack if effective_suit(card, trump) == sister(trump)]) == 5


def test_without_trumps_there_are_no_bowers() -> None:
    for trump in ("NT", None):
        assert effective_suit("JD", trump) == "D"
        assert not is_trump("JD", trump)
        assert strength("JD", trump) < strength("AC", trump)
        assert effective_suit("JK", trump) == "JK"
    assert strength("JK", "NT") > strength("AS", "NT")


def test_following_suit() -> None:
    hand = ["JD", "9D", "AS"]
    assert follow_suit(hand, "H", "H") == ["JD"]
    assert follow_suit(hand, "D", "H") == ["9D"]
    assert follow_suit(hand, "C", "H") == hand
    assert follow_suit(hand, None, "H") == hand
    assert follow_suit(["JK", "9S"], "H", "H") == ["JK"]


@pytest.mark.parametrize(
    ("trick", "trump", "winner"),
    [
        ([[0, "9H"], [1, "AH"], [2, "AS"], [3, "KH"]], "C", 1),
        ([[0, "9H"], [1, "AH"], [2, "9C"], [3, "KH"]], "C", 2),
        ([[2, "AD"], [3, "JH"], [0, "JD"], [1, "9D"]], "D", 0),
        ([[2, "AD"], [3, "JK"], [0, "JD"], [1, "9D"]], "D", 3),
        ([[2, "9D"], [3, "JH"], [0, "AS"]], "NT", 2),
        ([[1, "9S"]], "H", 1),
    ],
)
def test_who_wins_a_trick(trick: list[list[Any]], trump: str, winner: int) -> None:
    result = trick_winner(trick, trump)
    assert result is not None
    assert result[0] == winner
    assert [winner, result[1]] in trick


def test_a_trick_wins_the_same_in_any_order_after_the_lead() -> None:
    lead, *others = [[0, "QS"], [1, "AS"], [2, "9D"], [3, "JC"]]
    assert {trick_winner([lead, *rest], "D") for rest in permutations(others)} == {(2, "9D")}
    assert trick_winner([], "D") is None


def test_by_suit() -> None:
    assert by_suit(["9D", "JD", "AD", "JH", "TS"], "H") == {"H": ["JH", "JD"], "D": ["AD", "9D"], "S": ["TS"]}


def view(**changes: Any) -> View:
    values: dict[str, Any] = {
        "type": "act",
        "id": 5,
        "game": "north-american",
        "rules": {},
        "phase": "play",
        "hand_number": 3,
        "seat": 2,
        "dealer": 1,
        "scores": [4, 6],
        "hand": ["9C", "JH", "JS", "AS"],
        "upcard": "KC",
        "calls": ["pass", "pass", "order_up"],
        "trump": "C",
        "maker": 0,
        "alone": [],
        "tricks": [[[2, "QD"], [3, "KS"], [0, "JD"], [1, "AD"]], [[1, "QC"]]],
        "won": [0, 1],
        "legal": ["play:9C", "play:JS"],
        "time_ms": 1000,
    }
    return View({**values, **changes})


def test_a_view_has_the_keys_of_act() -> None:
    v = view(bank_ms=500, more=1)
    for key, value in v.map.items():
        assert v[key] == value
        assert key in v
        if key not in ("type", "id", "more"):
            assert getattr(v, key) == value
    assert v.get("discard") is None
    assert v.get("more") == 1
    assert view().bank_ms is None
    assert view(time_ms=None).time_ms is None


def test_what_a_player_reads_off_the_table() -> None:
    v = view()
    assert (v.team, v.partner, v.sitting_out, v.makers, v.joker) == (0, 0, [], True, False)
    assert v.trick == [[1, "QC"]]
    assert v.led == "C"
    assert v.winning == (1, "QC")
    assert v.cards == ["9C", "JS"]
    assert [v.beats(card) for card in ("9C", "JS", "AS")] == [False, True, False]
    assert v.to_follow() == [3, 0]
    assert v.played() == ["QD", "KS", "JD", "AD", "QC"]
    assert v.taken_up()
    assert v.voids() == {0: set(), 1: set(), 2: set(), 3: {"D"}}
    unseen = v.unseen()
    assert len(unseen) == 24 - 4 - 5 - 1
    assert not set(unseen) & {*v.hand, *v.played(), "KC"}


def test_the_leader_has_no_trick_before_him() -> None:
    complete = [[[2, "QD"], [3, "KS"], [0, "JD"], [1, "AD"]]]
    for tricks in ([], complete):
        v = view(tricks=tricks, seat=1)
        assert v.trick == []
        assert v.led is None
        assert v.winning is None
        assert v.beats("9H")
        assert v.to_follow() == [2, 3, 0]


def test_who_plays_alone_shortens_the_tricks() -> None:
    v = view(alone=[0], seat=0, tricks=[[[3, "9H"], [0, "AH"], [1, "TH"]]])
    assert v.trick == []
    assert v.sitting_out == [2]
    assert v.to_follow() == [1, 3]
    both = view(alone=[0, 1], seat=1, tricks=[[[0, "9H"], [1, "AH"]], [[1, "9S"]]])
    assert both.trick == [[1, "9S"]]
    assert both.sitting_out == [2, 3]


def test_before_trumps_are_fixed() -> None:
    v = view(phase="bid1", trump=None, maker=None, tricks=[], legal=["pass", "order_up"])
    assert v.makers is None
    assert v.cards == []
    assert not v.taken_up()
    assert view(seat=1).makers is False


def test_the_joker_is_in_the_pack_by_game_or_by_rule() -> None:
    assert view(game="british").joker
    assert not view(game="british", rules={"joker": False}).joker
    assert view(rules={"joker": True}).joker
    assert "JK" in view(rules={"joker": True}).unseen()
    turned = view(game="british", upcard="JK", calls=["name:C"], maker=1, discard="9D")
    assert turned.taken_up()
    assert not {"JK", "9D"} & set(turned.unseen())
