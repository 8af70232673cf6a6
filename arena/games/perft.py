"""Perft: how many lines of play there are from a state, the usual proof of a move generator."""

from __future__ import annotations

from arena.games.base import State


def perft(state: State, depth: int) -> int:
    """The number of sequences of `depth` legal actions from `state`; a hand's end ends a sequence early.

    `state` is left as it is.
    """
    if depth == 0 or state.to_act is None:
        return 1
    actions = state.legal()
    total = 0
    for action in actions:
        child = state.copy()
        child.apply(action)
        total += perft(child, depth - 1)
    return total
