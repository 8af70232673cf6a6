"""Starts 400 threads."""

import sys
import threading

from protocol import View, run

started: list[threading.Thread] = []
end = threading.Event()


def choose(view: View) -> str:
    if not started:
        try:
            for _ in range(400):
                thread = threading.Thread(target=end.wait, daemon=True)
                thread.start()
                started.append(thread)
        except RuntimeError:
            pass
        result = "THROUGH" if len(started) > 100 else "STOPPED"
        print(result, "more than 100 threads |", len(started), file=sys.stderr, flush=True)
    return view.legal[0]


run(choose)
