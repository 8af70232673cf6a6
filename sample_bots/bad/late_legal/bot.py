"""A legal answer, after its time."""

import time

from protocol import View, run


def choose(view: View) -> str:
    time.sleep(view["time_ms"] / 1000 + 0.2)
    return view.legal[0]


run(choose)
