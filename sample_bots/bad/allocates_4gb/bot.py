"""Asks for 4 GiB at once, and touches all of it."""

import mmap
import time

from protocol import View, run


def choose(view: View) -> str:
    size = 4 << 30
    with mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as block:
        for at in range(0, size, 4096):
            block[at] = 1
    time.sleep(60)
    return view.legal[0]


run(choose)
