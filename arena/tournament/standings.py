"""Standings of a tournament, from the sums of its pairings alone: rows, crosstable, and warnings in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.ratings.pairs import PairingStats, PairUnit


@dataclass(frozen=True, slots=True)
class StandingsOptions:
    """How to rate. `anchor` fixes a bot at `anchor_elo` (errors are then of differences); else the mean is 0."""

    anchor: str | None = None
    anchor_elo: float = 0.0
    owners: Mapping[str, str] = field(default_factory=dict)
    """Owner by bot, where `bot.toml` names one."""
    owners_apart: bool = False
    """Leave pairings within one owner out of the ratings."""
    adjusted: bool = True
    """Rate by luck-adjusted scores where the luck of every pair is known."""
    stopped_early: bool = False
    """A sequential rule chose when to stop: probabilities are then printed with a word of warning."""
    notes: tuple[str, ...] = ()
    """Further warnings to print with the table (a guessable seed, an isolation below `strong`)."""


@dataclass(frozen=True, slots=True)
class Row:
    """One bot's line. Elo values are None where nothing can be said of the bot."""

    rank: int
    bot: str
    elo: float | None
    error: float | None
    """Half width of the 95 % interval, Elo."""
    bound: str
    """`>` or `<` where the bot won or lost everything and `elo` is only a bound, else empty."""
    rank_low: int
    rank_high: int
    better_than_next: float | None
    best: float | None
    score: float | None
    """Share of the pair scores, 0 to 1."""
    adj_score: float | None
    points_per_hand: float | None
    """Mean points margin a hand, from this bot's side."""
    pairs: int
    hands: int
    forfeits: int
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cross:
    """One cell of the crosstable: `row` against `column`, pairs lost - level - won and the score share."""

    row: str
    column: str
    lost: int
    level: int
    won: int
    score: float


@dataclass(frozen=True, slots=True)
class Standings:
    """The table of a tournament. Every number in it is finite; no probability is printed as 0 or 100 %."""

    rows: tuple[Row, ...]
    crosstable: tuple[Cross, ...]
    warnings: tuple[str, ...]
    lines: tuple[str, ...]
    """Plain words under the table."""
    faults: Mapping[str, Mapping[str, int]]
    """Faults by bot and reason."""
    facts: Mapping[str, Any]
    """Numbers about the whole: variance ratio k, misfit, components, the score that was rated."""

    def to_dict(self) -> dict[str, Any]:
        """Plain data, keys in a fixed order."""
        raise NotImplementedError

    def to_json(self) -> str:
        """The same bytes for the same results."""
        raise NotImplementedError

    def to_csv(self) -> str:
        """One line a bot, in the order of the table."""
        raise NotImplementedError


def make_standings(
    pairings: Sequence[PairingStats],
    *,
    bots: Sequence[str] = (),
    faults: Mapping[str, Mapping[str, int]] | None = None,
    options: StandingsOptions | None = None,
    shared_decks: Mapping[tuple[str, str], Sequence[PairUnit]] | None = None,
) -> Standings:
    """Rate the bots of these pairings. `bots` names those who should be listed even without a game.

    `shared_decks` gives the single pairs of each pairing of a tournament with common decks: pairs with the
    same index were then played on the same decks, and errors are clustered by deck.
    """
    raise NotImplementedError
