"""Takes more and more memory in one process."""

import time

from protocol import View, run


def choose(view: View) -> str:
    kept = []
    for _ in range(4096 // 8):
        kept.append(b"x" * (8 << 20))
    time.sleep(60)
    return view.legal[len(kept) - len(kept)]


run(choose)
