"""Sends 60,000 lists inside each other."""

import os
import time

from protocol import View, run

out = os.dup(1)


def choose(view: View) -> str:
    payload = b"\x81\xa1x" + b"\x91" * 60_000 + b"\xc0"
    os.write(out, len(payload).to_bytes(4, "big") + payload)
    time.sleep(60)
    return view.legal[0]


run(choose)
