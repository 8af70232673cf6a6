"""How the reference policy of euchre plays to a trick, by what a seat can know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from arena.games.euchre.reference_cards import Cards


class Plays(NamedTuple):
    """Functions that choose a card, as a single bit; all compiled alike."""

    lead: Any
    follow: Any
    any_card: Any


def build_plays(jit: Callable[[Any], Any], cards: Cards) -> Plays:
    """The functions, with the compiler as in `reference.build`."""
    draw, number, suits, powers = cards.draw, cards.number, cards.suits, cards.powers
    aboves, groups = cards.aboves, cards.groups

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

    return Plays(lead, follow, any_card)
