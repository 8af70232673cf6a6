"""Card words and packs."""

from __future__ import annotations

import pytest

from arena.cards import notation


def test_packs() -> None:
    pack = notation.suited_pack("9TJQKA", joker=True)
    assert pack[:7] == ("9C", "TC", "JC", "QC", "KC", "AC", "9D")
    assert pack[-2:] == ("AS", "JK")
    assert len(set(pack)) == 25
    assert all(map(notation.is_card, pack))


@pytest.mark.parametrize("word", ["", "C", "1C", "9X", "9c", "JK ", "KJ", "10C"])
def test_no_card(word: str) -> None:
    assert not notation.is_card(word)


def test_split_and_join() -> None:
    words = ["9C", "JK", "AS"]
    assert notation.split_cards(notation.join_cards(words)) == words
    with pytest.raises(ValueError, match=r"`9X` \(card 2\) is not a card"):
        notation.split_cards("9C9X")
    with pytest.raises(ValueError, match=r"`A` \(card 2\)"):
        notation.split_cards("9CA")


def test_pack_from_words() -> None:
    pack = ("9C", "TC", "JK")
    assert notation.pack_from_words(["JK", "9C", "TC"], pack) == [2, 0, 1]
    with pytest.raises(ValueError, match="`AS` is not a card of this game's pack of 3"):
        notation.pack_from_words(["JK", "AS", "TC"], pack)
    with pytest.raises(ValueError, match="JK is there twice"):
        notation.pack_from_words(["JK", "9C", "JK"], pack)
    with pytest.raises(ValueError, match="2 cards where the pack has 3: TC is missing"):
        notation.pack_from_words(["JK", "9C"], pack)


def test_sisters_are_of_one_colour() -> None:
    assert all(notation.SISTER[sister] == suit for suit, sister in notation.SISTER.items())
    assert set(notation.SISTER) == set(notation.SUITS)
