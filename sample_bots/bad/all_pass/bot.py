"""Answers legal[0] to everything, and so passes for ever: the hand limit ends it."""

from protocol import run

run(lambda view: view.legal[0])
