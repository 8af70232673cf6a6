"""Exits with a status in the middle of its turn."""

import os

from protocol import View, run


def choose(view: View) -> str:
    os._exit(3)


run(choose)
