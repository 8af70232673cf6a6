"""Thinks in the others' time, in a thread."""

import threading

from protocol import Bot, View


class Ponderer(Bot):
    def on_game_start(self, start: dict) -> None:
        threading.Thread(target=self.think, daemon=True).start()

    def think(self) -> None:
        while True:
            sum(range(1000))

    def choose(self, view: View) -> str:
        return view.legal[-1]


Ponderer().run()
