"""A finished euchre hand as facts."""

from __future__ import annotations

from collections.abc import Sequence

from arena.games.base import HandResult
from arena.games.euchre.tables import BIT, HIGH_WORDS, LOW_BITS, LOW_MASK, LOW_WORDS, PACK_25, TRUMPS


def dealt_hands(pack: Sequence[int], dealer: int) -> list[list[str]]:
    """By seat, the five cards dealt, in canonical order."""
    hands: list[list[str]] = [[], [], [], []]
    for i in range(4):
        hand = sum(map(BIT, pack[5 * i : 5 * i + 5]))
        hands[(dealer + 1 + i) & 3] = [*LOW_WORDS[hand & LOW_MASK], *HIGH_WORDS[hand >> LOW_BITS]]
    return hands


def hand_result(
    number: int,
    dealer: int,
    pack: Sequence[int],
    points: tuple[int, int],
    void: str,
    maker: int,
    trump: int,
    alone: bool,
    lone_defender: int,
    tricks: tuple[int, int],
) -> HandResult:
    """The record of a hand; `void` is "" or why it was not played: `thrown_in` or `redealt`.

    The facts of every hand: maker, trump, alone, lone_defender, tricks (by team), march, euchred, redealt.
    A euchre is any hand that its makers lost. -1 stands for no maker, trump or lone defender.
    """
    called = maker >= 0
    side = maker & 1
    return HandResult(
        number=number,
        dealer=dealer,
        hands=tuple(map(tuple, dealt_hands(pack, dealer))),
        upcard=PACK_25[pack[20]],
        points=points,
        thrown_in=bool(void),
        facts={
            "maker": maker if called else None,
            "trump": TRUMPS[trump] if called else None,
            "alone": alone,
            "lone_defender": lone_defender if lone_defender >= 0 else None,
            "tricks": list(tricks),
            "march": called and tricks[side] == 5,
            "euchred": called and points[1 - side] > 0,
            "redealt": void == "redealt",
        },
    )
