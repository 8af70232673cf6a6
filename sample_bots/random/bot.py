"""Plays any legal action, each as likely as the next: the floor that other bots are measured against.

The choice follows from the game's seed and the place in the game alone, so that the same game is
played again the same way, whatever this process played before.
"""

import hashlib

from protocol import Bot, View


class Random(Bot):
    name = "random"
    version = "1.0"
    seed = 0

    def on_game_start(self, start: dict) -> None:
        self.seed = start["seed"]

    def choose(self, view: View) -> str:
        cards_played = sum(len(trick) for trick in view.get("tricks", []))
        place = (self.seed, view.hand_number, view.phase, len(view.get("calls", [])), cards_played)
        digest = hashlib.sha256(repr(place).encode()).digest()
        return view.legal[int.from_bytes(digest[:8], "big") % len(view.legal)]


if __name__ == "__main__":
    Random().run()
