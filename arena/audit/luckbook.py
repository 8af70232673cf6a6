"""`luck.db` beside a tournament: its sums against its games, those against the logs and fresh playouts."""

from __future__ import annotations

import math
import random
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any

from arena.analysis.luck import LuckMeter
from arena.audit.sums import Result
from arena.bots.resolve import arena_home
from arena.errors import ArenaError
from arena.games.base import RuleError
from arena.games.registry import get_game
from arena.ratings.pairs import BlockSums, LuckFold, PairUnit, tally
from arena.replay.log import LoggedGame
from arena.store.rows import Meta
from arena.tournament.luck import FILE, has_reference, known_table

PAIRS = 500
"""So many pairs have their luck computed again; of more, a sample. One takes some milliseconds."""
REMAKE = "delete it and it is made again"
_UNREADABLE = (sqlite3.Error, ArenaError, TypeError, ValueError, OverflowError)


class LuckCheck:
    """The book of luck as it stands now, read beside the logs; without one there is nothing to say."""

    def __init__(self, folder: Path, meta: Meta) -> None:
        # The sample is another one at every check, so that nobody can edit around it.
        self._dice = random.Random()
        self._db: sqlite3.Connection | None = None
        self._matched: Counter[str] = Counter()
        self._again = 0
        self._share = 1.0
        self._why = ""
        path = folder / FILE
        self.there = path.is_file()
        if not self.there:
            return
        try:
            game = get_game(meta.game, meta.rules)
        except RuleError:
            self._why = "its game is not known here"
            return
        try:
            table = known_table(game, arena_home()) if has_reference(game) else None
        except ArenaError:
            table = None
        if table is None:
            self._why = "the table of outcomes that it was made by is not here"
            return
        try:
            self._db = _open(path)
            if self._one("PRAGMA user_version") != (1,) or self._one("SELECT digest FROM meta") != (
                table.digest,
            ):
                self._give_up("it is of another version, and is not used")
                return
            (pairs,) = self._one("SELECT count(*) FROM leg WHERE leg = 0")
        except _UNREADABLE:
            self._give_up("it cannot be read")
            return
        self._share = min(1.0, PAIRS / max(pairs, 1))
        self._meter = LuckMeter(game, table)
        self._numbers = {word: number for number, word in enumerate(game.pack)}

    def close(self) -> None:
        """Close the book; idempotent."""
        if self._db is not None:
            self._db.close()

    @property
    def checked(self) -> bool:
        """Whether it was there and could be held against the logs."""
        return self._db is not None

    @property
    def words(self) -> str:
        """What became of it, in one line; empty where there is none."""
        if not self.there:
            return ""
        if self._db is None:
            return f"luck.db is not checked ({self._why}): {REMAKE}"
        return (
            f"luck.db: its sums follow from its {self._matched.total()} games; "
            f"the luck of {self._again} of them was computed again"
        )

    def block(self, match_id: str, name: str, counting: Mapping[tuple[int, int], Result]) -> Iterator[str]:
        """What is wrong with what the book has of the games of one block that count (by pair and leg)."""
        if self._db is None or not counting:
            return
        chosen = {
            pair for pair in sorted({pair for pair, _ in counting}) if self._dice.random() < self._share
        }
        pairs = [pair for pair, _ in counting]
        try:
            rows = self._db.execute(
                "SELECT pair, leg, score, luck FROM leg WHERE match = ? AND pair BETWEEN ? AND ?",
                (match_id, min(pairs), max(pairs)),
            ).fetchall()
        except sqlite3.Error as error:
            yield f"{name}: cannot be read ({error}); {REMAKE}"
            return
        for pair, leg, score, luck in rows:
            result = counting.get((pair, leg))
            if result is None:
                continue
            self._matched[match_id] += 1
            where = f"{name}, pair {pair} leg {leg}"
            if score != result.score_a:
                yield f"{where}: score is {score}, and by the log it is {result.score_a}; {REMAKE}"
            if pair in chosen and result.game is not None:
                self._again += 1
                fresh = self._luck(result.game)
                if not _close(luck, fresh):
                    yield f"{where}: luck is {luck}, and by the log's deals it is {fresh:.6f}; {REMAKE}"

    def finish(self, names: Mapping[str, str]) -> Iterator[str]:
        """After the last block: games that do not count, and sums. `names`: how matches are named."""
        if self._db is None:
            return
        try:
            legs = dict(self._db.execute("SELECT match, count(*) FROM leg GROUP BY match"))
            folds: dict[str, list[tuple[Any, ...]]] = {}
            for match, *row in self._db.execute("SELECT * FROM fold ORDER BY match, fold"):
                folds.setdefault(match, []).append(tuple(row))
        except _UNREADABLE as error:
            yield f"cannot be read ({error}); {REMAKE}"
            return
        for match, count in legs.items():
            more = count - self._matched[match]
            if more:
                yield f"{names.get(match, match)}: {more} of {count} games do not count by the logs; {REMAKE}"
        for match, rows in folds.items():
            yield from self._folds(match, names.get(match, match), rows)

    def _folds(self, match: str, name: str, rows: list[tuple[Any, ...]]) -> Iterator[str]:
        assert self._db is not None
        units = (
            PairUnit(*unit)
            for unit in self._db.execute(
                "SELECT a.pair, (a.score + b.score) / 2, (a.luck + b.luck) / 2 FROM leg a"
                " JOIN leg b ON b.match = a.match AND b.pair = a.pair AND b.leg = 1"
                " WHERE a.match = ? AND a.leg = 0 ORDER BY a.pair",
                (match,),
            )
        )
        try:
            stats = tally("a", "b", units)
        except _UNREADABLE as error:
            yield f"{name}: its games cannot be added up ({error}); {REMAKE}"
            return
        right = [
            (fold, *astuple(totals), *astuple(blocks))
            for fold, (totals, blocks) in enumerate(zip(stats.folds, stats.blocks, strict=True))
        ]
        if [row[0] for row in rows] != [row[0] for row in right]:
            yield f"{name}: has {len(rows)} folds, and its games have {len(right)}; {REMAKE}"
            return
        columns = [f.name for f in fields(LuckFold)] + [f"blocks' {f.name}" for f in fields(BlockSums)]
        for stored, fresh in zip(rows, right, strict=True):
            for column, kept, found in zip(columns, stored[1:], fresh[1:], strict=True):
                if not _close(kept, found):
                    sums = f"{column} is kept as {kept}, and its games add up to {found}"
                    yield f"{name}, fold {stored[0]}: {sums}; {REMAKE}"

    def _luck(self, game: LoggedGame) -> float:
        """A game's luck from bot A's side, played out anew."""
        scores: tuple[int, ...] = (0, 0)
        total = 0.0
        for hand in game.hands:
            pack = tuple(self._numbers[word] for word in hand.pack)
            total += self._meter.term(pack, hand.dealer, scores)
            scores = hand.scores
        return total if game.start.leg == 0 else -total

    def _one(self, statement: str) -> tuple[Any, ...]:
        assert self._db is not None
        row: tuple[Any, ...] | None = self._db.execute(statement).fetchone()
        return row or (None,)

    def _give_up(self, why: str) -> None:
        self.close()
        self._db, self._why = None, why


def _open(path: Path) -> sqlite3.Connection:
    """The book as it stands now, for reading; also where nothing can be written."""
    uri = path.resolve().as_uri()
    last = "immutable=1" if not path.with_name(path.name + "-wal").exists() else "mode=ro"
    for how in ("mode=ro", last):
        db = sqlite3.connect(f"{uri}?{how}", uri=True, isolation_level=None, timeout=5.0)
        try:
            db.execute("BEGIN")
            db.execute("SELECT count(*) FROM meta").fetchone()
        except sqlite3.Error as error:
            db.close()
            failed = error
            continue
        return db
    raise failed


def _close(stored: object, fresh: float) -> bool:
    return isinstance(stored, int | float) and math.isclose(stored, fresh, rel_tol=1e-9, abs_tol=1e-9)
