"""Errors are taken by block where a bot's memory ties the pairs of a block together, and nowhere else."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from arena.ratings.bradley_terry import fit_pool
from arena.ratings.columns import columns_of
from arena.ratings.pairs import PairingStats, PairUnit, tally


def event(random, bots, pairs, shares, *, drift=0.0, luck=True, who=None):
    """A round robin. In each block chances shift with the standard deviation `drift`, or for `who` alone."""
    found: list[PairingStats] = []
    for a, b in combinations(range(bots), 2):
        units = []
        for first in range(0, pairs, 10):
            shift = random.normal(0, drift) if who in (None, a, b) else 0.0
            chance = np.clip(np.array(shares) + np.array([-shift, 0.0, shift]), 0.0, 1.0)
            scores = random.choice([0.0, 0.5, 1.0], size=min(10, pairs - first), p=chance / chance.sum())
            for k, score in enumerate(scores.tolist()):
                lucky = 0.25 * (score - 0.5) + random.normal(0, 0.06) if luck else None
                units.append(PairUnit(first + k, score, lucky))
        found.append(tally(f"bot{a}", f"bot{b}", units))
    return found


def alarms(runs, *args, **options):
    random = np.random.Generator(np.random.PCG64(11))
    events = (event(random, *args, **options) for _ in range(runs))
    return sum(fit_pool(columns_of(stats)).clustered == "block" for stats in events)


EVEN, LOPSIDED, TWINS = (0.14, 0.69, 0.17), (0.0, 0.06, 0.94), (0.02, 0.94, 0.04)


@pytest.mark.parametrize(
    ("bots", "pairs", "shares"),
    [(2, 120, EVEN), (2, 150, LOPSIDED), (2, 400, TWINS), (3, 20, EVEN), (6, 20, EVEN), (5, 45, LOPSIDED)],
)
@pytest.mark.parametrize("luck", [True, False])
def test_bots_without_a_memory_raise_no_alarm(bots, pairs, shares, luck):
    """150 runs in each of twelve cases: at 1 % more than six false ones in a case are next to impossible."""
    assert alarms(150, bots, pairs, shares, luck=luck) <= 2


@pytest.mark.parametrize(("bots", "pairs"), [(2, 10), (2, 20), (3, 20), (4, 10)])
def test_few_blocks_say_nothing_whatever_they_hold(bots, pairs):
    assert alarms(40, bots, pairs, EVEN, drift=1.0) == 0


def test_a_strong_memory_is_found():
    assert alarms(20, 2, 200, EVEN, drift=0.6) >= 19
    assert alarms(20, 8, 20, EVEN, drift=0.4) >= 19


def test_one_bot_with_a_memory_is_found_in_a_pool():
    assert alarms(20, 8, 60, EVEN, drift=0.6, who=3) >= 19


def test_errors_by_block_are_wider():
    random = np.random.Generator(np.random.PCG64(5))
    stats = event(random, 2, 400, EVEN, drift=0.6)
    fit = fit_pool(columns_of(stats))
    plain = fit_pool(columns_of(stats), small_sample=False)
    assert (fit.clustered, plain.clustered) == ("block", "pair")
    assert fit.error(0) > 1.5 * plain.error(0)


def test_gaps_that_do_not_add_up_are_no_memory():
    """A misfit shifts every block of a pairing alike; only what differs between blocks counts."""
    random = np.random.Generator(np.random.PCG64(6))
    shares = {("a", "b"): (0.05, 0.25, 0.7), ("b", "c"): (0.05, 0.25, 0.7), ("a", "c"): (0.7, 0.25, 0.05)}
    stats = []
    for (a, b), chance in shares.items():
        scores = random.choice([0.0, 0.5, 1.0], size=300, p=chance).tolist()
        stats.append(tally(a, b, [PairUnit(k, score) for k, score in enumerate(scores)]))
    assert fit_pool(columns_of(stats)).clustered == "pair"
