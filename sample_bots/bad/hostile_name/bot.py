"""Calls itself by a name of markup, a turn of direction and dots, and prints such and escapes to stderr.

Control characters would be refused in the name (`bad_ready`); stderr and an action may hold them.
"""

import sys

from protocol import View, run

NAME = "[31m[bold]../../\U0001f0cf\u202e<script>"


def choose(view: View) -> str:
    sys.stderr.write("\x1b[31m" + NAME + "\x07\x1b]0;owned\x07\x1b[2J\n")
    return "\x1b[2J\x1b[31m" + NAME + "\x07"


run(choose, name=NAME, version="../../etc")
