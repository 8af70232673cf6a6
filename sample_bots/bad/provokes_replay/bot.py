"""Makes the machine late with 40 busy processes, and does not answer: will the lost game be played again?"""

import os
import time

from protocol import View, run


def choose(view: View) -> str:
    for _ in range(40):
        if os.fork() == 0:
            end = time.monotonic() + 20
            while time.monotonic() < end:
                pass
            os._exit(0)
    time.sleep(60)
    return view.legal[0]


run(choose)
