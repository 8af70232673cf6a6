"""Sends a frame one byte longer than allowed."""

import os
import time

from protocol import View, run

out = os.dup(1)


def choose(view: View) -> str:
    payload = (b"\x84\xa4type\xa6action\xa2id\xcf" + view["id"].to_bytes(8, "big") + b"\xa6action\xa4pass"
               b"\xa1x\xda")
    payload += (65537 - len(payload) - 2).to_bytes(2, "big")
    payload += b"x" * (65537 - len(payload))
    data = len(payload).to_bytes(4, "big") + payload
    while data:
        data = data[os.write(out, data):]
    time.sleep(60)
    return view.legal[0]


run(choose)
