"""The standings in a terminal: table, crosstable, plain words, warnings, faults by reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from arena.replay.escape import plain
from arena.tournament.standings import Cross, Row, Standings
from arena.viewer.console import plus_minus

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

NAME_WIDTH = 32
NOTHING = "-"
DISPENSABLE = ("flags", "best", "hands", "pts/hand", "ranks", "> next", "adjusted", "forfeits")
"""Columns that are left out, in this order, where the terminal is too narrow."""


def print_standings(console: Console, standings: Standings, *, title: str = "", unit: str = "pair") -> None:
    """Print everything that a tournament's result says. `unit`: what is counted, `pair` or `game`."""
    from rich.text import Text

    if title:
        console.print(Text(title, style="bold"))
    if not standings.rows:
        console.print(Text("No games yet."))
        return
    console.print(_fitting(console, standings.rows, unit))
    cross = crosstable(standings.rows, standings.crosstable)
    if cross is not None:
        console.print(Text(f"{unit}s won-level-lost, and score, row against column", style="italic"))
        if _width(console, cross) <= console.width:
            console.print(cross)
        else:
            console.print(Text("The crosstable is too wide for this terminal: see `arena standings --json`."))
    for line in standings.lines:
        console.print(Text(plain(line, None)))
    for warning in standings.warnings:
        console.print(Text("warning: ", style="yellow").append(plain(warning, None), style="default"))
    faults = faults_table(standings)
    if faults is not None:
        console.print(faults)


def standings_table(
    rows: Sequence[Row], *, sign: str = "±", unit: str = "pair", leave_out: Sequence[str] = ()
) -> Table:
    """One line a bot: rank, Elo with its 95 % interval, scores, games. `leave_out`: columns by header.

    `sign` stands before an error bar (`plus_minus`).
    """
    columns: list[tuple[str, list[str]]] = [
        ("#", [str(row.rank) for row in rows]),
        ("bot", [_name(row.bot) for row in rows]),
        (f"Elo {sign} 95%", [_elo(row, sign) for row in rows]),
        ("ranks", [_ranks(row) for row in rows]),
        ("> next", [_chance(row.better_than_next) for row in rows]),
        ("best", [_chance(row.best) for row in rows]),
        ("score", [_percent(row.score) for row in rows]),
    ]
    if any(row.adj_score is not None for row in rows):
        columns.append(("adjusted", [_percent(row.adj_score) for row in rows]))
    columns.append((f"{unit}s", [str(row.pairs) for row in rows]))
    if any(row.hands for row in rows):
        columns += [
            ("pts/hand", [_points(row.points_per_hand) for row in rows]),
            ("hands", [str(row.hands) for row in rows]),
            ("forfeits", [str(row.forfeits) for row in rows]),
        ]
    if any(row.flags for row in rows):
        columns.append(("flags", [", ".join(row.flags) for row in rows]))
    shown = [(header, cells) for header, cells in columns if header not in leave_out]
    table = _table()
    for header, _ in shown:
        left = header in ("bot", "flags")
        table.add_column(
            "" if header == "flags" else header, justify="left" if left else "right", no_wrap=True
        )
    for place, row in enumerate(rows):
        best = row.rank == 1 and len(rows) > 1
        table.add_row(*(cells[place] for _, cells in shown), style="bold" if best else None)
    return table


def _fitting(console: Console, rows: Sequence[Row], unit: str) -> Table:
    """The table with as many columns as the terminal has room for."""
    left: list[str] = []
    for header in (*DISPENSABLE, ""):
        table = standings_table(rows, sign=plus_minus(console.encoding), unit=unit, leave_out=left)
        if _width(console, table) <= console.width:
            break
        left.append(header)
    return table


def _width(console: Console, table: Table) -> int:
    return console.measure(table, options=console.options.update(width=100_000)).maximum


def crosstable(rows: Sequence[Row], cells: Sequence[Cross]) -> Table | None:
    """Pairs won-level-lost and the share of the score, each bot against each other; None for two bots."""
    if len(rows) < 3 or not cells:
        return None
    found = {(cell.row, cell.column): cell for cell in cells}
    table = _table()
    table.add_column("", justify="right")
    table.add_column("bot", no_wrap=True, max_width=NAME_WIDTH)
    for place in range(1, len(rows) + 1):
        table.add_column(f"v {place}", justify="right", no_wrap=True)
    for place, row in enumerate(rows, 1):
        line = [str(place), _name(row.bot)]
        for other in rows:
            cell = found.get((row.bot, other.bot))
            if cell is None:
                line.append("" if other.bot == row.bot else NOTHING)
            else:
                line.append(f"{cell.won}-{cell.level}-{cell.lost} {100 * cell.score:3.0f}%")
        table.add_row(*line)
    return table


def faults_table(standings: Standings) -> Table | None:
    """Faults by bot and reason; None if there were none."""
    reasons = sorted({reason for by_reason in standings.faults.values() for reason in by_reason})
    if not reasons:
        return None
    table = _table()
    table.add_column("games forfeited, by reason", no_wrap=True, max_width=NAME_WIDTH)
    for reason in reasons:
        table.add_column(plain(reason), justify="right")
    for bot, by_reason in standings.faults.items():
        if any(by_reason.values()):
            table.add_row(_name(bot), *(str(by_reason.get(reason, 0) or "") for reason in reasons))
    return table


def _table() -> Table:
    from rich import box
    from rich.table import Table

    return Table(
        box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1), collapse_padding=True, header_style="bold"
    )


def _name(name: str) -> str:
    return plain(name, NAME_WIDTH)


def _elo(row: Row, sign: str) -> str:
    if row.elo is None:
        return "unknown"
    elo = f"{row.bound}{round(row.elo)}"
    return elo if row.error is None else f"{elo} {sign} {row.error:3.0f}"


def _ranks(row: Row) -> str:
    return str(row.rank_low) if row.rank_low == row.rank_high else f"{row.rank_low}-{row.rank_high}"


def _points(points: float | None) -> str:
    return NOTHING if points is None else f"{round(points, 2) + 0.0:+.2f}"


def _percent(share: float | None) -> str:
    return NOTHING if share is None else f"{round(100 * share, 1) + 0.0:.1f}%"


def _chance(chance: float | None) -> str:
    """A probability, never as 0 or 100 %."""
    if chance is None:
        return NOTHING
    if chance > 0.999:
        return ">99.9%"
    return "<0.1%" if chance < 0.001 else f"{100 * chance:.1f}%"
