"""Which stored games count, and what a match's sums must be, made again from the games of its logs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from arena.replay.log import LoggedGame
from arena.store.rows import StoredGame, Sums

COLUMNS = (
    "games", "pairs", "cell0", "cell1", "cell2", "cell3", "cell4", "hands", "points_a", "points_b",
    "forfeits_a", "forfeits_b", "margin", "margin2", "decisions", "seconds",
)  # fmt: skip
"""Every sum that the database keeps of a match."""


@dataclass(frozen=True, slots=True)
class Result:
    """One finished game of one attempt: what its log says of it, or its row where the log cannot be read."""

    attempt: int
    row: StoredGame | None
    score_a: float
    points_a: int
    points_b: int
    hands: int
    decisions: int
    fault_bot: str | None
    game: LoggedGame | None = None
    """The game itself, where its log can be read."""

    @classmethod
    def logged(cls, attempt: int, row: StoredGame | None, game: LoggedGame) -> Result:
        """As the log has it."""
        end, teams = game.end, game.start.teams
        points = {teams[team]: score for team, score in enumerate(end.scores)}
        return cls(
            attempt,
            row,
            end.score_a,
            points[0],
            points[1],
            len(game.hands),
            sum(len(hand.acts) for hand in game.hands),
            "ab"[teams[end.fault.seat]] if end.fault else None,
            game,
        )

    @classmethod
    def stored(cls, row: StoredGame) -> Result:
        """As the database has it."""
        game = row.game
        return cls(
            row.attempt,
            row,
            game.score_a,
            game.points_a,
            game.points_b,
            game.hands,
            game.decisions,
            game.fault_bot,
        )


class SumsCheck:
    """The sums of every match, added up block by block; one block's games are held at a time."""

    def __init__(self) -> None:
        self._sums: Counter[tuple[str, str]] = Counter()
        self._seconds: dict[str, float] = {}
        self._untimed: set[str] = set()
        """Matches with a game that has no row: nothing else knows how long it took."""
        self._places: dict[tuple[int, int], list[Result]] = {}

    def add(self, pair: int, leg: int, result: Result) -> None:
        """A finished game of the block that is looked at."""
        self._places.setdefault((pair, leg), []).append(result)

    def counting(self) -> dict[tuple[int, int], Result]:
        """By pair and leg, the game of this block that counts.

        The store's rule: of the games at one place the one of the first attempt counts, each later one is
        superseded.
        """
        return {
            place: min(results, key=lambda result: result.attempt) for place, results in self._places.items()
        }

    def misjudged(self, counting: Mapping[tuple[int, int], Result]) -> Iterator[tuple[StoredGame, str]]:
        """Rows of this block that count, or do not, against that rule; and why."""
        for place, results in self._places.items():
            first = counting[place]
            for result in results:
                right = "counts" if result is first else "superseded"
                row = result.row
                if row is None or row.status == right:
                    continue
                if result is not first:
                    why = f"attempt {first.attempt} finished the same game before: that one counts"
                elif row.status == "void":
                    why = "nothing in the logs sets this game aside: it counts"
                else:
                    why = "by the logs no earlier attempt finished this game: it counts"
                yield row, f"is stored as `{row.status}`, and {why}"

    def settle(self, match_id: str, counting: Mapping[tuple[int, int], Result]) -> None:
        """The block has no more games: those that count are added to its match."""
        for (pair, leg), result in counting.items():
            self._count(match_id, result, counting.get((pair, 1)) if leg == 0 else None)
        self._places.clear()

    def _count(self, match_id: str, result: Result, other: Result | None) -> None:
        values: Counter[str] = Counter(
            games=1,
            hands=result.hands,
            points_a=result.points_a,
            points_b=result.points_b,
            decisions=result.decisions,
        )
        if result.fault_bot is not None:
            values[f"forfeits_{result.fault_bot}"] += 1
        if other is not None:
            margin = result.points_a - result.points_b + other.points_a - other.points_b
            values["pairs"] = 1
            values[f"cell{round((result.score_a + other.score_a) * 2)}"] = 1
            values["margin"], values["margin2"] = margin, margin * margin
        for column, value in values.items():
            self._sums[match_id, column] += value
        if result.row is None:
            self._untimed.add(match_id)
        else:
            self._seconds[match_id] = self._seconds.get(match_id, 0.0) + result.row.game.seconds

    def differences(self, kept: Sums) -> Iterator[tuple[str, int | float, int | float]]:
        """What is kept otherwise than it adds up: column, kept, by the logs. `seconds` are in rows alone."""
        for column in COLUMNS:
            if column == "seconds":
                stored, seconds = kept.seconds, self._seconds.get(kept.match_id, 0.0)
                close = math.isclose(stored, seconds, rel_tol=1e-9, abs_tol=1e-6)
                if not close and kept.match_id not in self._untimed:
                    yield column, stored, round(seconds, 6)
                continue
            cell = column.startswith("cell")
            value = kept.cells[int(column[4:])] if cell else getattr(kept, column)
            found = self._sums[kept.match_id, column]
            if value != found:
                yield column, value, found
