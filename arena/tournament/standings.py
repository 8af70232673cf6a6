"""Standings of a tournament, from the sums of its pairings alone: rows, crosstable, and warnings in words."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from arena.ratings.elo import clip_probability
from arena.ratings.pairs import PairingStats, PairUnit

if TYPE_CHECKING:
    from arena.ratings.bradley_terry import Fit
    from arena.ratings.columns import Columns, Scores

LEVEL_ELO = 0.005
"""Ratings nearer than this share a rank."""
LARGEST_CROSSTABLE = 64
"""Bots; a larger crosstable is left out."""


@dataclass(frozen=True, slots=True)
class StandingsOptions:
    """How to rate."""

    anchor: str | None = None
    """The bot fixed at `anchor_elo` (errors are then of differences to it); without one the pool's mean is 0.
    """
    anchor_elo: float = 0.0
    owners: Mapping[str, str] = field(default_factory=dict)
    """Owner by bot, where `bot.toml` names one."""
    owners_apart: bool = False
    """Leave pairings within one owner out of the ratings."""
    adjusted: bool = True
    """Rate by luck-adjusted scores where the luck of every pair is known."""
    stopped_early: bool = False
    """A sequential rule chose when to stop: probabilities are then printed with a word of warning."""
    unit: str = "pair"
    """What a counted unit is: `pair`, or `game` for results that do not come in pairs."""
    notes: tuple[str, ...] = ()
    """Further warnings to print with the table (a guessable seed, an isolation below `strong`)."""


@dataclass(frozen=True, slots=True)
class Row:
    """One bot's line. Elo values are None where nothing can be said of the bot."""

    rank: int
    bot: str
    elo: float | None
    error: float | None
    """Half width of the 95 % interval, Elo."""
    bound: str
    """`>` or `<` where the bot won or lost everything and `elo` is only a bound, else empty."""
    rank_low: int
    rank_high: int
    better_than_next: float | None
    best: float | None
    score: float | None
    """Share of the pair scores, 0 to 1."""
    adj_score: float | None
    """Share of the luck-adjusted scores; may leave 0 to 1."""
    points_per_hand: float | None
    """Mean points margin a hand, from this bot's side."""
    pairs: int
    hands: int
    forfeits: int
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cross:
    """One cell of the crosstable: `row` against `column`, pairs lost - level - won and the score share."""

    row: str
    column: str
    lost: int
    level: int
    won: int
    score: float


@dataclass(frozen=True, slots=True)
class Standings:
    """The table of a tournament. Every number in it is finite; no probability is 0 or 1."""

    rows: tuple[Row, ...]
    crosstable: tuple[Cross, ...]
    warnings: tuple[str, ...]
    lines: tuple[str, ...]
    """Plain words under the table."""
    faults: Mapping[str, Mapping[str, int]]
    """Faults by bot and reason."""
    facts: Mapping[str, Any]
    """Numbers about the whole: what was rated, goodness of fit, variance ratio k, mean of the luck."""

    def to_dict(self) -> dict[str, Any]:
        """Plain data, keys and rounding fixed."""
        return {
            "rows": [_row_dict(row) for row in self.rows],
            "crosstable": [{**asdict(c), "score": _rounded(c.score, 6)} for c in self.crosstable],
            "warnings": list(self.warnings),
            "lines": list(self.lines),
            "faults": {bot: dict(sorted(codes.items())) for bot, codes in sorted(self.faults.items())},
            "facts": {k: _rounded(v, 6) if isinstance(v, float) else v for k, v in self.facts.items()},
        }

    def to_json(self) -> str:
        """The same bytes for the same results."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def to_csv(self) -> str:
        """One line a bot, in the order of the table; an empty field is "nothing can be said"."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        names = [f.name for f in fields(Row)]
        writer.writerow(names)
        for row in self.rows:
            line = _row_dict(row) | {"flags": "; ".join(row.flags)}
            writer.writerow(["" if line[name] is None else line[name] for name in names])
        return out.getvalue()


def _row_dict(row: Row) -> dict[str, Any]:
    places = {"elo": 2, "error": 2, "better_than_next": 6, "best": 6, "score": 6, "adj_score": 6}
    places["points_per_hand"] = 4
    row = replace(row, better_than_next=_uncertain(row.better_than_next), best=_uncertain(row.best))
    return {
        name: _rounded(value, places[name]) if name in places else list(value) if name == "flags" else value
        for name, value in ((f.name, getattr(row, f.name)) for f in fields(Row))
    }


def _uncertain(chance: float | None) -> float | None:
    """Not so near to 0 or 1 that it would be rounded to it."""
    return None if chance is None else min(max(chance, 1e-6), 1.0 - 1e-6)


def _rounded(value: float | None, places: int) -> float | None:
    """Rounded, and never `-0.0`."""
    return None if value is None else round(value, places) + 0.0


def make_standings(
    pairings: Sequence[PairingStats],
    *,
    bots: Sequence[str] = (),
    faults: Mapping[str, Mapping[str, int]] | None = None,
    options: StandingsOptions | None = None,
    shared_decks: Mapping[tuple[str, str], Sequence[PairUnit]] | None = None,
) -> Standings:
    """Rate the bots of these pairings. `bots` names those who should be listed even without a game.

    `shared_decks` gives the single pairs of each pairing of a tournament with common decks: pairs with the
    same index were then played on the same decks, and errors are clustered by deck.

    Raises `ArenaError` for an anchor that is not rated.
    """
    from arena.ratings.columns import columns_of

    return rate_columns(columns_of(pairings, bots), faults=faults, options=options, shared_decks=shared_decks)


def rate_columns(
    columns: Columns,
    *,
    faults: Mapping[str, Mapping[str, int]] | None = None,
    options: StandingsOptions | None = None,
    shared_decks: Mapping[tuple[str, str], Sequence[PairUnit]] | None = None,
) -> Standings:
    """`make_standings` for pairings that are columns already."""
    from arena.ratings import bradley_terry
    from arena.ratings.columns import adjusted_scores, deck_units, raw_scores
    from arena.ratings.ranks import draw_ranks
    from arena.tournament import words

    options = options or StandingsOptions()
    anchors = {} if options.anchor is None else {options.anchor: options.anchor_elo}
    known_faults = {bot: dict(codes) for bot, codes in sorted((faults or {}).items())}
    rated = _rated(columns, options)
    if not len(rated.i):
        bradley_terry.check_anchors(anchors, ())
        rows = tuple(_unrated(name, 1, columns) for name in columns.names)
        return Standings(rows, (), options.notes, (), known_faults, {"rated": "nothing"})
    bradley_terry.check_anchors(anchors, rated.names)
    decks = deck_units(rated, shared_decks) if shared_decks else None
    games = 1 if options.unit == "game" else 2
    fit = bradley_terry.fit_pool(rated, adjusted=options.adjusted, decks=decks, games_per_unit=games)
    raw = raw_scores(rated)
    freed = adjusted_scores(rated) if rated.all_luck else None
    scores = freed if fit.adjusted and freed is not None else raw
    for name, elo in anchors.items():
        fit = fit.anchored(name, elo)
    order = sorted(range(len(fit.names)), key=lambda k: (-round(float(fit.elo[k]), 6), fit.names[k]))
    rows = _rows(columns, rated, raw, freed, fit, order, draw_ranks(fit))
    missing = sorted(set(columns.names) - set(rated.names))
    rows += tuple(_unrated(name, len(order) + 1, columns) for name in missing)
    found = words.Findings.of(rated, raw, scores, freed, fit, options)
    return Standings(
        rows=rows,
        crosstable=_crosstable(columns, [row.bot for row in rows]),
        warnings=(*options.notes, *words.warnings(found, options)),
        lines=words.lines(found, rated, order, options),
        faults=known_faults,
        facts=words.facts(found, rated, raw, freed, games),
    )


def _rated(columns: Columns, options: StandingsOptions) -> Columns:
    """The pairings to be rated, and the bots in them."""
    import numpy as np

    if options.owners_apart:
        names = columns.names
        owner = [options.owners.get(name) or f"\0{name}" for name in names]
        apart = [owner[i] != owner[j] for i, j in zip(columns.i.tolist(), columns.j.tolist(), strict=True)]
        columns = columns.select(np.array(apart, dtype=bool))
    playing = {columns.names[k] for k in {*columns.i.tolist(), *columns.j.tolist()}}
    return columns.without(name for name in columns.names if name not in playing)


def _rows(
    columns: Columns,
    rated: Columns,
    raw: Scores,
    freed: Scores | None,
    fit: Fit,
    order: list[int],
    ranks: Any,
) -> tuple[Row, ...]:
    n = _by_bot(rated, raw.n, raw.n)
    score = _by_bot(rated, raw.s, raw.n - raw.s)
    adjusted = None if freed is None else _by_bot(rated, freed.s, freed.n - freed.s)
    hands = _by_bot(rated, rated.hands, rated.hands)
    margin = rated.points_i - rated.points_j
    points = _by_bot(rated, margin, -margin)
    forfeits = dict(zip(columns.names, _by_bot(columns, columns.forfeits_i, columns.forfeits_j), strict=True))
    groups = len(set(fit.group.tolist()))
    rows: list[Row] = []
    for place, k in enumerate(order):
        level = bool(rows) and abs(fit.elo[k] - fit.elo[order[place - 1]]) < LEVEL_ELO
        flags = []
        if fit.prior:
            flags.append(f"group {fit.group[k] + 1} of {groups}" if groups > 1 else "weak prior")
        if fit.bound[k]:
            flags.append("won everything" if fit.bound[k] == ">" else "lost everything")
        follower = order[place + 1] if place + 1 < len(order) else None
        rows.append(
            Row(
                rank=rows[-1].rank if level else place + 1,
                bot=fit.names[k],
                elo=float(fit.elo[k]),
                error=None if fit.bound[k] else fit.error(k),
                bound=fit.bound[k],
                rank_low=ranks.low[k],
                rank_high=ranks.high[k],
                better_than_next=None if follower is None else clip_probability(fit.better(k, follower)),
                best=ranks.best[k],
                score=score[k] / n[k],
                adj_score=None if adjusted is None else adjusted[k] / n[k],
                points_per_hand=points[k] / hands[k] if hands[k] else None,
                pairs=int(n[k]),
                hands=int(hands[k]),
                forfeits=int(forfeits[fit.names[k]]),
                flags=tuple(flags),
            )
        )
    return tuple(rows)


def _unrated(name: str, rank: int, columns: Columns) -> Row:
    k = columns.names.index(name)
    forfeits = _by_bot(columns, columns.forfeits_i, columns.forfeits_j)[k]
    return Row(
        rank=rank,
        bot=name,
        elo=None,
        error=None,
        bound="",
        rank_low=1 if rank == 1 else rank,
        rank_high=len(columns.names),
        better_than_next=None,
        best=None,
        score=None,
        adj_score=None,
        points_per_hand=None,
        pairs=0,
        hands=0,
        forfeits=int(forfeits),
        flags=("not rated",),
    )


def _by_bot(columns: Columns, mine: Any, theirs: Any) -> list[float]:
    """Add up by bot what pairings give to their first and to their second bot."""
    import numpy as np

    bots = len(columns.names)
    total = np.bincount(columns.i, mine, bots) + np.bincount(columns.j, theirs, bots)
    return [float(x) for x in total]


def _crosstable(columns: Columns, order: list[str]) -> tuple[Cross, ...]:
    if len(order) > LARGEST_CROSSTABLE:
        return ()
    place = {name: k for k, name in enumerate(order)}
    found: list[Cross] = []
    for k, (i, j) in enumerate(zip(columns.i.tolist(), columns.j.tolist(), strict=True)):
        c = [int(x) for x in columns.cells[k]]
        a, b = columns.names[i], columns.names[j]
        score = sum(x * q for x, q in zip(c, (0.0, 0.25, 0.5, 0.75, 1.0), strict=True)) / sum(c)
        lost, level, won = c[0] + c[1], c[2], c[3] + c[4]
        found += [Cross(a, b, lost, level, won, score), Cross(b, a, won, level, lost, 1.0 - score)]
    return tuple(sorted(found, key=lambda x: (place[x.row], place[x.column])))
