"""Dies of a segmentation fault in the middle of its turn."""

import ctypes

from protocol import View, run


def choose(view: View) -> str:
    ctypes.string_at(0)
    return view.legal[0]


run(choose)
