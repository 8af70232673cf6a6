"""The reference policy of euchre, as playouts of whole hands: what luck is measured against.

`build(jit, freeze)` makes the playout function. With the identity and `tuple` it is plain Python; with a
compiler such as numba's `njit` and `numpy.array` the same source runs compiled, with the same results:
integers alone, a 32-bit xorshift generator (Marsaglia 2003), no library call. The policy is noisy on
purpose: eight playouts of a deal give its expected result, not one line of play (ratings.md, section 3.4).

It counts what a hand is worth in hundredths of a trick (reference_calls.py) and plays by what each seat can
know (reference_play.py), so that its result of a deal is near to what sensible bots make of it: the nearer,
the more luck it explains.

A change of one number here changes every luck term: raise `VERSION` with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from arena.games.euchre.reference_calls import build_calls
from arena.games.euchre.reference_cards import build_cards
from arena.games.euchre.reference_play import build_plays
from arena.games.euchre.tables import JOKER

VERSION = 2

ALL_PASS = 24
"""Outcome code of a hand that everyone passed; else side * 12 + alone * 6 + makers' tricks,
where side is 0 when the makers are the dealer's side."""
OUTCOMES = 25

PLAY_NOISE = 20
"""One play in so many is any legal card."""


def parameters(rules: Mapping[str, Any]) -> list[int]:
    """The rules that the playout needs, as integers."""
    return [
        int(bool(rules["joker"])),
        int(bool(rules["stick_the_dealer"])),
        int(rules["lone_lead"] == "maker_left"),
        ("free", "alone_only", "forbidden").index(str(rules["dealer_partner_order_up"])),
        int(bool(rules["may_discard_upcard"])),
        int(rules.get("trump_to_call", "off") == "natural"),
    ]


Simulate = Callable[[Sequence[int], int, int, Sequence[int]], int]


def build(jit: Callable[[Any], Any], freeze: Callable[[list[int]], Any]) -> Simulate:
    """The function simulate(pack, dealer, seed, parameters) -> outcome code.

    `pack` is the deal in dealing order, `seed` a non-zero 32-bit integer; `freeze` makes the form in which
    the compiler takes constants.
    """
    cards = build_cards(jit, freeze)
    calls = build_calls(jit, freeze, cards)
    plays = build_plays(jit, cards)
    # The compiler takes what is called by a name of its own.
    draw, number, suits, powers, groups = cards.draw, cards.number, cards.suits, cards.powers, cards.groups
    discard, first_round, second_round = calls
    lead, follow, any_card = plays

    @jit
    def simulate(pack: Any, dealer: int, seed: int, rules: Any) -> int:
        """One hand played out by the noisy policy in all four seats."""
        rng = [seed]
        hands = [0, 0, 0, 0]
        for k in range(4):
            for i in range(5):
                hands[(dealer + 1 + k) % 4] |= 1 << pack[k * 5 + i]
        upcard = pack[20]
        up_bit = 1 << upcard
        joker = rules[0]
        taken = True
        if upcard == JOKER:
            call = dealer
            trump = draw(rng, 4)
        else:
            trump = upcard // 6
            call = first_round(hands, upcard, dealer, rules, rng)
            if call < 0:
                call = second_round(hands, upcard, dealer, rules, rng)
                if call < 0:
                    return ALL_PASS
                trump = call // 8
                taken = False
        maker = call % 4
        alone = call // 4 % 2
        thrown = 0
        if taken:
            thrown = discard(hands[dealer] | up_bit, trump, 0 if rules[4] != 0 else up_bit, joker)
            hands[dealer] = (hands[dealer] | up_bit) ^ thrown
        sits_out = (maker + 2) % 4 if alone != 0 else -1
        leader = (dealer + 1) % 4
        if alone != 0 and rules[2] != 0:
            leader = (maker + 1) % 4
        if leader == sits_out:
            leader = (leader + 1) % 4
        players = 3 if alone != 0 else 4
        # Cards that nobody has seen but their holders; a card taken up is known to be the dealer's.
        around = (2 << JOKER) - 1 if joker != 0 else (1 << JOKER) - 1
        if not taken:
            around &= ~up_bit
        void = [0, 0, 0, 0]
        makers_tricks = 0
        for _trick in range(5):
            led = -1
            best = -1
            winner = leader
            seat = leader
            for _position in range(players):
                hand = hands[seat]
                hidden = around & ~hand
                if seat == dealer:
                    hidden &= ~thrown
                left = (seat + 1) % 4
                right = (seat + 3) % 4
                may_left = hidden & ~void[left] if left != sits_out else 0
                may_right = hidden & ~void[right] if right != sits_out else 0
                if taken and seat != dealer and around & up_bit != 0:
                    may_left &= ~up_bit
                    may_right &= ~up_bit
                    if left == dealer and dealer != sits_out:
                        may_left |= up_bit
                    elif right == dealer and dealer != sits_out:
                        may_right |= up_bit
                foes = may_left | may_right
                legal = hand
                if led >= 0 and hand & groups[trump * 4 + led] != 0:
                    legal = hand & groups[trump * 4 + led]
                if draw(rng, PLAY_NOISE) == 0:
                    pick = any_card(legal, rng)
                elif legal & (legal - 1) == 0:
                    pick = legal
                elif led < 0:
                    pick = lead(hand, trump, foes, hidden, (seat - maker) % 2 == 0, seat == maker)
                else:
                    turn = (seat - leader) % 4
                    if (left - leader) % 4 < turn:
                        may_left = 0
                    if (right - leader) % 4 < turn:
                        may_right = 0
                    group = groups[trump * 4 + led]
                    pick = follow(
                        hand, legal, trump, led, best, winner == (seat + 2) % 4, foes,
                        may_left, void[left] & group != 0, may_right, void[right] & group != 0,
                    )  # fmt: skip
                card = number[pick % 37]
                at = trump * 25 + card
                hands[seat] ^= pick
                around &= ~pick
                suit = suits[at]
                if led < 0:
                    led = suit
                    best = card
                else:
                    if suit != led:
                        void[seat] |= groups[trump * 4 + led]
                    # (numba has no `in` for a tuple)
                    if (suit == trump or suit == led) and powers[at] > powers[trump * 25 + best]:  # noqa: SIM109
                        best = card
                        winner = seat
                seat = (seat + 1) % 4
                if seat == sits_out:
                    seat = (seat + 1) % 4
            leader = winner
            if (winner - maker) % 2 == 0:
                makers_tricks += 1
        side = (maker - dealer) % 2
        return side * 12 + alone * 6 + makers_tricks

    return simulate  # type: ignore[no-any-return]
