"""The options of the two euchre games (rules.md section 3), and what contradicts what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from arena.games.base import Option, RuleError, RuleValue

NORTH_AMERICAN: Final = "north-american"
BRITISH: Final = "british"

OFF_ON: Final = (False, True)


def options(game: str) -> tuple[Option, ...]:
    """The options of `north-american` or `british`, with that preset's defaults."""
    british = game == BRITISH
    return (
        Option("target", 11 if british else 10, None, "points that win the game"),
        Option("joker", british, OFF_ON, "25 cards: the joker (benny) is the highest trump"),
        Option("stick_the_dealer", False, OFF_ON, "the last call of round 2 may not be pass"),
        Option("all_pass", "next_dealer", ("next_dealer", "same_dealer"), "who deals after a thrown-in hand"),
        Option(
            "lone_lead",
            "maker_left" if british else "dealer_left",
            ("dealer_left", "maker_left"),
            "who leads first against a lone maker (the next seat in play)",
        ),
        Option(
            "dealer_partner_order_up",
            "free",
            ("free", "alone_only", "forbidden"),
            "how the dealer's partner may order up in round 1",
        ),
        Option("may_discard_upcard", True, OFF_ON, "the dealer may discard the card just taken"),
        Option("super_euchre", False, OFF_ON, "makers who take no trick give 4 points"),
        Option(
            "defend_alone",
            "off",
            ("off", "vs_lone", "always"),
            "a defender may play without partner (against a lone maker, or always); a euchre then pays 4",
        ),
        Option(
            "joker_up_alone",
            "never",
            ("never", "blind"),
            "joker turned: the dealer may go alone as he names trumps unseen",
        ),
        Option("lone_short", "one", ("one", "euchre"), "a lone maker's 3 or 4 tricks: 1 point, or euchred"),
        Option("lone_march_points", 4, (3, 4, 5), "points for all five tricks alone"),
        Option("lone_euchre_points", 2, (2, 4), "points for euchring a lone maker"),
        Option("lone_doubles_all", False, OFF_ON, "a lone maker's hand counts double: 2, 4, euchred 4"),
        Option(
            "farmers_hand",
            "off",
            ("off", "redeal"),
            "a hand of only nines and tens is redealt by the same dealer",
        ),
        Option("no_trump", "off", ("off", "round2"), "round 2 may name no trump (no bowers)"),
        Option(
            "trump_to_call",
            "off",
            ("off", "natural"),
            "a caller must already hold a trump (left bower apart)",
        ),
        Option("hand_limit", 200, None, "the game ends after this many dealt hands: more points win"),
    )


def check(rules: Mapping[str, RuleValue]) -> None:
    """Raises RuleError if options contradict each other."""
    if rules["no_trump"] != "off" and rules["joker"]:
        raise RuleError("`no_trump=round2` cannot be played with the joker: set `joker=false` as well")
    if rules["joker_up_alone"] != "never" and not rules["joker"]:
        raise RuleError("`joker_up_alone=blind` needs the joker in the pack: set `joker=true` as well")
