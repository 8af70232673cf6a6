"""Ends at the start of its third game: quitting while ahead."""

import os

from protocol import Bot, View


class Quitter(Bot):
    games = 0

    def on_game_start(self, start: dict) -> None:
        self.games += 1
        if self.games == 3:
            os._exit(0)

    def choose(self, view: View) -> str:
        return view.legal[0]


Quitter().run()
