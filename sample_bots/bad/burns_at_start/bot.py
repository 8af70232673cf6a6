"""Is ready at once, and burns the core that the others need to become ready themselves."""

import os
import signal
import time

from protocol import View, run


def burn() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for _ in range(40):
        try:
            if os.fork() == 0:
                end = time.monotonic() + 20
                while time.monotonic() < end:
                    pass
                os._exit(0)
        except OSError:
            return


def choose(view: View) -> str:
    return view.legal[0]


if os.fork() == 0:  # beside the bot, which says ready meanwhile
    burn()
    os._exit(0)
run(choose)
