"""Which pairing plays next: a round robin first, then the neighbours whose order is least certain.

Pure: the same sums give the same answer. Give it the unbroken prefix of blocks in plan order, never blocks
as they happen to finish, and ask for a fixed number of blocks at a time: then the plan depends on no
machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from arena.ratings.bradley_terry import Fit, fit_pool
from arena.ratings.columns import columns_of, deck_units
from arena.ratings.elo import elo_to_score
from arena.ratings.pairs import NAIVE_PAIR_VARIANCE, PAIRS_PER_BLOCK, PairingStats, PairUnit
from arena.ratings.sequential import any_time_limit, information_per_pair, mixture_log_ratio

FIRST_PAIRS = 20
"""Pairs of every pairing before any is preferred: the pool must be connected, and the model checkable."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Two bots next to each other in the order of the moment."""

    a: str
    b: str
    gap: float
    """Elo of a over b."""
    se: float
    log_ratio: float
    settled: bool
    """Whether the order holds at the asked confidence, however often one looked."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Blocks to play next, in order; none once the whole order is settled."""

    blocks: tuple[tuple[str, str], ...]
    neighbours: tuple[Neighbours, ...]
    settled: bool


def next_blocks(
    bots: Sequence[str],
    pairings: Sequence[PairingStats],
    *,
    count: int = 1,
    confidence: float = 0.95,
    first_pairs: int = FIRST_PAIRS,
    adjusted: bool = True,
    pending: Sequence[tuple[str, str]] = (),
    shared: Mapping[tuple[str, str], Sequence[PairUnit]] | None = None,
) -> Decision:
    """Up to `count` blocks of ten pairs that tell most about the order.

    While some pairing has fewer than `first_pairs` pairs: round robin, in order of names within each lap.
    After that each block goes to the pair of neighbours that is not yet settled and whose order will be the
    least certain once the blocks chosen before it are played, and those that are `pending`: blocks that are
    played, whose results are not to be looked at yet. `shared`: every pair, where pairings share their decks.

    Least certain is the gap whose square is expected to be the fewest squared standard errors then. A gap
    seen as g with standard error e has the expected square g^2 + e^2, more pairs or not; seen as zero it is
    not known to be zero, and does not draw a whole batch to itself.
    """
    names = sorted(bots)
    played = dict.fromkeys(combinations(names, 2), 0)
    for p in pairings:
        key = (p.a, p.b) if p.a < p.b else (p.b, p.a)
        if key in played:
            played[key] += p.pairs
    blocks = _round_robin(played, first_pairs, count)
    if blocks or len(names) < 2:
        return Decision(tuple(blocks), (), settled=not blocks)
    wanted = [p for p in pairings if p.a in names and p.b in names]
    columns = columns_of(wanted, names)
    fit = fit_pool(columns, adjusted=adjusted, decks=deck_units(columns, shared) if shared else None)
    found = neighbours(fit, error=1.0 - confidence)
    open_ones = [k for k, n in enumerate(found) if not n.settled]
    if not open_ones:
        return Decision((), found, settled=True)
    variance = _unit_variances(fit, wanted)
    spent = {k: sum({found[k].a, found[k].b} == set(block) for block in pending) for k in open_ones}

    def certainty(k: int) -> tuple[float, int]:
        n = found[k]
        per_pair = information_per_pair(elo_to_score(n.gap), variance.get((n.a, n.b), NAIVE_PAIR_VARIANCE))
        more = spent[k] * PAIRS_PER_BLOCK * per_pair
        return (n.gap**2 + n.se**2) * (1.0 / n.se**2 + more), k

    for _ in range(count):
        choice = min(open_ones, key=certainty)
        spent[choice] += 1
        blocks.append((found[choice].a, found[choice].b))
    return Decision(tuple(blocks), found, settled=False)


def neighbours(fit: Fit, *, error: float) -> tuple[Neighbours, ...]:
    """Neighbours by rating, best first, each with the mixture ratio of its gap. `error` is for the whole
    order.
    """
    order = sorted(range(len(fit.names)), key=lambda k: (-fit.elo[k], fit.names[k]))
    limit = any_time_limit(error, len(order))
    found = []
    for a, b in pairwise(order):
        gap, se = fit.difference(a, b)
        ratio = mixture_log_ratio(gap, se)
        found.append(Neighbours(fit.names[a], fit.names[b], gap, se, ratio, settled=ratio >= limit))
    return tuple(found)


def _round_robin(
    played: Mapping[tuple[str, str], int], first_pairs: int, count: int
) -> list[tuple[str, str]]:
    blocks: list[tuple[str, str]] = []
    counts = dict(played)
    while counts and len(blocks) < count:
        key = min(counts, key=lambda k: (counts[k] // PAIRS_PER_BLOCK, k))
        if counts[key] >= first_pairs:
            break
        counts[key] += PAIRS_PER_BLOCK
        blocks.append(key)
    return blocks


def _unit_variances(fit: Fit, pairings: Sequence[PairingStats]) -> dict[tuple[str, str], float]:
    """Variance of one pair by bots, in both orders."""
    columns = columns_of(pairings, fit.names)
    found: dict[tuple[str, str], float] = {}
    for i, j, v in zip(columns.i.tolist(), columns.j.tolist(), fit.variance.tolist(), strict=True):
        a, b = columns.names[i], columns.names[j]
        found[a, b] = found[b, a] = v
    return found
