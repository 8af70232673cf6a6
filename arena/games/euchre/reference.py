"""The reference policy of euchre, as playouts of whole hands: what luck is measured against.

`build(jit, freeze)` makes the playout function. With the identity and `tuple` it is plain Python; with a
compiler such as numba's `njit` and `numpy.array` the same source runs compiled, with the same results:
integers alone, a 32-bit xorshift generator (Marsaglia 2003), no library call. The policy is noisy on
purpose: eight playouts of a deal give its expected result, not one line of play (ratings.md, section 3.4).

It counts what a hand is worth in hundredths of a trick and plays by what each seat can know, so that its
result of a deal is near to what sensible bots make of it: the nearer, the more luck it explains.

A change of one number here changes every luck term: raise `VERSION` with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from arena.games.euchre.tables import (
    CARDS,
    JACK,
    JOKER,
    SUIT_MASK,
    effective_suit,
    left_bower,
    right_bower,
    strength,
)

VERSION = 2

ALL_PASS = 24
"""Outcome code of a hand that everyone passed; else side * 12 + alone * 6 + makers' tricks,
where side is 0 when the makers are the dealer's side."""
OUTCOMES = 25

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


def _above(trump: int, card: int) -> int:
    """The cards of its effective suit that stand above a card."""
    same = effective_suit(card, trump)
    return sum(
        1 << other
        for other in range(CARDS)
        if effective_suit(other, trump) == same and strength(other, trump) > strength(card, trump)
    )


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


Simulate = Callable[[Sequence[int], int, int, Sequence[int]], int]


def build(jit: Callable[[Any], Any], freeze: Callable[[list[int]], Any]) -> Simulate:
    """The function simulate(pack, dealer, seed, parameters) -> outcome code.

    `pack` is the deal in dealing order, `seed` a non-zero 32-bit integer; `freeze` makes the form in which
    the compiler takes constants.
    """
    cards = [(trump, card) for trump in range(4) for card in range(CARDS)]
    suits = freeze([effective_suit(c, t) for t, c in cards])
    powers = freeze([strength(c, t) for t, c in cards])
    aboves = freeze([_above(t, c) for t, c in cards])
    groups = freeze([SUIT_MASK[t][s] for t in range(4) for s in range(4)])
    naturals = freeze([SUIT_MASK[t][t] & ~(1 << left_bower(t) | 1 << JOKER) for t in range(4)])
    highest = freeze([1 << JOKER if joker else 1 << right_bower(t) for joker in (0, 1) for t in range(4)])
    trump_worth = freeze([_trump_worth(joker, held) for joker in (0, 1) for held in range(256)])
    side_worth = freeze(
        [_side_worth(n, gone, held) for n in (0, 1) for gone in range(7) for held in range(64)]
    )
    first_need = freeze(list(FIRST_NEED))
    second_need = freeze(list(SECOND_NEED))
    # The powers of two up to 2**35 leave different remainders: from a single bit to its number.
    number = freeze([next((k for k in range(36) if 2**k % 37 == rest), 0) for rest in range(37)])

    @jit
    def draw(rng: Any, n: int) -> int:
        """The generator's next number below n (n is tiny: the modulo's bias is below 2**-25)."""
        x = rng[0]
        x ^= (x << 13) & 0xFFFFFFFF
        x ^= x >> 17
        x ^= (x << 5) & 0xFFFFFFFF
        rng[0] = x
        return int(x % n)

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
    def throw_off(cards: int, hand: int, trump: int, foes: int) -> int:
        """The card that will be missed least: trumps and winners stay, a lone low card makes a void."""
        best = 0
        best_value = 10000
        trumps = hand & groups[trump * 4 + trump]
        rest = cards
        while rest:
            bit = rest & -rest
            rest ^= bit
            at = trump * 25 + number[bit % 37]
            value = 4 * powers[at]
            suit = suits[at]
            if suit == trump:
                value += 400
            elif aboves[at] & foes == 0:
                value += 50
            elif trumps != 0 and hand & groups[trump * 4 + suit] == bit:
                value -= 10
            if value < best_value:
                best_value = value
                best = bit
        return best

    @jit
    def lead(hand: int, trump: int, foes: int, hidden: int, makers: bool, called: bool) -> int:
        """The card to lead, as a single bit; `foes` are the cards that an opponent may hold."""
        trumps = hand & groups[trump * 4 + trump]
        side = hand & ~trumps
        best = 0
        least = 0
        count = 0
        rest = trumps
        while rest:
            bit = rest & -rest
            rest ^= bit
            count += 1
            power = powers[trump * 25 + number[bit % 37]]
            if best == 0 or power > powers[trump * 25 + number[best % 37]]:
                best = bit
            if least == 0 or power < powers[trump * 25 + number[least % 37]]:
                least = bit
        high = best != 0 and aboves[trump * 25 + number[best % 37]] & foes == 0
        if makers and best != 0 and foes & groups[trump * 4 + trump] != 0:
            # Makers draw trumps: with the highest one, from length, or at once to the partner who called.
            if high:
                return best
            if called:
                if count >= 3:
                    return best
            else:
                size = 0
                rest = hand
                while rest:
                    rest &= rest - 1
                    size += 1
                if size == 5:
                    return best
        winner = 0
        most = -1
        rest = side
        while rest:
            bit = rest & -rest
            rest ^= bit
            at = trump * 25 + number[bit % 37]
            if aboves[at] & foes == 0:
                # The more of its suit are out, the less likely is a ruff.
                out = 0
                others = hidden & groups[trump * 4 + suits[at]]
                while others:
                    others &= others - 1
                    out += 1
                if out > most:
                    most = out
                    winner = bit
        if winner != 0:
            return winner
        if side != 0:
            return int(throw_off(side, hand, trump, foes))
        return best if high else least

    @jit
    def safe(
        card: int, trump: int, led: int, left: int, left_void: bool, right: int, right_void: bool
    ) -> bool:
        """Whether a card, winning now, is safe from the opponents who still play.

        `left` and `right` are what they may hold, 0 for one who has played; a ruff is feared only from one
        who has shown that he is void of the suit led.
        """
        suit = suits[trump * 25 + card]
        above = aboves[trump * 25 + card]
        follows = above if suit == led else 0
        ruffs = above if suit == trump else groups[trump * 4 + trump]
        if left & (follows | (ruffs if left_void else 0)) != 0:
            return False
        return bool(right & (follows | (ruffs if right_void else 0)) == 0)

    @jit
    def follow(
        hand: int,
        legal: int,
        trump: int,
        led: int,
        best: int,
        partner: bool,
        foes: int,
        left: int,
        left_void: bool,
        right: int,
        right_void: bool,
    ) -> int:
        """The card to follow with, as a single bit; `best` wins so far, `partner`: it is the partner's."""
        if partner and safe(best, trump, led, left, left_void, right, right_void):
            return int(throw_off(legal, hand, trump, foes))
        beat = powers[trump * 25 + best]
        cheapest = 0
        dearest = 0
        found = 0
        low_power = 100
        high_power = -1
        found_power = 100
        rest = legal
        while rest:
            bit = rest & -rest
            rest ^= bit
            card = number[bit % 37]
            at = trump * 25 + card
            power = powers[at]
            if (suits[at] != trump and suits[at] != led) or power <= beat:
                continue
            if power < low_power:
                low_power = power
                cheapest = bit
            if power > high_power:
                high_power = power
                dearest = bit
            if power < found_power and safe(card, trump, led, left, left_void, right, right_void):
                found_power = power
                found = bit
        if found != 0:
            return found
        if cheapest == 0 or partner:
            return int(throw_off(legal, hand, trump, foes))
        return cheapest if suits[trump * 25 + number[cheapest % 37]] == trump else dearest

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

    @jit
    def any_card(legal: int, rng: Any) -> int:
        """Any legal card, as a single bit."""
        size = 0
        rest = legal
        while rest:
            rest &= rest - 1
            size += 1
        skip = draw(rng, size)
        rest = legal
        while skip > 0:
            rest &= rest - 1
            skip -= 1
        return int(rest & -rest)

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
