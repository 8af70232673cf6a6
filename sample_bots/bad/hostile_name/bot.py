"""Calls itself by a name of terminal escapes, markup and dots, and prints such to stderr."""

import sys

from protocol import View, run

NAME = "\x1b[31m[bold]../../\U0001f0cf\u202e<script>\x07"


def choose(view: View) -> str:
    sys.stderr.write(NAME + "\x1b]0;owned\x07\x1b[2J\n")
    return "\x1b[2J" + NAME


run(choose, name=NAME, version="../../etc")
