"""The block log: JSON lines, each chained to the one before by a hash."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from arena import __version__
from arena.replay.record import encode

FORMAT = 1
"""The version of the log format that this arena writes and reads."""
DEAL_ALGORITHM = "arena-deal-1"
GENESIS = "0" * 32
"""The head before the first line."""


def link(head: str, body: str) -> str:
    """The hash of a line: first 32 hex digits of SHA-256(previous hash || body)."""
    return hashlib.sha256(head.encode("ascii") + body.encode()).hexdigest()[:32]


class Chain:
    """Chains bodies into lines. `head` is the hash of the last line, `GENESIS` before the first."""

    __slots__ = ("head",)

    def __init__(self, head: str = GENESIS) -> None:
        self.head = head

    def extend(self, bodies: Iterable[str]) -> list[str]:
        """The lines of `bodies` (no newlines), each ending in its `h`; moves `head` on."""
        lines = []
        for body in bodies:
            self.head = link(self.head, body)
            lines.append(f'{body[:-1]},"h":"{self.head}"}}')
        return lines


def header(
    *,
    game: str,
    rules: Mapping[str, Any],
    match_id: str,
    block: int,
    attempt: int,
    bots: Sequence[Mapping[str, str]],
    limits: Mapping[str, Any],
    isolation: str,
    commitment: str,
    guessable: bool,
    **more: Any,
) -> str:
    """The first body of a log. `rules`: every option; `bots`: name, version, digest of A and B."""
    return encode(
        {
            "t": "block",
            "format": FORMAT,
            "arena": __version__,
            "game": game,
            "rules": dict(rules),
            "match_id": match_id,
            "block": block,
            "attempt": attempt,
            "bots": [dict(bot) for bot in bots],
            "limits": dict(limits),
            "isolation": isolation,
            "deal": DEAL_ALGORITHM,
            "commitment": commitment,
            "guessable": guessable,
            **more,
        }
    )


def footer(block_seed: bytes) -> str:
    """The last body of a log: the block's seed revealed."""
    return encode({"t": "close", "seed": block_seed.hex()})
