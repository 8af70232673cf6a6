"""Who plays whom, in which order: generators of blocks, so that no list of all pairings is ever held."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

PAIRS_PER_BLOCK = 10
SCHEDULES = ("round-robin", "gauntlet", "swiss", "adaptive")
OPEN_ENDED = ("swiss", "adaptive")
"""Schedules that look at results."""


@dataclass(frozen=True, slots=True)
class PlannedBlock:
    """One block of the plan: two bots by their place in the list, and its run of pairs."""

    one: int
    other: int
    block: int
    first: int
    """Index of its first pair in the match."""
    pairs: int


def pairings(schedule: str, bots: int) -> Iterator[tuple[int, int]]:
    """Every pairing of a `round-robin` or a `gauntlet` of so many bots, once."""
    if schedule == "gauntlet":
        yield from ((0, other) for other in range(1, bots))
    else:
        yield from circle(bots)


def count_pairings(schedule: str, bots: int) -> int:
    """How many pairings there are."""
    return bots - 1 if schedule == "gauntlet" else bots * (bots - 1) // 2


def circle(bots: int) -> Iterator[tuple[int, int]]:
    """All pairings in rounds in which every bot plays once (Berger's circle), so that all advance evenly.

    Every prefix of the list gives each bot the same number of pairings, give or take one round. With an
    odd number of bots one has a bye in each round.
    """
    size = bots + bots % 2
    for turn in range(size - 1):
        for i in range(size // 2):
            if i == 0:
                one, other = size - 1, turn
            else:
                one, other = (turn + i) % (size - 1), (turn - i) % (size - 1)
            if one < bots and other < bots:
                yield min(one, other), max(one, other)


def blocks(schedule: str, bots: int, pairs: int) -> Iterator[PlannedBlock]:
    """The plan: block 0 of every pairing, then block 1 of every pairing, and so on."""
    for first in range(0, pairs, PAIRS_PER_BLOCK):
        size = min(PAIRS_PER_BLOCK, pairs - first)
        for one, other in pairings(schedule, bots):
            yield PlannedBlock(one, other, first // PAIRS_PER_BLOCK, first, size)


def games_of(first: int, pairs: int) -> Iterator[tuple[int, int]]:
    """(pair, leg) of a block in the order of play: all first legs, then all second legs."""
    for leg in (0, 1):
        for pair in range(first, first + pairs):
            yield pair, leg


def match_id(
    *,
    game: str,
    rules: Mapping[str, Any],
    digests: Sequence[str],
    limits: Mapping[str, Any],
    conditions: Mapping[str, Any],
    commitment: str,
) -> str:
    """The identity of a match, hex SHA-256: everything that its results depend on but its length.

    `rules`: every option; `digests`: of the two bots, in any order; `conditions`: what else holds at the
    table (pondering, tempo, common decks). The number of pairs is left out, so that a match can be
    made longer.
    """
    text = json.dumps(
        {
            "match": 1,
            "game": game,
            "rules": dict(rules),
            "bots": sorted(digests),
            "limits": dict(limits),
            "conditions": dict(conditions),
            "commitment": commitment,
        },
        sort_keys=True,
        separators=(",", ":"),
    )
    return hashlib.sha256(text.encode()).hexdigest()
