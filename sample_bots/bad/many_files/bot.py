"""Opens 5,000 files."""

import os
import sys

from protocol import View, run

opened: list[int] = []


def choose(view: View) -> str:
    if not opened:
        try:
            while len(opened) < 5000:
                opened.append(os.open("/dev/null", os.O_RDONLY))
        except OSError:
            pass
        kept = len(opened)
        result = "THROUGH" if kept > 300 else "STOPPED"
        while len(opened) > 1:
            os.close(opened.pop())
        print(result, "more than 300 open files |", kept, file=sys.stderr, flush=True)
    return view.legal[0]


run(choose)
