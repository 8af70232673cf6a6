"""Thinks in the others' time, in a helper with a session of its own."""

import os

from protocol import Bot, View


class Ponderer(Bot):
    started = False

    def on_game_start(self, start: dict) -> None:
        if not self.started and os.fork() == 0:
            os.setsid()
            while True:
                pass
        self.started = True

    def choose(self, view: View) -> str:
        return view.legal[-1]


Ponderer().run()
