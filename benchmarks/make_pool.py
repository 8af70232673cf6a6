"""Play the pool of real pairs that the statistics benchmark draws its events from.

    python benchmarks/make_pool.py [--pairs N] [--games DIR] [--out FILE]

Every two of the bots in pool_bots.py play duplicate pairs through the real rules, in this process, all on
the same decks. The games are kept in `--games`, a file for each hundred pairs: a run that was ended goes on
there, and with all of them there only the luck is counted anew (after a change of the reference policy).
The extra `analysis` makes it quicker and changes nothing. The pool's form is told in statistics/pools.py.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

from pool_bots import make_bots

from arena.analysis.luck import LuckMeter, Playouts, shipped_table
from arena.api import play_pairs
from arena.cards.seeds import COMMON, block_seed, deck_seed, master_from_text, rules_id
from arena.cards.shuffle import shuffled
from arena.games.registry import get_game
from arena.ratings.pairs import PAIRS_PER_BLOCK
from arena.records import GameRecord

HERE = Path(__file__).resolve().parent
CHUNK = 100
SEED = "pool"


@dataclass(frozen=True, slots=True)
class Leg:
    """A game: score, margin and hands of the first bot, and (dealer, scores before) of each dealt hand."""

    score: float
    margin: int
    deals: tuple[tuple[int, tuple[int, ...]], ...]


def leg_of(game: GameRecord, team: int) -> Leg:
    scores: tuple[int, ...] = (0, 0)
    deals = []
    for hand in game.hands:
        deals.append((hand.dealer, scores))
        scores = hand.scores
    score = 0.5 if game.winner is None else float(game.winner == team)
    return Leg(score, game.scores[team] - game.scores[1 - team], tuple(deals))


def played(folder: Path, chunk: int, log: str) -> Iterator[tuple[str, str, list[tuple[Leg, Leg]]]]:
    """The pairs of one chunk of every pairing, played now or read."""
    bots = make_bots()
    for a, b in combinations(sorted(bots), 2):
        file = folder / f"{a}.{b}.{chunk}.json.gz"
        if not file.is_file():
            began = time.process_time()
            # Each chunk has a seed of its own; its decks are common to all pairings.
            record = play_pairs(bots[a][1], bots[b][1], CHUNK, seed=f"{SEED} {chunk}")
            legs = [[leg_of(game, team) for team, game in enumerate(pair.legs)] for pair in record.pairs]
            plain = [[(leg.score, leg.margin, leg.deals) for leg in pair] for pair in legs]
            fresh = file.with_suffix(".new")
            fresh.write_bytes(gzip.compress(json.dumps(plain).encode(), mtime=0))
            fresh.replace(file)
            print(f"{log} {a} - {b}: {record.score:.3f}, {time.process_time() - began:.1f} s", flush=True)
        rows = json.loads(gzip.decompress(file.read_bytes()))
        pairs = [tuple(Leg(s, m, tuple((d, tuple(x)) for d, x in deals)) for s, m, deals in p) for p in rows]
        yield a, b, [(first, second) for first, second in pairs]


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python benchmarks/make_pool.py", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--pairs", type=int, default=2000, help="of each pairing, in hundreds: %(default)s")
    parser.add_argument("--games", type=Path, default=HERE / "data" / "games")
    parser.add_argument("--out", type=Path, default=HERE / "data" / "pool.json.gz")
    options = parser.parse_args()
    options.games.mkdir(parents=True, exist_ok=True)
    game = get_game("north-american")
    table = shipped_table(Playouts(game))
    assert table is not None
    meter = LuckMeter(game, table)
    rules = rules_id(game.id, game.rules)
    bots = make_bots()
    names = sorted(bots)
    columns: dict[tuple[str, str], dict[str, list[Any]]] = {
        pairing: {"score": [], "luck": [], "margin": [], "hands": []} for pairing in combinations(names, 2)
    }
    chunks = options.pairs // CHUNK
    for chunk in range(chunks):
        master = master_from_text(f"{SEED} {chunk}")

        @cache
        def deck(pair: int, hand: int, master: bytes = master) -> tuple[int, ...]:
            block = block_seed(master, rules, COMMON, COMMON, pair // PAIRS_PER_BLOCK)
            return tuple(shuffled(deck_seed(block, pair, hand), len(game.pack)))

        @cache
        def luck(pair: int, hand: int, dealer: int, scores: tuple[int, ...], deck: Any = deck) -> float:
            return meter.term(deck(pair, hand), dealer, scores)

        for a, b, pairs in played(options.games, chunk, f"{chunk + 1}/{chunks}"):
            rows = columns[a, b]
            for pair, legs in enumerate(pairs):
                terms = [sum(luck(pair, k, d, s) for k, (d, s) in enumerate(leg.deals)) for leg in legs]
                rows["score"].append([leg.score for leg in legs])
                rows["luck"].append([round(1000 * terms[0]), round(-1000 * terms[1])])
                rows["margin"].append([leg.margin for leg in legs])
                rows["hands"].append([len(leg.deals) for leg in legs])
    place = {name: k for k, name in enumerate(names)}
    data = {
        "names": names,
        "a": [place[a] for a, _ in columns],
        "b": [place[b] for _, b in columns],
        "kind": ["family" if bots[a][0] == bots[b][0] else "unlike" for a, b in columns],
        "start": [k * chunks * CHUNK for k in range(len(columns) + 1)],
        "common": 1,
        "reference": table.digest,
        "luck_unit": 0.001,
    }
    for key in ("score", "luck", "margin", "hands"):
        data[key] = [row for rows in columns.values() for row in rows[key]]
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_bytes(gzip.compress(json.dumps(data, separators=(",", ":")).encode(), mtime=0))
    size = options.out.stat().st_size / 1e6
    print(f"{options.out}: {chunks * CHUNK} pairs of each of {len(columns)} pairings, {size:.1f} MB")


if __name__ == "__main__":
    main()
