"""The luck of a tournament's games, read off its logs and kept beside its database.

`luck.db` in the tournament's folder is derived data: delete it, and it is made again. It is brought
up to date by the games that are new since the last time, so that standings cost the new games alone.
Playouts run here, in the parent, never in a slot.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple
from itertools import islice
from pathlib import Path

from arena.analysis.luck import LuckMeter, OutcomeTable, Playouts, shipped_table
from arena.errors import ArenaError, Exit
from arena.games.base import Game
from arena.ratings.pairs import BlockSums, LuckFold, PairUnit, tally
from arena.store.queries import Queries
from arena.store.rows import StoredGame

FILE = "luck.db"
BATCH = 200
"""So many games are looked at between two transactions."""
BUSY_S = 60.0
"""How long to wait while another program writes to the file."""

Progress = Callable[[str, int, int], None]
"""Called with what is done (`playouts` or `table`), how much of it, and of how much."""

_SCHEMA = """
CREATE TABLE meta (
    one INTEGER PRIMARY KEY CHECK (one = 1), digest TEXT NOT NULL, last INTEGER NOT NULL
) STRICT;
CREATE TABLE leg (
    match TEXT NOT NULL, pair INTEGER NOT NULL, leg INTEGER NOT NULL, score REAL NOT NULL, luck REAL NOT NULL,
    PRIMARY KEY (match, pair, leg)
) STRICT, WITHOUT ROWID;
CREATE TABLE fold (
    match TEXT NOT NULL, fold INTEGER NOT NULL,
    n INTEGER NOT NULL, s REAL NOT NULL, l REAL NOT NULL,
    s2 REAL NOT NULL, l2 REAL NOT NULL, sl REAL NOT NULL,
    blocks INTEGER NOT NULL, bn2 REAL NOT NULL, bns REAL NOT NULL, bnl REAL NOT NULL,
    bs2 REAL NOT NULL, bl2 REAL NOT NULL, bsl REAL NOT NULL,
    PRIMARY KEY (match, fold)
) STRICT, WITHOUT ROWID;
"""


def has_reference(game: Game) -> bool:
    """Whether there is a reference policy for this game, to measure luck by."""
    return "stick_the_dealer" in game.rules


def known_table(game: Game, home: Path) -> OutcomeTable | None:
    """The reference policy's outcome table under these rules if it is shipped, or cached under `home`."""
    playouts = Playouts(game)
    shipped = shipped_table(playouts)
    if shipped is not None:
        return shipped
    file = _cached(playouts, home)
    if file.is_file():
        table = OutcomeTable.from_json(file.read_text(encoding="utf-8"), str(file))
        if (table.parameters, table.farmers) == (tuple(playouts.parameters), playouts.farmers):
            return table
    return None


def outcome_table(game: Game, home: Path, progress: Progress | None = None) -> OutcomeTable:
    """The reference policy's outcome table under these rules: shipped, cached under `home`, or made now."""
    known = known_table(game, home)
    if known is not None:
        return known
    playouts = Playouts(game)
    file = _cached(playouts, home)
    report = None if progress is None else lambda done, total: progress("table", done, total)
    table = playouts.table(progress=report)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        fresh = file.with_suffix(".new")
        fresh.write_text(table.to_json(), encoding="utf-8")
        fresh.replace(file)
    except OSError:
        pass  # a cache that cannot be written costs time, not correctness
    return table


def _cached(playouts: Playouts, home: Path) -> Path:
    name = "-".join(map(str, (*playouts.parameters, int(playouts.farmers))))
    return home / "tables" / f"outcomes-{name}.json"


class LuckBook:
    """The luck of every counted game of one tournament; bring it up to date, then ask for its sums."""

    def __init__(self, folder: Path, game: Game, table: OutcomeTable, *, any_thread: bool = False) -> None:
        """`any_thread`: it is used by several threads, one at a time."""
        self._folder = folder
        self._game = game
        self._meter = LuckMeter(game, table)
        self._number = {word: i for i, word in enumerate(game.pack)}
        try:
            self._db = self._open(folder / FILE, table.digest, any_thread)
        except sqlite3.Error as error:
            raise ArenaError(
                f"{folder / FILE}: {error}", hint="delete it: it is made again", exit_code=Exit.ENVIRONMENT
            ) from None

    def close(self) -> None:
        """Close the book; idempotent."""
        self._db.close()

    @staticmethod
    def _open(path: Path, digest: str, any_thread: bool) -> sqlite3.Connection:
        """Open or make the file; one of another table or form is made anew, in memory where it cannot be."""
        try:
            db = sqlite3.connect(path, isolation_level=None, timeout=BUSY_S, check_same_thread=not any_thread)
            db.execute("PRAGMA journal_mode = WAL")
            if db.execute("PRAGMA user_version").fetchone()[0] == 1:
                known = db.execute("SELECT digest FROM meta").fetchone()
                if known == (digest,):
                    return db
            db.close()
            path.unlink(missing_ok=True)
            db = sqlite3.connect(path, isolation_level=None, timeout=BUSY_S, check_same_thread=not any_thread)
            db.executescript(_SCHEMA)
        except (sqlite3.OperationalError, OSError):
            db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=not any_thread)
            db.executescript(_SCHEMA)
        db.execute("INSERT INTO meta VALUES (1, ?, 0)", (digest,))
        db.execute("PRAGMA user_version = 1")
        return db

    def update(self, results: Queries, progress: Progress | None = None, *, sum_up: bool = True) -> None:
        """Take in the games that are new, and put right what was set aside since.

        Without `sum_up` the single pairs alone are wanted: sums are left for whoever asks for them next.
        """
        (last,) = self._db.execute("SELECT last FROM meta").fetchone()
        newest = results.last_game()
        fresh = results.games_after(last)
        while batch := list(islice(fresh, BATCH)):
            # Playouts take their time: nobody else is kept from the file meanwhile.
            legs = [self._leg(stored) for _, stored in batch]
            number = batch[-1][0]
            with self._writing():
                self._put(legs)
                self._db.executemany("DELETE FROM fold WHERE match = ?", {(leg[0],) for leg in legs})
                self._db.execute("UPDATE meta SET last = max(last, ?)", (number,))
            if progress is not None:
                progress("playouts", number - last, newest - last)
        if sum_up:
            self._sum_up(results)

    def _sum_up(self, results: Queries) -> None:
        """Bring the sums up to date, and read again the matches of which a game was set aside.

        The book has every leg that counts; it has more where one was set aside. So its pairs are those that
        count if there are as many.
        """
        summed = dict(self._db.execute("SELECT match, sum(n) FROM fold GROUP BY match"))
        for sums in results.sums():
            pairs = summed.pop(sums.match_id, None)
            if pairs is None:
                with self._writing():
                    pairs = self._sum(sums.match_id)
            if pairs != sums.pairs:
                legs = [self._leg(stored) for stored in results.games_of(sums.match_id)]
                with self._writing():
                    self._db.execute("DELETE FROM leg WHERE match = ?", (sums.match_id,))
                    self._put(legs)
                    self._sum(sums.match_id)
        if summed:
            # Matches of which no game counts any more.
            with self._writing():
                for table in ("leg", "fold"):
                    self._db.executemany(f"DELETE FROM {table} WHERE match = ?", [(m,) for m in summed])

    def sums(self) -> Mapping[str, tuple[tuple[LuckFold, ...], tuple[BlockSums, ...]]]:
        """By match id: the luck sums of its folds and of their blocks (`PairingStats.folds`, `.blocks`)."""
        found: dict[str, tuple[tuple[LuckFold, ...], tuple[BlockSums, ...]]] = {}
        for match, _, *numbers in self._db.execute("SELECT * FROM fold ORDER BY match, fold"):
            folds, blocks = found.get(match, ((), ()))
            found[match] = (*folds, LuckFold(*numbers[:6])), (*blocks, BlockSums(*numbers[6:]))
        return found

    def units(self, match: str, first: int = 0, last: int | None = None) -> list[PairUnit]:
        """The whole pairs among pairs `first` to `last` of a match, in plan order."""
        rows = self._db.execute(
            "SELECT a.pair, (a.score + b.score) / 2, (a.luck + b.luck) / 2 FROM leg a"
            " JOIN leg b ON b.match = a.match AND b.pair = a.pair AND b.leg = 1"
            " WHERE a.match = ?1 AND a.leg = 0 AND a.pair >= ?2 AND (?3 IS NULL OR a.pair <= ?3)"
            " ORDER BY a.pair",
            (match, first, last),
        )
        return [PairUnit(pair, score, luck) for pair, score, luck in rows]

    @contextmanager
    def _writing(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            self._db.execute("ROLLBACK")
            raise

    def _leg(self, stored: StoredGame) -> tuple[str, int, int, float, float]:
        """A game as a row: match, pair, leg, A's score, and the luck from A's side."""
        row = stored.game
        luck = self._luck(stored)
        return stored.match_id, row.pair, row.leg, row.score_a, luck if row.leg == 0 else -luck

    def _put(self, legs: Sequence[tuple[str, int, int, float, float]]) -> None:
        self._db.executemany("INSERT OR REPLACE INTO leg VALUES (?, ?, ?, ?, ?)", legs)

    def _luck(self, stored: StoredGame) -> float:
        """The luck sum of a game for team 0, over every hand that was dealt, the interrupted one too."""
        path = self._folder / stored.log
        try:
            with path.open("rb") as file:
                file.seek(stored.offset)
                lines = file.read(stored.bytes).splitlines()
            scores, total = [0, 0], 0.0
            for line in lines:
                record = json.loads(line)
                if record["t"] != "hand":
                    continue
                words = record["pack"]
                pack = tuple(self._number[words[i : i + 2]] for i in range(0, len(words), 2))
                total += self._meter.term(pack, record["dealer"], scores)
                scores = record["scores"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ArenaError(
                f"{path}: the log of pair {stored.game.pair}, leg {stored.game.leg} cannot be read: {error}",
                hint="`arena replay verify` names the line",
            ) from None
        return total

    def _sum(self, match: str) -> int:
        """Sum up a match anew from its whole pairs; how many there are."""
        stats = tally("a", "b", self.units(match))
        self._db.execute("DELETE FROM fold WHERE match = ?", (match,))
        for fold, (sums, blocks) in enumerate(zip(stats.folds, stats.blocks, strict=True)):
            self._db.execute(
                f"INSERT INTO fold VALUES ({', '.join('?' * 15)})",
                (match, fold, *astuple(sums), *astuple(blocks)),
            )
        return stats.pairs
