"""Writes to stdout without end."""

import os

from protocol import View, run

out = os.dup(1)


def choose(view: View) -> str:
    while True:
        os.write(out, b"\0" * 65536)


run(choose)
