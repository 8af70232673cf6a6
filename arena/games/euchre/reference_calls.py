"""How the reference policy of euchre bids and discards: what a hand is worth, in hundredths of a trick."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from arena.games.euchre.reference_cards import Cards
from arena.games.euchre.tables import JACK, JOKER, SUIT_MASK, left_bower, right_bower

# Worth of a card in hundredths of a trick, by the number of higher cards of its suit that others may hold.
TRUMP_WORTH = (100, 80, 65, 60, 60, 35, 30, 30)
SIDE_WORTH = (45, 15, 5, 0, 0, 0)
VOID_WORTH = 20
"""Of a side suit that one holds no card of, with a trump to ruff it."""
FIRST_NEED = (265, 250, 265, 225)
SECOND_NEED = (200, 215, 220, 210)
"""What one's own hand has to be worth to call, by place: dealer's left, dealer's partner, ..., dealer."""
ALONE_NEED = 360
UPCARD_WORTH, UPBOWER_WORTH = 40, 60
"""Of the upcard to a partner who deals; it counts against one if an opponent deals."""
NEXT_WORTH = 40
"""Second round: the dealer's side has turned a suit down, so it is weak in the sister suit too."""
CALL_NOISE = 45
"""A call is made as if the hand were worth up to so much more or less."""


class Calls(NamedTuple):
    """Functions of hands as bit sets; all compiled alike."""

    discard: Any
    first_round: Any
    second_round: Any


def _trump_worth(joker: int, held: int) -> int:
    """Worth of trumps held: bits 0-5 the suit's own cards 9 to A, bit 6 the left bower, bit 7 the joker."""
    total = above = mine = 0
    for bit in (7, 2, 6, 5, 4, 3, 1, 0):
        if bit == 7 and not joker:
            continue
        if held >> bit & 1:
            total += TRUMP_WORTH[max(0, above - mine)]
            mine += 1
        else:
            above += 1
    return total


def _side_worth(sister: int, gone: int, held: int) -> int:
    """Worth of a side suit's cards 9 to A, where one rank (6: none) is out of play; the sister suit of trumps
    has no jack.
    """
    total = above = 0
    for bit in range(5, -1, -1):
        if held >> bit & 1:
            total += SIDE_WORTH[above]
        elif bit != gone and not (sister and bit == JACK):
            above += 1
    return total


def build_calls(jit: Callable[[Any], Any], freeze: Callable[[list[int]], Any], cards: Cards) -> Calls:
    """The functions, with constants and compiler as in `reference.build`."""
    draw, number, powers, groups = cards.draw, cards.number, cards.powers, cards.groups
    naturals = freeze([SUIT_MASK[t][t] & ~(1 << left_bower(t) | 1 << JOKER) for t in range(4)])
    highest = freeze([1 << JOKER if joker else 1 << right_bower(t) for joker in (0, 1) for t in range(4)])
    trump_worth = freeze([_trump_worth(joker, held) for joker in (0, 1) for held in range(256)])
    side_worth = freeze(
        [_side_worth(n, gone, held) for n in (0, 1) for gone in range(7) for held in range(64)]
    )
    first_need = freeze(list(FIRST_NEED))
    second_need = freeze(list(SECOND_NEED))

    @jit
    def worth(hand: int, trump: int, gone: int, joker: int) -> int:
        """Hundredths of a trick that a hand should take; `gone` is a card out of play, or -1."""
        own = hand >> (trump * 6) & 63 | (hand >> ((3 - trump) * 6 + JACK) & 1) << 6 | (hand >> JOKER) << 7
        total = trump_worth[joker * 256 + own]
        for suit in range(4):
            if suit != trump:
                held = (hand & groups[trump * 4 + suit]) >> (suit * 6) & 63
                if held != 0:
                    kind = gone % 6 if gone >= 0 and gone // 6 == suit else 6
                    if suit == 3 - trump:
                        kind += 7
                    total += side_worth[kind * 64 + held]
                elif own != 0:
                    total += VOID_WORTH
        return int(total)

    @jit
    def discard(hand: int, trump: int, keep: int, joker: int) -> int:
        """The card whose loss leaves the best five, as a single bit; never a card of `keep`."""
        best = 0
        best_value = -1
        rest = hand & ~keep
        while rest:
            bit = rest & -rest
            rest ^= bit
            value = worth(hand ^ bit, trump, -1, joker) * 16 + 15 - powers[trump * 25 + number[bit % 37]]
            if value > best_value:
                best_value = value
                best = bit
        return best

    @jit
    def first_round(hands: Any, upcard: int, dealer: int, rules: Any, rng: Any) -> int:
        """Who orders the upcard up, as maker + 4 * alone; -1 if nobody does."""
        up = upcard // 6
        for k in range(4):
            seat = (dealer + 1 + k) % 4
            hand = hands[seat]
            helps = UPBOWER_WORTH if upcard % 6 == JACK else UPCARD_WORTH
            if seat == dealer:
                hand |= 1 << upcard
                hand ^= discard(hand, up, 0, rules[0])
                helps = 0
            elif k != 1:
                helps = -helps
            value = worth(hand, up, -1, rules[0])
            lone = value >= ALONE_NEED and hand & highest[rules[0] * 4 + up] != 0
            noise = draw(rng, 2 * CALL_NOISE + 1) - CALL_NOISE
            if not lone and value + helps + noise < first_need[k]:
                continue
            if rules[5] != 0 and hands[seat] & naturals[up] == 0:
                continue
            if k == 1 and (rules[3] == 2 or (rules[3] == 1 and not lone)):
                continue
            return int(seat + (4 if lone else 0))
        return -1

    @jit
    def second_round(hands: Any, upcard: int, dealer: int, rules: Any, rng: Any) -> int:
        """Who names trumps, as maker + 4 * alone + 8 * trump; -1 if nobody does."""
        up = upcard // 6
        for k in range(4):
            seat = (dealer + 1 + k) % 4
            hand = hands[seat]
            top = -1000
            named = -1
            for suit in range(4):
                if suit == up or (rules[5] != 0 and hand & naturals[suit] == 0):
                    continue
                value = worth(hand, suit, upcard, rules[0])
                if suit == 3 - up:
                    value += NEXT_WORTH if k % 2 == 0 else -NEXT_WORTH
                if value > top:
                    top = value
                    named = suit
            must = rules[1] != 0 and seat == dealer
            if named < 0:
                if not must:
                    continue
                named = (up + 1) % 4
            lone = worth(hand, named, upcard, rules[0]) >= ALONE_NEED
            lone = lone and hand & highest[rules[0] * 4 + named] != 0
            noise = draw(rng, 2 * CALL_NOISE + 1) - CALL_NOISE
            if lone or must or top + noise >= second_need[k]:
                return int(seat + (4 if lone else 0) + 8 * named)
        return -1

    return Calls(discard, first_round, second_round)
