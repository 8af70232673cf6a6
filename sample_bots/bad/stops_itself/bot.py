"""Stops itself with SIGSTOP in its turn."""

import os
import signal

from protocol import View, run


def choose(view: View) -> str:
    os.kill(os.getpid(), signal.SIGSTOP)
    return view.legal[0]


run(choose)
