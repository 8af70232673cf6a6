"""Pools of pairs to draw tournaments from: made up, or stored from real games.

A pool holds, for each pairing, many pairs as played: the score, luck, margin and hands of both legs, from
the side of bot A. Events are drawn from it with replacement, so their truth is known: it is the pool
itself.

File format (`.npz`; or `.json` and `.json.gz`, the same keys with lists): `names` (B), `a` and `b` (K
indices), `kind` (K words, `unlike` or `family`), `start` (K + 1 offsets into the rows), and by row (N x 2:
leg 0, leg 1) `score`, `luck` (NaN: not known; in units of `luck_unit`, 1 without it), `margin`, `hands`;
`common` 1 if row k of every pairing was played on the same deck.
"""

from __future__ import annotations

import gzip
import json
import math
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from arena.ratings.elo import elo_to_score
from arena.ratings.pairs import FOLDS, PAIRS_PER_BLOCK, BlockSums, LuckFold, PairingStats
from arena.ratings.special import normal_quantile

Array = np.ndarray[Any, np.dtype[np.float64]]
Random = np.random.Generator


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """The stored pairs of one pairing, N x 2 by leg; luck has mean zero over the pool."""

    a: str
    b: str
    kind: str
    score: Array
    luck: Array
    margin: Array
    hands: Array
    weight: Array | None = None
    """Cumulated probability of the rows; without it all are equally likely."""

    @property
    def mean(self) -> float:
        """Expected score of A."""
        if self.weight is None:
            return float(self.score.mean())
        return float(np.diff(self.weight, prepend=0.0) @ self.score.mean(axis=1))

    def draw(
        self, random: Random, n: int, *, duplicate: bool = True, weight: Array | None = None
    ) -> tuple[Array, Array, Array]:
        """Score, luck and margin of n pairs; without `duplicate` the legs come from different decks.

        `weight` is the cumulated probability of the rows, if not the pairing's own.
        """
        size = len(self.score)
        weight = self.weight if weight is None else weight

        def rows() -> Any:
            if weight is None:
                return random.integers(0, size, n)
            return np.minimum(np.searchsorted(weight, random.random(n), side="right"), size - 1)

        first = rows()
        second = first if duplicate else rows()
        return (
            (self.score[first, 0] + self.score[second, 1]) / 2,
            (self.luck[first, 0] + self.luck[second, 1]) / 2,
            self.margin[first, 0] + self.margin[second, 1],
        )

    def tilted(self, score: float) -> Array:
        """Cumulated row probabilities, nearest to even ones, under which the mean score is this and luck
        zero.
        """
        s, luck = self.score.mean(axis=1), self.luck.mean(axis=1)
        features = np.stack([s - score, luck])
        at = np.zeros(2)

        def tilt(where: Array) -> tuple[float, Array]:
            """Logarithm of the sum of the weights (convex, least at the solution), and the weights."""
            logs = where @ features
            p = np.exp(logs - logs.max())
            return float(logs.max() + np.log(p.sum())), p / p.sum()

        size, p = tilt(at)
        for _ in range(200):
            mean = features @ p
            if np.abs(mean).max() < 1e-12:
                break
            spread = (features * p) @ features.T - np.outer(mean, mean)
            step = np.linalg.solve(spread + 1e-12 * np.eye(2), mean)
            after, p = tilt(at - step)
            while after > size and np.abs(step).max() > 1e-15:
                step *= 0.5
                after, p = tilt(at - step)
            at, size = at - step, after
        assert np.abs(features @ p).max() < 1e-9, f"{self.a} - {self.b} cannot score {score:.3f}"
        return np.asarray(np.cumsum(p))


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    names: tuple[str, ...]
    pairings: tuple[Pairs, ...]
    common: bool = False

    def of(self, kind: str) -> tuple[Pairs, ...]:
        return tuple(p for p in self.pairings if p.kind == kind)

    def ladder(self, elos: dict[str, float]) -> Pool:
        """The same pairs of these bots, each as likely as it takes for the bots to have these ratings."""
        pairings = (
            replace(p, weight=p.tilted(elo_to_score(elos[p.a] - elos[p.b])))
            for p in self.pairings
            if p.a in elos and p.b in elos
        )
        return Pool(tuple(sorted(elos)), tuple(pairings), self.common)

    def save(self, path: Path) -> None:
        place = {name: k for k, name in enumerate(self.names)}
        data = {
            "names": list(self.names),
            "a": [place[p.a] for p in self.pairings],
            "b": [place[p.b] for p in self.pairings],
            "kind": [p.kind for p in self.pairings],
            "start": [0, *np.cumsum([len(p.score) for p in self.pairings]).tolist()],
            "common": int(self.common),
        }
        for key in ("score", "luck", "margin", "hands"):
            data[key] = np.concatenate([getattr(p, key) for p in self.pairings])
        if path.suffix == ".json":
            plain = {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in data.items()}
            path.write_text(json.dumps(plain))
        else:
            np.savez_compressed(path, **data)  # type: ignore[arg-type]


def load_pool(path: Path) -> Pool:
    """A stored pool. Luck that is not known counts as zero; known luck is centred, so that the pool is its
    truth.
    """
    raw: dict[str, Any]
    if path.suffix == ".gz":
        raw = json.loads(gzip.decompress(path.read_bytes()))
    elif path.suffix == ".json":
        raw = json.loads(path.read_text())
    else:
        with np.load(path) as file:
            raw = {key: file[key] for key in file.files}
    names = tuple(str(n) for n in raw["names"])
    start = [int(x) for x in raw["start"]]
    columns = {key: np.asarray(raw[key], dtype=float) for key in ("score", "luck", "margin", "hands")}
    pairings = []
    for k, (a, b) in enumerate(zip(raw["a"], raw["b"], strict=True)):
        part = {key: value[start[k] : start[k + 1]] for key, value in columns.items()}
        luck = np.nan_to_num(part["luck"]) * float(raw.get("luck_unit", 1.0))
        part["luck"] = luck - luck.mean(axis=0)
        pairings.append(Pairs(a=names[int(a)], b=names[int(b)], kind=str(raw["kind"][k]), **part))
    return Pool(names, tuple(pairings), bool(int(raw.get("common", 0))))


# Shares of a game's latent variance: decks (which a duplicate pair cancels), luck beyond the decks (which
# only the
# luck term sees), and the rest. Set so that the gains are those measured with real bots: duplicate 1.7 and
# with luck
# 2.4 for unlike bots, 3.8 and 7.7 for versions of one bot.
SHARES = {"unlike": (0.61, 0.22), "family": (0.93, 0.06)}


def made_up_pool(
    elos: dict[str, float], kind: str, random: Random, *, size: int = 20_000, deck_skill: float = 0.0
) -> Pool:
    """Bots with these ratings; every game is a threshold of deck, luck, skill and chance.

    `deck_skill` is the deviation of what a bot makes of a deck against anyone; with it the decks are common.
    """
    names = tuple(sorted(elos))
    deck_share, luck_share = SHARES[kind]
    rest = 1.0 - deck_share - luck_share
    skill = {name: random.normal(0, deck_skill, size) if deck_skill else np.zeros(size) for name in names}
    pairings = []
    for a, b in combinations(names, 2):
        total = math.sqrt(1.0 + 2.0 * deck_skill**2)
        mean = normal_quantile(elo_to_score(elos[a] - elos[b])) * total
        deck = random.normal(0, math.sqrt(deck_share), size)
        known = np.stack([deck, -deck], axis=1) + random.normal(0, math.sqrt(luck_share), (size, 2))
        x = mean + known + random.normal(0, math.sqrt(rest), (size, 2)) + (skill[a] - skill[b])[:, None]
        # What a reference would see: its own chance of winning with this luck, through a noisy glass.
        luck = 1.1 * (_cdf(known / math.sqrt(rest)) - 0.5) + random.normal(0, 0.06, (size, 2))
        margin = np.sign(x) * np.clip(np.round(np.abs(x) * 5 + 0.5), 1, 10)
        hands = np.round(random.normal(10.6, 2.0, (size, 2)))
        pairings.append(
            Pairs(a, b, kind, (x > 0).astype(float), luck - luck.mean(axis=0), margin, np.clip(hands, 4, 30))
        )
    return Pool(names, tuple(pairings), deck_skill > 0)


def _cdf(x: Array) -> Array:
    """Normal distribution function, to 1e-7 (Abramowitz and Stegun 26.2.17)."""
    t = 1.0 / (1.0 + 0.2316419 * np.abs(x))
    poly = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    upper = np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi) * poly
    return np.asarray(np.where(x > 0, 1.0 - upper, upper))


def stats_of(a: str, b: str, s: Array, luck: Array, margin: Array, *, start: int = 0) -> PairingStats:
    """Sums of these pairs, the first of which has index `start` (a multiple of ten)."""
    n = len(s)
    cells = np.bincount(np.rint(4 * s).astype(int), minlength=5)
    block = np.arange(start, start + n) // PAIRS_PER_BLOCK
    fold = block % FOLDS
    folds = []
    columns = (np.ones(n), s, luck, s * s, luck * luck, s * luck)
    sums = [np.bincount(fold, c, FOLDS) for c in columns]
    for f in range(FOLDS):
        folds.append(LuckFold(int(sums[0][f]), *(float(x[f]) for x in sums[1:])))
    count, total, lucky = (np.bincount(block - block[0], c) for c in (columns[0], s, luck))
    own = (np.arange(len(count)) + block[0]) % FOLDS
    products = (count * count, count * total, count * lucky, total * total, lucky * lucky, total * lucky)
    by_fold = [np.bincount(own, c, FOLDS) for c in (np.ones(len(count)), *products)]
    blocks = tuple(BlockSums(int(by_fold[0][f]), *(float(x[f]) for x in by_fold[1:])) for f in range(FOLDS))
    return PairingStats(
        a, b, n, (int(cells[0]), int(cells[1]), int(cells[2]), int(cells[3]), int(cells[4])),
        sum_margin=float(margin.sum()), sum_margin2=float((margin**2).sum()),
        folds=tuple(folds), blocks=blocks,
    )  # fmt: skip


def added(one: PairingStats, other: PairingStats) -> PairingStats:
    """Sums of two runs of the same pairing."""
    c = [x + y for x, y in zip(one.cells, other.cells, strict=True)]
    return PairingStats(
        one.a, one.b, one.pairs + other.pairs, (c[0], c[1], c[2], c[3], c[4]),
        sum_margin=one.sum_margin + other.sum_margin, sum_margin2=one.sum_margin2 + other.sum_margin2,
        folds=tuple(x + y for x, y in zip(one.folds, other.folds, strict=True)),
        blocks=tuple(x + y for x, y in zip(one.blocks, other.blocks, strict=True)),
    )  # fmt: skip
