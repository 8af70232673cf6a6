"""Answers once, and exits with status 0 before it is asked again."""

import os
import threading

from protocol import View, run


def choose(view: View) -> str:
    threading.Timer(0.02, os._exit, (0,)).start()
    return view.legal[0]


run(choose)
