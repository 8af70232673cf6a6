"""Seeds: every deck's and bot's seed is an HMAC under its own label, from one master of 32 bytes.

A label is ASCII, its parts joined by `|`. What is revealed of one block tells nothing of another.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Final

SEED_BYTES: Final = 32
BOT_SEED_BITS: Final = 53
COMMON: Final = "-"
"""In a block's label, in place of the bots' digests, where all pairings play the same decks."""


def derive(key: bytes, *parts: str | int) -> bytes:
    """HMAC-SHA256 of `key` over the label made of `parts`: 32 bytes."""
    return hmac.digest(key, "|".join(map(str, parts)).encode("ascii"), "sha256")


def master_from_text(text: str) -> bytes:
    """The master seed of `--seed TEXT`. It can be searched by guessing: mark the record as guessable."""
    return sha256(b"arena/seed/1|" + text.encode()).digest()


def rules_id(game: str, rules: Mapping[str, object]) -> str:
    """Hex SHA-256 of a game and all its rules, as canonical JSON (sorted keys, no spaces)."""
    text = json.dumps({"game": game, "rules": dict(rules)}, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()


def block_seed(master: bytes, rules: str, digest_a: str, digest_b: str, block: int) -> bytes:
    """The seed of one block of a pairing; `rules` is a `rules_id`. With common decks both digests are "-".

    Raises ValueError if the digests are not in order: team A is the bot with the lower digest.
    """
    if digest_a > digest_b:
        raise ValueError("the digests of a pairing must be in ascending order")
    return derive(master, "arena/block/1", rules, digest_a, digest_b, block)


def deck_seed(block: bytes, pair: int, hand: int) -> bytes:
    """The seed of the deck of the `hand`-th dealt hand (from 0), the same in both legs of the pair."""
    return derive(block, "deck", pair, hand)


def bot_seed(block: bytes, pair: int, seat: int) -> int:
    """The seed that the bot in `seat` is told, below 2**53, the same in both legs of the pair."""
    return int.from_bytes(derive(block, "bot", pair, seat)[:8], "big") >> (64 - BOT_SEED_BITS)


def commitment(seed: bytes) -> str:
    """What is published of a seed before play: hex SHA-256 under a label of its own."""
    return sha256(b"arena/commit/1|" + seed).hexdigest()
