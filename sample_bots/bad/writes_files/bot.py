"""Writes where others might read: its own directory, the system, the home."""

import os
import sys

from protocol import View, run

done: list[int] = []
PLACES = ("own directory", "."), ("the system's directories", "/usr/lib"), ("the root", "/"), ("/var/tmp", "/var/tmp")


def choose(view: View) -> str:
    if not done:
        done.append(1)
        for what, place in PLACES:
            path = os.path.abspath(f"{place}/arena-bad-{os.urandom(6).hex()}")
            try:
                open(path, "x").close()
                os.unlink(path)
                print("THROUGH writing to", what, "|", path, file=sys.stderr, flush=True)
            except OSError as error:
                print("STOPPED writing to", what, "|", error, file=sys.stderr, flush=True)
    return view.legal[0]


run(choose)
