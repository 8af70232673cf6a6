"""The one writer of a tournament's folder: attempts before play, games with their logs, sums kept up."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from arena.errors import ArenaError, Exit
from arena.store.blocklog import LogWriter, cut
from arena.store.database import open_writer
from arena.store.folder import Lock, environment, log_path, make_folder
from arena.store.queries import Queries
from arena.store.rows import BotRow, GameRow, Meta, Part

_GAME_COLUMNS = (
    "score_a, points_a, points_b, hands, decisions, reason, fault_code, fault_bot, fault_seat, fault_text,"
    " fault_stderr, seconds"
)


def now() -> str:
    """The time as it is stored: UTC, ISO 8601, whole seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class Store(Queries):
    """A tournament open for writing. One at a time: a second one on the same folder is refused.

    Everything is written inside `transaction()`: on its end first the logs, then the rows are on the
    disk; if it fails, neither is. Whatever the disk refuses is an ArenaError (ENVIRONMENT).
    """

    def __init__(self, folder: Path, new: Meta | None = None) -> None:
        """Open the tournament in `folder`; if there is none, begin the one that `new` describes.

        What a killed run left is put in order: its blocks are lost, and log lines that no row counts
        are cut off (their number of bytes is in `set_aside`).
        """
        make_folder(folder)
        self._lock = Lock(folder)
        self._logs = LogWriter(folder)
        self._depth = 0
        self.set_aside = 0
        connection: sqlite3.Connection | None = None
        try:
            connection, empty = open_writer(folder)
            super().__init__(folder, connection)
            with environment(self._database):
                if empty:
                    self._begin(new)
                else:
                    self._recover()
        except BaseException:
            if connection is not None:
                connection.close()
            self._lock.release()
            raise

    def close(self) -> None:
        """Close the database and give the folder back; idempotent."""
        try:
            super().close()
        finally:
            self._lock.release()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing, and durable at its end; may be nested, the outermost one decides."""
        if self._depth:
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
            return
        with environment(self._database):
            self._connection.execute("BEGIN IMMEDIATE")
        self._depth = 1
        try:
            yield
            self._logs.sync()
            with environment(self._database):
                self._connection.execute("COMMIT")
            self._logs.committed()
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            self._logs.undo()
            raise
        finally:
            self._depth = 0

    def add_bot(self, bot: BotRow) -> None:
        """Enter a bot; one that is known keeps its name and history."""
        self._write(
            "INSERT INTO bot (digest, name, version, owner, language, source) VALUES (?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (digest) DO UPDATE SET owner = excluded.owner, source = excluded.source",
            (bot.digest, bot.name, bot.version, bot.owner, bot.language, bot.source),
        )

    def bot_started(self, digest: str) -> None:
        """The bot had a good start in this tournament."""
        self._write("UPDATE bot SET started = 1 WHERE digest = ? AND NOT started", (digest,))

    def bot_broke(self, digest: str) -> None:
        """The bot was shown to have brought a slot down."""
        self._write("UPDATE bot SET breaks = breaks + 1 WHERE digest = ?", (digest,))

    def add_part(self, part: Part) -> None:
        """Enter a tournament whose matches are merged into this one."""
        self._write(
            "INSERT INTO part (commitment, seed, guessable) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            (part.commitment, part.seed, int(part.guessable)),
        )

    def match(self, match_id: str, a: str, b: str, part: str = "") -> int:
        """The key of a pairing, entered if it is new. `a` and `b` are digests, the lower one first.

        `part`: commitment of the tournament that it was merged in from.
        """
        row = self._one("SELECT id FROM match WHERE match_id = ?", (match_id,))
        if row is None:
            self._write(
                "INSERT INTO match (match_id, a, b, part) VALUES (?, ?, ?, ?)", (match_id, a, b, part)
            )
            row = self._one("SELECT id FROM match WHERE match_id = ?", (match_id,))
        assert row is not None
        return int(row[0])

    def begin(
        self,
        match: int,
        block: int,
        games: int,
        *,
        kind: str = "block",
        bot: str = "",
        logged: int | None = None,
    ) -> int:
        """Record an attempt at a block before its first frame; its number, from 1.

        `logged`: its number in a log that was made elsewhere.
        """
        row = self._one(
            "SELECT coalesce(max(attempt), 0) + 1 FROM attempt WHERE match = ? AND block = ?", (match, block)
        )
        match_id = self._one("SELECT match_id FROM match WHERE id = ?", (match,))
        assert row is not None
        assert match_id is not None
        attempt = int(row[0])
        self._write(
            "INSERT INTO attempt (match, block, attempt, logged, kind, status, games, log, bot, began)"
            " VALUES (?, ?, ?, ?, ?, 'running', ?, ?, ?, ?)",
            (
                match, block, attempt, attempt if logged is None else logged, kind, games,
                log_path(match_id[0], block, attempt), bot, now(),
            ),
        )  # fmt: skip
        return attempt

    def game(
        self,
        match: int,
        block: int,
        attempt: int,
        game: GameRow,
        lines: Sequence[str],
        status: str = "counts",
    ) -> bool:
        """Store a finished game and its log lines; whether it counts.

        A game that counts already is stored beside it as superseded, visibly, and changes nothing; so is
        one that comes with another `status`.
        """
        offset, size = self._append(match, block, attempt, lines)
        known = self._one(
            "SELECT 1 FROM game WHERE match = ? AND pair = ? AND leg = ? AND status = 'counts'",
            (match, game.pair, game.leg),
        )
        self._write(
            f"INSERT INTO game (match, block, attempt, pair, leg, status, {_GAME_COLUMNS}, facts,"
            f" log_offset, log_bytes) VALUES ({', '.join('?' * 21)})",
            (
                match, block, attempt, game.pair, game.leg,
                "superseded" if known and status == "counts" else status,
                game.score_a, game.points_a, game.points_b, game.hands, game.decisions, game.reason,
                game.fault_code, game.fault_bot, game.fault_seat, game.fault_text, game.fault_stderr,
                game.seconds, _json(game.facts), offset, size,
            ),
        )  # fmt: skip
        self._write(
            "UPDATE attempt SET played = played + 1 WHERE match = ? AND block = ? AND attempt = ?",
            (match, block, attempt),
        )
        if known or status != "counts":
            return False
        self._add(match, game, 1)
        return True

    def void(self, match_id: str, pair: int, leg: int) -> None:
        """Set a game that counts aside: it stays visible, counts no more, and is to be played again."""
        row = self._one(
            "SELECT m.id FROM match m JOIN game g ON g.match = m.id"
            " WHERE m.match_id = ? AND g.pair = ? AND g.leg = ? AND g.status = 'counts'",
            (match_id, pair, leg),
        )
        if row is None:
            raise ArenaError(f"match {match_id[:8]}: pair {pair}, leg {leg} holds no game that counts")
        match = int(row[0])
        stored = self.game_of(match_id, pair, leg)
        assert stored is not None
        self._add(match, stored.game, -1)
        self._write(
            "UPDATE game SET status = 'void' WHERE match = ? AND pair = ? AND leg = ? AND status = 'counts'",
            (match, pair, leg),
        )

    def finish(
        self, match: int, block: int, attempt: int, lines: Sequence[str], facts: Mapping[str, Any]
    ) -> None:
        """The block was played to its end: `lines` close its log."""
        if lines:
            self._append(match, block, attempt, lines)
        self._end(match, block, attempt, "finished", facts=facts)

    def lose(
        self, match: int, block: int, attempt: int, why: str, *, bot: str | None = None, text: str = ""
    ) -> None:
        """The block ended early; its finished games stand."""
        self._end(match, block, attempt, "lost", why=why, bot=bot, text=text)

    def close_tournament(self) -> str:
        """Reveal the seed and end the tournament; the seed in hex."""
        self._write("UPDATE tournament SET closed = ? WHERE closed IS NULL", (now(),))
        return self.meta.seed

    def _begin(self, new: Meta | None) -> None:
        if new is None:
            self._connection.execute("ROLLBACK")
            raise ArenaError(f"{self.folder}: holds no tournament")
        self._connection.execute(
            "INSERT INTO tournament (one, arena, created, game, rules, options, seed, commitment, guessable)"
            " VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                new.arena, new.created, new.game, _json(new.rules), _json(new.options), new.seed,
                new.commitment, int(new.guessable),
            ),
        )  # fmt: skip
        self._connection.execute("COMMIT")

    def _recover(self) -> None:
        """Put in order what a killed run left: nothing of it runs any more."""
        left = self._connection.execute(
            "SELECT match, block, attempt, log, bytes FROM attempt WHERE status = 'running'"
        ).fetchall()
        for match, block, attempt, log, size in left:
            path = self.folder / log
            have = path.stat().st_size if path.exists() else 0
            if have < size:
                raise ArenaError(
                    f"{path}: has {have} bytes, and the database counts {size} of it",
                    hint="restore it from a copy, or give another --out",
                    exit_code=Exit.ENVIRONMENT,
                )
            self.set_aside += cut(path, size)
            with self.transaction():
                self.lose(match, block, attempt, "interrupted", text="the arena itself was ended")

    def _append(self, match: int, block: int, attempt: int, lines: Sequence[str]) -> tuple[int, int]:
        row = self._one(
            "SELECT log, bytes FROM attempt WHERE match = ? AND block = ? AND attempt = ?",
            (match, block, attempt),
        )
        assert row is not None
        size = self._logs.append(row[0], row[1], lines)
        head = json.loads(lines[-1])["h"] if lines else ""
        self._write(
            "UPDATE attempt SET bytes = ?, head = ? WHERE match = ? AND block = ? AND attempt = ?",
            (size, head, match, block, attempt),
        )
        return int(row[1]), size - int(row[1])

    def _end(
        self,
        match: int,
        block: int,
        attempt: int,
        status: str,
        *,
        why: str = "",
        bot: str | None = None,
        text: str = "",
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        self._write(
            "UPDATE attempt SET status = ?, why = ?, bot = coalesce(?, bot), text = ?, facts = ?, ended = ?"
            " WHERE match = ? AND block = ? AND attempt = ?",
            (status, why, bot, text, _json(facts or {}), now(), match, block, attempt),
        )

    def _add(self, match: int, game: GameRow, sign: int) -> None:
        """Add a game that counts to its pairing's sums (or, with -1, take it away)."""
        other = self._one(
            "SELECT score_a, points_a - points_b FROM game"
            " WHERE match = ? AND pair = ? AND leg = ? AND status = 'counts'",
            (match, game.pair, 1 - game.leg),
        )
        cells, margin, margin2 = [0, 0, 0, 0, 0], 0, 0
        if other is not None:
            cells[round((game.score_a + other[0]) * 2)] = sign
            margin = game.points_a - game.points_b + other[1]
            margin2 = margin * margin
        self._write(
            "UPDATE match SET games = games + ?, pairs = pairs + ?, cell0 = cell0 + ?, cell1 = cell1 + ?,"
            " cell2 = cell2 + ?, cell3 = cell3 + ?, cell4 = cell4 + ?, hands = hands + ?,"
            " points_a = points_a + ?, points_b = points_b + ?, forfeits_a = forfeits_a + ?,"
            " forfeits_b = forfeits_b + ?, margin = margin + ?, margin2 = margin2 + ?,"
            " decisions = decisions + ?, seconds = seconds + ? WHERE id = ?",
            (
                sign, sum(cells), *cells, sign * game.hands, sign * game.points_a, sign * game.points_b,
                sign * (game.fault_bot == "a"), sign * (game.fault_bot == "b"), sign * margin,
                sign * margin2, sign * game.decisions, sign * game.seconds, match,
            ),
        )  # fmt: skip

    def _write(self, statement: str, values: Sequence[Any]) -> None:
        assert self._depth, "written outside of a transaction"
        with environment(self._database):
            self._connection.execute(statement, values)


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(dict(value), ensure_ascii=False, separators=(",", ":"))
