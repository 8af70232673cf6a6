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
    JOKER,
    LOW_BITS,
    LOW_CARDS,
    LOW_MASK,
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
ALL_CARDS: Final = (1 << 25) - 1


class EuchreState:
    """A game of euchre in progress; see `arena.games.base.State` for the interface.

    `hands` are masks of card numbers by seat. Private fields hold the current trick: `_follow` the cards
    that follow the lead (all, before it), `_power` the strength of each card in it, `_best` and `_winner`
    the best so far, `_left` how many seats have yet to play to it.
    """

    __slots__ = (
        "_alone",
        "_best",
        "_calls",
        "_choices",
        "_discard",
        "_follow",
        "_last",
        "_left",
        "_legal",
        "_lone_defender",
        "_next",
        "_out",
        "_pack",
        "_plays",
        "_power",
        "_refused",
        "_upcard",
        "_winner",
        "_winners",
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
        self._calls: list[int] = []
        self._choices: tuple[int, ...] = ()
        self._refused = 0
        self._alone = False
        self._lone_defender = -1
        self._discard = -1
        self._out = 0
        self._next = NEXT[0]
        self._plays: list[int] = []
        self._winners: list[int] = []
        self._follow = ALL_CARDS
        self._power = POWER[0][0]
        self._best = 0
        self._winner = -1
        self._left = 0
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
        if len(pack) != game.cards or set(pack) != game.all_cards:
            raise ValueError(f"a deal takes each card number from 0 to {game.cards - 1} once")
        p = tuple(pack)
        dealer = self.dealer
        hands = [0, 0, 0, 0]
        hands[(dealer + 1) & 3] = 1 << p[0] | 1 << p[1] | 1 << p[2] | 1 << p[3] | 1 << p[4]
        hands[(dealer + 2) & 3] = 1 << p[5] | 1 << p[6] | 1 << p[7] | 1 << p[8] | 1 << p[9]
        hands[(dealer + 3) & 3] = 1 << p[10] | 1 << p[11] | 1 << p[12] | 1 << p[13] | 1 << p[14]
        hands[dealer] = 1 << p[15] | 1 << p[16] | 1 << p[17] | 1 << p[18] | 1 << p[19]
        self.hands = hands
        self._pack = p
        self._upcard = upcard = p[20]
        self.needs_deal = False
        self.trump = self.maker = self._lone_defender = self._discard = -1
        self._alone = False
        self._out = 0
        self._refused = 0
        self._calls = []
        self._plays = []
        self._winners = []
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
        if self.phase == DEFEND:
            self._apply_defend(seat, action)
            return
        self._calls.append(action)
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
            self._alone = action == act.ORDER_UP_ALONE
        else:
            self.trump = (action - act.NAME) >> 1
            self._alone = bool((action - act.NAME) & 1)
        if self._alone:
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
        self.hands[self.dealer] ^= 1 << card
        self._ask_defence()

    def _ask_defence(self) -> None:
        """Ask the defenders whether one plays alone, where the rules let them; else begin the play."""
        when = self.game.defend_alone
        if when == "off" or (when == "vs_lone" and not self._alone):
            self._start_play()
            return
        self.phase = DEFEND
        self._choices = (act.DEFEND_TOGETHER, act.DEFEND_ALONE)
        first = (self.dealer + 1) & 3
        self.to_act = first if (first ^ self.maker) & 1 else (first + 1) & 3

    def _apply_defend(self, seat: int, action: int) -> None:
        if action == act.DEFEND_ALONE:
            self._lone_defender = seat
            self._out |= 1 << (seat ^ 2)
        elif not self._refused:
            self._refused = 1
            self.to_act = seat ^ 2
            return
        self._start_play()

    def _start_play(self) -> None:
        out = self._out
        self._next = NEXT[out]
        after = self.maker if self._alone and self.game.maker_left_leads else self.dealer
        leader = self._next[after]
        self.phase = PLAY
        self.to_act = leader
        self._left = PLAYERS[out]
        self._follow = ALL_CARDS
        self._best = 0
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
        seat = self.to_act
        assert seat is not None
        hands = self.hands
        hands[seat] ^= 1 << action
        self._plays.append(seat << 5 | action)
        best = self._best
        if best == 0:  # the lead: it always has some power
            self._follow = follow = FOLLOW[self.trump][action]
            self._power = power = POWER[self.trump][action]
            self._best = power[action]
            self._winner = seat
        else:
            follow = self._follow
            power_ = self._power[action]
            if power_ > best:
                self._best = power_
                self._winner = seat
        if self._left > 1:
            self._left -= 1
            self.to_act = seat = self._next[seat]
            hand = hands[seat]
            self._legal = hand & follow or hand
            return
        winner = self._winner
        self.tricks_won[winner & 1] += 1
        self._winners.append(winner)
        if len(self._winners) == 5:
            self._score()
            return
        self._left = PLAYERS[self._out]
        self._best = 0
        self.to_act = winner
        self._legal = hands[winner]

    def _score(self) -> None:
        side = self.maker & 1
        points = self.game.points[self._alone][self._lone_defender >= 0][self.tricks_won[side]]
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
            self._alone,
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
        phase = self.phase
        game = self.game
        hand = self.hands[seat]
        if phase == JOKER_NAME and seat == self.dealer:
            hand = 0  # he names trumps before he is shown his cards
        tricks: list[list[list[Any]]] = []
        plays = self._plays
        if plays:
            size = PLAYERS[self._out]
            shown = [[play >> 5, PACK_25[play & 31]] for play in plays]
            tricks = [shown[i : i + size] for i in range(0, len(shown), size)]
        maker = self.maker
        alone = [maker] if self._alone else []
        if self._lone_defender >= 0:
            alone.append(self._lone_defender)
        words = act.WORDS
        view = {
            "game": game.id,
            "rules": dict(game.non_defaults),
            "phase": phase,
            "hand_number": self.hand_number,
            "seat": seat,
            "dealer": self.dealer,
            "scores": list(self.scores),
            "hand": [PACK_25[c] for c in (*LOW_CARDS[hand & LOW_MASK], *HIGH_CARDS[hand >> LOW_BITS])],
            "upcard": PACK_25[self._upcard],
            "calls": [words[call] for call in self._calls],
            "trump": TRUMPS[self.trump] if maker >= 0 else None,
            "maker": maker if maker >= 0 else None,
            "alone": alone,
            "tricks": tricks,
            "won": list(self.tricks_won),
        }
        if self._discard >= 0 and seat == self.dealer:
            view["discard"] = PACK_25[self._discard]
        return view

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
        for name in EuchreState.__slots__:
            value = getattr(self, name)
            setattr(twin, name, value[:] if type(value) is list else value)
        return twin
