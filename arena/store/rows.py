"""What goes into the store and comes out of it, one frozen record a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class Meta:
    """The tournament itself."""

    arena: str
    """Version of the arena that made it."""
    created: str
    """UTC, ISO 8601."""
    game: str
    rules: Mapping[str, bool | int | str]
    """The options that differ from the game's own."""
    options: Mapping[str, str]
    """What a second run may not change: flag name -> value as shown to a person."""
    seed: str
    """Hex; secret until the tournament is closed."""
    commitment: str
    guessable: bool
    closed: str | None = None


@dataclass(frozen=True, slots=True)
class BotRow:
    """A bot of the tournament."""

    digest: str
    name: str
    version: str
    owner: str = ""
    language: str = ""
    source: str = ""
    started: bool = False
    """It had a good start in this tournament: from then on a failed start is a forfeit."""
    breaks: int = 0
    """Blocks in which it was shown to have brought a slot down."""


@dataclass(frozen=True, slots=True)
class GameRow:
    """One game as it is stored. Scores and points from the side of A, the bot with the lower digest."""

    pair: int
    leg: int
    score_a: float
    points_a: int
    points_b: int
    hands: int
    decisions: int
    reason: str
    fault_code: str | None = None
    fault_bot: str | None = None
    """`a` or `b`."""
    fault_seat: int | None = None
    fault_text: str | None = None
    fault_stderr: str | None = None
    seconds: float = 0.0
    facts: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, pair: int, leg: int, row: Mapping[str, Any]) -> GameRow:
        """From what a slot said of a game; what is no column of its own goes into `facts`."""
        known = {f.name for f in fields(cls)} - {"pair", "leg", "facts"}
        return cls(
            pair,
            leg,
            facts={k: v for k, v in row.items() if k not in known and k not in ("pair", "leg")},
            **{k: v for k, v in row.items() if k in known},
        )


@dataclass(frozen=True, slots=True)
class StoredGame:
    """One stored game with its place in the logs."""

    match_id: str
    a: str
    b: str
    attempt: int
    status: str
    """`counts`, `superseded` (the same game counts from an earlier attempt) or `void`."""
    game: GameRow
    log: str
    offset: int
    bytes: int


@dataclass(frozen=True, slots=True)
class AttemptRow:
    """One run of one block."""

    match_id: str
    a: str
    b: str
    block: int
    attempt: int
    kind: str
    """`block`, `trial` (a bot against itself, to see who brings slots down) or `forfeit`."""
    status: str
    """`running`, `finished` or `lost`."""
    games: int
    played: int
    log: str
    bytes: int
    head: str
    why: str
    bot: str
    text: str
    logged: int
    """Its number in its log's header: another one where it was merged in."""


@dataclass(frozen=True, slots=True)
class Part:
    """A tournament that was merged into this one under a seed of its own."""

    commitment: str
    seed: str
    guessable: bool


@dataclass(frozen=True, slots=True)
class Sums:
    """The sums of one pairing over the games that count; `a` and `b` are the bots' names."""

    match_id: str
    a: str
    b: str
    games: int
    pairs: int
    cells: tuple[int, int, int, int, int]
    """Pairs by A's score: 0, 1/4, 1/2, 3/4, 1."""
    hands: int
    points_a: int
    points_b: int
    forfeits_a: int
    forfeits_b: int
    margin: int
    """Sum over pairs of A's points minus B's over both legs."""
    margin2: int
    decisions: int
    seconds: float
    part: str = ""
    """Commitment of the part that it was played in; empty for the tournament's own."""


@dataclass(frozen=True, slots=True)
class MachineCount:
    """Games that count and that one machine of a cluster played."""

    machine: str
    games: int
    time_losses: int


@dataclass(frozen=True, slots=True)
class FaultCount:
    """Games that count and that one bot forfeited for one reason."""

    bot: str
    code: str
    games: int
