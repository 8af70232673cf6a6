"""Seeds under labels: their vectors, and a second computation from the description."""

from __future__ import annotations

import hashlib
import hmac
import json
from pathlib import Path

import pytest

from arena.cards import seeds

VECTORS = json.loads((Path(__file__).parents[1] / "data" / "deals.json").read_text())


def mac(key: bytes, label: str) -> bytes:
    return hmac.new(key, label.encode("ascii"), hashlib.sha256).digest()


def test_master_from_text() -> None:
    vector = VECTORS["master"]
    master = hashlib.sha256(b"arena/seed/1|" + vector["text"].encode()).digest()
    assert master.hex() == vector["master"]
    assert seeds.master_from_text(vector["text"]) == master
    assert seeds.commitment(master) == vector["commitment"]
    assert hashlib.sha256(b"arena/commit/1|" + master).hexdigest() == vector["commitment"]
    assert seeds.master_from_text("ż") == hashlib.sha256("arena/seed/1|ż".encode()).digest()


def test_rules_id() -> None:
    for vector in VECTORS["rules"]:
        rules = vector["rules"]
        assert seeds.rules_id(vector["game"], rules) == vector["rules_id"]
        backwards = dict(reversed(rules.items()))
        assert seeds.rules_id(vector["game"], backwards) == vector["rules_id"]
    assert seeds.rules_id("g", {"b": True, "a": 1}) == hashlib.sha256(
        b'{"game":"g","rules":{"a":1,"b":true}}'
    ).hexdigest()


def test_blocks() -> None:
    master = bytes.fromhex(VECTORS["master"]["master"])
    assert len(VECTORS["blocks"]) >= 4
    for vector in VECTORS["blocks"]:
        names = [vector[key] for key in ("rules_id", "digest_a", "digest_b")]
        block = seeds.block_seed(master, *names, vector["block"])
        assert block == mac(master, "|".join(["arena/block/1", *names, str(vector["block"])]))
        assert block.hex() == vector["block_seed"]
        assert seeds.commitment(block) == vector["commitment"]
        pair = vector["pair"]
        for hand, deck in vector["deck_seeds"].items():
            assert seeds.deck_seed(block, pair, int(hand)).hex() == deck
            assert mac(block, f"deck|{pair}|{hand}").hex() == deck
        for seat, bot_seed in enumerate(vector["bot_seeds"]):
            assert seeds.bot_seed(block, pair, seat) == bot_seed < 2**53
            first = int.from_bytes(mac(block, f"bot|{pair}|{seat}"), "big")
            assert bot_seed == first >> (256 - 53)


def test_all_seeds_differ() -> None:
    master = bytes(32)
    made: list[object] = []
    for block in range(3):
        key = seeds.block_seed(master, "rules", "a", "b", block)
        made.append(key)
        for pair in range(10):
            made += [seeds.deck_seed(key, pair, hand) for hand in range(12)]
            made += [seeds.bot_seed(key, pair, seat) for seat in range(4)]
    assert len(set(made)) == len(made)


def test_digests_in_order() -> None:
    with pytest.raises(ValueError, match="ascending"):
        seeds.block_seed(bytes(32), "rules", "b", "a", 0)
