"""Exits in its turn, while a grandchild holds its stdout open."""

import os
import time

from protocol import View, run


def choose(view: View) -> str:
    if os.fork() == 0:
        os.setsid()
        time.sleep(60)
    os._exit(0)


run(choose)
