"""Sends signals to the referee (harmless ones) and to all that it can see."""

import os
import signal
import sys

from protocol import View, run

done: list[int] = []


def choose(view: View) -> str:
    if not done:
        done.append(1)
        mine = os.getpid()
        reached = []
        for name in os.listdir("/proc"):
            if name.isdigit() and int(name) not in (1, mine):
                try:
                    with open(f"/proc/{name}/cmdline", "rb") as file:
                        if b"arena.audit.trial" not in file.read():
                            continue
                    os.kill(int(name), signal.SIGCONT)
                    reached.append(int(name))
                except OSError:
                    continue
        print("THROUGH" if reached else "STOPPED", "signals to the referee |", reached, file=sys.stderr, flush=True)
    return view.legal[0]


run(choose)
