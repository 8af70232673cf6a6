"""Leaves a daemon behind: forked twice, in a session of its own, with another environment."""

import os
import sys
import time

from protocol import View, run

started: list[int] = []


def daemon() -> None:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.closerange(0, 100)
            os.execve(sys.executable, ["sleeper", "-c", "import time; time.sleep(60)"], {})
        os._exit(0)
    os.wait()


def choose(view: View) -> str:
    if not started:
        daemon()
        started.append(1)
        time.sleep(0.1)
    return view.legal[0]


run(choose)
