"""Ignores `bye`, the end of its stdin and every signal that can be ignored."""

import signal
import time

from protocol import View, run

for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE, signal.SIGALRM, signal.SIGUSR1):
    signal.signal(number, signal.SIG_IGN)


def choose(view: View) -> str:
    return view.legal[0]


run(choose)
while True:
    time.sleep(60)
