"""Reaches for the memory of processes that are not its own: the sandbox's first process has no limits."""

import glob
import os
import sys

from protocol import View, run

done: list[int] = []


def writable(path: str) -> bool:
    try:
        with open(path, "r+b", buffering=0):
            return True
    except OSError:
        return False


def choose(view: View) -> str:
    if not done:
        done.append(1)
        mine = (f"/proc/{os.getpid()}/", "/proc/self/", "/proc/thread-self/")
        paths = [*glob.glob("/proc/*/mem"), *glob.glob("/proc/*/task/*/mem")]
        found = [path for path in paths if not path.startswith(mine) and writable(path)]
        print("THROUGH" if found else "STOPPED", "others' memory |", *found[:9], file=sys.stderr, flush=True)
    return view.legal[0]


run(choose)
