"""Starts 300 processes that stay (bounded by itself, in case nothing else does)."""

import os
import sys
import time

from protocol import View, run

started: list[int] = []


def forks() -> None:
    for _ in range(300):
        try:
            pid = os.fork()
        except OSError:
            break
        if pid == 0:
            time.sleep(60)
            os._exit(0)
        started.append(pid)
    result = "THROUGH" if len(started) > 100 else "STOPPED"
    print(result, "more than 100 processes |", len(started), file=sys.stderr, flush=True)


def choose(view: View) -> str:
    if not started:
        forks()
    return view.legal[0]


run(choose)
