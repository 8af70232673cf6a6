"""Announces a frame of 4 GiB."""

import os
import time

from protocol import View, run

out = os.dup(1)


def choose(view: View) -> str:
    os.write(out, b"\xff\xff\xff\xff" + b"\x83" * 1000)
    time.sleep(60)
    return view.legal[0]


run(choose)
