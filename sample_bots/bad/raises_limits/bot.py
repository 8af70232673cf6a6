"""Raises its own limits."""

import os
import resource
import sys

from protocol import View, run

done: list[int] = []


def choose(view: View) -> str:
    if not done:
        done.append(1)
        for name in ("RLIMIT_NOFILE", "RLIMIT_NPROC", "RLIMIT_DATA", "RLIMIT_CPU", "RLIMIT_FSIZE", "RLIMIT_CORE"):
            number = getattr(resource, name)
            before = resource.getrlimit(number)[1]
            try:
                resource.setrlimit(number, (before + 1, before + 1))
                raised = before != resource.RLIM_INFINITY
            except (OSError, ValueError):
                raised = False
            print("THROUGH" if raised else "STOPPED", "own limits |", name, file=sys.stderr, flush=True)
        try:
            os.nice(-1)
            print("THROUGH own priority |", file=sys.stderr, flush=True)
        except OSError as error:
            print("STOPPED own priority |", error, file=sys.stderr, flush=True)
    return view.legal[0]


run(choose)
