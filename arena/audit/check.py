"""A tournament's folder checked as a whole: every log by itself, and the logs against the database's rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from arena.audit.luckbook import LuckCheck
from arena.audit.sums import Result, SumsCheck
from arena.cards import seeds
from arena.errors import ArenaError
from arena.games.base import RuleError
from arena.games.registry import get_game
from arena.replay.log import LogError, LoggedGame, read_games, read_header
from arena.replay.verify import LogReport, Status, verify_log
from arena.store.folder import LOGS, log_path
from arena.store.queries import PAIRS_PER_BLOCK, Queries, read_results
from arena.store.rows import AttemptRow, BotRow, Meta, StoredGame, Sums
from arena.table.verdict import Fault
from arena.tournament.luck import FILE


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is not as it must be; `line` is 0 where a file as a whole is meant."""

    place: str
    """A log, relative to the tournament's folder, or `database`."""
    line: int
    text: str

    def sentence(self) -> str:
        """`logs/ab/0-1.jsonl:17: ...`."""
        return f"{self.place}:{self.line}: {self.text}" if self.line else f"{self.place}: {self.text}"


@dataclass(frozen=True, slots=True)
class AuditReport:
    """What became of checking a tournament's folder."""

    folder: str
    logs: int
    open_logs: int
    """Logs without a footer: of blocks that are still played or were not played to their end."""
    games: int
    hands: int
    decisions: int
    head: str
    """Hex SHA-256 over the heads of all logs."""
    closed: str | None
    """When the tournament's seed was revealed; None while it is secret."""
    anchored: bool
    """An anchor was given, and what it stands for was found."""
    luck: str
    """What became of `luck.db`, in a line; empty where there is none."""
    luck_checked: bool
    """There is a `luck.db`, and it was held against the logs."""
    problems: tuple[Problem, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for `--json`."""
        return {
            "folder": self.folder,
            "ok": self.ok,
            "logs": self.logs,
            "open_logs": self.open_logs,
            "games": self.games,
            "hands": self.hands,
            "decisions": self.decisions,
            "head": self.head,
            "closed": self.closed,
            "anchored": self.anchored,
            "luck": self.luck,
            "luck_checked": self.luck_checked,
            "problems": [
                {"place": problem.place, "line": problem.line, "text": problem.text}
                for problem in self.problems
            ],
        }


def check_tournament(
    folder: Path,
    *,
    anchor: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> AuditReport:
    """Check every log in `folder`, and every row against its log. Raises ArenaError if it has no tournament.

    `anchor` is the tournament's head (64 hex digits, printed at the end of a run) or the hash of one line
    of one log (32, as bots get it at `bye`). `progress` is told how many logs are done, of how many.
    """
    # The luck is read first: of games stored between the two it then has nothing.
    with read_results(folder) as results, closing(LuckCheck(folder, results.meta)) as luck:
        results.snapshot()
        return _Audit(folder, results, anchor, luck).run(progress)


class _Audit:
    def __init__(self, folder: Path, results: Queries, anchor: str | None, luck: LuckCheck) -> None:
        self.folder = folder
        self.luck = luck
        self.results = results
        self.anchor = anchor.strip().lower() if anchor else None
        self.anchored = False
        self.meta: Meta = results.meta
        self.parts = results.parts()
        self.bots: dict[str, BotRow] = {bot.name: bot for bot in results.bots()}
        self.problems: list[Problem] = []
        self.logs = self.open_logs = self.games = self.hands = self.decisions = 0
        self.sums = SumsCheck()

    def run(self, progress: Callable[[int, int], None] | None) -> AuditReport:
        meta = self.meta
        origins = {meta.commitment: meta.seed} | {part.commitment: part.seed for part in self.parts.values()}
        for commitment, seed in origins.items():
            if seeds.commitment(bytes.fromhex(seed)) != commitment:
                self.add("database", 0, "the tournament's seed is not the one that it committed to")
        try:
            self.rules_id = seeds.rules_id(meta.game, get_game(meta.game, meta.rules).rules)
        except RuleError as error:
            raise ArenaError(f"{self.folder}: the tournament's game cannot be played: {error}") from None
        blocks: dict[tuple[str, int], list[AttemptRow]] = {}
        for attempt in self.results.attempts():
            blocks.setdefault((attempt.match_id, attempt.block), []).append(attempt)
        total, done = sum(map(len, blocks.values())), 0
        for (match_id, block), rows in self._stored_blocks(blocks):
            attempts = blocks.pop((match_id, block), [])
            self.block(match_id, block, attempts, rows)
            done += len(attempts)
            if progress is not None:
                progress(done, total)
        self.check_sums()
        self.check_stray_logs()
        head = self.results.head()
        if self.anchor is not None and not self.anchored:
            if self.anchor == head:
                self.anchored = True
            else:
                self.add("database", 0, f"the anchor {self.anchor} is not found: these are other results")
        return AuditReport(
            folder=str(self.folder),
            logs=self.logs,
            open_logs=self.open_logs,
            games=self.games,
            hands=self.hands,
            decisions=self.decisions,
            head=head,
            closed=meta.closed,
            anchored=self.anchored,
            luck=self.luck.words,
            luck_checked=self.luck.checked,
            problems=tuple(self.problems),
        )

    def add(self, place: str, line: int, text: str) -> None:
        self.problems.append(Problem(place, line, text))

    def _stored_blocks(
        self, planned: Mapping[tuple[str, int], object]
    ) -> Iterator[tuple[tuple[str, int], list[StoredGame]]]:
        """The stored games block by block: they come in plan order, so one block is held at a time.

        Last come the blocks that are `planned`, and of which no game is stored.
        """
        stored = self.results.games(all_statuses=True)
        for key, rows in groupby(stored, lambda row: (row.match_id, row.game.pair // PAIRS_PER_BLOCK)):
            yield key, list(rows)
        for key in list(planned):
            yield key, []

    def block(
        self, match_id: str, block: int, attempts: Sequence[AttemptRow], rows: Sequence[StoredGame]
    ) -> None:
        """All runs of one block, and which of their games count."""
        numbers = [attempt.attempt for attempt in attempts]
        if numbers != list(range(1, len(numbers) + 1)):
            one = attempts[0]
            self.add(
                "database",
                0,
                f"{_match(one)}, block {block}: has attempts {', '.join(map(str, numbers))}, "
                f"and they are numbered from 1 without a gap",
            )
        for attempt in attempts:
            self.attempt(attempt, [row for row in rows if row.attempt == attempt.attempt])
        for row in rows:
            if row.attempt not in numbers:
                self.add("database", 0, f"{_game(row)} is stored, and no attempt {row.attempt} of its block")
        counting = self.sums.counting()
        for row, what in self.sums.misjudged(counting):
            self.add("database", 0, f"{_game(row)}, attempt {row.attempt}: {what}")
        if attempts:
            for what in self.luck.block(match_id, _match(attempts[0]), counting):
                self.add(FILE, 0, what)
        self.sums.settle(match_id, counting)

    def attempt(self, attempt: AttemptRow, rows: Sequence[StoredGame]) -> None:
        """One run of one block: its log, and the rows that point into it."""
        right = log_path(attempt.match_id, attempt.block, attempt.attempt)
        if attempt.log != right:
            self.add("database", 0, f"{_attempt(attempt)}: its log is {attempt.log}, and it must be {right}")
        if not self.attempt_log(attempt, rows):
            # Its log cannot say what was played: rows alone then can be added up.
            for row in rows:
                self.sums.add(row.game.pair, row.game.leg, Result.stored(row))

    def attempt_log(self, attempt: AttemptRow, rows: Sequence[StoredGame]) -> bool:
        """Check an attempt's log and its rows by it; whether it could be read."""
        path = self.folder / attempt.log
        if not attempt.bytes:
            for row in rows:
                self.add(attempt.log, 0, f"{_game(row)} is stored, and no log line is counted for it")
            if attempt.status == "finished" and attempt.kind != "trial":
                self.add(attempt.log, 0, f"{_attempt(attempt)}: is stored as finished, and has no log")
            if attempt.played:
                self.add(
                    attempt.log, 0, f"{_attempt(attempt)}: played is {attempt.played}, and it has no log"
                )
            if attempt.status != "running" and path.exists():
                self.add(attempt.log, 0, f"{_attempt(attempt)}: the database counts nothing of this log")
            return False
        if attempt.kind == "trial":
            self.add(attempt.log, 0, f"{_attempt(attempt)}: is stored as a trial, and a trial has no log")
        self.logs += 1
        try:
            size = path.stat().st_size
        except OSError as error:
            self.add(attempt.log, 0, f"cannot be read: {error.strerror} ({attempt.played} games counted)")
            return False
        if size < attempt.bytes:
            self.add(attempt.log, 0, f"has {size} bytes, and the database counts {attempt.bytes} of it")
        report = verify_log(path, size=attempt.bytes, seed=self.block_seed(attempt))
        self.games += report.games
        self.hands += report.hands
        self.decisions += report.decisions
        if not report.ok:
            self.add(attempt.log, report.line or 0, report.problem)
            return False
        if report.status is Status.OPEN:
            self.open_logs += 1
            if attempt.status == "finished":
                self.add(attempt.log, 0, "has no footer, and the database says that the block was finished")
        elif attempt.status != "finished":
            self.add(
                attempt.log, 0, f"{_attempt(attempt)}: is stored as {attempt.status}, and its log was closed"
            )
        if report.head != attempt.head:
            self.add(attempt.log, 0, f"ends in hash {report.head}, and the database has {attempt.head}")
        self.check_counts(attempt, report.games)
        self.check_header(attempt, path)
        self.check_games(attempt, path, rows)
        self.find_anchor(path, attempt, report)
        return True

    def check_counts(self, attempt: AttemptRow, games: int) -> None:
        """How many games an attempt played, and was to play, against the `games` of its log."""
        if attempt.played != games:
            self.add(
                attempt.log,
                0,
                f"{_attempt(attempt)}: played is {attempt.played}, and the log has {games} games",
            )
        if attempt.games < games or (attempt.games > games and attempt.status == "finished"):
            self.add(
                attempt.log,
                0,
                f"{_attempt(attempt)}: was to play {attempt.games} games by the database, "
                f"is {attempt.status}, and the log has {games}",
            )

    def find_anchor(self, path: Path, attempt: AttemptRow, report: LogReport) -> None:
        """An anchor of 32 digits is the hash of a line of one log."""
        anchor = self.anchor
        if anchor is not None and len(anchor) == 32 and not self.anchored:
            self.anchored = verify_log(path, size=attempt.bytes, anchor=anchor).anchor == anchor

    def check_header(self, attempt: AttemptRow, path: Path) -> None:
        header = read_header(path)
        names = tuple(bot.name for bot in header.bots)
        digests = self.digests(attempt)
        origin = self.parts.get(attempt.match_id, self.meta)
        commitment = seeds.commitment(self.block_seed(attempt))
        expected: list[tuple[str, object, object]] = [
            ("match_id", header.match_id, attempt.match_id),
            ("block", header.block, attempt.block),
            ("attempt", header.attempt, attempt.logged),
            ("game", header.game, self.meta.game),
            ("guessable", header.guessable, origin.guessable),
            ("bots", names, (attempt.a, attempt.b)),
            ("digests", tuple(bot.digest for bot in header.bots), digests),
            ("commitment", header.commitment, commitment),
        ]
        for what, found, right in expected:
            if found != right:
                self.add(attempt.log, 1, f"{what} is {found}, and the database has {right}")
        rules = seeds.rules_id(header.game, header.rules)
        if rules != self.rules_id:
            self.add(attempt.log, 1, "was played by other rules than the tournament's")

    def digests(self, attempt: AttemptRow) -> tuple[str, ...]:
        """Of bots A and B, as the database has them."""
        return tuple(self.bots[name].digest if name in self.bots else "" for name in (attempt.a, attempt.b))

    def block_seed(self, attempt: AttemptRow) -> bytes:
        """The seed that the block's header must have committed to."""
        digests = self.digests(attempt)
        master = bytes.fromhex(self.parts.get(attempt.match_id, self.meta).seed)
        if self.meta.options.get("common-decks") in ("true", "on", "yes"):
            digests = (seeds.COMMON, seeds.COMMON)
        return seeds.block_seed(master, self.rules_id, digests[0], digests[1], attempt.block)

    def check_games(self, attempt: AttemptRow, path: Path, rows: Sequence[StoredGame]) -> None:
        by_place = {(row.game.pair, row.game.leg): row for row in rows}
        try:
            for logged in read_games(path):
                pair, leg = logged.start.pair, logged.start.leg
                if logged.offset >= attempt.bytes:
                    if attempt.status == "running":
                        break  # it is still played, or was killed: what is not counted yet is played again
                    self.add(
                        attempt.log,
                        logged.line,
                        f"{_match(attempt)}, pair {pair} leg {leg} was finished, and the database counts "
                        f"{attempt.bytes} bytes of this log, up to before it",
                    )
                    continue
                row = by_place.pop((pair, leg), None)
                self.sums.add(pair, leg, Result.logged(attempt.attempt, row, logged))
                self.check_kind(attempt, logged)
                if row is None:
                    self.add(
                        attempt.log,
                        logged.line,
                        f"{_match(attempt)}, pair {pair} leg {leg} has no row in the database",
                    )
                    continue
                # The first game's lines begin with the header.
                here = row.offset <= logged.offset < row.offset + row.bytes
                if row.log != attempt.log or not here:
                    self.add(attempt.log, logged.line, f"{_game(row)}: elsewhere by the database")
                for what, found, stored in _differences(logged, row):
                    self.add(
                        attempt.log,
                        logged.line,
                        f"{_game(row)}: {what} is {found}, the database has {stored}",
                    )
        except LogError as error:
            self.add(attempt.log, error.line, error.what)
        for row in by_place.values():
            self.add(attempt.log, 0, f"{_game(row)} is stored, and does not stand in this log")

    def check_kind(self, attempt: AttemptRow, logged: LoggedGame) -> None:
        """Games of a block that was forfeited as a whole are by that bot, and no other game is so."""
        fault = logged.end.fault
        killer = ""
        if fault is not None and fault.code == Fault.KILLED_SLOT:
            killer = (attempt.a, attempt.b)[logged.start.teams[fault.seat]]
        said = attempt.bot if attempt.kind == "forfeit" else ""
        if killer != said:
            stored = f"forfeited by {said} for the whole block" if said else "no forfeit of a whole block"
            found = f"one of {killer}" if killer else "none"
            self.add(
                attempt.log,
                logged.line,
                f"{_attempt(attempt)}, pair {logged.start.pair} leg {logged.start.leg}: "
                f"by the database it is {stored}, and by its log it is {found}",
            )

    def check_sums(self) -> None:
        """Every sum kept for the standings against the games that were found in the logs."""
        names = {}
        for sums in self.results.sums(every=True):
            names[sums.match_id] = _match(sums)
            for column, kept, found in self.sums.differences(sums):
                source = "rows" if column == "seconds" else "logs"
                self.add(
                    "database",
                    0,
                    f"{_match(sums)}: {column} is kept as {kept}, and the {source} add up to {found}",
                )
        for table, count in self.results.loose_rows().items():
            self.add(
                "database", 0, f"{count} rows of table {table} belong to no stored bot, match or attempt"
            )

        for what in self.luck.finish(names):
            self.add(FILE, 0, what)

    def check_stray_logs(self) -> None:
        known = {attempt.log for attempt in self.results.attempts()}
        for path in sorted((self.folder / LOGS).rglob("*.jsonl")):
            name = path.relative_to(self.folder).as_posix()
            if name not in known:
                self.add(name, 0, "is not a log of this tournament")


def _match(of: AttemptRow | StoredGame | Sums) -> str:
    """Bots, and the match's own name: merged tournaments have several of two bots."""
    return f"{of.a} - {of.b} (match {of.match_id[:8]})"


def _attempt(attempt: AttemptRow) -> str:
    return f"{_match(attempt)}, block {attempt.block} attempt {attempt.attempt}"


def _game(row: StoredGame) -> str:
    return f"{_match(row)}, pair {row.game.pair} leg {row.game.leg}"


def _differences(logged: LoggedGame, row: StoredGame) -> Iterator[tuple[str, object, object]]:
    """What a game's log and its row say differently: what, by the log, by the row."""
    end, game, teams = logged.end, row.game, logged.start.teams
    fault = end.fault
    points = {teams[team]: score for team, score in enumerate(end.scores)}
    pairs: list[tuple[str, object, object]] = [
        ("pair", logged.start.pair, game.pair),
        ("leg", logged.start.leg, game.leg),
        ("score_a", end.score_a, game.score_a),
        ("points_a", points.get(0), game.points_a),
        ("points_b", points.get(1), game.points_b),
        ("reason", end.reason, game.reason),
        ("hands", len(logged.hands), game.hands),
        ("decisions", sum(len(hand.acts) for hand in logged.hands), game.decisions),
        ("fault", fault.code if fault else None, game.fault_code),
        ("bot at fault", "ab"[teams[fault.seat]] if fault else None, game.fault_bot),
        ("seat at fault", fault.seat if fault else None, game.fault_seat),
        ("fault's text", fault.text if fault else None, game.fault_text),
        ("stderr at the fault", fault.stderr_tail if fault else "", game.fault_stderr or ""),
    ]
    return ((what, found, stored) for what, found, stored in pairs if found != stored)
