"""Who took points from whom: connected groups of a pool, and bots who won or lost everything.

The maximum-likelihood ratings of a pool exist if and only if for every division of the bots in two, each
side took something from the other: the graph "took at least some score from" is strongly connected (Ford
1957).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Ints = npt.NDArray[np.int64]
    Bools = npt.NDArray[np.bool_]


def took_from(bots: int, i: Ints, j: Ints, n: Floats, s: Floats) -> Bools:
    """B x B: whether the row's bot took any score from the column's."""
    import numpy as np

    took = np.zeros((bots, bots), dtype=bool)
    took[i[s > 0], j[s > 0]] = True
    took[j[s < n], i[s < n]] = True
    return took


def reach(edges: Bools, start: int) -> Bools:
    """The bots that can be reached from `start` along `edges`, itself included."""
    import numpy as np

    seen = np.zeros(len(edges), dtype=bool)
    seen[start] = True
    front = seen.copy()
    while front.any():
        front = edges[front].any(axis=0) & ~seen
        seen |= front
    return seen


def groups(edges: Bools) -> Ints:
    """Strongly connected groups, numbered by their first member: an array of group numbers.

    For a symmetric matrix these are the connected components.
    """
    import numpy as np

    label = np.full(len(edges), -1)
    backward = edges.T.copy()
    count = 0
    for bot in range(len(edges)):
        if label[bot] < 0:
            label[reach(edges, bot) & reach(backward, bot)] = count
            count += 1
    return label


def one_group(edges: Bools) -> bool:
    """Whether the graph is strongly connected."""
    if not len(edges):
        return True
    return bool(reach(edges, 0).all()) and bool(reach(edges.T.copy(), 0).all())


def perfect_rounds(bots: int, i: Ints, j: Ints, n: Floats, s: Floats) -> tuple[list[dict[int, int]], Bools]:
    """Peel off bots who won (+1) or lost (-1) everything, again and again among those who are left.

    Returns the rounds, outermost first, and a mask of the core.
    """
    import numpy as np

    core = np.ones(bots, dtype=bool)
    rounds: list[dict[int, int]] = []
    while True:
        inside = core[i] & core[j]
        played = np.bincount(i[inside], n[inside], bots) + np.bincount(j[inside], n[inside], bots)
        won = np.bincount(i[inside], s[inside], bots) + np.bincount(j[inside], (n - s)[inside], bots)
        found = {
            int(b): 1 if won[b] == played[b] else -1
            for b in np.flatnonzero(core & (played > 0) & ((won == played) | (won == 0)))
        }
        if not found:
            return rounds, core
        rounds.append(found)
        core[list(found)] = False
