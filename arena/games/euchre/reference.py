"""The reference policy of euchre, as playouts of whole hands: what luck is measured against.

`build(jit)` makes the playout function. With the identity it is plain Python; with a compiler
such as numba's `njit` the same source runs compiled, with the same results: integers alone, a
32-bit xorshift generator (Marsaglia 2003), no library call. The policy is noisy on purpose: eight
playouts of a deal give its expected result, not one line of play (ratings.md, section 3.3).

A change of one number here changes every luck term: raise `VERSION` with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from arena.games.euchre.tables import CARDS, effective_suit, strength

VERSION = 1

ALL_PASS = 24
"""Outcome code of a hand that everyone passed; else side * 12 + alone * 6 + makers' tricks,
where side is 0 when the makers are the dealer's side."""
OUTCOMES = 25


def tables() -> tuple[list[int], list[int]]:
    """Effective suit and strength of each card under each trump, at [trump * 25 + card]."""
    cards = [(trump, card) for trump in range(4) for card in range(CARDS)]
    return [effective_suit(c, t) for t, c in cards], [strength(c, t) for t, c in cards]


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


Simulate = Callable[[Sequence[int], int, int, Sequence[int], Sequence[int], Sequence[int]], int]


def build(jit: Callable[[Any], Any]) -> Simulate:
    """The function simulate(pack, dealer, seed, parameters, suits, powers) -> outcome code.

    `pack` is the deal in dealing order, `seed` a non-zero 32-bit integer.
    """

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
    def estimate(hand: Any, base: int, size: int, trump: int, suits: Any, powers: Any) -> int:
        """Expected tricks of one hand, in hundredths, with `trump` as trumps."""
        total = 0
        trumps = 0
        naturals = 0
        length0 = 0
        length1 = 0
        length2 = 0
        length3 = 0
        for i in range(size):
            card = hand[base + i]
            suit = suits[trump * 25 + card]
            if suit == 0:
                length0 += 1
            elif suit == 1:
                length1 += 1
            elif suit == 2:
                length2 += 1
            else:
                length3 += 1
            power = powers[trump * 25 + card]
            if suit == trump:
                trumps += 1
                if power != 11:
                    naturals += 1
                if power >= 12:
                    total += 100
                elif power == 11:
                    total += 85
                elif power == 10:
                    total += 70
                elif power == 9:
                    total += 55
                else:
                    total += 40
            elif power == 5:
                total += 60
            elif power == 4:
                total += 10
        if trumps > 2:
            total += 30 * (trumps - 2)
        if trumps > 0:
            voids = 0
            if trump != 0 and length0 == 0:
                voids += 1
            if trump != 1 and length1 == 0:
                voids += 1
            if trump != 2 and length2 == 0:
                voids += 1
            if trump != 3 and length3 == 0:
                voids += 1
            total += 20 * voids
        return total * 4 + (1 if naturals > 0 else 0)

    @jit
    def throw_away(hand: Any, base: int, trump: int, keep: int, suits: Any, powers: Any) -> int:
        """The index among six cards of the one to discard; never card `keep` (or -1)."""
        best = -1
        best_value = 1000
        for i in range(6):
            card = hand[base + i]
            if card == keep:
                continue
            suit = suits[trump * 25 + card]
            power = powers[trump * 25 + card]
            length = 0
            for j in range(6):
                if suits[trump * 25 + hand[base + j]] == suit:
                    length += 1
            value = power
            if suit == trump:
                value += 100
            else:
                if power == 5:
                    value += 40
                if length > 1:
                    value += 6
            if value < best_value:
                best_value = value
                best = i
        return best

    @jit
    def choose(
        hand: Any,
        base: int,
        size: int,
        trump: int,
        led: int,
        best: int,
        partner_wins: bool,
        last: bool,
        makers: bool,
        suits: Any,
        powers: Any,
        rng: Any,
    ) -> int:
        """The index of the card to play; `led` is the suit led or -1, `best` the strength to beat."""
        follows = 0
        if led >= 0:
            for i in range(size):
                if suits[trump * 25 + hand[base + i]] == led:
                    follows += 1
        noisy = draw(rng, 20) == 0
        seen = 0
        pick = draw(rng, follows if follows > 0 else size) if noisy else -1
        low = -1
        low_value = 1000
        win = -1
        win_value = -1
        for i in range(size):
            card = hand[base + i]
            suit = suits[trump * 25 + card]
            power = powers[trump * 25 + card]
            if follows > 0 and suit != led:
                continue
            if seen == pick:
                return i
            seen += 1
            # What it costs to throw this card away.
            value = power
            if suit == trump:
                value += 20
            elif led < 0 and power == 5:
                value += 10
            if value < low_value:
                low_value = value
                low = i
            if led < 0:
                # Leads: high trumps for the makers, side aces for anyone.
                worth = -1
                if suit == trump:
                    if makers or power >= 12:
                        worth = power
                elif power == 5:
                    worth = 8
                if worth > win_value:
                    win_value = worth
                    win = i
            else:
                reach = power if suit == trump or suit == led else -1  # noqa: SIM109 (numba has no tuple `in`)
                if reach > best:
                    # Last to play: just enough; else the highest of the suit led, the lowest trump.
                    if last or suit == trump != led:
                        worth = 100 - reach
                    else:
                        worth = reach
                    if worth > win_value:
                        win_value = worth
                        win = i
        if led < 0:
            return win if win >= 0 else low
        if partner_wins and (last or best >= 5):
            return low
        return win if win >= 0 else low

    @jit
    def simulate(pack: Any, dealer: int, seed: int, rules: Any, suits: Any, powers: Any) -> int:
        """One hand played out by the noisy policy in all four seats."""
        rng = [seed]
        hand = [0] * 24
        for k in range(4):
            seat = (dealer + 1 + k) % 4
            for i in range(5):
                hand[seat * 6 + i] = pack[k * 5 + i]
        upcard = pack[20]
        stick = rules[1] != 0
        maker = -1
        trump = 0
        alone = 0
        taken = False
        if upcard == 24:
            trump = draw(rng, 4)
            maker = dealer
            taken = True
        else:
            up = upcard // 6
            for k in range(4):
                seat = (dealer + 1 + k) % 4
                gain = powers[up * 25 + upcard] * 5
                if seat == dealer:
                    hand[seat * 6 + 5] = upcard
                    out = throw_away(hand, seat * 6, up, -1, suits, powers)
                    kept = hand[seat * 6 + out]
                    hand[seat * 6 + out] = hand[seat * 6 + 5]
                    value = estimate(hand, seat * 6, 5, up, suits, powers)
                    hand[seat * 6 + out] = kept
                    gain = 10
                else:
                    value = estimate(hand, seat * 6, 5, up, suits, powers)
                    if (seat - dealer) % 2 != 0:
                        gain = -gain
                natural = value % 4 != 0
                value = value // 4 + gain + draw(rng, 61) - 30
                partner = (seat - dealer) % 4 == 2
                if value < 235 or (rules[5] != 0 and not natural):
                    continue
                lone = value >= 400
                if partner and (rules[3] == 2 or (rules[3] == 1 and not lone)):
                    continue
                maker = seat
                trump = up
                alone = 1 if lone else 0
                taken = True
                break
            if maker < 0:
                for k in range(4):
                    seat = (dealer + 1 + k) % 4
                    top = -1
                    suit_named = -1
                    for suit in range(4):
                        if suit == up:
                            continue
                        value = estimate(hand, seat * 6, 5, suit, suits, powers)
                        if rules[5] != 0 and value % 4 == 0:
                            continue
                        if value > top:
                            top = value
                            suit_named = suit
                    if suit_named < 0:
                        if not (stick and seat == dealer):
                            continue
                        suit_named = (up + 1) % 4
                    value = top // 4 + draw(rng, 61) - 30
                    # The other suit of the turned-down colour is better for the dealer's opponents.
                    if (seat - dealer) % 2 != 0 and suit_named == 3 - up:
                        value += 15
                    if value < 225 and not (stick and seat == dealer):
                        continue
                    maker = seat
                    trump = suit_named
                    alone = 1 if value >= 400 else 0
                    break
            if maker < 0:
                return 24
        size = [5, 5, 5, 5]
        if taken:
            hand[dealer * 6 + 5] = upcard
            keep = -1 if rules[4] != 0 else upcard
            out = throw_away(hand, dealer * 6, trump, keep, suits, powers)
            hand[dealer * 6 + out] = hand[dealer * 6 + 5]
        sits_out = (maker + 2) % 4 if alone != 0 else -1
        leader = (dealer + 1) % 4
        if alone != 0 and rules[2] != 0:
            leader = (maker + 1) % 4
        if leader == sits_out:
            leader = (leader + 1) % 4
        players = 3 if alone != 0 else 4
        makers_tricks = 0
        for _trick in range(5):
            led = -1
            best = -1
            winner = leader
            seat = leader
            for position in range(players):
                base = seat * 6
                partner_wins = led >= 0 and (winner - seat) % 4 == 2
                i = choose(
                    hand,
                    base,
                    size[seat],
                    trump,
                    led,
                    best,
                    partner_wins,
                    position == players - 1,
                    (seat - maker) % 2 == 0,
                    suits,
                    powers,
                    rng,
                )
                card = hand[base + i]
                size[seat] -= 1
                hand[base + i] = hand[base + size[seat]]
                suit = suits[trump * 25 + card]
                power = powers[trump * 25 + card]
                if led < 0:
                    led = suit
                    best = power
                elif (suit == trump or suit == led) and power > best:  # noqa: SIM109
                    best = power
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
