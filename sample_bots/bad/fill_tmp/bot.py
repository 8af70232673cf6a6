"""Fills /tmp with 160 MB, and leaves it there."""

import os
import sys

from protocol import View, run

PLACE = "/tmp"
done: list[int] = []


def fill() -> None:
    written = 0
    mark = f"{PLACE}/arena-bad-{os.getpid()}-{os.urandom(4).hex()}"
    seen: object = ""
    try:
        for number in range(20):
            with open(f"{mark}-{number}", "wb", buffering=0) as file:
                print("LEFT", file.name, file=sys.stderr, flush=True)
                for _ in range(8):
                    written += file.write(b"x" * (1 << 20))
    except OSError as error:
        seen = error
    megabytes = written >> 20
    result = "THROUGH" if megabytes > 100 else "STOPPED"
    print(result, f"more than 100 MB in {PLACE} | {megabytes} MB {seen}", file=sys.stderr, flush=True)


def choose(view: View) -> str:
    if not done:
        done.append(1)
        fill()
    return view.legal[0]


run(choose)
