"""What the live page shows: an observer of a run that keeps its sums, and plain data on demand."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from arena.replay.escape import plain
from arena.tournament.events import GameEnded, Notice, Progress, RunEvent, RunReport, Started, Stopping

MOST_ROWS = 60
"""Bots in the table; the rest is counted."""
MOST_CROSS = 16
"""Bots in the crosstable."""
MOST_PAIRINGS = 20_000
"""Beyond so many pairings no crosstable is kept: memory must not grow with the square of the bots."""
MOST_RECENT = 12
MOST_POINTS = 240
"""Points of the curve of games a second; when there are more, every other one is dropped."""
NAME_WIDTH = 40


@dataclass(slots=True)
class _Sums:
    """One bot's games so far."""

    games: int = 0
    score: float = 0.0
    points: int = 0
    hands: int = 0
    forfeits: int = 0


class LiveState:
    """The sums of a run. Called with its events in one thread, asked for its data in others.

    Names and texts of bots are made harmless here (no control or invisible characters); the page shows them
    as text alone.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._version = 0
        self._head: dict[str, Any] = {}
        self._phase = "starting"
        self._words = ""
        self._progress: Progress | None = None
        self._bots: dict[str, _Sums] = {}
        self._met: dict[tuple[str, str], list[float]] = {}
        self._faults: Counter[tuple[str, str]] = Counter()
        self._recent: deque[dict[str, Any]] = deque(maxlen=MOST_RECENT)
        self._recent_faults: deque[dict[str, Any]] = deque(maxlen=MOST_RECENT)
        self._notices: deque[str] = deque(maxlen=MOST_RECENT)
        self._curve: list[tuple[float, int]] = []
        self._every = 1.0

    def __call__(self, event: RunEvent) -> None:
        """Take one event of the run."""
        with self._lock:
            self._version += 1
            match event:
                case Started():
                    self._start(event)
                case GameEnded():
                    self._game(event)
                case Progress():
                    self._progress = event
                    self._draw_curve(event)
                case Notice():
                    self._notices.appendleft(plain(event.text, 400))
                case Stopping():
                    self._phase = "stopping"
                    words = {"time": "the time is used up"}
                    self._words = words.get(event.why, event.why)

    def finish(self, report: RunReport) -> None:
        """The run has ended."""
        with self._lock:
            self._version += 1
            self._phase = "ended"
            stopped = {"interrupted": "interrupted", "time": "the time was used up"}
            self._words = "complete" if report.complete else stopped.get(report.stopped or "", "incomplete")

    def _start(self, event: Started) -> None:
        self._phase = "running"
        self._bots = {bot: _Sums() for bot in event.bots}
        rules = [f"{name}={str(value).lower()}" for name, value in event.rules.items()]
        self._head = {
            "game": plain(event.game),
            "rules": plain(" ".join(rules)),
            "out": plain(event.out),
            "slots": event.slots,
            "isolation": plain(event.isolation),
            "commitment": event.commitment,
            "guessable": event.guessable,
        }
        if event.games_stored:
            self._count_stored(Path(event.out))

    def _count_stored(self, folder: Path) -> None:
        """The whole pairs that an earlier run left."""
        from arena.tournament.results import open_results

        with open_results(folder) as results:
            for p in results.pairings():
                margin = p.points_a - p.points_b
                self._add(p.a, p.b, 2 * p.pairs, 2 * p.score, margin, p.hands, p.forfeits_a, p.forfeits_b)
            for bot, codes in results.faults().items():
                self._faults.update({(bot, code): count for code, count in codes.items()})

    def _game(self, game: GameEnded) -> None:
        margin = game.points_a - game.points_b
        self._add(
            game.a,
            game.b,
            1,
            game.score_a,
            margin,
            game.hands,
            int(game.fault_bot == game.a),
            int(game.fault_bot == game.b),
        )
        row = {
            "a": _name(game.a),
            "b": _name(game.b),
            "pair": game.pair,
            "leg": game.leg,
            "score": game.score_a,
            "points": [game.points_a, game.points_b],
            "reason": plain(game.reason),
        }
        self._recent.appendleft(row)
        if game.fault_code is not None and game.fault_bot is not None:
            self._faults[game.fault_bot, game.fault_code] += 1
            text = plain(game.fault_text, 300)
            fault = {"bot": _name(game.fault_bot), "code": plain(game.fault_code), "text": text}
            self._recent_faults.appendleft(row | fault)

    def _add(
        self, a: str, b: str, games: int, score: float, margin: int, hands: int, fouls_a: int, fouls_b: int
    ) -> None:
        sides = ((a, score, margin, fouls_a), (b, games - score, -margin, fouls_b))
        for bot, scored, points, fouls in sides:
            mine = self._bots.setdefault(bot, _Sums())
            mine.games += games
            mine.score += scored
            mine.points += points
            mine.hands += hands
            mine.forfeits += fouls
        if (a, b) in self._met or len(self._met) < MOST_PAIRINGS:
            met = self._met.setdefault((a, b), [0, 0.0])
            met[0] += games
            met[1] += score

    def _draw_curve(self, progress: Progress) -> None:
        if self._curve and progress.seconds < self._curve[-1][0] + self._every:
            return
        self._curve.append((progress.seconds, progress.games_played))
        if len(self._curve) > MOST_POINTS:
            self._curve = self._curve[::2]
            self._every *= 2

    @property
    def version(self) -> int:
        """Grows with every event."""
        return self._version

    def snapshot(self) -> dict[str, Any]:
        """All that the page shows, as plain data."""
        with self._lock:
            ranked = sorted(self._bots, key=self._rank)
            return {
                "version": self._version,
                "phase": self._phase,
                "words": self._words,
                **self._head,
                "progress": self._numbers(),
                "bots": len(ranked),
                "standings": [self._row(bot) for bot in ranked[:MOST_ROWS]],
                "crosstable": self._cross(ranked[:MOST_CROSS]),
                "faults": [
                    {"bot": _name(bot), "code": plain(code), "games": count}
                    for (bot, code), count in self._faults.most_common(MOST_RECENT)
                ],
                "recent_faults": list(self._recent_faults),
                "recent": list(self._recent),
                "running": [plain(text) for text in self._progress.running] if self._progress else [],
                "notices": list(self._notices),
                "curve": _rates(self._curve),
            }

    def _rank(self, bot: str) -> tuple[float, str]:
        mine = self._bots[bot]
        return (-mine.score / mine.games if mine.games else 0.0, bot)

    def _row(self, bot: str) -> dict[str, Any]:
        mine = self._bots[bot]
        return {
            "bot": _name(bot),
            "games": mine.games,
            "score": mine.score / mine.games if mine.games else None,
            "points": mine.points / mine.hands if mine.hands else None,
            "forfeits": mine.forfeits,
        }

    def _cross(self, bots: Iterable[str]) -> dict[str, Any]:
        names = list(bots)
        cells = []
        for one in names:
            row: list[list[float] | None] = []
            for other in names:
                if (one, other) in self._met:
                    games, score = self._met[one, other]
                    row.append([score / games, games])
                elif (other, one) in self._met:
                    games, score = self._met[other, one]
                    row.append([1 - score / games, games])
                else:
                    row.append(None)
            cells.append(row)
        return {"bots": [_name(bot) for bot in names], "cells": cells}

    def _numbers(self) -> dict[str, Any]:
        progress = self._progress
        if progress is None:
            return {
                "done": 0,
                "total": 0,
                "played": 0,
                "rate": 0.0,
                "seconds": 0.0,
                "left": None,
                "faults": 0,
            }
        return {
            "done": progress.games_done,
            "total": progress.games_total,
            "played": progress.games_played,
            "rate": progress.games_per_second,
            "seconds": progress.seconds,
            "left": progress.seconds_left,
            "faults": sum(self._faults.values()),
        }


def _name(bot: str) -> str:
    return plain(bot, NAME_WIDTH)


def _rates(curve: list[tuple[float, int]]) -> list[list[float]]:
    """Games a second between two points of the curve, at the time of the second one."""
    return [[t, (n - n0) / (t - t0)] for (t0, n0), (t, n) in pairwise(curve) if t > t0]
