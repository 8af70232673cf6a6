"""One game of euchre being played: cards as bit masks, actions as integers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from arena.games.base import HandResult, IllegalAction, Outcome
from arena.games.euchre import actions as act
from arena.games.euchre.actions import HIGH_PLAYS, LOW_PLAYS
from arena.games.euchre.auction import open_calls
from arena.games.euchre.facts import dealt_hands, hand_result
from arena.games.euchre.packed import Packed, packed_view
from arena.games.euchre.phases import BID1, BID2, DEAL, DEFEND, DISCARD, JOKER_NAME, OVER, PLAY
from arena.games.euchre.tables import (
    BIT,
    FOLLOW,
    HIGH_CARDS,
    JOKER,
    LOW_BITS,
    LOW_CARDS,
    LOW_MASK,
    NINES_AND_TENS,
    PACK_25,
    POWER,
    cards_of,
)
from arena.games.euchre.view import seat_view
from arena.games.tricks import turn_order

if TYPE_CHECKING:
    from arena.games.euchre.game import EuchreGame

NEXT: Final = turn_order(4)
PLAYERS: Final = tuple(4 - out.bit_count() for out in range(16))


class EuchreState:
    """A game of euchre in progress; see `arena.games.base.State` for the interface.

    Read, but do not write, what it shows: seats, trumps and cards are numbers (tables.py), -1 for none.
    `_legal` is the mask of cards that may be played or discarded, `_choices` the calls that may be made,
    `_follow` the cards that follow the lead of the current trick.
    """

    __slots__ = (
        "_choices",
        "_follow",
        "_last",
        "_legal",
        "_next",
        "_pack",
        "_refused",
        "_size",
        "_trick",
        "alone",
        "calls",
        "dealer",
        "discarded",
        "game",
        "hand_number",
        "hands",
        "lone_defender",
        "maker",
        "needs_deal",
        "packed_part",
        "phase",
        "public_part",
        "scores",
        "sits_out",
        "to_act",
        "tricks",
        "tricks_won",
        "trump",
        "upcard",
    )

    def __init__(self, game: EuchreGame, dealer: int, scores: tuple[int, int], hand_number: int) -> None:
        self.game = game
        self.dealer = dealer
        self.scores: tuple[int, ...] = scores
        self.hand_number = hand_number
        self.to_act: int | None = None
        self.needs_deal = True
        self.phase = DEAL
        self.hands = [0, 0, 0, 0]
        """By seat, the cards held now, as a mask of card numbers."""
        self.upcard = -1
        self.calls: list[str] = []
        """The words called in the auction, from dealer's left."""
        self.trump = -1
        self.maker = -1
        self.alone: list[int] = []
        """The seats that play without partner: the maker first, then a lone defender."""
        self.lone_defender = -1
        self.sits_out = 0
        """The seats that take no part in the play, as a mask."""
        self.discarded = -1
        self.tricks: list[list[int]] = []
        """The plays, each seat * 32 + card, trick by trick; the last one is current and may be empty."""
        self.tricks_won = [0, 0]
        """By team."""
        self.public_part: dict[str, Any] | None = None
        """Kept by view.py between a call and the next,"""
        self.packed_part: Packed | None = None
        """and this by packed.py."""
        self._pack: tuple[int, ...] = ()
        self._choices: tuple[int, ...] = ()
        self._legal = 0
        self._follow = 0
        self._trick: list[int] = []
        self._size = 4
        self._next = NEXT[0]
        self._refused = False
        self._last: tuple[Any, ...] | None = None

    # --- dealing and the calls

    def deal(self, pack: Sequence[int]) -> None:
        """Deal five cards to each seat from dealer's left, turn the next one up.

        Raises IllegalAction if no deal is due, ValueError if `pack` is not the whole pack, each card once.
        """
        if not self.needs_deal:
            raise IllegalAction("no deal is due")
        game = self.game
        dealer = self.dealer
        bit = BIT
        p = tuple(pack)
        hands = [0, 0, 0, 0]
        try:
            hands[(dealer + 1) & 3] = left = sum(map(bit, p[0:5]))
            hands[(dealer + 2) & 3] = across = sum(map(bit, p[5:10]))
            hands[(dealer + 3) & 3] = right = sum(map(bit, p[10:15]))
            hands[dealer] = own = sum(map(bit, p[15:20]))
            total = left + across + right + own + sum(map(bit, p[20:]))
        except KeyError:
            total = 0
        if total != game.all_cards or len(p) != game.cards:  # n powers of two, of sum 2**n - 1: all distinct
            raise ValueError(f"a deal takes each card number from 0 to {game.cards - 1} once")
        self.hands = hands
        self._pack = p
        self.upcard = upcard = p[20]
        self.needs_deal = False
        self.trump = self.maker = self.lone_defender = self.discarded = -1
        self.alone = []
        self.public_part = self.packed_part = None
        self.sits_out = 0
        self._refused = False
        self.calls = []
        self.tricks = []
        self.tricks_won = [0, 0]
        if game.redeals and any(not hand & ~NINES_AND_TENS for hand in hands):
            self._end_hand((0, 0), void="redealt")
        elif upcard == JOKER:
            self.phase = JOKER_NAME
            self.to_act = dealer
            self._choices = game.joker_turned
        else:
            self.phase = BID1
            self._ask_bid((dealer + 1) & 3)

    def _ask_bid(self, seat: int) -> None:
        """Ask `seat` for a call of the current round."""
        self.to_act = seat
        self._choices = open_calls(self.game, self.phase, seat, self.dealer, self.upcard, self.hands[seat])

    def _apply_call(self, action: int) -> None:
        if action not in self._choices:
            raise self._illegal(action)
        seat = self.to_act
        assert seat is not None
        self.public_part = self.packed_part = None
        if self.phase == DEFEND:
            self._apply_defend(seat, action)
            return
        self.calls.append(act.WORDS[action])
        if action == act.PASS:
            if seat != self.dealer:
                self._ask_bid((seat + 1) & 3)
            elif self.phase == BID1:
                self.phase = BID2
                self._ask_bid((seat + 1) & 3)
            else:
                self._end_hand((0, 0), void="thrown_in")
            return
        self.maker = seat
        if self.phase == BID1:
            self.trump = self.upcard // 6
            alone = action == act.ORDER_UP_ALONE
        else:
            self.trump = (action - act.NAME) >> 1
            alone = bool((action - act.NAME) & 1)
        if alone:
            self.alone = [seat]
            self.sits_out = 1 << (seat ^ 2)
        if self.phase == BID2:
            self._ask_defence()
        else:  # ordered up, or the joker turned: the dealer takes the card
            dealer = self.dealer
            self.hands[dealer] |= 1 << self.upcard
            self.phase = DISCARD
            self.to_act = dealer
            legal = self.hands[dealer]
            self._legal = legal if self.game.may_discard_upcard else legal & ~(1 << self.upcard)

    def _apply_discard(self, action: int) -> None:
        card = action - act.DISCARD
        if not 0 <= card < 25 or not self._legal >> card & 1:
            raise self._illegal(action)
        self.discarded = card
        self.public_part = self.packed_part = None
        self.hands[self.dealer] ^= 1 << card
        self._ask_defence()

    def _ask_defence(self) -> None:
        """Ask the defenders whether one plays alone, where the rules let them; else begin the play."""
        when = self.game.defend_alone
        if when == "off" or (when == "vs_lone" and not self.alone):
            self._start_play()
            return
        self.phase = DEFEND
        self._choices = (act.DEFEND_TOGETHER, act.DEFEND_ALONE)
        first = (self.dealer + 1) & 3
        self.to_act = first if (first ^ self.maker) & 1 else (first + 1) & 3

    def _apply_defend(self, seat: int, action: int) -> None:
        if action == act.DEFEND_ALONE:
            self.lone_defender = seat
            self.alone.append(seat)
            self.sits_out |= 1 << (seat ^ 2)
        elif not self._refused:
            self._refused = True
            self.to_act = seat ^ 2
            return
        self._start_play()

    def _start_play(self) -> None:
        out = self.sits_out
        self._next = NEXT[out]
        after = self.maker if self.game.maker_left_leads and self.maker in self.alone else self.dealer
        leader = self._next[after]
        self.phase = PLAY
        self.to_act = leader
        self._size = PLAYERS[out]
        self._trick = []
        self.tricks = [self._trick]
        self._legal = self.hands[leader]

    # --- the interface

    def legal(self) -> list[int]:
        """The legal actions of the seat to act, sorted; empty when no seat is to act."""
        if self.phase == PLAY:
            mask = self._legal
            return [*LOW_CARDS[mask & LOW_MASK], *HIGH_CARDS[mask >> LOW_BITS]]
        if self.phase == DISCARD:
            return [act.DISCARD + card for card in cards_of(self._legal)]
        return list(self._choices) if self.to_act is not None else []

    def apply(self, action: int) -> None:
        """Take `action` for the seat to act. Raises IllegalAction and changes nothing if not legal."""
        if self.phase != PLAY:
            if self.to_act is None:
                raise IllegalAction("no seat is to act")
            if self.phase == DISCARD:
                self._apply_discard(action)
            else:
                self._apply_call(action)
            return
        if action < 0 or not self._legal >> action & 1:
            raise self._illegal(action)
        seat: int = self.to_act  # type: ignore[assignment]  # some seat plays; an assert costs 4 %
        hands = self.hands
        hands[seat] ^= 1 << action
        trick = self._trick
        if trick:
            follow = self._follow
        else:
            self._follow = follow = FOLLOW[self.trump][action]
        trick.append(seat << 5 | action)
        if len(trick) < self._size:
            self.to_act = seat = self._next[seat]
            hand = hands[seat]
            self._legal = hand & follow or hand
            return
        power = POWER[self.trump][trick[0] & 31]
        best = 0
        for play in trick:  # quicker than max() over map()
            if power[play] > best:
                best = power[play]
        winner = best & 3
        self.tricks_won[winner & 1] += 1
        if hands[winner]:
            self.to_act = winner
            self._legal = hands[winner]
            self._trick = trick = []
            self.tricks.append(trick)
        else:
            self._score()

    def _score(self) -> None:
        side = self.maker & 1
        points = self.game.points[self.maker in self.alone][self.lone_defender >= 0][self.tricks_won[side]]
        if points < 0:
            side, points = 1 - side, -points
        self._end_hand((points, 0) if side == 0 else (0, points))

    def _end_hand(self, points: tuple[int, int], void: str = "") -> None:
        """Close the hand: keep it as the last one, add the points, end the game or pass the deal."""
        self._last = (
            self.hand_number,
            self.dealer,
            self._pack,
            points,
            void,
            self.maker,
            self.trump,
            self.maker in self.alone,
            self.lone_defender,
            tuple(self.tricks_won),
        )
        a, b = self.scores
        self.scores = (a, b) = (a + points[0], b + points[1])
        self.to_act = None
        game = self.game
        if a >= game.target or b >= game.target or self.hand_number + 1 >= game.hand_limit:
            self.phase = OVER
            return
        self.phase = DEAL
        self.needs_deal = True
        self.hand_number += 1
        if not void or (void == "thrown_in" and game.deal_passes):
            self.dealer = (self.dealer + 1) & 3

    def outcome(self) -> Outcome | None:
        """The end of the game, or None while it goes on."""
        if self.phase != OVER:
            return None
        a, b = self.scores
        winner = None if a == b else int(b > a)
        return Outcome(self.scores, winner, "target" if max(a, b) >= self.game.target else "hand_limit")

    def _illegal(self, action: int) -> IllegalAction:
        word = act.WORDS.get(action, str(action))
        expected = ", ".join(self.legal_words())
        return IllegalAction(f"{word} is not legal in {self.phase}: expected one of {expected}")

    def legal_words(self) -> list[str]:
        """`legal()` as words."""
        if self.phase == PLAY:
            mask = self._legal
            return [*LOW_PLAYS[mask & LOW_MASK], *HIGH_PLAYS[mask >> LOW_BITS]]
        words = act.WORDS
        return [words[action] for action in self.legal()]

    # --- what is seen of it

    def view(self, seat: int) -> dict[str, Any]:
        """What `seat` may know now, in the words of the wire. Raises ValueError between hands."""
        return seat_view(self, seat)

    packed_view = packed_view

    @property
    def last_hand(self) -> HandResult | None:
        """The hand that ended last, also while the next one is played; None before the first has ended."""
        return None if self._last is None else hand_result(*self._last)

    def reveal(self) -> dict[str, Any]:
        """The current (or last) hand laid open: hand_number, dealer, hands as dealt, upcard.

        Raises ValueError before the first deal.
        """
        if not self._pack:
            raise ValueError("no hand has been dealt")
        number, dealer = self.hand_number, self.dealer
        if self.to_act is None and self._last is not None:
            number, dealer = self._last[:2]
        return {
            "hand_number": number,
            "dealer": dealer,
            "hands": dealt_hands(self._pack, dealer),
            "upcard": PACK_25[self._pack[20]],
        }

    def copy(self) -> EuchreState:
        """An independent copy."""
        twin = EuchreState.__new__(EuchreState)
        twin.game = self.game
        twin.scores = self.scores
        twin.dealer = self.dealer
        twin.hand_number = self.hand_number
        twin.to_act = self.to_act
        twin.needs_deal = self.needs_deal
        twin.phase = self.phase
        twin.hands = self.hands[:]
        twin.trump = self.trump
        twin.maker = self.maker
        twin.alone = self.alone[:]
        twin.tricks_won = self.tricks_won[:]
        twin._pack = self._pack
        twin.upcard = self.upcard
        twin.calls = self.calls[:]
        twin._choices = self._choices
        twin._refused = self._refused
        twin.lone_defender = self.lone_defender
        twin.discarded = self.discarded
        twin.public_part = self.public_part  # replaced, never written to, both of them
        twin.packed_part = self.packed_part
        twin.sits_out = self.sits_out
        twin._next = self._next
        twin._size = self._size
        twin.tricks = [trick[:] for trick in self.tricks]
        twin._trick = twin.tricks[-1] if self.tricks else []
        twin._follow = self._follow
        twin._legal = self._legal
        twin._last = self._last
        return twin
