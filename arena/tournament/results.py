"""A stored tournament, for whoever draws its standings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena.ratings.pairs import PairingStats
from arena.store.queries import Queries, read_results


class Results:
    """A tournament open for reading; a context manager. `stored` answers everything else."""

    def __init__(self, stored: Queries) -> None:
        self.stored = stored

    def __enter__(self) -> Results:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database; idempotent."""
        self.stored.close()

    def pairings(self, luck: Mapping[str, Any] | None = None) -> list[PairingStats]:
        """What ratings need of every pairing that has games, by the bots' names; reads one row each.

        `luck`: by match id, the luck sums of its folds and blocks (`LuckBook.sums`).
        """
        found = []
        for sums in self.stored.sums():
            folds, blocks = (luck or {}).get(sums.match_id, ((), ()))
            found.append(
                PairingStats(
                    a=sums.a,
                    b=sums.b,
                    pairs=sums.pairs,
                    cells=sums.cells,
                    hands=sums.hands,
                    points_a=sums.points_a,
                    points_b=sums.points_b,
                    forfeits_a=sums.forfeits_a,
                    forfeits_b=sums.forfeits_b,
                    sum_margin=float(sums.margin),
                    sum_margin2=float(sums.margin2),
                    folds=folds,
                    blocks=blocks,
                )
            )
        return found

    def faults(self) -> dict[str, dict[str, int]]:
        """Forfeited games by bot and reason."""
        found: dict[str, dict[str, int]] = {}
        for fault in self.stored.faults():
            found.setdefault(fault.bot, {})[fault.code] = fault.games
        return found

    def owners(self) -> dict[str, str]:
        """Owner by bot, where its manifest names one."""
        return {bot.name: bot.owner for bot in self.stored.bots() if bot.owner}


def open_results(folder: Path) -> Results:
    """The results in a tournament's folder, also while it is being played. Raises ArenaError."""
    return Results(read_results(folder))
