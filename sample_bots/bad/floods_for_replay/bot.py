"""Has the referee read a flood, stands back from the core, and does not answer: will the game be played again?"""

import os
import threading

from protocol import View, run


def stand_back() -> None:
    if hasattr(os, "SCHED_IDLE"):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def spin() -> None:
    stand_back()
    while True:
        pass


def choose(view: View) -> str:
    threading.Thread(target=spin, daemon=True).start()
    stand_back()
    while True:
        os.write(2, b"x" * 65536)


run(choose)
