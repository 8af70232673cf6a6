"""The luck of the cards: how far each deal moved a game's expected result before anyone acted.

For hand k at scores x with dealer d and deck D, the luck term is the mean over eight noisy playouts
of D by the reference policy of W(after the outcome), minus W(x). D does not depend on what went
before and W is the policy's own table, so the term's expectation is zero whoever plays, and the
result minus a multiple of it has the same mean with less variance (ratings.md, section 3.4).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from importlib import resources
from typing import Any

from arena.analysis.win_table import WinTable, solve
from arena.cards.seeds import derive
from arena.cards.shuffle import shuffled
from arena.errors import ArenaError
from arena.games.base import Game
from arena.games.euchre import reference
from arena.games.euchre.scoring import makers_points
from arena.games.euchre.tables import NINES_AND_TENS

PLAYOUTS = 8
TABLE_HANDS = 400_000
"""Playouts behind an outcome table: the win table's own error is then below 0.001."""

REMAKE = "delete it: it is made again"

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class OutcomeTable:
    """How often the reference policy's hands end in each outcome code, under one set of rules."""

    version: int
    parameters: tuple[int, ...]
    farmers: bool
    counts: tuple[int, ...]

    @property
    def digest(self) -> str:
        """Names the table in a record: 16 hex digits of the SHA-256 of its content."""
        text = json.dumps([self.version, self.parameters, self.farmers, self.counts])
        return sha256(text.encode()).hexdigest()[:16]

    def to_json(self) -> str:
        """The table as a file, digest included."""
        return json.dumps(
            {
                "reference": self.version,
                "parameters": list(self.parameters),
                "farmers": self.farmers,
                "counts": list(self.counts),
                "digest": self.digest,
            },
            indent=1,
        )

    @classmethod
    def from_json(cls, text: str, name: str) -> OutcomeTable:
        """Read a table file. Raises ArenaError naming `name` if it is not one, or was changed."""
        try:
            data = json.loads(text)
            table = cls(
                int(data["reference"]),
                tuple(int(n) for n in data["parameters"]),
                bool(data["farmers"]),
                tuple(int(n) for n in data["counts"]),
            )
            whole = table.digest == data["digest"] and len(table.counts) == reference.OUTCOMES
        except (ValueError, KeyError, TypeError) as error:
            raise ArenaError(f"{name}: not an outcome table: {error}", hint=REMAKE) from None
        if not whole:
            raise ArenaError(f"{name}: its digest does not match", hint=REMAKE)
        return table


def compiled() -> bool:
    """Whether the extra `analysis` (numba) is there; without it the results are the same, only slower."""
    try:
        import numba  # noqa: F401
    except ImportError:
        return False
    return True


@lru_cache(maxsize=1)
def _simulator() -> tuple[reference.Simulate, Callable[[Sequence[int]], Any]]:
    if not compiled():
        return reference.build(lambda function: function, tuple), tuple
    import numba
    import numpy

    def freeze(values: Sequence[int]) -> Any:
        return numpy.array(values, dtype=numpy.int64)

    return reference.build(numba.njit, freeze), freeze


class Playouts:
    """The reference policy's playouts of deals under one set of rules."""

    def __init__(self, game: Game) -> None:
        if "stick_the_dealer" not in game.rules:
            raise ArenaError(f"`{game.id}` has no reference policy: its scores are not adjusted for luck")
        self.game = game
        self.farmers = game.rules["farmers_hand"] != "off"
        self.parameters = reference.parameters(game.rules)
        self._simulate, self._convert = _simulator()
        self._rules = self._convert(self.parameters)

    def redealt(self, pack: Sequence[int]) -> bool:
        """Whether this deal is thrown in before the first call (`farmers_hand=redeal`)."""
        if not self.farmers:
            return False
        return any(all(NINES_AND_TENS >> card & 1 for card in pack[5 * k : 5 * k + 5]) for k in range(4))

    def outcomes(self, pack: Sequence[int], dealer: int) -> tuple[int, ...]:
        """Outcome codes of the deal's playouts; the same for the same deal on any machine."""
        digest = sha256(bytes([reference.VERSION, dealer, *pack])).digest()
        cards = self._convert(pack)
        seeds = [int.from_bytes(digest[4 * i : 4 * i + 4], "big") | 1 for i in range(PLAYOUTS)]
        return tuple(int(self._simulate(cards, dealer, seed, self._rules)) for seed in seeds)

    def table(self, hands: int = TABLE_HANDS, progress: Progress | None = None) -> OutcomeTable:
        """Play `hands` hands and count how they end."""
        counts = [0] * reference.OUTCOMES
        cards = len(self.game.pack)
        done = deck = 0
        while done < hands:
            seed = derive(b"arena/outcome-table/1", deck)
            deck += 1
            pack = shuffled(seed, cards)
            if self.redealt(pack):
                continue
            start = int.from_bytes(seed[:4], "big") | 1
            counts[self._simulate(self._convert(pack), 0, start, self._rules)] += 1
            done += 1
            if progress is not None and done % 10_000 == 0:
                progress(done, hands)
        return OutcomeTable(reference.VERSION, tuple(self.parameters), self.farmers, tuple(counts))


def hand_points(code: int, rules: Mapping[str, Any]) -> tuple[int, int]:
    """Points of (the dealing side, the other side) for an outcome code."""
    if code == reference.ALL_PASS:
        return 0, 0
    side, rest = divmod(code, 12)
    alone, tricks = divmod(rest, 6)
    points = makers_points(rules, tricks, alone=bool(alone))
    makers, defenders = max(points, 0), max(-points, 0)
    return (makers, defenders) if side == 0 else (defenders, makers)


def win_table(table: OutcomeTable, rules: Mapping[str, Any]) -> WinTable:
    """The chances to win from every score, under rules with this outcome table."""
    total = sum(table.counts)
    chances = [
        (*hand_points(code, rules), count / total)
        for code, count in enumerate(table.counts)
        if code != reference.ALL_PASS and count
    ]
    return solve(
        chances,
        table.counts[reference.ALL_PASS] / total,
        int(rules["target"]),
        same_dealer=rules["all_pass"] == "same_dealer",
    )


def shipped_table(playouts: Playouts) -> OutcomeTable | None:
    """The table that comes with the package for these rules, or None."""
    folder = resources.files("arena.analysis") / "tables"
    for name in ("north-american", "british", "north-american-stick", "british-stick"):
        file = folder / f"{name}.json"
        if not file.is_file():
            continue
        table = OutcomeTable.from_json(file.read_text(encoding="utf-8"), f"{name}.json")
        wanted = (reference.VERSION, tuple(playouts.parameters), playouts.farmers)
        if (table.version, table.parameters, table.farmers) == wanted:
            return table
    return None


class LuckMeter:
    """Luck sums of games under one set of rules, from team 0's side."""

    def __init__(self, game: Game, table: OutcomeTable) -> None:
        self.playouts = Playouts(game)
        self.table = table
        self.wins = win_table(table, game.rules)
        self._points = [hand_points(code, game.rules) for code in range(reference.OUTCOMES)]
        self._same_dealer = game.rules["all_pass"] == "same_dealer"
        self._outcomes = lru_cache(maxsize=4096)(self.playouts.outcomes)

    def term(self, pack: tuple[int, ...], dealer: int, scores: Sequence[int]) -> float:
        """The luck of one deal at `scores` (by team, before the hand), for team 0's chance to win."""
        if self.playouts.redealt(pack):
            return 0.0
        side = dealer % 2
        own, other = scores[side], scores[1 - side]
        before = self.wins.dealer_wins(own, other)
        after = 0.0
        for code in self._outcomes(pack, dealer):
            mine, theirs = self._points[code]
            if code == reference.ALL_PASS and self._same_dealer:
                after += before
            else:
                after += 1.0 - self.wins.dealer_wins(other + theirs, own + mine)
        luck = after / PLAYOUTS - before
        return luck if side == 0 else -luck

    def game(self, hands: Iterable[tuple[tuple[int, ...], int, Sequence[int]]]) -> float:
        """The luck sum of a game for team 0, from (pack, dealer, scores before) of each dealt hand."""
        return sum(self.term(pack, dealer, scores) for pack, dealer, scores in hands)
