"""Searches the tournament's seed: which of 2,000 easy ones deals the cards that it sees?"""

import hmac
import json
import sys
from hashlib import sha256

from protocol import Bot, View

WORDS = [rank + suit for suit in "CDHS" for rank in "9TJQKA"]
SEEDS = 2000


def derive(key: bytes, *parts: object) -> bytes:
    return hmac.digest(key, "|".join(map(str, parts)).encode(), "sha256")


def shuffled(seed: bytes, cards: int) -> list[int]:
    """`arena-deal-1`, as PROTOCOL.md has it."""
    stream = (byte for block in range(1 << 32) for byte in sha256(seed + block.to_bytes(4, "big")).digest())
    pack = list(range(cards))
    for i in range(cards - 1, 0, -1):
        n = i + 1
        byte = next(byte for byte in stream if byte < 256 - 256 % n)
        j = byte % n
        pack[i], pack[j] = pack[j], pack[i]
    return pack


class Searcher(Bot):
    """Looks at its own cards and the upcard of the first two hands, and searches before the third."""

    rules = ""
    seat = 0

    def __init__(self) -> None:
        self.seen: list[tuple[int, int, list[str], str]] = []

    def on_hello(self, hello: dict) -> None:
        text = json.dumps(
            {"game": hello["game"], "rules": hello["rules"]}, sort_keys=True, separators=(",", ":")
        )
        self.rules = sha256(text.encode()).hexdigest()

    def on_game_start(self, start: dict) -> None:
        self.seat = start["seat"]

    def on_hand_end(self, end: dict) -> None:
        own = sorted(end["hands"][self.seat])
        self.seen.append((end["hand_number"], end["dealer"], own, end["upcard"]))

    def choose(self, view: View) -> str:
        if len(self.seen) == 2:
            found = self.search()
            print("FOUND seed" if found else "NOTHING found", found, file=sys.stderr, flush=True)
            self.seen.clear()
        return view.legal[0]

    def search(self) -> str:
        for number in range(SEEDS):
            master = sha256(b"arena/seed/1|" + str(number).encode()).digest()
            block = derive(master, "arena/block/1", self.rules, "-", "-", 0)
            if all(self.fits(derive(block, "deck", 0, hand[0]), hand) for hand in self.seen):
                return str(number)
        return ""

    def fits(self, deck: bytes, hand: tuple[int, int, list[str], str]) -> bool:
        _, dealer, own, upcard = hand
        pack = [WORDS[card] for card in shuffled(deck, 24)]
        place = (self.seat - dealer - 1) % 4 * 5
        return pack[20] == upcard and sorted(pack[place : place + 5]) == own


Searcher().run()
