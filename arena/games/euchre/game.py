"""Euchre with its rules fixed: North American and British, with every option."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from arena.games.base import RuleValue
from arena.games.euchre import actions as act
from arena.games.euchre.auction import first_round, joker_turned, second_round
from arena.games.euchre.options import check, options
from arena.games.euchre.packed import packed_head
from arena.games.euchre.scoring import points_table
from arena.games.euchre.state import EuchreState
from arena.games.euchre.tables import PACK_24, PACK_25


class EuchreGame:
    """Euchre under one set of rules; see `arena.games.base.Game` for the interface. Immutable."""

    seats = 4
    teams = 2

    def __init__(self, game_id: str, rules: Mapping[str, RuleValue]) -> None:
        """`rules` holds every option with an allowed value. Raises RuleError if they contradict."""
        check(rules)
        self.id = game_id
        self.rules: Mapping[str, RuleValue] = MappingProxyType(dict(rules))
        defaults = {option.name: option.default for option in options(game_id)}
        self.non_defaults = {name: value for name, value in rules.items() if value != defaults[name]}
        self.packed_head = packed_head(game_id, self.non_defaults)
        self.pack = PACK_25 if rules["joker"] else PACK_24
        self.cards = len(self.pack)
        self.all_cards = (1 << self.cards) - 1
        self.target = int(rules["target"])
        self.hand_limit = int(rules["hand_limit"])
        self.deal_passes = rules["all_pass"] == "next_dealer"
        self.maker_left_leads = rules["lone_lead"] == "maker_left"
        self.may_discard_upcard = bool(rules["may_discard_upcard"])
        self.defend_alone = str(rules["defend_alone"])
        self.redeals = rules["farmers_hand"] == "redeal"
        self.needs_trump_to_call = rules["trump_to_call"] == "natural"
        self.points = points_table(rules)
        self.first_round = first_round(str(rules["dealer_partner_order_up"]))
        self.second_round = second_round(
            stick=bool(rules["stick_the_dealer"]), no_trump=rules["no_trump"] == "round2"
        )
        self.joker_turned = joker_turned(blind=rules["joker_up_alone"] == "blind")

    def non_default_rules(self) -> dict[str, RuleValue]:
        """The options that differ from the preset."""
        return dict(self.non_defaults)

    def team_of(self, seat: int) -> int:
        """Partners sit opposite: seats 0 and 2, seats 1 and 3."""
        return seat & 1

    def new_state(
        self, *, dealer: int = 0, scores: Sequence[int] | None = None, hand_number: int = 0
    ) -> EuchreState:
        """A game before its first deal, at any score, dealer and number of hands already dealt.

        Raises ValueError if there is no such seat, or if the game would be over.
        """
        if not 0 <= dealer < self.seats:
            raise ValueError(f"dealer {dealer}: expected a seat from 0 to {self.seats - 1}")
        start = tuple(scores) if scores is not None else (0, 0)
        if len(start) != self.teams or not all(0 <= score < self.target for score in start):
            raise ValueError(f"scores {list(start)}: expected two, each from 0 to {self.target - 1}")
        if not 0 <= hand_number < self.hand_limit:
            raise ValueError(f"hand number {hand_number}: expected 0 to {self.hand_limit - 1}")
        return EuchreState(self, dealer, (start[0], start[1]), hand_number)

    def word(self, action: int) -> str:
        """An action's word on the wire. Raises KeyError if there is no such action."""
        return act.WORDS[action]

    action = staticmethod(act.ACTIONS.get)
    """The action of a word, None if euchre has no such word. Called at each decision: no frame of its own."""
