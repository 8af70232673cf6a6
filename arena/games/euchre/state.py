"""One game of euchre being played: cards as bit masks, actions as integers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from arena.games.base import HandResult, IllegalAction, Outcome
from arena.games.euchre import actions as act
from arena.games.euchre.facts import dealt_hands, hand_result
from arena.games.euchre.tables import (
    FOLLOW,
    HIGH_CARDS,
    HIGH_WORDS,
    JOKER,
    LOW_BITS,
    LOW_CARDS,
    LOW_MASK,
    LOW_WORDS,
    NINES_AND_TENS,
    NO_TRUMP,
    PACK_25,
    POWER,
    SUIT_MASK,
    TRUMPS,
    cards_of,
    left_bower,
)
from arena.games.tricks import turn_order

if TYPE_CHECKING:
    from arena.games.euchre.game import EuchreGame

DEAL: Final = "deal"
BID1: Final = "bid1"
BID2: Final = "bid2"
JOKER_NAME: Final = "joker_name"
DISCARD: Final = "discard"
DEFEND: Final = "defend"
PLAY: Final = "play"
OVER: Final = "over"

NEXT: Final = turn_order(4)
PLAYERS: Final = tuple(4 - out.bit_count() for out in range(16))
BIT: Final = {card: 1 << card for card in range(25)}
CARD: Final = (*PACK_25, *[""] * 7) * 4
"""The card's word of a play, seat * 32 + card."""


class EuchreState:
    """A game of euchre in progress; see `arena.games.base.State` for the interface.

    `hands` are masks of card numbers by seat. A play is kept as seat * 32 + card; `_trick` is the current
    trick, `_tricks` all of them with the current one last, `_follow` the cards that follow its lead.
    """

    __slots__ = (
        "_calls",
        "_choices",
        "_discard",
        "_follow",
        "_last",
        "_legal",
        "_lone_defender",
        "_next",
        "_out",
        "_pack",
        "_public",
        "_refused",
        "_size",
        "_trick",
        "_tricks",
        "_upcard",
        "alone",
        "dealer",
        "game",
        "hand_number",
        "hands",
        "maker",
        "needs_deal",
        "phase",
        "scores",
        "to_act",
        "tricks_won",
        "trump",
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
        self.trump = -1
        self.maker = -1
        self.tricks_won = [0, 0]
        self._pack: tuple[int, ...] = ()
        self._upcard = -1
        self._calls: list[str] = []
        self._choices: tuple[int, ...] = ()
        self._refused = 0
        self.alone: list[int] = []
        self._lone_defender = -1
        self._discard = -1
        self._public: dict[str, Any] | None = None
        self._out = 0
        self._next = NEXT[0]
        self._size = 4
        self._tricks: list[list[int]] = []
        self._trick: list[int] = []
        self._follow = 0
        self._legal = 0
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
        bit = BIT.__getitem__
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
        self._upcard = upcard = p[20]
        self.needs_deal = False
        self.trump = self.maker = self._lone_defender = self._discard = -1
        self.alone = []
        self._public = None
        self._out = 0
        self._refused = 0
        self._calls = []
        self._tricks = []
        self.tricks_won = [0, 0]
        if game.redeals and any(not hand & ~NINES_AND_TENS for hand in hands):
            self._end_hand((0, 0), void="redealt")
        elif upcard == JOKER:
            self.phase = JOKER_NAME
            self.to_act = dealer
            self._choices = game.joker_choices
        else:
            self.phase = BID1
            self._ask_bid((dealer + 1) & 3)

    def _ask_bid(self, seat: int) -> None:
        """Ask `seat` for a call of the current round."""
        game = self.game
        self.to_act = seat
        turned = self._upcard // 6
        if self.phase == BID1:
            choices = game.round1_choices[(seat - self.dealer) & 3]
        else:
            choices = game.round2_choices[turned][seat == self.dealer]
        if game.needs_trump_to_call:
            choices = self._callable(choices, seat) or choices
        self._choices = choices

    def _callable(self, choices: tuple[int, ...], seat: int) -> tuple[int, ...]:
        """The choices whose trump `seat` holds, its left bower not counted (option `trump_to_call`)."""
        hand = self.hands[seat]

        def may(call: int) -> bool:
            if call == act.PASS:
                return True
            trump = self._upcard // 6 if call < act.NAME else (call - act.NAME) >> 1
            if trump == NO_TRUMP:
                return True
            return bool(hand & SUIT_MASK[trump][trump] & ~(1 << left_bower(trump)))

        return tuple(call for call in choices if may(call))

    def _apply_call(self, action: int) -> None:
        if action not in self._choices:
            raise self._illegal(action)
        seat = self.to_act
        assert seat is not None
        self._public = None
        if self.phase == DEFEND:
            self._apply_defend(seat, action)
            return
        self._calls.append(act.WORDS[action])
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
            self.trump = self._upcard // 6
            alone = action == act.ORDER_UP_ALONE
        else:
            self.trump = (action - act.NAME) >> 1
            alone = bool((action - act.NAME) & 1)
        if alone:
            self.alone = [seat]
            self._out = 1 << (seat ^ 2)
        if self.phase == BID2:
            self._ask_defence()
        else:  # ordered up, or the joker turned: the dealer takes the card
            dealer = self.dealer
            self.hands[dealer] |= 1 << self._upcard
            self.phase = DISCARD
            self.to_act = dealer
            legal = self.hands[dealer]
            self._legal = legal if self.game.may_discard_upcard else legal & ~(1 << self._upcard)

    def _apply_discard(self, action: int) -> None:
        card = action - act.DISCARD
        if not 0 <= card < 25 or not self._legal >> card & 1:
            raise self._illegal(action)
        self._discard = card
        self._public = None
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
            self._lone_defender = seat
            self.alone.append(seat)
            self._out |= 1 << (seat ^ 2)
        elif not self._refused:
            self._refused = 1
            self.to_act = seat ^ 2
            return
        self._start_play()

    def _start_play(self) -> None:
        out = self._out
        self._next = NEXT[out]
        after = self.maker if self.game.maker_left_leads and self.maker in self.alone else self.dealer
        leader = self._next[after]
        self.phase = PLAY
        self.to_act = leader
        self._size = PLAYERS[out]
        self._trick = []
        self._tricks = [self._trick]
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
        winner = max(map(power.__getitem__, trick)) & 3
        self.tricks_won[winner & 1] += 1
        if hands[winner]:
            self.to_act = winner
            self._legal = hands[winner]
            self._trick = trick = []
            self._tricks.append(trick)
        else:
            self._score()

    def _score(self) -> None:
        side = self.maker & 1
        points = self.game.points[self.maker in self.alone][self._lone_defender >= 0][self.tricks_won[side]]
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
            self._lone_defender,
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
        words = act.WORDS
        return [words[action] for action in self.legal()]

    # --- what is seen of it

    def view(self, seat: int) -> dict[str, Any]:
        """What `seat` may know now, in the words of the wire (PROTOCOL.md, `act`).

        Raises ValueError between hands.
        """
        if self.to_act is None:
            raise ValueError("no hand is being played")
        public = self._public
        if public is None:
            self._public = public = self._public_part()
        view = public.copy()
        hand = self.hands[seat]
        if self.phase == JOKER_NAME and seat == self.dealer:
            hand = 0  # he names trumps before he is shown his cards
        view["seat"] = seat
        view["hand"] = [*LOW_WORDS[hand & LOW_MASK], *HIGH_WORDS[hand >> LOW_BITS]]
        a, b = self.scores
        view["scores"] = [a, b]
        a, b = self.tricks_won
        view["won"] = [a, b]
        view["calls"] = self._calls[:]
        view["alone"] = self.alone[:]
        if self._tricks:
            view["tricks"] = [[[p >> 5, CARD[p]] for p in trick] for trick in self._tricks if trick]
        else:
            view["tricks"] = []
        view["rules"] = self.game.non_defaults.copy()
        if self._discard >= 0 and seat == self.dealer:
            view["discard"] = PACK_25[self._discard]
        return view

    def _public_part(self) -> dict[str, Any]:
        """All keys of a view, with what is the same for all seats until a call or a discard changes it."""
        called = self.maker >= 0
        return {
            "game": self.game.id,
            "rules": None,
            "phase": self.phase,
            "hand_number": self.hand_number,
            "seat": None,
            "dealer": self.dealer,
            "scores": None,
            "hand": None,
            "upcard": PACK_25[self._upcard],
            "calls": None,
            "trump": TRUMPS[self.trump] if called else None,
            "maker": self.maker if called else None,
            "alone": None,
            "tricks": None,
            "won": None,
        }

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
        twin._upcard = self._upcard
        twin._calls = self._calls[:]
        twin._choices = self._choices
        twin._refused = self._refused
        twin._lone_defender = self._lone_defender
        twin._discard = self._discard
        twin._public = self._public  # replaced, never written to
        twin._out = self._out
        twin._next = self._next
        twin._size = self._size
        twin._tricks = [trick[:] for trick in self._tricks]
        twin._trick = twin._tricks[-1] if self._tricks else []
        twin._follow = self._follow
        twin._legal = self._legal
        twin._last = self._last
        return twin
