"""Answers each request twice."""

import os

from protocol import View, encode_frame, run

out = os.dup(1)


def choose(view: View) -> str:
    os.write(out, encode_frame({"type": "action", "id": view["id"], "action": view.legal[0]}))
    return view.legal[0]


run(choose)
