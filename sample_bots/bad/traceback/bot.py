"""Raises an exception in its turn, as a bot with a bug does."""

from protocol import View, run


def choose(view: View) -> str:
    return view.legal[len(view.legal)]


run(choose)
