"""Figures of the statistics: coverage, gains, sequential tests, schedules. Seeds are fixed.

    python benchmarks/statistics [--quick] [--pool FILE | --made-up] [--only PART,...] [--json FILE]

Parts: reference, gains, coverage, stopped, sprt, schedules. Events are drawn from a stored pool of real pairs
(data/pool.json.gz; format in pools.py), or from made-up ones whose gains are those measured with real bots.
Where bots at given distances are wanted, pairs of the pool are drawn as often as it takes to put them there.
`--quick` takes a tenth of the events: enough to see that all works, too few for the figures. Exit code 1 if a
target is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import intervals
import numpy as np
import savings
import schedules
from pools import Pairs, Pool, load_pool, made_up_pool

from arena.ratings.sprt import SprtTest

ROOT = Path(__file__).resolve().parents[2]
STORED = ROOT / "benchmarks" / "data" / "pool.json.gz"
GAPS = {"unlike": 20.0, "family": 8.0}
EVEN = [-20.0 * k for k in range(8)]
UNEVEN = list(-np.cumsum([0, 10, 40, 80, 15, 60, 20, 100]).astype(float))
NAMES = [f"bot{k}" for k in range(8)]


@dataclass
class Bench:
    quick: bool
    pool: Pool | None
    results: dict[str, Any] = field(default_factory=dict)
    missed: list[str] = field(default_factory=list)

    def random(self, seed: int) -> np.random.Generator:
        return np.random.Generator(np.random.PCG64(seed))

    def events(self, full: int) -> int:
        return max(10, full // 10) if self.quick else full

    def eight(self, kind: str) -> Pool:
        """Eight bots of a kind, evenly apart; or the stored pool."""
        if self.pool is not None:
            return self.pool
        return made_up_pool({name: -GAPS[kind] * k for k, name in enumerate(NAMES)}, kind, self.random(1))

    def ladder(self, elos: list[float]) -> Pool:
        """Eight unlike bots with these ratings; of a stored pool its own bots, the strongest first."""
        if self.pool is None:
            return made_up_pool(dict(zip(NAMES, elos, strict=True)), "unlike", self.random(1))
        true = intervals.truth(self.pool, {(p.a, p.b): 1 for p in self.pool.pairings})
        names = sorted(true, key=lambda name: -true[name])
        return self.pool.ladder(dict(zip(names, elos, strict=False)))

    def say(
        self, what: str, value: float | None, good: bool | None, target: str = "", more: str = ""
    ) -> None:
        """Print one figure, and remember it."""
        shown = "-" if value is None else f"{value:.3f}" if abs(value) < 100 else f"{value:,.0f}"
        mark = "" if good is None else "   ok" if good else "   MISSED"
        print(f"  {what:<58} {shown:>9} {target:<14}{mark}{'   ' + more if more else ''}", flush=True)
        self.results[what] = value
        if good is False:
            self.missed.append(what)


def reference(bench: Bench) -> None:
    """The reference cases, as tests."""
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "tests/ratings/test_reference.py"]
    environment = {**os.environ, "NO_COLOR": "1"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment)
    good = done.returncode == 0
    path = os.environ.get("RATING_CASES") or ROOT / "tests/data/ratings/rating_reference.json"
    count = len(json.loads(Path(path).read_text())["cases"])
    bench.say("reference cases of other programs", float(count), good, "all pass")
    if not good:
        print(done.stdout[-3000:])


def gains(bench: Bench) -> None:
    """What each method saves against independent games."""
    for kind, least in (("unlike", {"adjusted": 2.0, "margin_luck": 3.0}), ("family", {"adjusted": 5.0})):
        rows = [g for g in savings.gains(bench.eight(kind)) if g.kind == kind]
        if not rows:
            continue
        shares = [statistics.median(g.shares[k] for g in rows) for k in range(3)]
        shown = " / ".join(f"{100 * x:.0f}" for x in shares)
        print(f"  {kind}: {len(rows)} pairings, pairs LL / level / WW {shown} %")
        for name in ("duplicate", "single_luck", "adjusted", "margin", "margin_luck"):
            values = [getattr(g, name) for g in rows]
            median = statistics.median(values)
            need = least.get(name)
            bench.say(
                f"{kind}: {name.replace('_', ' + ')}, times fewer games",
                median,
                None if need is None else median >= need,
                "" if need is None else f">= {need:g}",
                f"[{min(values):.2f} - {max(values):.2f}]",
            )
        print(f"  oracle: {kind}, margin + luck is by each pairing's own best line: no beta does better")


def _covered(bench: Bench, what: str, found: intervals.Coverage) -> None:
    slack = 0.03 if bench.quick else 0.0
    good = 0.935 - slack <= found.ratings <= 0.965 + slack
    more = f"gaps {found.gaps:.3f}, rmse {found.rmse:.1f} Elo"
    if found.fell_back:
        more += f", raw instead {100 * found.fell_back:.0f} %"
    bench.say(what, found.ratings, good, "0.935 - 0.965", more)


def adaptive(bench: Bench, events: int) -> None:
    """Adaptive events, over ladders of even and uneven gaps, and over bots that are near to each other.

    Results choose the plan here, and what led to the plan is in the results: at given distances intervals
    hold the truth a little too often (even gaps) or too seldom (near ties). To tell that from error bars that
    are wrong, the same plans are filled with fresh pairs; and over distances drawn at random it evens out.
    """
    near = ("stored pool", bench.pool) if bench.pool else ("versions", bench.eight("family"))
    even = bench.ladder(EVEN)
    for title, pool in (("even gaps", even), ("uneven gaps", bench.ladder(UNEVEN)), near):
        for adjusted in (False, True):
            word = "adjusted" if adjusted else "raw"
            found, control = intervals.adaptives(
                pool, bench.random(77 + adjusted), events, 1500, adjusted=adjusted
            )
            _covered(bench, f"adaptive, {title}, {word}", found)
            bench.say(f"  the same plans, fresh pairs, {title}, {word}", control.ratings, None)
    for adjusted in (False, True):
        word = "adjusted" if adjusted else "raw"
        drawn = intervals.drawn_ladders(
            even, bench.random(177 + adjusted), events // 2, 1500, adjusted=adjusted
        )
        bench.say(f"adaptive, gaps drawn at random, {word}", drawn.ratings, None)


def covered(bench: Bench) -> None:
    """Coverage of 95 % intervals."""
    events = bench.events(400)
    kinds = ("pool",) if bench.pool else ("unlike", "family")
    for kind in kinds:
        pool = bench.eight(kind)
        for pairs in (10, 20, 160):
            for duplicate in (False, True):
                for adjusted in (False, True):
                    title = f"{kind}, {pairs} pairs, {'duplicate' if duplicate else 'independent'}"
                    random = bench.random(1000 + pairs + 2 * duplicate + adjusted)
                    found = intervals.round_robins(
                        pool, random, events, pairs, adjusted=adjusted, duplicate=duplicate
                    )
                    _covered(bench, f"{title}, {'adjusted' if adjusted else 'raw'}", found)
    adaptive(bench, 2 * events)
    decks = bench.pool
    if decks is None:
        elos = dict(zip(NAMES, EVEN, strict=True))
        decks = made_up_pool(elos, "unlike", bench.random(5), deck_skill=0.5)
    if decks.common:
        for adjusted in (False, True):
            word = "adjusted" if adjusted else "raw"
            for clustered in (True, False):
                found = intervals.common_decks(
                    decks, bench.random(88 + adjusted), events, 60, adjusted=adjusted, clustered=clustered
                )
                if clustered:
                    _covered(bench, f"common decks, by deck, {word}", found)
                else:
                    bench.say(f"common decks, by pair (to compare), {word}", found.ratings, None)


def stopped(bench: Bench) -> None:
    """Orders of nearly equal bots (made up, like versions), stopped by the any-time bound at 95 %."""
    for gap, budget, at_a_time in ((0.0, 12_000, 10), (2.0, 60_000, 40), (5.0, 12_000, 10)):
        elos = {f"bot{k}": -gap * k for k in range(3)}
        pool = made_up_pool(elos, "family", bench.random(9), size=200_000)
        events = bench.events(300)
        found = intervals.stopped_orders(pool, bench.random(10), events, budget, at_a_time=at_a_time)
        share = found.wrong / found.stopped if found.stopped else 0.0
        bench.say(
            f"three bots {gap:g} Elo apart: stopped and wrong",
            found.wrong,
            found.wrong <= 0.05,
            "<= 0.050",
            f"stopped {100 * found.stopped:.0f} %, wrong of these {100 * share:.0f} %,"
            f" {found.pairs:,.0f} pairs",
        )


def oracle(bench: Bench, kind: str, pairing: Pairs, runs: int, test: SprtTest) -> None:
    """What the sequential test would take if it knew the variance and beta from the start."""
    at0, at20 = (
        savings.oracle_runs(pairing, bench.random(int(51 + elo)), 4 * runs, elo, test=test)
        for elo in (test.elo0, test.elo1)
    )
    share = statistics.mean(f.games / f.fixed_games for f in (at0, at20))
    games = statistics.mean(f.games for f in (at0, at20))
    least = savings.shortest_share(test)
    fixed = statistics.mean(f.fixed_games for f in (at0, at20))
    naive = savings.naive_games(test)
    print(
        f"  oracle: {kind}, variance and beta known: length {share:.3f} of the fixed,"
        f" {naive / games:.2f} times fewer than naive, wrong {at0.accepted:.3f} and {at20.rejected:.3f}"
    )
    print(
        f"  oracle: {kind}, shortest of all tests with these errors (Wald): length {least:.3f},"
        f" {naive / (least * fixed):.2f} times fewer"
    )
    bench.results[f"{kind}, oracle: length over fixed length"] = share
    bench.results[f"{kind}, oracle: times fewer than naive"] = naive / games
    bench.results[f"{kind}, shortest of all: times fewer than naive"] = naive / (least * fixed)


def sprt(bench: Bench) -> None:
    """The sequential test at [0, 20] Elo, 5 % and 5 %."""
    test = SprtTest(0, 20)
    runs = bench.events(1000)
    naive = savings.naive_games(test)
    bench.results["naive games"] = naive
    print(f"  fixed length on independent games: {naive:,.0f} games")
    for kind, least in (("unlike", 4.5), ("family", 12.0)):
        choice = bench.eight(kind).of(kind)
        if not choice:
            continue
        pairing = savings.median_pairing(choice)
        print(f"  {kind}: {pairing.a} - {pairing.b}, whose gain is the median of {len(choice)} pairings")
        for duplicate, luck in ((False, False), (True, False), (True, True)):
            word = "games" if not duplicate else "duplicate + luck" if luck else "duplicate"
            length = []
            for elo in (0.0, 10.0, 20.0, 40.0):
                random = bench.random(
                    int(31 + elo) + 100 * duplicate + 200 * luck + 1000 * (kind == "family")
                )
                found = savings.sprt_runs(
                    pairing, random, runs, elo, duplicate=duplicate, luck=luck, test=test
                )
                title = f"{kind}, {word}, true {elo:g}"
                more = f"mean {found.games:,.0f} games, fixed {found.fixed_games:,.0f}"
                if elo in (0.0, 20.0):
                    wrong = found.accepted if elo == 0.0 else found.rejected
                    good = wrong <= (0.1 if bench.quick else 0.06)
                    bench.say(f"{title}: wrong", wrong, good, "<= 0.060", more)
                    length.append((found.games, found.games / found.fixed_games))
                else:
                    bench.say(f"{title}: games", found.games, None, "", more)
            share = statistics.mean(x for _, x in length)
            bench.say(f"{kind}, {word}: length over fixed length", share, share <= 0.55, "<= 0.550")
            saved = naive / statistics.mean(g for g, _ in length)
            if luck:
                bench.say(f"{kind}, {word}: times fewer than naive", saved, saved >= least, f">= {least:g}")
                oracle(bench, kind, pairing, runs, test)


def scheduled(bench: Bench) -> None:
    """Games until the whole order of eight bots is right in 95 % of events."""
    # Near 95 % the curve of a round robin is flat: so many events know its games to 5 % or so.
    events = bench.events(800)
    pools = {"20 Elo apart": bench.ladder(EVEN), "uneven gaps": bench.ladder(UNEVEN)}
    for title, pool in pools.items():
        needed = {}
        most = 6720 if title == "uneven gaps" else 4480
        for adaptive in (True, False):
            curve = schedules.curves(
                pool, bench.random(13 + adaptive), events, adaptive=adaptive,
                step=140 if adaptive else 280,  # a round robin by whole laps
                most=most if adaptive else 2 * most,
            )  # fmt: skip
            needed[adaptive] = curve.games_for(0.95)
            word = "adaptive" if adaptive else "round robin"
            bench.results[f"{title}, {word}, curve"] = asdict(curve)
            bench.say(f"{title}, {word}: games for 95 %", needed[adaptive], None)
        mine, theirs = needed[True], needed[False]
        ratio = mine / theirs if mine and theirs else None
        good = ratio is not None and ratio <= 0.55
        bench.say(f"{title}: adaptive over round robin", ratio, good, "<= 0.550")


PARTS: dict[str, Callable[[Bench], None]] = {
    "reference": reference,
    "gains": gains,
    "coverage": covered,
    "stopped": stopped,
    "sprt": sprt,
    "schedules": scheduled,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python benchmarks/statistics", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the events")
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--pool", type=Path, default=STORED, help="draw from this stored pool: %(default)s")
    source.add_argument("--made-up", action="store_true", help="draw from made-up pools")
    parser.add_argument("--only", default=",".join(PARTS), help="parts, joined by commas: %(default)s")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    options = parser.parse_args()
    wanted = options.only.split(",")
    if unknown := [part for part in wanted if part not in PARTS]:
        parser.error(f"unknown part {', '.join(unknown)}: known are {', '.join(PARTS)}")
    stored = None if options.made_up else load_pool(options.pool)
    bench = Bench(options.quick, stored)
    for part in wanted:
        start = time.perf_counter()
        print(f"{part}: {PARTS[part].__doc__}")
        PARTS[part](bench)
        print(f"  ({time.perf_counter() - start:.0f} s)")
    if options.json:
        options.json.write_text(json.dumps(bench.results, indent=2) + "\n")
    if bench.missed:
        print(f"missed: {'; '.join(bench.missed)}")
    return 1 if bench.missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
