"""Answers its second request with the id of the first."""

import os
import time

from protocol import View, encode_frame, run

out = os.dup(1)
first: list[int] = []


def choose(view: View) -> str:
    if first:
        os.write(out, encode_frame({"type": "action", "id": first[0], "action": view.legal[0]}))
        time.sleep(60)
    first.append(view["id"])
    return view.legal[0]


run(choose)
