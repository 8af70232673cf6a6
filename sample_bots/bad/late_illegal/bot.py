"""An illegal answer, after its time: late comes first."""

import time

from protocol import View, run


def choose(view: View) -> str:
    time.sleep(view["time_ms"] / 1000 + 0.2)
    return "play:XX"


run(choose)
