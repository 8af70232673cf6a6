"""Honest: a runtime's background thread works a little all the time. It must not be blamed."""

import threading
import time

from protocol import View, run


def collect() -> None:
    while True:
        end = time.thread_time() + 0.001
        while time.thread_time() < end:
            pass
        time.sleep(0.02)


threading.Thread(target=collect, daemon=True).start()
run(lambda view: view.legal[0])
