"""Kills the referee that it plays under (that of the self-test, and no other)."""

import os
import signal
import sys

from protocol import View, run


def ancestors() -> list[int]:
    found, pid = [], os.getppid()
    while pid > 1:
        found.append(pid)
        with open(f"/proc/{pid}/stat") as file:
            pid = int(file.read().rpartition(")")[2].split()[1])
    return found


def choose(view: View) -> str:
    for pid in ancestors():
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if b"arena.audit.trial" in file.read():
                    os.kill(pid, signal.SIGKILL)
        except OSError as error:
            print("refused:", error, file=sys.stderr, flush=True)
    return view.legal[0]


run(choose)
