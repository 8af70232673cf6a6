"""Standings and progress in a terminal."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest

from arena.tournament.events import GameEnded, Notice, Progress, Started, Stopping
from arena.tournament.standings import Cross, Row, Standings
from arena.viewer.console import make_console
from arena.viewer.progress import ProgressView, duration, fault_words
from arena.viewer.standings import print_standings

EVIL = "\x1b]0;owned\x07[red]evil[/red]\u202egro"

ROW = Row(
    rank=1, bot="careful", elo=203.4, error=31.2, bound="", rank_low=1, rank_high=1, better_than_next=0.9999,
    best=0.97, score=0.8125, adj_score=None, points_per_hand=0.31, pairs=40, hands=900, forfeits=0,
)  # fmt: skip
ROWS = (
    ROW,
    replace(ROW, rank=2, bot=EVIL, elo=-12.6, error=40, rank_low=2, rank_high=3, better_than_next=0.0001,
            score=0.4, forfeits=3, flags=("provisional",)),
    replace(ROW, rank=3, bot="random", elo=None, error=None, rank_low=2, rank_high=3, better_than_next=None,
            best=None, score=None, points_per_hand=None, pairs=0, hands=0),
)  # fmt: skip
STANDINGS = Standings(
    rows=ROWS,
    crosstable=(Cross("careful", EVIL, 2, 4, 14, 0.8), Cross(EVIL, "careful", 14, 4, 2, 0.2)),
    warnings=(f"`{EVIL}` has a guessable seed",),
    lines=("`careful` is better than `random` with 99.2 %.",),
    faults={EVIL: {"timeout": 2, "illegal": 1}, "careful": {}},
    facts={},
)


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


def show(standings, *, terminal=False):
    out = io.StringIO()
    console = make_console(out)
    if terminal:
        from rich.console import Console

        console = Console(file=out, force_terminal=True, width=120, highlight=False, markup=False)
    print_standings(console, standings, title="north-american")
    return out.getvalue()


def test_the_table_says_everything():
    text = show(STANDINGS)
    for part in (
        "careful",
        "203 ±  31",
        ">99.9%",
        "<0.1%",
        "unknown",
        "2-3",
        "81.2%",
        "+0.31",
        "provisional",
    ):
        assert part in text, part
    assert "14-4-2  80%" in text
    assert "better than `random`" in text
    assert "warning: " in text
    assert "timeout" in text
    assert "\x1b" not in text


@pytest.mark.parametrize("terminal", [False, True])
def test_a_hostile_name_is_shown_as_text(terminal):
    text = show(STANDINGS, terminal=terminal)
    assert "\\x1b]0;owned\\x07[red]evil[/re" in text
    assert "\x1b]" not in text
    assert "\u202e" not in text
    assert "\x07" not in text


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
def test_a_narrow_terminal_gets_fewer_columns_and_no_cut_ones(monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    text = show(replace(STANDINGS, lines=(), warnings=(), crosstable=(), faults={}, rows=(ROW, ROWS[2])))
    assert all(len(line) <= width for line in text.splitlines())
    assert "…" not in text
    for part in ("careful", "203 ±  31", "score", "pairs"):
        assert part in text
    assert ("pts/hand" in text) == (width >= 80)


def test_no_games():
    assert "No games yet" in show(replace(STANDINGS, rows=()))


def test_two_bots_need_no_crosstable():
    text = show(replace(STANDINGS, rows=ROWS[:2]))
    assert "won-level-lost" not in text


def test_a_crosstable_too_wide_is_left_out_in_words():
    rows = tuple(replace(ROW, rank=n, bot=f"bot-{n}") for n in range(1, 40))
    cells = tuple(Cross("bot-1", f"bot-{n}", 1, 1, 1, 0.5) for n in range(2, 40))
    text = show(replace(STANDINGS, rows=rows, crosstable=cells))
    assert "too wide" in text


STARTED = Started(
    out="arena-out", game="north-american", rules={"target": 5}, bots=("careful", EVIL), games_total=40,
    games_stored=4, slots=2, isolation="basic", commitment="c" * 64, guessable=True,
)  # fmt: skip
GAME = GameEnded(
    a="careful", b=EVIL, pair=0, leg=0, score_a=1.0, points_a=10, points_b=4, reason="target",
    fault_code=None, fault_bot=None, fault_text="", hands=9, decisions=200, seconds=0.1, log="logs/x.jsonl",
)  # fmt: skip
LOST = replace(GAME, leg=1, reason="forfeit", fault_code="timeout", fault_bot=EVIL)


def progress(done, *, seconds=1.0, faults=None):
    return Progress(
        games_done=done, games_total=40, games_played=done, games_per_second=3.25, seconds=seconds,
        seconds_left=75.0, faults=faults or {}, running=(f"careful - {EVIL}, pairs 0-9",),
    )  # fmt: skip


def test_into_a_pipe_go_plain_lines_and_not_too_many():
    out = io.StringIO()
    with ProgressView(make_console(out)) as view:
        view(replace(STARTED, games_stored=0))
        for done in range(41):
            view(GAME)
            view(progress(done, seconds=done / 4, faults={"timeout": done}))
        view(Notice(f"bot `{EVIL}` does not start"))
        view(Stopping("interrupted"))
    lines = out.getvalue().splitlines()
    assert "2 bots, 40 games, 2 at a time, isolation basic" in lines[0]
    assert "target=5" in lines[0]
    assert "guessable seed" in lines[0]
    assert 10 <= len(lines) <= 15
    assert any("20/40 games, 3.2/s, 1 min 15 s left, faults: 20 timeout" in line for line in lines)
    assert "\x1b" not in out.getvalue()
    assert "interrupted" in lines[-1]


def test_a_run_goes_on_where_nobody_reads():
    class Closed(io.StringIO):
        def write(self, text):
            raise BrokenPipeError

    with ProgressView(make_console(Closed())) as view:
        for event in (replace(STARTED, games_stored=0), GAME, progress(20), progress(40), Stopping("time")):
            view(event)


def test_on_a_terminal_there_is_a_live_block_that_goes_away():
    from rich.console import Console

    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=100, height=30, highlight=False, markup=False)
    with ProgressView(console) as view:
        view(replace(STARTED, games_stored=0))
        view(GAME)
        view(LOST)
        view(progress(2, faults={"timeout": 1}))
        shown = out.getvalue()
    assert "100.0%" in shown
    assert "1 forfeited" in shown
    assert "pairs 0-9" in shown
    assert "\\x1b]0;owned" in shown
    assert "\x1b]0;" not in shown
    assert "\u202e" not in shown


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "0 s"), (59.6, "1 min"), (45, "45 s"), (200, "3 min 20 s"), (7500, "2 h 5 min"), (-3, "0 s")],
)
def test_durations_in_words(seconds, words):
    assert duration(seconds) == words


def test_faults_in_words():
    assert fault_words({}) == ""
    assert fault_words({"timeout": 2, "illegal": 1, "crashed": 0}) == "faults: 1 illegal, 2 timeout"
