"""Closes its stdout and lives on."""

import os
import time

from protocol import View, run




def choose(view: View) -> str:
    os.closerange(0, 100)
    time.sleep(60)
    return view.legal[0]


run(choose)
