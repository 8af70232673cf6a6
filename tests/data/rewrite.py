"""Rewrite the golden files of the rules: `python tests/data/rewrite.py`, then review the difference.

`deals.json`: vectors of the shuffle and of the seeds, for a rebuilding in another language.
`playthroughs/`: two whole games of each preset.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from arena.cards import seeds
from arena.cards.shuffle import ALGORITHM, shuffled
from arena.games.playthrough import playthrough
from arena.games.registry import get_game

DATA = Path(__file__).parent
PLAYTHROUGHS = [(game_id, seed) for game_id in ("north-american", "british") for seed in ("one", "two")]


def deals() -> dict[str, Any]:
    """The vectors of deals.json."""
    keys = [bytes(32), bytes(range(32)), seeds.master_from_text("deal")]
    master = seeds.master_from_text("vectors")
    na, british = get_game("north-american"), get_game("british", {"target": 15})
    ids = {game: seeds.rules_id(game.id, game.rules) for game in (na, british)}
    digests = ("0" * 63 + "1", "f" * 64)
    blocks = [
        {"rules_id": ids[game], "digest_a": a, "digest_b": b, "block": block}
        for game in (na, british)
        for a, b in (digests, (seeds.COMMON, seeds.COMMON))
        for block in (0, 12)
    ]
    for entry in blocks:
        key = seeds.block_seed(
            master, entry["rules_id"], entry["digest_a"], entry["digest_b"], int(entry["block"])
        )
        pair = int(entry["block"]) * 10 + 3
        entry["block_seed"] = key.hex()
        entry["commitment"] = seeds.commitment(key)
        entry["pair"] = pair
        entry["deck_seeds"] = {str(hand): seeds.deck_seed(key, pair, hand).hex() for hand in (0, 1, 17)}
        entry["bot_seeds"] = [seeds.bot_seed(key, pair, seat) for seat in range(4)]
    return {
        "algorithm": ALGORITHM,
        "shuffle": [
            {"seed": key.hex(), "cards": cards, "pack": shuffled(key, cards)}
            for key in keys
            for cards in (24, 25, 32, 43, 256)
        ],
        "master": {"text": "vectors", "master": master.hex(), "commitment": seeds.commitment(master)},
        "rules": [{"game": g.id, "rules": dict(g.rules), "rules_id": ids[g]} for g in (na, british)],
        "blocks": blocks,
    }


def deals_text() -> str:
    """The text of deals.json, a vector a line."""
    lines = []
    for key, value in deals().items():
        if isinstance(value, list):
            rows = ",\n".join(f"  {json.dumps(row)}" for row in value)
            lines.append(f"{json.dumps(key)}: [\n{rows}\n]")
        else:
            lines.append(f"{json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def playthrough_path(game_id: str, seed: str) -> Path:
    return DATA / "playthroughs" / f"{game_id}-{seed}.txt"


def playthrough_text(game_id: str, seed: str) -> str:
    return "\n".join(playthrough(get_game(game_id), seed)) + "\n"


def main() -> None:
    (DATA / "deals.json").write_text(deals_text())
    for game_id, seed in PLAYTHROUGHS:
        playthrough_path(game_id, seed).write_text(playthrough_text(game_id, seed))


if __name__ == "__main__":
    main()
