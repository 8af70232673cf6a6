"""Results from elsewhere, to be rated: CSV of games, and the result tags of PGN files."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

from arena.errors import ArenaError
from arena.ratings.pairs import PairingStats, PairUnit, tally

COLUMNS = ("a", "b", "score", "pair", "points_a", "points_b", "hands", "owner_a", "owner_b")
REQUIRED = ("a", "b", "score")
_SCORES = {
    "1": 1.0, "1.0": 1.0, "1-0": 1.0,
    "0": 0.0, "0.0": 0.0, "0-1": 0.0,
    "0.5": 0.5, "1/2": 0.5, "1/2-1/2": 0.5, "½": 0.5,
}  # fmt: skip
_TAG = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]')
MAX_LINE = 65536


@dataclass(frozen=True, slots=True)
class GameResult:
    """One game: who, and what `a` scored (0, 1/2 or 1). Games with the same `pair` key are one pair."""

    a: str
    b: str
    score: float
    pair: str | None = None
    points_a: int = 0
    points_b: int = 0
    hands: int = 0
    line: int = 0
    owner_a: str = ""
    owner_b: str = ""


@dataclass(frozen=True, slots=True)
class Results:
    """What a file held, as pairings ready to be rated."""

    pairings: tuple[PairingStats, ...]
    games: int
    pairs: int
    """Units that are two games; the others are single games."""
    skipped: int
    """Games without a result (`*`)."""
    owners: dict[str, str] = field(default_factory=dict)
    """Owner by player, where the file names one."""


@dataclass(slots=True)
class _Pairing:
    units: list[PairUnit] = field(default_factory=list)
    open: dict[str, list[GameResult]] = field(default_factory=dict)
    hands: int = 0
    points_a: int = 0
    points_b: int = 0


def read_results(path: Path, *, consecutive: bool = False) -> Results:
    """The results in a CSV or a PGN file (told apart by their contents). Raises ArenaError with the line.

    CSV: a header with `a`, `b`, `score` (of a: 0, 0.5, 1, or 1-0) and, where known, `pair`, `points_a`,
    `points_b`, `hands`, `owner_a`, `owner_b`. PGN: the tags White, Black, Result. With `consecutive` two
    games in a row between the same players with sides changed are one pair; else a game without a `pair`
    stands for itself.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            first = next((line for line in _bounded(path, file) if line.strip()), "")
            if not first:
                raise _nothing(path)
            file.seek(0)
            lines = _bounded(path, file)
            games = _pgn(path, lines) if first.lstrip("\ufeff").startswith("[") else _csv(path, lines)
            return _sum_up(path, games, consecutive=consecutive)
    except OSError as error:
        raise ArenaError(f"{path}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise ArenaError(f"{path}: is not UTF-8 text") from None


def _nothing(path: Path) -> ArenaError:
    return ArenaError(f"{path}: holds no results", hint="expected CSV with the columns a,b,score, or PGN")


def _bounded(path: Path, lines: Iterable[str]) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_LINE:
            raise ArenaError(f"{path}:{number}: longer than {MAX_LINE} characters")
        yield line


def _csv(path: Path, lines: Iterable[str]) -> Iterator[GameResult]:
    reader = csv.DictReader(lines, strict=True)
    try:
        names = [name.strip().lower() for name in reader.fieldnames or ()]
    except csv.Error as error:
        raise ArenaError(f"{path}:1: not CSV: {error}") from None
    for name in names:
        if name not in COLUMNS:
            near = get_close_matches(name, COLUMNS, 1)
            hint = f"did you mean `{near[0]}`?" if near else f"columns: {', '.join(COLUMNS)}"
            raise ArenaError(f"{path}:1: unknown column `{name}`", hint=hint)
    for name in REQUIRED:
        if name not in names:
            raise ArenaError(f"{path}:1: no column `{name}`", hint=f"columns: {', '.join(COLUMNS)}")
    reader.fieldnames = names
    try:
        for row in reader:
            yield _row(path, reader.line_num, row)
    except csv.Error as error:
        raise ArenaError(f"{path}:{reader.line_num}: not CSV: {error}") from None


def _row(path: Path, line: int, row: dict[str | None, str | None]) -> GameResult:
    if None in row or None in row.values():
        raise ArenaError(f"{path}:{line}: another number of fields than the header has")
    cells = {str(name): (value or "").strip() for name, value in row.items()}
    for name in ("a", "b"):
        if not cells[name]:
            raise ArenaError(f"{path}:{line}: `{name}` is empty")
    if cells["score"] not in _SCORES:
        raise ArenaError(f"{path}:{line}: score `{cells['score']}`: expected 0, 0.5 or 1 (of a), or 1-0")
    return GameResult(
        a=cells["a"],
        b=cells["b"],
        score=_SCORES[cells["score"]],
        pair=cells.get("pair") or None,
        points_a=_whole(path, line, cells, "points_a"),
        points_b=_whole(path, line, cells, "points_b"),
        hands=_whole(path, line, cells, "hands"),
        line=line,
        owner_a=cells.get("owner_a", ""),
        owner_b=cells.get("owner_b", ""),
    )


def _whole(path: Path, line: int, cells: dict[str, str], name: str) -> int:
    text = cells.get(name, "")
    if not text:
        return 0
    if not re.fullmatch(r"-?[0-9]{1,9}", text):
        raise ArenaError(f"{path}:{line}: {name} `{text}`: expected a whole number")
    return int(text)


def _pgn(path: Path, lines: Iterable[str]) -> Iterator[GameResult]:
    tags: dict[str, str] = {}
    start = number = 0
    in_moves = False
    for number, line in enumerate(lines, 1):
        tag = _TAG.match(line.strip())
        if tag is None:
            in_moves = in_moves or bool(line.strip())
            continue
        if tags and (in_moves or tag[1] in tags):
            yield _game(path, start, tags)
            tags = {}
        if not tags:
            start = number
        in_moves = False
        tags[tag[1]] = re.sub(r"\\(.)", r"\1", tag[2])
    if tags:
        yield _game(path, start, tags)


def _game(path: Path, line: int, tags: dict[str, str]) -> GameResult:
    for name in ("White", "Black", "Result"):
        if not tags.get(name):
            raise ArenaError(f"{path}:{line}: the game has no tag `{name}`")
    result = tags["Result"]
    if result != "*" and (result not in _SCORES or "-" not in result):
        raise ArenaError(f"{path}:{line}: Result `{result}`: expected 1-0, 0-1, 1/2-1/2 or *")
    return GameResult(tags["White"], tags["Black"], -1.0 if result == "*" else _SCORES[result], line=line)


def _sum_up(path: Path, games: Iterable[GameResult], *, consecutive: bool) -> Results:
    pairings: dict[tuple[str, str], _Pairing] = {}
    count = pairs = skipped = 0
    before: GameResult | None = None
    owners: dict[str, str] = {}
    for game in games:
        for player, owner in ((game.a, game.owner_a), (game.b, game.owner_b)):
            if owner and owners.setdefault(player, owner) != owner:
                raise ArenaError(
                    f"{path}:{game.line}: `{player}` belongs to `{owner}`, but above to `{owners[player]}`"
                )
        if game.score < 0:
            skipped += 1
            continue
        if game.a == game.b:
            raise ArenaError(f"{path}:{game.line}: `{game.a}` plays against itself")
        count += 1
        pairing = pairings.setdefault((min(game.a, game.b), max(game.a, game.b)), _Pairing())
        turned = game.a > game.b
        pairing.hands += game.hands
        pairing.points_a += game.points_b if turned else game.points_a
        pairing.points_b += game.points_a if turned else game.points_b
        if game.pair is not None:
            halves = pairing.open.setdefault(game.pair, [])
            halves.append(game)
            if len(halves) > 2:
                raise ArenaError(f"{path}:{game.line}: pair `{game.pair}` has more than two games")
        elif consecutive and before is not None and (before.a, before.b) == (game.b, game.a):
            _add(pairing, before, game)
            pairs += 1
            before = None
        else:
            if before is not None:
                _add(pairings[min(before.a, before.b), max(before.a, before.b)], before)
            before = game if consecutive else None
            if not consecutive:
                _add(pairing, game)
    if before is not None:
        _add(pairings[min(before.a, before.b), max(before.a, before.b)], before)
    for pairing in pairings.values():
        for halves in pairing.open.values():
            _add(pairing, *halves)
            pairs += len(halves) == 2
    if not count:
        raise _nothing(path)
    stats = (
        tally(a, b, p.units, hands=p.hands, points_a=p.points_a, points_b=p.points_b)
        for (a, b), p in sorted(pairings.items())
    )
    return Results(tuple(stats), count, pairs, skipped, owners)


def _add(pairing: _Pairing, *games: GameResult) -> None:
    """One unit: a pair of games or a single one, from the side of the name that comes first."""
    score = sum(1 - game.score if game.a > game.b else game.score for game in games) / len(games)
    margin = sum((game.points_a - game.points_b) * (-1 if game.a > game.b else 1) for game in games)
    pairing.units.append(PairUnit(len(pairing.units), score, None, margin))
