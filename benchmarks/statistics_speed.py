"""Seconds and memory of rating a large pool: 1,000 bots and a million games.

    python benchmarks/statistics_speed.py [--bots N] [--games N] [--rounds N]

Makes up a pool, keeps its pairings as the store does (one row of sums a pairing), and rates it: columns,
two fits (raw and adjusted), sandwich covariance, rank intervals, standings. Each round runs in a process of
its own, so that its peak memory is its own; medians are printed. Three pools: default matches of 20 pairs
among 25,000 pairings; the same with a tenth of the games (the cost a game must not grow); and the games
spread over nearly all of the half million pairings, given as columns.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable

LIMIT_SECONDS, LIMIT_MB, LIMIT_RATIO = 2.0, 300.0, 12.0


def rows(bots: int, games: int, pairs: int) -> Iterable[tuple[object, ...]]:
    """Sums of pairings as a database would give them: bots round a circle, `pairs` pairs a pairing."""
    import numpy as np

    random = np.random.Generator(np.random.PCG64(1))
    names = [f"bot{k:04}" for k in range(bots)]
    elo = random.normal(0, 150, bots)
    count = games // (2 * pairs)
    for k in range(count):
        i, j = k % bots, (k + 1 + k // bots) % bots
        p = 1 / (1 + 10 ** ((elo[j] - elo[i]) / 400))
        lost, level, won = (int(x) for x in random.multinomial(pairs, [0.7 * (1 - p), 0.3, 0.7 * p]))
        half = pairs // 2
        folds = []
        for n in (half, pairs - half):
            s = (won + level / 2) * n / pairs
            lucky = float(random.normal(0, 0.15 * n**0.5))
            folds.append((n, s, lucky, (won + level / 4) * n / pairs, 0.0225 * n, s / n * lucky + 0.018 * n))
        yield names[i], names[j], pairs, (lost, 0, level, 0, won), tuple(folds)


def rate(bots: int, games: int, *, spread: bool) -> tuple[float, float, float, int]:
    """Seconds (wall and CPU) from sums to standings, peak MB of this process, pairings."""
    if spread:
        from arena.ratings.pairs import FOLDS
        from arena.tournament.standings import rate_columns

        columns = spread_columns(bots, games, FOLDS)
        start, cpu = time.perf_counter(), time.process_time()
        standings = rate_columns(columns)
        pairings = len(columns.i)
    else:
        from arena.ratings.pairs import LuckFold, PairingStats
        from arena.tournament.standings import make_standings

        given = list(rows(bots, games, 20))
        start, cpu = time.perf_counter(), time.process_time()
        stats = [
            PairingStats(a, b, n, cells, 11 * n, 9 * n, 9 * n, folds=tuple(LuckFold(*f) for f in folds))
            for a, b, n, cells, folds in given
        ]
        standings = make_standings(stats)
        pairings = len(stats)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    assert len(standings.rows) == bots
    return seconds, cpu, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, pairings


def spread_columns(bots: int, games: int, folds: int):  # type: ignore[no-untyped-def]
    """One pair at random for each two games, summed by pairing."""
    import numpy as np

    from arena.ratings.columns import Columns

    random = np.random.Generator(np.random.PCG64(2))
    elo = random.normal(0, 150, bots)
    first, second = random.integers(0, bots, games // 2), random.integers(0, bots - 1, games // 2)
    second += second >= first
    key, count = np.unique(np.minimum(first, second) * bots + np.maximum(first, second), return_counts=True)
    i, j = key // bots, key % bots
    p = 1 / (1 + 10 ** ((elo[j] - elo[i]) / 400))
    three = random.multinomial(count, np.stack([0.7 * (1 - p), np.full_like(p, 0.3), 0.7 * p], axis=1))
    cells = np.zeros((len(key), 5))
    cells[:, [0, 2, 4]] = three
    zero = np.zeros(len(key))
    return Columns(
        names=tuple(f"bot{k:04}" for k in range(bots)),
        i=i, j=j, cells=cells, hands=22.0 * count,
        points_i=zero, points_j=zero, forfeits_i=zero, forfeits_j=zero, margin=zero, margin2=zero,
        folds=np.zeros((len(key), folds, 6)), blocks=np.zeros((len(key), folds, 7)),
        has_luck=zero > 0, has_blocks=zero > 0,
    )  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bots", type=int, default=1000)
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--one", choices=["matches", "spread"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(*rate(options.bots, options.games, spread=options.one == "spread"))
        return 0
    # One thread: seconds of CPU are then those of a machine with nothing else to do.
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    found: dict[str, tuple[float, float]] = {}
    for title, kind, games in (
        ("matches of 20 pairs", "matches", options.games),
        ("a tenth of the games", "matches", options.games // 10),
        ("spread over all pairings", "spread", options.games),
    ):
        runs = []
        for _ in range(options.rounds):
            command = [sys.executable, __file__, "--one", kind]
            command += ["--bots", str(options.bots), "--games", str(games)]
            done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
            runs.append([float(word) for word in done.stdout.split()])
        wall, cpu, megabytes, pairings = (statistics.median(column) for column in zip(*runs, strict=True))
        found[title] = cpu, megabytes
        print(
            f"{options.bots} bots, {games:>9,} games, {pairings:>7,.0f} pairings ({title}):"
            f" {cpu:.2f} s of CPU ({wall:.2f} s passed), {megabytes:.0f} MB"
        )
    ratio = found["matches of 20 pairs"][0] / found["a tenth of the games"][0]
    print(f"t({options.games:,}) / t({options.games // 10:,}) = {ratio:.1f} (at most {LIMIT_RATIO:g})")
    seconds, megabytes = max(s for s, _ in found.values()), max(m for _, m in found.values())
    print(f"most: {seconds:.2f} s, {megabytes:.0f} MB (at most {LIMIT_SECONDS:g} s and {LIMIT_MB:g} MB)")
    return 0 if seconds <= LIMIT_SECONDS and megabytes <= LIMIT_MB and ratio <= LIMIT_RATIO else 1


if __name__ == "__main__":
    raise SystemExit(main())
