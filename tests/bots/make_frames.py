"""Writes arena/bots/templates/frames.bin: the recorded conversation that each template's own test asks.

Run from the repository's root: `python tests/bots/make_frames.py`. Some requests of every phase, taken from
tests/data/requests_*.jsonl.gz, between a `hello` and a `bye`.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from arena.bots.limits import Limits  # noqa: E402
from arena.games.registry import get_game  # noqa: E402
from arena.table.referee import hello  # noqa: E402
from protocol import encode_frame  # noqa: E402

EACH = 4
"""Requests of each kind."""
END = {
    "type": "hand_end", "hand_number": 3, "dealer": 1,
    "hands": [["TC", "JC", "AC", "TD", "JD"], ["QC", "KD", "AD", "QH", "AH"],
              ["9C", "QD", "JH", "JS", "AS"], ["9H", "TH", "9S", "TS", "KS"]],
    "upcard": "KC", "points": [1, 0], "scores": [5, 6], "thrown_in": False, "forfeit": False,
}  # fmt: skip


def kind(act: dict[str, Any]) -> tuple[Any, ...]:
    """What makes a request worth having beside another."""
    return act["game"], act["phase"], bool(act["alone"]), act["trump"] == "NT", len(act["legal"]) == 1


def requests() -> list[dict[str, Any]]:
    seen: Counter[tuple[Any, ...]] = Counter()
    chosen = []
    for name in ("north_american", "british", "options"):
        with gzip.open(ROOT / "tests" / "data" / f"requests_{name}.jsonl.gz", "rt") as file:
            for act in map(json.loads, file):
                seen[kind(act)] += 1
                if seen[kind(act)] <= EACH:
                    chosen.append(act)
    return chosen


def main() -> None:
    start = {"type": "game_start", "seat": 2, "partner": 0, "dealer": 2, "seed": 6755399441055744}
    game_end = {"type": "game_end", "scores": [10, 7], "winner": 0, "reason": "target"}
    messages = [hello(get_game(), Limits()), start, *requests(), END, game_end, {"type": "bye"}]
    data = b"".join(map(encode_frame, messages))
    (ROOT / "arena" / "bots" / "templates" / "frames.bin").write_bytes(data)
    print(f"{len(messages)} messages, {len(data)} bytes")


if __name__ == "__main__":
    main()
