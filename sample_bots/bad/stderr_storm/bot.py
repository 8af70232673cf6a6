"""Floods its stderr all the time, also while others think: the referee has to read it."""

import os
import threading

from protocol import Bot, View


class Storm(Bot):
    def on_game_start(self, start: dict) -> None:
        threading.Thread(target=self.rage, daemon=True).start()

    def rage(self) -> None:
        while True:
            os.write(2, b"\x1b[2J" * 16384)

    def choose(self, view: View) -> str:
        return view.legal[-1]


Storm().run()
