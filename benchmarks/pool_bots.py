"""Bots for the pool of real pairs: versions of one bot, and bots of other designs of like strength.

Each is a function from a view to a word, and depends on the request alone: what is drawn is drawn from a
hash of it, so that a pool is the same wherever it is made.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any, ClassVar

from arena.games.euchre.tables import PACK_24, STRENGTH, SUIT, TRUMPS
from protocol import SUITS, View, effective_suit, is_trump, strength, trump_order

try:
    from numba import njit
except ImportError:

    def njit(function: Any) -> Any:
        return function


Bot = Callable[[View], str]

SAMPLE_BOTS = Path(__file__).resolve().parents[1] / "sample_bots"
NUMBER = {word: number for number, word in enumerate(PACK_24)}
WORLDS = 20


def dice(view: View, salt: str) -> Random:
    """Random numbers that depend on the request alone."""
    seen = (
        salt,
        view.seat,
        view.dealer,
        view.phase,
        view.scores,
        view.hand,
        view.upcard,
        view.calls,
        view.tricks,
    )
    return Random(hashlib.blake2b(repr(seen).encode(), digest_size=8).digest())


# --- Versions of one bot


def strategy(name: str) -> ModuleType:
    """A copy of the strategy of `careful`, whose numbers and functions may be changed."""
    spec = spec_from_file_location(name, SAMPLE_BOTS / "careful" / "strategy.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def careful(**changes: Any) -> Bot:
    """`careful` with other numbers or functions in its strategy."""
    module = strategy("careful_version")
    for name, value in changes.items():
        assert hasattr(module, name), name
        setattr(module, name, value)
    bot: Bot = module.choose
    return bot


def absent_minded(bot: Bot, share: float) -> Bot:
    """A bot that plays any legal card once in a while."""

    def choose(view: View) -> str:
        if view.phase == "play" and len(view.legal) > 1:
            draw = dice(view, "absent-minded")
            if draw.random() < share:
                return draw.choice(view.legal)
        return bot(view)

    return choose


def no_trump_leads() -> Bot:
    """`careful` but for one rule: the makers do not draw trumps."""
    module = strategy("careful_quiet")
    lead = module.lead

    def quiet(table: Any) -> str:
        table.foes_may_have_trumps = lambda: False
        return str(lead(table))

    module.lead = quiet  # type: ignore[attr-defined]
    bot: Bot = module.choose
    return bot


# --- A bot that counts in other ways: trumps and aces to call, highest or lowest to play


class Counter:
    """Calls on points for trumps, aces and voids; wins with its highest card unless the partner wins."""

    def __init__(self, first: int = 24, second: int = 21, alone: int = 40) -> None:
        self.needs = first, second, alone

    def __call__(self, view: View) -> str:
        if view.phase == "play":
            return f"play:{self.card(view)}"
        if view.phase == "discard":
            return f"discard:{min(view.cards, key=lambda card: self.cost(view, card))}"
        first, second, alone = self.needs
        options: list[tuple[int, str]] = []
        for word in view.legal:
            if word == "order_up":
                suit = view.upcard[1]
                hand = list(view.hand)
                swing = 4
                if view.seat == view.dealer:
                    hand.append(view.upcard)
                    hand.remove(min(hand, key=lambda card: (is_trump(card, suit), strength(card, suit))))
                    swing = 0
                elif view.partner != view.dealer:
                    swing = -4
                options.append((self.points(hand, suit) + swing - first, word))
            elif word.startswith("name:") and word.count(":") == 1:
                options.append((self.points(list(view.hand), word[5:]) - second, word))
        if not options:
            return view.legal[0]
        best, word = max(options)
        lone = word + ("_alone" if word == "order_up" else ":alone")
        need = first if word == "order_up" else second
        if best + need >= alone and lone in view.legal:
            return lone
        return word if best >= 0 or "pass" not in view.legal else "pass"

    @staticmethod
    def points(hand: list[str], suit: str) -> int:
        trumps = [card for card in hand if is_trump(card, suit)]
        order = trump_order(suit)
        total = sum((12, 10, 8, 7, 6, 5, 5)[order.index(card)] for card in trumps)
        total += sum(5 for card in hand if card not in trumps and card[0] == "A")
        voids = 4 - len({effective_suit(card, suit) for card in hand} | {suit})
        return total + (3 * voids if trumps else 0)

    @staticmethod
    def cost(view: View, card: str) -> tuple[int, int]:
        alone = sum(other[1] == card[1] for other in view.hand) == 1
        return strength(card, view.trump), 0 if alone else 1

    def card(self, view: View) -> str:
        best = view.winning
        if best is None:
            sure = [card for card in view.cards if card[0] == "A" and not is_trump(card, view.trump)]
            trumps = [card for card in view.cards if is_trump(card, view.trump)]
            if view.makers and trumps and max(strength(card, view.trump) for card in trumps) >= 108:
                return max(trumps, key=lambda card: strength(card, view.trump))
            return sure[0] if sure else min(view.cards, key=lambda card: self.cost(view, card))
        winners = [card for card in view.cards if view.beats(card)]
        partner = best[0] == view.partner
        if winners and not (partner and (not view.to_follow() or strength(best[1], view.trump) >= 6)):
            if not view.to_follow():
                return min(winners, key=lambda card: strength(card, view.trump))
            follow = [card for card in winners if not is_trump(card, view.trump)]
            if follow:
                return max(follow, key=lambda card: strength(card, view.trump))
            return min(winners, key=lambda card: strength(card, view.trump))
        return min(view.cards, key=lambda card: self.cost(view, card))


# --- A bot that samples: worlds drawn, each played out by simple rules


@njit
def play_card(hands: Any, base: int, size: int, trump: int, led: int, best: int, partner: bool, last: bool,
              makers: bool, suits: Any, powers: Any) -> int:  # fmt: skip
    """Index of the card that the playouts' simple rules play: win cheaply when last, else high."""
    follows = False
    for i in range(size):
        if led >= 0 and suits[trump * 25 + hands[base + i]] == led:
            follows = True
    low = win = -1
    low_value = win_value = 1000
    for i in range(size):
        at = trump * 25 + hands[base + i]
        if follows and suits[at] != led:
            continue
        power = powers[at]
        value = power + (20 if suits[at] == trump else 0)
        if value < low_value:
            low_value = value
            low = i
        if led < 0:
            worth = 1000
            if suits[at] == trump and (makers or power == 12):
                worth = 20 - power
            elif suits[at] != trump and power == 5:
                worth = 12
        elif (suits[at] == trump or suits[at] == led) and power > best:
            worth = power if last or (suits[at] == trump and led != trump) else 20 - power
        else:
            continue
        if worth < win_value:
            win_value = worth
            win = i
    if win < 0 or (led >= 0 and partner and (last or best >= 5)):
        return low
    return win


@njit
def play_out(
    hands: Any,
    sizes: Any,
    trump: int,
    maker: int,
    out: int,
    seat: int,
    leader: int,
    led: int,
    best: int,
    winner: int,
    played: int,
    taken: int,
    left: int,
    suits: Any,
    powers: Any,
) -> int:
    """Makers' tricks when a hand is played to its end from the middle of a trick.

    `taken` are theirs so far, `left` the tricks that are not complete, the current one included.
    """
    players = 4 if out < 0 else 3
    while left > 0:
        while played < players:
            last = played == players - 1
            partner = led >= 0 and (winner - seat) % 4 == 2
            i = play_card(hands, seat * 6, sizes[seat], trump, led, best, partner, last,
                          (seat - maker) % 2 == 0, suits, powers)  # fmt: skip
            card = hands[seat * 6 + i]
            sizes[seat] -= 1
            hands[seat * 6 + i] = hands[seat * 6 + sizes[seat]]
            suit = suits[trump * 25 + card]
            power = powers[trump * 25 + card]
            if led < 0:
                led = suit
                best = power
                winner = seat
            elif (suit == trump or suit == led) and power > best:  # noqa: SIM109
                best = power
                winner = seat
            played += 1
            seat = (seat + 1) % 4
            if seat == out:
                seat = (seat + 1) % 4
        if (winner - maker) % 2 == 0:
            taken += 1
        left -= 1
        played = 0
        led = best = -1
        seat = winner
    return taken


class Sampler:
    """Draws worlds that fit what it has seen, plays every choice out in them, and takes the best."""

    def __init__(self, worlds: int = WORLDS, first: float = 0.15, second: float = -0.2) -> None:
        import numpy as np

        self._np = np
        self.worlds = worlds
        self.needs = first, second
        self.suits = np.array([s for t in range(4) for s in SUIT[t]], dtype=np.int64)
        self.powers = np.array([s for t in range(4) for s in STRENGTH[t]], dtype=np.int64)
        self.counting = Counter()

    def array(self, numbers: list[int]) -> Any:
        """Numbers as the playouts take them."""
        return self._np.array(numbers, dtype=self._np.int64)

    def __call__(self, view: View) -> str:
        if len(view.legal) == 1:
            return view.legal[0]
        draw = dice(view, "sampler")
        if view.phase == "play":
            return self.card(view, draw)
        if view.phase in ("bid1", "bid2"):
            return self.call(view, draw)
        return self.counting(view)

    def call(self, view: View, draw: Random) -> str:
        """The call whose mean points, by playouts, are best, if they are enough."""
        need = self.needs[view.phase == "bid2"]
        best, answer = (need, "pass") if "pass" in view.legal else (-9.0, view.legal[0])
        unseen = [NUMBER[card] for card in PACK_24 if card not in view.hand and card != view.upcard]
        for word in view.legal:
            if word == "pass" or word.endswith("alone"):
                continue
            suit = view.upcard[1] if word == "order_up" else word[5:]
            if Counter.points(list(view.hand), suit) < 12 and "pass" in view.legal:
                continue
            for lone in (False, True):
                name = (word + ("_alone" if word == "order_up" else ":alone")) if lone else word
                if name not in view.legal:
                    continue
                points = 0.0
                for _ in range(self.worlds):
                    tricks = self.dealt(view, unseen, TRUMPS.index(suit), word == "order_up", lone, draw)
                    points += -2 if tricks < 3 else (4 if lone else 2) if tricks == 5 else 1
                if points / self.worlds > best:
                    best, answer = points / self.worlds, name
        return answer

    def dealt(self, view: View, unseen: list[int], trump: int, taken: bool, lone: bool, draw: Random) -> int:
        """Makers' tricks of one drawn world in which this seat makes trumps."""
        draw.shuffle(unseen)
        cards = iter(unseen)
        hands = self._np.zeros(24, dtype=self._np.int64)
        for seat in range(4):
            mine = [NUMBER[c] for c in view.hand] if seat == view.seat else [next(cards) for _ in range(5)]
            if taken and seat == view.dealer:
                mine.append(NUMBER[view.upcard])
                mine.remove(min(mine, key=lambda card: self.powers[trump * 25 + card]))
            hands[seat * 6 : seat * 6 + 5] = mine
        out = (view.seat + 2) % 4 if lone else -1
        leader = (view.dealer + 1) % 4
        if leader == out:
            leader = (leader + 1) % 4
        sizes = self._np.full(4, 5, dtype=self._np.int64)
        return int(play_out(hands, sizes, trump, view.seat, out, leader, leader, -1, -1, leader, 0, 0, 5,
                            self.suits, self.powers))  # fmt: skip

    def card(self, view: View, draw: Random) -> str:
        trump = TRUMPS.index(str(view.trump))
        maker = int(view.maker or 0)
        out = view.sitting_out[0] if view.sitting_out else -1
        sizes = [5] * 4
        for trick in view.tricks:
            for seat, _ in trick:
                sizes[seat] -= 1
        unseen = [NUMBER[card] for card in view.unseen()]
        known = {seat: [] for seat in range(4)}
        known[view.seat] = [NUMBER[card] for card in view.hand]
        played = view.played()
        if view.taken_up() and view.upcard not in (*played, *view.hand, view.get("discard")):
            known[view.dealer] = [NUMBER[view.upcard]]
        voids = {s: {"CDHS".index(suit) for suit in suits} for s, suits in view.voids().items()}
        totals = dict.fromkeys(view.cards, 0)
        trick = [(seat, NUMBER[card]) for seat, card in view.trick]
        makers = view.makers
        team = maker % 2
        full = len(view.tricks) - (1 if view.trick else 0)
        for _ in range(self.worlds):
            hands = self.world(unseen, known, sizes, out, voids, trump, draw)
            for word in totals:
                tricks = self.played_out(
                    hands, sizes, trump, maker, out, view.seat, trick, NUMBER[word], view.won[team], 5 - full
                )
                points = -2 if tricks < 3 else 2 if tricks == 5 else 1
                totals[word] += 10 * (points if makers else -points) + (tricks if makers else -tricks)
        return f"play:{max(view.cards, key=totals.__getitem__)}"

    def world(self, unseen: list[int], known: dict[int, list[int]], sizes: list[int], out: int,
              voids: dict[int, set[int]], trump: int, draw: Random) -> Any:  # fmt: skip
        """Hands of all seats, 6 places each; voids that were shown are kept to where ten tries allow."""
        hands = self._np.zeros(24, dtype=self._np.int64)
        for attempt in range(10):
            draw.shuffle(unseen)
            cards = iter(unseen)
            fits = True
            for seat in range(4):
                if seat == out:
                    continue
                mine = list(known[seat][: sizes[seat]])
                while len(mine) < sizes[seat]:
                    card = next(cards)
                    fits = fits and int(self.suits[trump * 25 + card]) not in voids[seat]
                    mine.append(card)
                hands[seat * 6 : seat * 6 + len(mine)] = mine
            if fits or attempt == 9:
                break
        return hands

    def played_out(self, hands: Any, sizes: list[int], trump: int, maker: int, out: int, me: int,
                   trick: list[tuple[int, int]], card: int, taken: int, left: int) -> int:  # fmt: skip
        """Makers' tricks if this card is played now."""
        hands = hands.copy()
        numbers = self._np.array(sizes, dtype=self._np.int64)
        led = best = winner = -1
        for seat, other in [*trick, (me, card)]:
            suit, power = int(self.suits[trump * 25 + other]), int(self.powers[trump * 25 + other])
            if led < 0:
                led, best, winner = suit, power, seat
            elif suit in (trump, led) and power > best:
                best, winner = power, seat
        own = hands[me * 6 : me * 6 + sizes[me]].tolist()
        own.remove(card)
        hands[me * 6 : me * 6 + len(own)] = own
        numbers[me] -= 1
        seat = (me + 1) % 4
        if seat == out:
            seat = (seat + 1) % 4
        return int(play_out(hands, numbers, trump, maker, out, seat, seat, led, best, winner, len(trick) + 1,
                            taken, left, self.suits, self.powers))  # fmt: skip


class Plain:
    """Counts tricks by the kind of card, and plays by the playouts' simple rules."""

    TRUMPS: ClassVar[dict[int, int]] = {13: 100, 12: 100, 11: 85, 10: 70, 9: 55, 8: 40, 7: 40, 6: 40}

    def __init__(self, sampler: Sampler, first: int = 235, second: int = 200, alone: int = 360) -> None:
        self.needs = first, second, alone
        self.sampler = sampler

    def __call__(self, view: View) -> str:
        if len(view.legal) == 1:
            return view.legal[0]
        if view.phase == "play":
            return f"play:{self.card(view)}"
        if view.phase == "discard":
            trump = TRUMPS.index(str(view.trump))
            return f"discard:{min(view.cards, key=lambda card: self.cost(NUMBER[card], trump))}"
        if view.phase not in ("bid1", "bid2"):
            return self.sampler.counting(view)
        first, second, alone = self.needs
        options = []
        for word in view.legal:
            if word == "order_up":
                trump = SUITS.index(view.upcard[1])
                hand = [NUMBER[card] for card in view.hand]
                up = NUMBER[view.upcard]
                swing = 5 * STRENGTH[trump][up]
                if view.seat == view.dealer:
                    hand.append(up)
                    hand.remove(min(hand, key=lambda card: self.cost(card, trump)))
                    swing = 10
                elif view.partner != view.dealer:
                    swing = -swing
                options.append((self.worth(hand, trump) + swing - first, word))
            elif word.startswith("name:") and word.count(":") == 1:
                hand = [NUMBER[card] for card in view.hand]
                options.append((self.worth(hand, SUITS.index(word[5:])) - second, word))
        best, word = max(options)
        lone = word + ("_alone" if word == "order_up" else ":alone")
        if best + (first if word == "order_up" else second) >= alone and lone in view.legal:
            return lone
        return word if best >= 0 or "pass" not in view.legal else "pass"

    def worth(self, hand: list[int], trump: int) -> int:
        trumps = [card for card in hand if SUIT[trump][card] == trump]
        total = sum(self.TRUMPS[STRENGTH[trump][card]] for card in trumps) + 30 * max(0, len(trumps) - 2)
        total += sum({5: 60, 4: 10}.get(STRENGTH[trump][card], 0) for card in hand if card not in trumps)
        voids = 4 - len({SUIT[trump][card] for card in hand} | {trump})
        return total + (20 * voids if trumps else 0)

    @staticmethod
    def cost(card: int, trump: int) -> int:
        power = STRENGTH[trump][card]
        return power + (100 if SUIT[trump][card] == trump else 40 if power == 5 else 0)

    def card(self, view: View) -> str:
        trump = TRUMPS.index(str(view.trump))
        hand = [NUMBER[card] for card in view.hand]
        led, best = -1, -1
        if view.trick:
            led = SUIT[trump][NUMBER[view.trick[0][1]]]
            best = STRENGTH[trump][NUMBER[view.winning[1]]] if view.winning else -1
        partner = view.winning is not None and view.winning[0] == view.partner
        suits, powers = self.sampler.suits, self.sampler.powers
        cards = self.sampler.array(hand)
        last = not view.to_follow()
        i = play_card(cards, 0, len(hand), trump, led, best, partner, last, bool(view.makers), suits, powers)
        return view.hand[i]


def make_bots() -> dict[str, tuple[str, Bot]]:
    """Name -> (family, bot). Bots of one family are versions of one bot."""
    return {
        "careful": ("careful", careful()),
        "careful-5-percent": ("careful", absent_minded(careful(), 0.05)),
        "careful-bold": (
            "careful",
            careful(ROUND_1_NEED=(245, 230, 245, 205), ROUND_2_NEED=(180, 195, 200, 190)),
        ),
        "careful-old": (
            "careful",
            careful(
                ROUND_1_NEED=(265, 235, 265, 225),
                ROUND_2_NEED=(200, 210, 210, 210),
                NEXT_TRICKS=20,
                ALONE_NEED=430,
            ),
        ),
        "careful-quiet": ("careful", no_trump_leads()),
        "counter": ("counter", Counter()),
        "sampler": ("sampler", Sampler()),
        "plain": ("plain", Plain(Sampler())),
    }
