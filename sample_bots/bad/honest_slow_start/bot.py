"""Honest: works for a while before it is ready, as a bot with a table or a large library does."""

import time

from protocol import View, run

while time.process_time() < 0.5:
    pass


def choose(view: View) -> str:
    return view.legal[0]


run(choose)
