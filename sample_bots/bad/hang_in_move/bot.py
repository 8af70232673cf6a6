"""Never answers its first request, and uses no CPU."""

import time

from protocol import View, run


def choose(view: View) -> str:
    time.sleep(60)
    return view.legal[0]


run(choose)
