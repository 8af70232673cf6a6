"""Do 95 % intervals hold the truth 95 % of the time? And are orders that were stopped as often wrong as
claimed?
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from pools import Pool, Random, added, stats_of

from arena.ratings.adaptive import next_blocks
from arena.ratings.bradley_terry import Fit, fit_pool
from arena.ratings.columns import columns_of, deck_units
from arena.ratings.elo import ELO_PER_LOGIT
from arena.ratings.pairs import PAIRS_PER_BLOCK, PairingStats, PairUnit
from arena.tournament.course import LEAST_BATCH


@dataclass(frozen=True, slots=True)
class Coverage:
    ratings: float
    """Share of the bots' intervals that hold the truth."""
    gaps: float
    """Share of the intervals of neighbours' gaps that do."""
    rmse: float
    """Elo."""
    fell_back: float
    """Share of events whose adjusted scores could not be fitted."""


def truth(pool: Pool, pairs: dict[tuple[str, str], int]) -> dict[str, float]:
    """Ratings of the pool itself, its pairings weighted as in an event.

    Solved on a million pairs a pairing or so: sums with fractions would do, counts are what the fit takes.
    """
    names = {name: k for k, name in enumerate(pool.names)}
    size = len(names)
    r = np.zeros(size)
    rows = [(names[p.a], names[p.b], pairs.get((p.a, p.b), 0), p.mean) for p in pool.pairings]
    for _ in range(50):
        h, g = np.full((size, size), 1.0 / size), np.zeros(size)
        for i, j, n, mean in rows:
            p = 1 / (1 + np.exp(r[j] - r[i]))
            w = n * p * (1 - p)
            h[i, i] += w
            h[j, j] += w
            h[i, j] -= w
            h[j, i] -= w
            g[i] += n * (mean - p)
            g[j] -= n * (mean - p)
        step = np.linalg.solve(h, g)
        r += step
        if np.abs(step).max() < 1e-12:
            break
    r -= r.mean()
    return {name: float(r[k]) * ELO_PER_LOGIT for name, k in names.items()}


def one_event(
    pool: Pool, random: Random, pairs: int, *, adjusted: bool, duplicate: bool
) -> tuple[Fit, dict[tuple[str, str], int]]:
    """A round robin."""
    stats = [stats_of(p.a, p.b, *p.draw(random, pairs, duplicate=duplicate)) for p in pool.pairings]
    return fit_pool(columns_of(stats), adjusted=adjusted), {(p.a, p.b): pairs for p in pool.pairings}


def adaptive_course(
    pool: Pool,
    random: Random,
    budget: int,
    *,
    adjusted: bool = True,
    confidence: float = 0.95,
    at_a_time: int = LEAST_BATCH,
    first_pairs: int = 20,
) -> Iterator[tuple[list[PairingStats], bool]]:
    """An adaptive event as `arena run` plays it: the sums after each batch, and whether the order is settled.

    While one batch is played the next is chosen, by the results of those before. It ends when the order is
    settled or the budget of pairs spent.
    """
    by_name = {(p.a, p.b): p for p in pool.pairings}
    stats: dict[tuple[str, str], PairingStats] = {}
    spent = 0

    def play(blocks: Iterable[tuple[str, str]]) -> None:
        nonlocal spent
        for a, b in blocks:
            if spent >= budget:
                return
            key = (a, b) if (a, b) in by_name else (b, a)
            before = stats.get(key)
            start = before.pairs if before else 0
            block = stats_of(*key, *by_name[key].draw(random, PAIRS_PER_BLOCK), start=start)
            stats[key] = added(before, block) if before else block
            spent += PAIRS_PER_BLOCK

    for _ in range(0, first_pairs, PAIRS_PER_BLOCK):
        play(by_name)
    ahead: tuple[tuple[str, str], ...] = ()
    while True:
        decision = next_blocks(
            pool.names,
            list(stats.values()),
            count=at_a_time,
            confidence=confidence,
            first_pairs=0,
            adjusted=adjusted,
            pending=ahead,
        )
        yield list(stats.values()), decision.settled
        if decision.settled or spent >= budget:
            return
        play(ahead)
        ahead = decision.blocks


def adaptive_event(
    pool: Pool, random: Random, budget: int, *, adjusted: bool = True, **how: Any
) -> tuple[list[PairingStats], bool]:
    """Sums when the order was settled or the budget of pairs spent, and whether it was settled."""
    *_, last = adaptive_course(pool, random, budget, adjusted=adjusted, **how)
    return last


def same_plan(pool: Pool, random: Random, stats: Iterable[PairingStats]) -> list[PairingStats]:
    """As many pairs of each pairing again, drawn afresh: the plan of an event without what led to it."""
    by_name = {(p.a, p.b): p for p in pool.pairings}
    return [stats_of(s.a, s.b, *by_name[s.a, s.b].draw(random, s.pairs)) for s in stats]


def deck_event(pool: Pool, random: Random, pairs: int, *, adjusted: bool, clustered: bool) -> Fit:
    """A round robin on common decks."""
    assert all(p.weight is None for p in pool.pairings)
    rows = random.integers(0, len(pool.pairings[0].score), pairs)
    shared = {}
    stats = []
    for p in pool.pairings:
        s, luck = p.score[rows].mean(axis=1), p.luck[rows].mean(axis=1)
        stats.append(stats_of(p.a, p.b, s, luck, p.margin[rows].sum(axis=1)))
        both = enumerate(zip(s.tolist(), luck.tolist(), strict=True))
        shared[p.a, p.b] = [PairUnit(k, x, y) for k, (x, y) in both]
    columns = columns_of(stats)
    return fit_pool(columns, adjusted=adjusted, decks=deck_units(columns, shared) if clustered else None)


def measure(fits: list[tuple[Fit, dict[str, float]]], *, adjusted: bool) -> Coverage:
    inside = total = held = gaps = 0
    squares = 0.0
    for fit, true in fits:
        centre = float(np.mean([true[name] for name in fit.names]))
        off = [float(fit.elo[k]) - true[name] + centre for k, name in enumerate(fit.names)]
        squares += float(np.mean(np.square(off)))
        inside += sum(abs(x) <= fit.error(k) for k, x in enumerate(off))
        total += len(off)
        order = sorted(range(len(off)), key=lambda k: -true[fit.names[k]])
        for a, b in pairwise(order):
            gap, se = fit.difference(a, b)
            held += abs(gap - true[fit.names[a]] + true[fit.names[b]]) <= fit.t95 * se
            gaps += 1
    count = len(fits)
    fell = sum(adjusted and not fit.adjusted for fit, _ in fits) / count
    return Coverage(inside / total, held / gaps, float(np.sqrt(squares / count)), fell)


def round_robins(
    pool: Pool, random: Random, events: int, pairs: int, *, adjusted: bool, duplicate: bool
) -> Coverage:
    true = truth(pool, {(p.a, p.b): pairs for p in pool.pairings})
    fits = [one_event(pool, random, pairs, adjusted=adjusted, duplicate=duplicate)[0] for _ in range(events)]
    return measure([(fit, true) for fit in fits], adjusted=adjusted)


def adaptives(
    pool: Pool, random: Random, events: int, budget: int, *, adjusted: bool
) -> tuple[Coverage, Coverage]:
    """Of adaptive events, and of events with the same plans whose results had no say in them."""
    found, control = [], []
    afresh = np.random.Generator(np.random.PCG64(random.integers(2**63)))
    for _ in range(events):
        stats, _ = adaptive_event(pool, random, budget, adjusted=adjusted)
        true = truth(pool, {(s.a, s.b): s.pairs for s in stats})
        found.append((fit_pool(columns_of(stats), adjusted=adjusted), true))
        again = same_plan(pool, afresh, stats)
        control.append((fit_pool(columns_of(again), adjusted=adjusted), true))
    return measure(found, adjusted=adjusted), measure(control, adjusted=adjusted)


def drawn_ladders(pool: Pool, random: Random, events: int, budget: int, *, adjusted: bool) -> Coverage:
    """Of adaptive events, each of which has bots at distances of its own, drawn at random (60 Elo)."""
    found = []
    for _ in range(events):
        elos = {
            name: float(x)
            for name, x in zip(pool.names, random.normal(0, 60.0, len(pool.names)), strict=True)
        }
        stats, _ = adaptive_event(pool.ladder(elos), random, budget, adjusted=adjusted)
        found.append((fit_pool(columns_of(stats), adjusted=adjusted), elos))
    return measure(found, adjusted=adjusted)


def common_decks(
    pool: Pool, random: Random, events: int, pairs: int, *, adjusted: bool, clustered: bool
) -> Coverage:
    true = truth(pool, {(p.a, p.b): pairs for p in pool.pairings})
    fits = [deck_event(pool, random, pairs, adjusted=adjusted, clustered=clustered) for _ in range(events)]
    return measure([(fit, true) for fit in fits], adjusted=adjusted)


@dataclass(frozen=True, slots=True)
class Stopped:
    """Events that play until the order is settled: shares of all events, and mean pairs."""

    stopped: float
    wrong: float
    pairs: float


def stopped_orders(
    pool: Pool, random: Random, events: int, budget: int, *, confidence: float = 0.95, at_a_time: int = 10
) -> Stopped:
    true = truth(pool, {(p.a, p.b): 1 for p in pool.pairings})
    right = sorted(pool.names, key=lambda name: -true[name])
    stopped = wrong = 0
    pairs = 0.0
    for _ in range(events):
        stats, settled = adaptive_event(pool, random, budget, confidence=confidence, at_a_time=at_a_time)
        pairs += sum(s.pairs for s in stats)
        if settled:
            stopped += 1
            fit = fit_pool(columns_of(stats))
            order = sorted(fit.names, key=lambda name: -fit.elo[fit.names.index(name)])
            wrong += order != right
    return Stopped(stopped / events, wrong / events, pairs / events)
