"""What can be asked of a stored tournament; sums come from one row a pairing, never from every game."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from arena.errors import ArenaError, Exit
from arena.store.database import open_reader
from arena.store.folder import DATABASE, environment
from arena.store.rows import (
    AttemptRow,
    BotRow,
    FaultCount,
    GameRow,
    MachineCount,
    Meta,
    Part,
    StoredGame,
    Sums,
)

PAIRS_PER_BLOCK = 10
_SUMS = (
    "SELECT m.match_id, a.name, b.name, m.games, m.pairs, m.cell0, m.cell1, m.cell2, m.cell3, m.cell4,"
    " m.hands, m.points_a, m.points_b, m.forfeits_a, m.forfeits_b, m.margin, m.margin2, m.decisions,"
    " m.seconds, m.part"
    " FROM match m JOIN bot a ON a.digest = m.a JOIN bot b ON b.digest = m.b"
)
_GAMES = (
    "SELECT m.match_id, a.name, b.name, g.attempt, g.status, g.pair, g.leg, g.score_a, g.points_a,"
    " g.points_b, g.hands, g.decisions, g.reason, g.fault_code, g.fault_bot, g.fault_seat, g.fault_text,"
    " g.fault_stderr, g.seconds, g.facts, t.log, g.log_offset, g.log_bytes FROM game g"
    " JOIN match m ON m.id = g.match JOIN bot a ON a.digest = m.a JOIN bot b ON b.digest = m.b"
    " JOIN attempt t ON t.match = g.match AND t.block = g.block AND t.attempt = g.attempt"
)
_ATTEMPTS = (
    "SELECT m.match_id, a.name, b.name, t.block, t.attempt, t.kind, t.status, t.games, t.played, t.log,"
    " t.bytes, t.head, t.why, t.bot, t.text, t.logged FROM attempt t"
    " JOIN match m ON m.id = t.match JOIN bot a ON a.digest = m.a JOIN bot b ON b.digest = m.b"
)


class Queries:
    """A tournament open for reading; `open_results` opens one, `Store` is one that also writes."""

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        self.folder = folder
        self._database = folder / DATABASE
        self._connection = connection

    def close(self) -> None:
        """Close the database; idempotent."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def meta(self) -> Meta:
        """The tournament: game, options, commitment; its seed is secret until `closed`."""
        row = self._one(
            "SELECT arena, created, game, rules, options, seed, commitment, guessable, closed"
            " FROM tournament",
            (),
        )
        if row is None:
            raise ArenaError(f"{self._database}: is corrupt", exit_code=Exit.ENVIRONMENT)
        return Meta(
            row[0],
            row[1],
            row[2],
            json.loads(row[3]),
            json.loads(row[4]),
            row[5],
            row[6],
            bool(row[7]),
            row[8],
        )

    def bots(self) -> list[BotRow]:
        """All bots, by name."""
        rows = self._all(
            "SELECT digest, name, version, owner, language, source, started, breaks FROM bot ORDER BY name",
            (),
        )
        return [BotRow(*row) for row in rows]

    def parts(self) -> dict[str, Part]:
        """By match, the part that it was played in; of matches of the tournament's own there is nothing."""
        rows = self._all(
            "SELECT m.match_id, p.commitment, p.seed, p.guessable FROM match m"
            " JOIN part p ON p.commitment = m.part",
            (),
        )
        return {match: Part(word, seed, bool(guessable)) for match, word, seed, guessable in rows}

    def snapshot(self) -> None:
        """Read on as all stands now, whatever is written meanwhile; writers are not kept waiting."""
        with environment(self._database):
            self._connection.execute("BEGIN")
            self._connection.execute("SELECT count(*) FROM tournament").fetchone()

    def sums(self, *, every: bool = False) -> list[Sums]:
        """The sums of every pairing that has games, by the bots' names; two of one pairing in two parts.

        `every`: of those that say they have none, too.
        """
        where = "" if every else " WHERE m.games > 0"
        return [_sums(row) for row in self._all(_SUMS + where + " ORDER BY a.name, b.name, m.part", ())]

    def loose_rows(self) -> dict[str, int]:
        """By table, how many rows belong to nothing: no other question finds them. Reads every game."""
        questions = {
            "match": "SELECT count(*) FROM match WHERE a NOT IN (SELECT digest FROM bot)"
            " OR b NOT IN (SELECT digest FROM bot)",
            "attempt": "SELECT count(*) FROM attempt WHERE match NOT IN (SELECT id FROM match)",
            "game": "SELECT count(*) FROM game g WHERE NOT EXISTS (SELECT 1 FROM attempt t"
            " WHERE t.match = g.match AND t.block = g.block AND t.attempt = g.attempt)",
        }
        counts = {table: self._all(question, ())[0][0] for table, question in questions.items()}
        return {table: count for table, count in counts.items() if count}

    def head_to_head(self, one: str, other: str) -> Sums | None:
        """The sums of the pairing of two bots by name, from the side of the lower digest; None if none."""
        row = self._one(
            _SUMS + " WHERE (a.name = ? AND b.name = ?) OR (a.name = ? AND b.name = ?)",
            (one, other, other, one),
        )
        return None if row is None else _sums(row)

    def games_done(self) -> int:
        """How many games count."""
        row = self._one("SELECT coalesce(sum(games), 0) FROM match", ())
        return int(row[0]) if row else 0

    def played(self, match_id: str, first: int, last: int) -> set[tuple[int, int]]:
        """(pair, leg) of the games that count among pairs `first` to `last` of a match."""
        rows = self._all(
            "SELECT g.pair, g.leg FROM game g JOIN match m ON m.id = g.match"
            " WHERE m.match_id = ? AND g.pair BETWEEN ? AND ? AND g.status = 'counts'",
            (match_id, first, last),
        )
        return {(pair, leg) for pair, leg in rows}

    def pairs(self, match_id: str, first: int = 0, last: int | None = None) -> list[tuple[int, float, int]]:
        """The whole pairs that count among pairs `first` to `last` of a match, in order.

        Of each its number, A's score (0 to 1), and A's points minus B's over both legs.
        """
        return self._all(
            "SELECT g.pair, (g.score_a + h.score_a) / 2,"
            " g.points_a - g.points_b + h.points_a - h.points_b FROM game g"
            " JOIN game h ON h.match = g.match AND h.pair = g.pair AND h.leg = 1 AND h.status = 'counts'"
            " WHERE g.match = (SELECT id FROM match WHERE match_id = ?1) AND g.leg = 0"
            " AND g.status = 'counts' AND g.pair >= ?2 AND (?3 IS NULL OR g.pair <= ?3) ORDER BY g.pair",
            (match_id, first, last),
        )

    def faults(self) -> list[FaultCount]:
        """Forfeited games that count, by bot and reason."""
        rows = self._all(
            "SELECT b.name, g.fault_code, count(*) FROM game g JOIN match m ON m.id = g.match"
            " JOIN bot b ON b.digest = CASE g.fault_bot WHEN 'a' THEN m.a ELSE m.b END"
            " WHERE g.fault_code IS NOT NULL AND g.status = 'counts' GROUP BY 1, 2 ORDER BY 1, 2",
            (),
        )
        return [FaultCount(*row) for row in rows]

    def machines(self) -> list[MachineCount]:
        """Games and losses on time by machine, of games played on a cluster; reads every game."""
        rows = self._all(
            "SELECT json_extract(facts, '$.machine') AS machine, count(*), total(fault_code = 'timeout')"
            " FROM game WHERE status = 'counts' AND machine IS NOT NULL GROUP BY 1 ORDER BY 1",
            (),
        )
        return [MachineCount(machine, games, int(losses)) for machine, games, losses in rows]

    def reasons(self) -> dict[str, int]:
        """Games that count, by how they ended; reads every game."""
        rows = self._all(
            "SELECT reason, count(*) FROM game WHERE status = 'counts' GROUP BY 1 ORDER BY 1", ()
        )
        return dict(rows)

    def faulty_games(self, bot: str | None = None, code: str | None = None) -> Iterator[StoredGame]:
        """Forfeited games that count, of one bot or of all, with what was seen of the fault."""
        return self._games(
            " WHERE g.fault_code IS NOT NULL AND g.status = 'counts'"
            " AND (?1 IS NULL OR ?1 = CASE g.fault_bot WHEN 'a' THEN a.name ELSE b.name END)"
            " AND (?2 IS NULL OR ?2 = g.fault_code)",
            (bot, code),
        )

    def games(self, *, all_statuses: bool = False) -> Iterator[StoredGame]:
        """Every game in plan order; with `all_statuses` also those that are superseded or void."""
        return self._games("" if all_statuses else " WHERE g.status = 'counts'", ())

    def games_in(self, attempt: AttemptRow) -> list[StoredGame]:
        """Every game of one attempt, in the order of its log."""
        first = PAIRS_PER_BLOCK * attempt.block
        place = (attempt.match_id, first, first + PAIRS_PER_BLOCK - 1, attempt.attempt)
        where = " WHERE m.match_id = ? AND g.pair BETWEEN ? AND ? AND g.attempt = ? AND g.status"
        found = [*self._games(where + " = 'counts'", place), *self._games(where + " <> 'counts'", place)]
        return sorted(found, key=lambda game: game.offset)

    def game_of(self, match_id: str, pair: int, leg: int) -> StoredGame | None:
        """The game that counts at one place of a match."""
        where = " WHERE m.match_id = ? AND g.pair = ? AND g.leg = ? AND g.status = 'counts'"
        return next(self._games(where, (match_id, pair, leg)), None)

    def games_of(self, match_id: str) -> Iterator[StoredGame]:
        """The games of one match that count, in plan order."""
        return self._games(" WHERE m.match_id = ? AND g.status = 'counts'", (match_id,))

    def last_game(self) -> int:
        """The number of the newest stored game, 0 before the first; numbers grow as games are stored."""
        row = self._one("SELECT coalesce(max(id), 0) FROM game", ())
        return int(row[0]) if row else 0

    def games_after(self, number: int) -> Iterator[tuple[int, StoredGame]]:
        """The games that count and were stored after game `number`, each with its own number."""
        rows = self._all(
            "SELECT g.id, m.match_id, g.pair, g.leg FROM game g JOIN match m ON m.id = g.match"
            " WHERE g.id > ? AND g.status = 'counts' ORDER BY g.id",
            (number,),
        )
        for row_id, match_id, pair, leg in rows:
            stored = self.game_of(match_id, pair, leg)
            assert stored is not None
            yield row_id, stored

    def attempts(self, *, status: str | None = None) -> Iterator[AttemptRow]:
        """Every attempt at a block in plan order, or those of one status."""
        rows = self._rows(
            _ATTEMPTS + " WHERE ?1 IS NULL OR t.status = ?1 ORDER BY t.block, a.name, b.name, t.attempt",
            (status,),
        )
        return (AttemptRow(*row) for row in rows)

    def attempt_facts(self, attempt: AttemptRow) -> dict[str, Any]:
        """What was measured in one attempt: host lateness, CPU by bot, what the seats wrote to stderr."""
        row = self._one(
            "SELECT t.facts FROM attempt t JOIN match m ON m.id = t.match"
            " WHERE m.match_id = ? AND t.block = ? AND t.attempt = ?",
            (attempt.match_id, attempt.block, attempt.attempt),
        )
        return dict(json.loads(row[0])) if row is not None else {}

    def head(self) -> str:
        """Hex SHA-256 over the heads of all logs, in the order of their names: the tournament's anchor."""
        digest = hashlib.sha256(b"arena/head/1")
        for match_id, block, attempt, head in self._rows(
            "SELECT m.match_id, t.block, t.attempt, t.head FROM attempt t JOIN match m ON m.id = t.match"
            " WHERE t.bytes > 0 ORDER BY m.match_id, t.block, t.attempt",
            (),
        ):
            digest.update(f"|{match_id}|{block}|{attempt}|{head}".encode())
        return digest.hexdigest()

    def _games(self, where: str, values: Sequence[Any]) -> Iterator[StoredGame]:
        for row in self._rows(_GAMES + where + " ORDER BY m.match_id, g.pair, g.leg, g.id", values):
            columns = (*row[5:19], json.loads(row[19]))
            values = (*row[:5], GameRow(*columns), *row[20:])
            yield StoredGame(*values)

    def _rows(self, statement: str, values: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
        with environment(self._database):
            yield from self._connection.execute(statement, values)

    def _all(self, statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        return list(self._rows(statement, values))

    def _one(self, statement: str, values: Sequence[Any]) -> tuple[Any, ...] | None:
        with environment(self._database):
            row: tuple[Any, ...] | None = self._connection.execute(statement, values).fetchone()
        return row


def read_results(folder: Path) -> Queries:
    """A tournament's results, for reading, also while it is being played. Raises ArenaError."""
    return Queries(folder, open_reader(folder))


def _sums(row: tuple[Any, ...]) -> Sums:
    values = (*row[:5], row[5:10], *row[10:])
    return Sums(*values)
