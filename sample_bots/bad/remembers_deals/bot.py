"""Keeps every deal that it has seen, in memory and in every file it can write, to meet it again."""

import hashlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from protocol import Bot, View

PLACES = [os.environ.get("TMPDIR", "/tmp"), "/tmp", "/var/tmp", "/dev/shm", ".", os.path.expanduser("~")]


class Rememberer(Bot):
    def __init__(self) -> None:
        self.seen: set[str] = set()
        self.new: set[str] = set()

    def on_game_start(self, start: dict) -> None:
        # Only now: nobody must take this game for an earlier one because the partner was quicker.
        self.keep()

    def keep(self) -> None:
        for place in PLACES:
            path = Path(place).absolute() / "arena-bad-deals"
            try:
                with path.open("a") as file:
                    file.write("".join(f"{deal}\n" for deal in self.new))
                path.chmod(0o666)
                print("LEFT", path, file=sys.stderr, flush=True)
            except OSError:
                continue
        self.seen |= self.new
        self.new.clear()

    def on_hand_end(self, end: dict) -> None:
        deal = hashlib.sha256(repr((end["dealer"], end["hands"], end["upcard"])).encode()).hexdigest()[:16]
        if deal in self.seen or any(deal in text for text in self.written()):
            print("REPEAT", deal, file=sys.stderr, flush=True)
        self.new.add(deal)

    def written(self) -> Iterator[str]:
        for place in PLACES:
            try:
                yield (Path(place) / "arena-bad-deals").read_text()
            except OSError:
                continue

    def choose(self, view: View) -> str:
        return view.legal[-1]


bot = Rememberer()
bot.run()
bot.keep()
