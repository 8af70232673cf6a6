"""Games played from Python, as typed records: what `arena.api` gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena.table.verdict import EndReason, FaultRecord


@dataclass(frozen=True, slots=True)
class Decision:
    """One answer: the seat, its word, and the seconds that it was charged."""

    seat: int
    word: str
    seconds: float


@dataclass(frozen=True, slots=True)
class HandRecord:
    """One dealt hand."""

    number: int
    dealer: int
    pack: tuple[str, ...]
    """The whole pack in order of dealing."""
    hands: tuple[tuple[str, ...], ...]
    """By seat, the cards as dealt."""
    upcard: str
    decisions: tuple[Decision, ...]
    points: tuple[int, ...]
    """Scored in this hand, by team."""
    scores: tuple[int, ...]
    """After it, by team."""
    end: str
    """`played`, `thrown_in`, `redealt` or `forfeit`."""
    facts: Mapping[str, Any]
    """What the game says of it (euchre: maker, trump, alone, tricks, ...); none after a forfeit."""
    fault: FaultRecord | None = None


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One game."""

    scores: tuple[int, ...]
    winner: int | None
    """The winning team, None for a draw."""
    reason: EndReason
    fault: FaultRecord | None
    hands: tuple[HandRecord, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class PairRecord:
    """A duplicate pair: two games on the same decks, the teams' seats swapped in the second."""

    pair: int
    legs: tuple[GameRecord, GameRecord]

    @property
    def score(self) -> float:
        """The first player's score: 0, 1/4, 1/2, 3/4 or 1."""
        return (_score(self.legs[0], 0) + _score(self.legs[1], 1)) / 2

    @property
    def margin(self) -> int:
        """The first player's points minus the second's, over both legs."""
        first, second = self.legs
        return first.scores[0] - first.scores[1] + second.scores[1] - second.scores[0]


@dataclass(frozen=True, slots=True)
class PairsRecord:
    """Duplicate pairs between two players; every number is from the first one's side."""

    pairs: tuple[PairRecord, ...]

    @property
    def score(self) -> float:
        """The mean pair score, 0 to 1 (1/2 where no pair was played)."""
        return sum(pair.score for pair in self.pairs) / len(self.pairs) if self.pairs else 0.5

    @property
    def cells(self) -> tuple[int, int, int, int, int]:
        """How many pairs scored 0, 1/4, 1/2, 3/4, 1."""
        counts = [0] * 5
        for pair in self.pairs:
            counts[round(4 * pair.score)] += 1
        return counts[0], counts[1], counts[2], counts[3], counts[4]

    @property
    def points(self) -> tuple[int, int]:
        """Game points of the first and of the second player over all games."""
        legs = [pair.legs for pair in self.pairs]
        a = sum(first.scores[0] + second.scores[1] for first, second in legs)
        b = sum(first.scores[1] + second.scores[0] for first, second in legs)
        return a, b

    @property
    def forfeits(self) -> tuple[int, int]:
        """Games forfeited by the first and by the second player."""
        counts = [0, 0]
        for pair in self.pairs:
            for leg, game in enumerate(pair.legs):
                if game.fault is not None:
                    counts[(game.fault.team + leg) % 2] += 1
        return counts[0], counts[1]


def _score(record: GameRecord, team: int) -> float:
    return 0.5 if record.winner is None else float(record.winner == team)
