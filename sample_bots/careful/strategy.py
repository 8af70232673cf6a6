"""How a careful club player answers one euchre request; `choose` is the way in.

Everything is decided from the request alone, so the bot needs no memory. What a hand is worth is
counted in whole hundredths of a trick: 250 is two and a half tricks.
"""

from __future__ import annotations

from collections.abc import Callable

from protocol import (
    JOKER,
    NO_TRUMP,
    SUITS,
    View,
    effective_suit,
    full_pack,
    is_trump,
    right_bower,
    sister,
    strength,
    trick_winner,
)

TARGETS = {"north-american": 10, "british": 11}

# What a card is worth, by the number of higher cards of its suit that others may hold.
TRUMP_TRICKS = (100, 80, 65, 60, 60, 35, 30, 30)
SIDE_TRICKS = (45, 15, 5, 0, 0, 0)
NO_TRUMP_TRICKS = (90, 40, 15, 5, 0, 0)
VOID_TRICKS = 20
"""A side suit that one holds no card of, with a trump to ruff it."""

# What one's own hand has to be worth to call, by place in the auction: dealer's left, dealer's
# partner, dealer's right, dealer. Partner is good for the rest.
ROUND_1_NEED = (265, 250, 265, 225)
ROUND_2_NEED = (200, 215, 220, 210)
BRINK = 15
"""So much less will do when either side has one point to go."""
ALONE_NEED = 360
"""What it has to be worth to play alone; it must hold the highest trump as well."""
UPCARD_TRICKS, UPBOWER_TRICKS = 40, 60
"""What the upcard is worth to a partner who deals; it counts against us if an opponent deals."""
NEXT_TRICKS = 40
"""Round 2: the dealer's side has turned a suit down, so it is weak in the sister suit too."""


def choose(view: View) -> str:
    """The answer to a request: a word out of `view.legal`."""
    if len(view.legal) == 1:
        return view.legal[0]
    thinking: dict[str, Callable[[View], str]] = {
        "bid1": order_up,
        "bid2": name_trumps,
        # The joker is turned and the hand not yet seen: all suits are alike, and alone is a gamble.
        "joker_name": lambda view: "name:S",
        "discard": discard,
        "defend": defend,
        "play": play,
    }
    think = thinking.get(view.get("phase"))
    word = think(view) if think else ""
    return word if word in view.legal else view.legal[0]


# --- What a hand is worth


def hand_value(hand: list[str], trump: str, pack: list[str]) -> int:
    """Hundredths of a trick that `hand` should take; `pack` holds every card that can be in play."""
    value = 0
    has_trump = any(is_trump(card, trump) for card in hand)
    for suit in SUITS:
        cards = [card for card in pack if effective_suit(card, trump) == suit]
        above = mine = 0
        for card in sorted(cards, key=lambda card: strength(card, trump), reverse=True):
            if card not in hand:
                above += 1
                continue
            if suit == trump:
                # Each higher trump of one's own draws one of theirs.
                value += TRUMP_TRICKS[max(0, above - mine)]
            elif trump == NO_TRUMP:
                value += NO_TRUMP_TRICKS[above]
            else:
                value += SIDE_TRICKS[above]
            mine += 1
        if mine == 0 and has_trump:
            value += VOID_TRICKS
    return value


def best_discard(hand: list[str], choices: list[str], trump: str, pack: list[str]) -> str:
    """The card whose loss leaves the best five; among equals the lowest."""

    def without(card: str) -> tuple[int, int]:
        rest = [other for other in hand if other != card]
        return hand_value(rest, trump, pack), -strength(card, trump)

    return max(choices, key=without)


# --- Calling


def place(view: View) -> int:
    """The place in the auction: 0 for dealer's left ... 3 for the dealer."""
    return (view.seat - view.dealer - 1) % 4


def strong_alone(view: View, hand: list[str], trump: str, value: int) -> bool:
    highest = JOKER if view.joker else right_bower(trump)
    return value >= ALONE_NEED and (highest in hand or trump == NO_TRUMP)


def call(view: View, word: str, value: int, need: int, alone: bool) -> str:
    """`word`, alone or not, or a pass."""
    target = view.rules.get("target", TARGETS[view.game])
    to_go = target - view.scores[view.team]
    if to_go == 1 or target - view.scores[1 - view.team] == 1:
        need -= BRINK
    lone_word = word + ("_alone" if word == "order_up" else ":alone")
    # With one or two points to go, a march together is enough.
    if alone and to_go > 2 and lone_word in view.legal:
        return lone_word
    if word in view.legal and (value >= need or "pass" not in view.legal):
        return word
    return "pass"


def order_up(view: View) -> str:
    trump = view.upcard[1]
    pack = list(full_pack(view.joker))
    hand = list(view.hand)
    upcard_helps = UPBOWER_TRICKS if view.upcard[0] == "J" else UPCARD_TRICKS
    if view.seat == view.dealer:
        hand.append(view.upcard)
        hand.remove(best_discard(hand, hand, trump, pack))
        upcard_helps = 0
    elif view.partner != view.dealer:
        upcard_helps = -upcard_helps
    value = hand_value(hand, trump, pack)
    alone = strong_alone(view, hand, trump, value)
    return call(view, "order_up", value + upcard_helps, ROUND_1_NEED[place(view)], alone)


def name_trumps(view: View) -> str:
    pack = [card for card in full_pack(view.joker) if card != view.upcard]
    next_helps = NEXT_TRICKS if place(view) in (0, 2) else -NEXT_TRICKS

    def value(trump: str) -> int:
        help_ = next_helps if trump == sister(view.upcard[1]) else 0
        return hand_value(view.hand, trump, pack) + help_

    trumps = [trump for trump in (*SUITS, NO_TRUMP) if f"name:{trump}" in view.legal]
    trump = max(trumps, key=value)
    alone = strong_alone(view, view.hand, trump, hand_value(view.hand, trump, pack))
    return call(view, f"name:{trump}", value(trump), ROUND_2_NEED[place(view)], alone)


def discard(view: View) -> str:
    card = best_discard(view.hand, view.cards, str(view.trump), list(full_pack(view.joker)))
    return f"discard:{card}"


def defend(view: View) -> str:
    trump = str(view.trump)
    value = hand_value(view.hand, trump, list(full_pack(view.joker)))
    return "defend_alone" if strong_alone(view, view.hand, trump, value) else "defend_together"


# --- Playing


class Table:
    """What a player knows who has watched every card."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.hand = view.hand
        self.trump = view.trump
        self.voids = view.voids()
        self.foes = [seat for seat in range(4) if seat % 2 != view.team and seat not in view.sitting_out]
        self.foes_to_play = [seat for seat in view.to_follow() if seat in self.foes]
        self.unseen = view.unseen()
        self.dealer_holds = ""
        seen = [*view.hand, *view.played(), view.get("discard")]
        if view.taken_up() and view.upcard not in seen:
            self.dealer_holds = view.upcard
            self.unseen.append(view.upcard)

    def suit(self, card: str) -> str:
        return effective_suit(card, self.trump)

    def power(self, card: str) -> int:
        return strength(card, self.trump)

    def may_hold(self, seat: int, card: str) -> bool:
        """Whether the unseen `card` may be in the hand of `seat`."""
        if card == self.dealer_holds:
            return seat == self.view.dealer
        return self.suit(card) not in self.voids[seat]

    def foes_may_hold(self, card: str) -> bool:
        return any(self.may_hold(foe, card) for foe in self.foes)

    def is_high(self, card: str) -> bool:
        """Whether no opponent can hold a higher card of its suit."""
        return not any(
            self.suit(other) == self.suit(card)
            and self.power(other) > self.power(card)
            and self.foes_may_hold(other)
            for other in self.unseen
        )

    def foes_may_have_trumps(self) -> bool:
        return any(is_trump(card, self.trump) and self.foes_may_hold(card) for card in self.unseen)

    def holds_up(self, card: str) -> bool:
        """Whether `card`, winning now, is safe from the opponents still to play.

        A ruff is feared only from one who has shown that he is void of the suit led.
        """
        led = self.view.led
        for other in self.unseen:
            if strength(other, self.trump, led) <= self.power(card):
                continue
            for foe in self.foes_to_play:
                if self.may_hold(foe, other) and (self.suit(other) == led or led in self.voids[foe]):
                    return False
        return True


def play(view: View) -> str:
    table = Table(view)
    return f"play:{follow(table) if view.trick else lead(table)}"


def lead(table: Table) -> str:
    view = table.view
    trumps = [card for card in view.cards if is_trump(card, table.trump)]
    side = [card for card in view.cards if card not in trumps]
    best = max(trumps, key=table.power, default="")
    if view.makers and trumps and table.foes_may_have_trumps():
        # Makers draw trumps: with the highest one, from length, or at once to the partner who called.
        i_called = view.maker == view.seat
        if table.is_high(best) or (len(trumps) >= 3 if i_called else len(view.hand) == 5):
            return best
    winners = [card for card in side if table.is_high(card)]
    if winners:
        # The more of its suit are out, the less likely is a ruff.
        unseen = [table.suit(card) for card in table.unseen]
        return max(winners, key=lambda card: unseen.count(table.suit(card)))
    if side:
        return throw_off(table, side)
    return best if table.is_high(best) else min(trumps, key=table.power)


def follow(table: Table) -> str:
    view = table.view
    winner, best = trick_winner(view.trick, table.trump) or (view.seat, "")
    if winner == view.partner and table.holds_up(best):
        return throw_off(table, view.cards)
    winning = sorted((card for card in view.cards if view.beats(card)), key=table.power)
    if not winning:
        return throw_off(table, view.cards)
    for card in winning:  # as cheaply as is safe
        if table.holds_up(card):
            return card
    if winner == view.partner:
        return throw_off(table, view.cards)
    return winning[0] if is_trump(winning[0], table.trump) else winning[-1]


def throw_off(table: Table, cards: list[str]) -> str:
    """The card that will be missed least: trumps and winners stay, a lone low card makes a void."""
    has_trump = any(is_trump(card, table.trump) for card in table.hand)
    suits = [table.suit(card) for card in table.hand]

    def worth(card: str) -> int:
        value = 4 * table.power(card)
        if not is_trump(card, table.trump):
            if table.is_high(card):
                value += 50
            elif has_trump and suits.count(table.suit(card)) == 1:
                value -= 10
        return value

    return min(cards, key=worth)
