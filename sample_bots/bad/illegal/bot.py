"""Answers with a well-formed action that is not legal."""

from protocol import View, run


def choose(view: View) -> str:
    return "play:JK"


run(choose)
