"""Keeps 160 MB in nameless memory files, which no limit of a process counts."""

import os
import sys

from protocol import View, run

files: list[int] = []


def choose(view: View) -> str:
    if not files:
        seen: object = "all written"
        files.append(-1)
        try:
            for _ in range(16):
                file = os.memfd_create("kept")
                files.append(file)
                for _ in range(10):
                    os.write(file, b"x" * (1 << 20))
        except OSError as error:
            seen = error
        result = "THROUGH" if len(files) > 16 else "STOPPED"
        print(result, "160 MB in memory files |", seen, file=sys.stderr, flush=True)
    return view.legal[0]


run(choose)
