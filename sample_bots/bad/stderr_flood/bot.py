"""Writes 10 MB to stderr before each answer, and plays on."""

import os

from protocol import View, run


def choose(view: View) -> str:
    for _ in range(160):
        os.write(2, b"debug: the same line again and again\n" * 1771)
    return view.legal[0]


run(choose)
