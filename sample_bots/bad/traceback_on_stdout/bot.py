"""Catches its own exception and prints the traceback to stdout."""

import os
import traceback

from protocol import View, run

out = os.dup(1)


def choose(view: View) -> str:
    try:
        return view["bids"][0]
    except KeyError:
        os.write(out, traceback.format_exc().encode())
        return view.legal[0]


run(choose)
