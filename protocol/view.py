"""`View`: one `act` request as a bot sees it, with what a euchre player reads off the table."""

from __future__ import annotations

from typing import Any, cast

from protocol.cards import JOKER, effective_suit, full_pack, strength, trick_winner

Play = list[Any]
"""[seat, card], as on the wire."""


class View:
    """What one seat may know at one decision.

    The attributes up to `bank_ms` are the keys of `act` (PROTOCOL.md), as they came; `view[key]` and
    `view.get(key)` reach every key, also those that this package does not know yet. The rest is worked
    out from them for the two euchre games.
    """

    __slots__ = ("map",)

    def __init__(self, message: dict[str, Any]) -> None:
        self.map = message

    def __getitem__(self, key: str) -> Any:
        return self.map[key]

    def __contains__(self, key: str) -> bool:
        return key in self.map

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a key, `default` where the message lacks it."""
        return self.map.get(key, default)

    # The keys of `act`.

    @property
    def game(self) -> str:
        """`north-american`, `british`, ..."""
        return cast(str, self.map["game"])

    @property
    def rules(self) -> dict[str, Any]:
        """The options that differ from the game's defaults."""
        return cast("dict[str, Any]", self.map["rules"])

    @property
    def phase(self) -> str:
        """`bid1`, `bid2`, `joker_name`, `discard`, `defend` or `play`."""
        return cast(str, self.map["phase"])

    @property
    def hand_number(self) -> int:
        """How many hands of this game were dealt before this one."""
        return cast(int, self.map["hand_number"])

    @property
    def seat(self) -> int:
        """One's own seat."""
        return cast(int, self.map["seat"])

    @property
    def dealer(self) -> int:
        """The dealer's seat."""
        return cast(int, self.map["dealer"])

    @property
    def scores(self) -> list[int]:
        """Points by team; one's own is `scores[seat % 2]`."""
        return cast("list[int]", self.map["scores"])

    @property
    def hand(self) -> list[str]:
        """The cards held now: six for a dealer who is to discard, none where they are withheld."""
        return cast("list[str]", self.map["hand"])

    @property
    def upcard(self) -> str:
        """The card that was turned up."""
        return cast(str, self.map["upcard"])

    @property
    def calls(self) -> list[str]:
        """All calls of this hand from the dealer's left on; for a turned joker the dealer's alone."""
        return cast("list[str]", self.map["calls"])

    @property
    def trump(self) -> str | None:
        """A suit, `NT`, or None while trumps are open."""
        return cast("str | None", self.map["trump"])

    @property
    def maker(self) -> int | None:
        """The seat that fixed trumps."""
        return cast("int | None", self.map["maker"])

    @property
    def alone(self) -> list[int]:
        """The seats that play alone: the maker, or a defender, or both."""
        return cast("list[int]", self.map["alone"])

    @property
    def tricks(self) -> list[list[Play]]:
        """All tricks of this hand, the current one last; each a list of [seat, card] in order of play."""
        return cast("list[list[Play]]", self.map["tricks"])

    @property
    def won(self) -> list[int]:
        """Tricks won in this hand, by team."""
        return cast("list[int]", self.map["won"])

    @property
    def legal(self) -> list[str]:
        """The words to choose from, never empty."""
        return cast("list[str]", self.map["legal"])

    @property
    def time_ms(self) -> int | None:
        """Milliseconds for this decision; None without a limit."""
        return cast("int | None", self.map["time_ms"])

    @property
    def bank_ms(self) -> int | None:
        """Milliseconds left in the game's bank; None where there is none."""
        return cast("int | None", self.map.get("bank_ms"))

    # Worked out, for the two euchre games.

    @property
    def team(self) -> int:
        """One's own team, 0 or 1."""
        return self.seat % 2

    @property
    def partner(self) -> int:
        """The partner's seat, also when he sits out."""
        return (self.seat + 2) % 4

    @property
    def sitting_out(self) -> list[int]:
        """The partners of those who play alone."""
        return [(seat + 2) % 4 for seat in self.alone]

    @property
    def makers(self) -> bool | None:
        """Whether one's own side fixed trumps; None while they are open."""
        return None if self.maker is None else self.maker % 2 == self.team

    @property
    def joker(self) -> bool:
        """Whether the joker is in the pack."""
        return bool(self.rules.get("joker", self.game == "british"))

    @property
    def trick(self) -> list[Play]:
        """The current trick so far; empty for the leader."""
        tricks = self.tricks
        players = 4 - len(self.alone)
        return tricks[-1] if tricks and len(tricks[-1]) < players else []

    @property
    def led(self) -> str | None:
        """The effective suit that was led to the current trick; None for the leader."""
        trick = self.trick
        return effective_suit(trick[0][1], self.trump) if trick else None

    @property
    def winning(self) -> tuple[int, str] | None:
        """(seat, card) that wins the current trick so far; None for the leader."""
        return trick_winner(self.trick, self.trump)

    @property
    def cards(self) -> list[str]:
        """The cards in `legal` (of `play:` and `discard:`), in its order."""
        return [word.split(":")[1] for word in self.legal if word.startswith(("play:", "discard:"))]

    def beats(self, card: str) -> bool:
        """Whether `card`, played now, would be the highest of the current trick so far."""
        best = self.winning
        if best is None:
            return True
        return strength(card, self.trump, self.led) > strength(best[1], self.trump, self.led)

    def to_follow(self) -> list[int]:
        """The seats that play to the current trick after one's own, in order."""
        out = self.sitting_out
        done = {play[0] for play in self.trick}
        seats = [(self.seat + step) % 4 for step in (1, 2, 3)]
        return [seat for seat in seats if seat not in out and seat not in done]

    def played(self) -> list[str]:
        """All cards played in this hand, in order."""
        return [play[1] for trick in self.tricks for play in trick]

    def taken_up(self) -> bool:
        """Whether the dealer took the upcard into his hand (and perhaps discarded it again)."""
        return self.maker is not None and (
            self.upcard == JOKER or any(call.startswith("order_up") for call in self.calls)
        )

    def unseen(self) -> list[str]:
        """The cards that are neither played nor turned up nor in one's own hand nor one's own discard:
        in the other hands, in the kitty, or discarded. The upcard is not among them, though the dealer may
        hold it (`taken_up`)."""
        seen = {*self.hand, *self.played(), self.upcard, self.get("discard")}
        return [card for card in full_pack(self.joker) if card not in seen]

    def voids(self) -> dict[int, set[str]]:
        """By seat, the suits that it has shown to be void in by not following. A void stays one."""
        result: dict[int, set[str]] = {seat: set() for seat in range(4)}
        for trick in self.tricks:
            for seat, card in trick[1:]:
                led = effective_suit(trick[0][1], self.trump)
                if effective_suit(card, self.trump) != led:
                    result[seat].add(led)
        return result
