"""Honest: thinks for 20 ms of CPU in each turn. No fault may ever be charged to it."""

import time

from protocol import View, run


def choose(view: View) -> str:
    end = time.process_time() + 0.02
    while time.process_time() < end:
        pass
    return view.legal[0]


run(choose)
