"""Seconds and memory of `arena standings` from a stored tournament of 1,000 bots and a million games.

    python benchmarks/standings_speed.py [--bots N] [--games N] [--rounds N]

Makes up the database of such a tournament and its book of luck (matches of 20 pairs; no logs, which standings
do not read for games whose luck is known), and lets the command draw its table: in a process of its own, from
start to end. The same with a tenth of the games; medians of CPU seconds are compared.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import statistics
import sys
import tempfile
import time
from dataclasses import astuple
from pathlib import Path

import numpy as np

from arena.games.registry import get_game
from arena.ratings.pairs import PairingStats, PairUnit, tally
from arena.store.folder import DATABASE
from arena.store.rows import BotRow, Meta
from arena.store.store import Store
from arena.tournament import luck

LIMIT_SECONDS, LIMIT_MB, LIMIT_RATIO = 2.0, 300.0, 12.0
PAIRS = 20
KINDS = 200
Kind = tuple[list[PairUnit], PairingStats]


def kinds(random: np.random.Generator) -> list[Kind]:
    """Results of matches, of which each match takes one."""
    found = []
    for _ in range(KINDS):
        scores = random.choice([0.0, 0.5, 1.0], PAIRS, p=[0.15, 0.7, 0.15])
        lucks = random.normal(0, 0.15, PAIRS)
        rows = enumerate(zip(scores.tolist(), lucks.tolist(), strict=True))
        units = [PairUnit(k, s, x, 12 * (s - 0.5)) for k, (s, x) in rows]
        found.append((units, tally("a", "b", units)))
    return found


def legs(units: list[PairUnit]) -> list[tuple[int, int, float, float]]:
    """Pair, leg, A's score and luck of each game."""
    return [
        (u.pair, leg, u.score if u.score != 0.5 else float(leg == 0), u.luck or 0.0)
        for u in units
        for leg in (0, 1)
    ]


def make(folder: Path, bots: int, games: int) -> None:
    """Write the tournament."""
    game = get_game("north-american")
    names = [f"bot{k:04}" for k in range(bots)]
    digests = [f"{k:064x}" for k in range(bots)]
    meta = Meta("0.1.0", "2026-01-01T00:00:00+00:00", game.id, {}, {}, "0" * 64, "0" * 64, guessable=False)
    with Store(folder, meta) as store, store.transaction():
        for name, digest in zip(names, digests, strict=True):
            store.add_bot(BotRow(digest, name, "1", "", "", ""))
    luck.LuckBook(folder, game, luck.outcome_table(game, folder)).close()
    random = np.random.Generator(np.random.PCG64(1))
    templates = kinds(random)
    db, book = sqlite3.connect(folder / DATABASE), sqlite3.connect(folder / luck.FILE)
    for key in range(games // (2 * PAIRS)):
        i, j = sorted((key % bots, (key + 1 + key // bots) % bots))  # round a circle, ever further
        units, stats = templates[int(random.integers(KINDS))]
        match_id = f"{key:032x}"
        db.execute(
            "INSERT INTO match (id, match_id, a, b, games, pairs, cell0, cell1, cell2, cell3, cell4, hands,"
            " points_a, points_b, margin, margin2) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (key, match_id, digests[i], digests[j], 2 * PAIRS, PAIRS, *stats.cells, 420, 320, 320,
             int(stats.sum_margin), int(stats.sum_margin2)),
        )  # fmt: skip
        db.executemany(
            "INSERT INTO attempt (match, block, attempt, logged, kind, status, games, played, log, began)"
            " VALUES (?, ?, 1, 1, 'block', 'finished', 20, 20, ?, '')",
            [(key, block, f"logs/{match_id[-8:]}/{block}-1.jsonl") for block in range(PAIRS // 10)],
        )
        rows = legs(units)
        db.executemany(
            "INSERT INTO game (match, block, attempt, pair, leg, status, score_a, points_a, points_b, hands,"
            " decisions, reason, seconds, log_offset, log_bytes)"
            " VALUES (?, ?, 1, ?, ?, 'counts', ?, 10, 6, 10, 200, 'target', 0.1, 0, 0)",
            [(key, pair // 10, pair, leg, score) for pair, leg, score, _ in rows],
        )
        book.executemany("INSERT INTO leg VALUES (?, ?, ?, ?, ?)", [(match_id, *row) for row in rows])
        for fold, (sums, blocks) in enumerate(zip(stats.folds, stats.blocks, strict=True)):
            book.execute(
                f"INSERT INTO fold VALUES ({', '.join('?' * 15)})",
                (match_id, fold, *astuple(sums), *astuple(blocks)),
            )
    (last,) = db.execute("SELECT max(id) FROM game").fetchone()
    book.execute("UPDATE meta SET last = ?", (last,))
    for one in (db, book):
        one.commit()
        one.close()


def drawn(folder: Path) -> tuple[float, float, float]:
    """CPU seconds, seconds that passed, and peak MB of the command."""
    start = time.perf_counter()
    command = [sys.executable, "-m", "arena.cli.main", "standings", str(folder), "--json"]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    with (folder / "out.json").open("wb") as out:
        pid = os.posix_spawn(
            sys.executable, command, environment, file_actions=[(os.POSIX_SPAWN_DUP2, out.fileno(), 1)]
        )
        _, status, usage = os.wait4(pid, 0)
    assert status == 0, f"arena standings ended with {status}"
    scale = 1024 if sys.platform == "linux" else 1024 * 1024
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - start, usage.ru_maxrss / scale


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bots", type=int, default=1000)
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    found = []
    for games in (options.games // 10, options.games):
        with tempfile.TemporaryDirectory() as name:
            make(Path(name), options.bots, games)
            runs = [drawn(Path(name)) for _ in range(options.rounds)]
        cpu, wall, megabytes = (statistics.median(column) for column in zip(*runs, strict=True))
        found.append((cpu, megabytes))
        line = f"{cpu:.2f} s of CPU ({wall:.2f} s passed), {megabytes:.0f} MB"
        print(f"{options.bots} bots, {games:>9,} games: {line}", flush=True)
    (small, _), (seconds, megabytes) = found
    ratio = seconds / small
    print(f"t({options.games:,}) / t({options.games // 10:,}) = {ratio:.1f} (at most {LIMIT_RATIO:g})")
    print(f"{seconds:.2f} s, {megabytes:.0f} MB (at most {LIMIT_SECONDS:g} s and {LIMIT_MB:g} MB)")
    return 0 if seconds <= LIMIT_SECONDS and megabytes <= LIMIT_MB and ratio <= LIMIT_RATIO else 1


if __name__ == "__main__":
    raise SystemExit(main())
