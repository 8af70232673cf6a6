"""What every game is: `Game`, `State`, its rules, and the records that leave it.

The split follows OpenSpiel: a `Game` is immutable and knows the rules; a `State` is one game
being played. Inside, cards and actions are small integers; on the wire they are words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

RuleValue = bool | int | str


class RuleError(ValueError):
    """An unknown game, option or value, or options that contradict; the text says what to do."""


class IllegalAction(ValueError):
    """An action that is not legal now; the state is unchanged."""


@dataclass(frozen=True, slots=True)
class Option:
    """One rule option of a game: its name, default, allowed values and meaning."""

    name: str
    default: RuleValue
    values: tuple[RuleValue, ...] | None
    """The allowed values, or None where any whole number from `minimum` on is allowed."""
    meaning: str
    minimum: int = 1


@dataclass(frozen=True, slots=True)
class HandResult:
    """One finished hand, as facts."""

    number: int
    dealer: int
    hands: tuple[tuple[str, ...], ...]
    """By seat, the cards as dealt (before any pick-up or exchange)."""
    upcard: str
    points: tuple[int, ...]
    """Points scored in this hand, by team."""
    thrown_in: bool
    """Whether it ended without play, also if it was redealt (then facts["redealt"] is true)."""
    facts: Mapping[str, Any]
    """Game-specific facts: euchre has maker, trump, alone, lone_defender, tricks, march, euchred, redealt."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game: the scores, and the winning team or None for a draw."""

    scores: tuple[int, ...]
    winner: int | None
    reason: str
    """`target` or `hand_limit`."""


class State(Protocol):
    """One game in progress. `apply` and `deal` advance it in place; `copy` forks it."""

    scores: tuple[int, ...]
    """Points so far, by team."""
    dealer: int
    """The seat that deals the current hand (or the next one, between hands)."""
    hand_number: int
    """How many hands were dealt before the current one: the index of its deck (0-based)."""

    @property
    def game(self) -> Game:
        """The game, with its rules."""

    @property
    def last_hand(self) -> HandResult | None:
        """The hand that ended last, also while the next one is played; None before the first has ended."""

    @property
    def to_act(self) -> int | None:
        """The seat to act; None when a deal is due or the game is over."""

    @property
    def needs_deal(self) -> bool:
        """Whether the next thing is `deal`."""

    def deal(self, pack: Sequence[int]) -> None:
        """Deal from `pack`: a permutation of range(len(game.pack)), in order of dealing.

        Raises IllegalAction if no deal is due, ValueError for anything but a permutation.
        """

    def legal(self) -> list[int]:
        """The legal actions of the seat to act, sorted, never empty while `to_act` is a seat."""

    def apply(self, action: int) -> None:
        """Take `action` for the seat to act. Raises IllegalAction and changes nothing if not legal."""

    def view(self, seat: int) -> dict[str, Any]:
        """What `seat` may know now, in wire words (PROTOCOL.md, `act`). Without id, clock, `legal`.

        Raises ValueError between hands.
        """

    def legal_words(self) -> list[str]:
        """`legal()` as wire words, in the same order."""

    def reveal(self) -> dict[str, Any]:
        """The current (or last) hand laid open for `hand_end`: hand_number, dealer, hands, upcard."""

    def outcome(self) -> Outcome | None:
        """The end of the game, or None while it goes on."""

    def copy(self) -> State:
        """An independent copy."""


@runtime_checkable
class PackedView(Protocol):
    """What a `State` may offer besides: its view packed at a smaller cost than packing what `view` gives."""

    def packed_view(self, seat: int) -> tuple[int, bytes]:
        """How many keys `view(seat)` has, and these with their values as msgpack, byte for byte what
        packing it gives, the head of the map left out. Raises ValueError between hands.
        """


class Game(Protocol):
    """A game with its rules fixed."""

    id: str
    rules: Mapping[str, RuleValue]
    """Every option with its value."""
    seats: int
    teams: int
    pack: tuple[str, ...]
    """The cards, in the canonical order that a deal permutes: card number i is `pack[i]`."""

    def non_default_rules(self) -> dict[str, RuleValue]:
        """The options that differ from the preset: what requests and records carry."""

    def team_of(self, seat: int) -> int:
        """The team of a seat."""

    def new_state(
        self, *, dealer: int = 0, scores: Sequence[int] | None = None, hand_number: int = 0
    ) -> State:
        """A game before its first deal, at any score, dealer and number of hands already dealt.

        Raises ValueError if there is no such seat, or if the game would be over.
        """

    def word(self, action: int) -> str:
        """An action's word on the wire."""

    def action(self, word: str) -> int | None:
        """The action of a word, None if no action of this game has that word."""
