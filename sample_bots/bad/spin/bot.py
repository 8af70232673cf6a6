"""Never answers its first request, and burns its core."""

from protocol import View, run


def choose(view: View) -> str:
    while True:
        pass


run(choose)
