"""Swiss pairing: who meets whom in the next round. Pure and deterministic.

Bots are taken from the top of the table; each meets the nearest one below whom it has not met. Where that
leaves the last ones with nobody new, earlier pairings are re-made from the bottom up, and only if nothing
helps do two meet again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SwissRound:
    """One round: the pairings from the top down, who sits out, and which pairings are repeats."""

    pairings: tuple[tuple[str, str], ...]
    bye: str | None
    repeated: tuple[tuple[str, str], ...]


def swiss_round(
    scores: Mapping[str, float], met: Iterable[tuple[str, str]], byes: Sequence[str] = ()
) -> SwissRound:
    """Pair the bots of `scores` (points so far) for a round.

    `met` are the pairings of earlier rounds, `byes` the bots that sat out. With an odd number the lowest of
    those with the fewest byes sits out.
    """
    table = sorted(scores, key=lambda bot: (-scores[bot], bot))
    before = {frozenset(pair) for pair in met}
    bye = None
    if len(table) % 2:
        fewest = min(byes.count(bot) for bot in table)
        bye = next(bot for bot in reversed(table) if byes.count(bot) == fewest)
        table.remove(bye)
    pairs: list[tuple[str, str]] = []
    left = list(table)
    while left:
        a = left.pop(0)
        new = next((bot for bot in left if frozenset((a, bot)) not in before), None)
        if new is not None:
            left.remove(new)
            pairs.append((a, new))
            continue
        b = left.pop(0)
        if not _exchange(pairs, a, b, before):
            pairs.append((a, b))
    place = {bot: k for k, bot in enumerate(table)}
    pairs = sorted((min(p, key=place.__getitem__), max(p, key=place.__getitem__)) for p in pairs)
    pairs.sort(key=lambda p: place[p[0]])
    again = tuple(p for p in pairs if frozenset(p) in before)
    return SwissRound(tuple(pairs), bye, again)


def _exchange(pairs: list[tuple[str, str]], a: str, b: str, before: set[frozenset[str]]) -> bool:
    """Split a pairing, from the bottom up, so that a and b find new opponents; False if none will do."""
    for k in reversed(range(len(pairs))):
        c, d = pairs[k]
        for x, y in ((c, d), (d, c)):
            if frozenset((a, x)) not in before and frozenset((b, y)) not in before:
                pairs[k : k + 1] = [(a, x), (b, y)]
                return True
    return False
