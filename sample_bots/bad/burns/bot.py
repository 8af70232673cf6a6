"""Burns the core after its own turn, in a dozen processes: the next seat is late before that is seen."""

import os
import time

from protocol import View, run

started: list[int] = []


def spin() -> None:
    os.setsid()
    end = time.monotonic() + 5
    while time.monotonic() < end:
        pass
    os._exit(0)


def choose(view: View) -> str:
    if not started:
        for _ in range(12):
            started.append(os.fork())
            if started[-1] == 0:
                spin()
    return view.legal[0]


run(choose)
