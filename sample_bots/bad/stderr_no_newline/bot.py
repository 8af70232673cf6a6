"""Writes 1 MB to stderr without a newline, and plays on."""

import os

from protocol import View, run


def choose(view: View) -> str:
    for _ in range(16):
        os.write(2, b"x" * 65536)
    return view.legal[0]


run(choose)
