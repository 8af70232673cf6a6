"""Replays as they are shown: golden outputs, colours, records that break the rules."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from arena.replay.log import Chain, read_games
from arena.replay.text import arranged, plain_text
from arena.viewer.console import make_console
from arena.viewer.replay import print_game


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


def games_of(data_dir, name):
    return list(read_games(data_dir / "replays" / f"{name}.jsonl"))


def shown(game, *, terminal=False, hand=None):
    out = io.StringIO()
    console = make_console(out)
    if terminal:
        console = Console(
            file=out, force_terminal=True, color_system="256", width=100, highlight=False, markup=False
        )
    print_game(console, game, hand=hand)
    return out.getvalue()


@pytest.mark.parametrize(("name", "number"), [("british", 1), ("british", 2), ("fault", 1), ("fault", 2)])
def test_the_golden_replays(data_dir, name, number):
    game = games_of(data_dir, name)[number - 1]
    expected = (data_dir / "replays" / f"{name}-{number}.txt").read_text(encoding="utf-8")
    assert plain_text(game) == expected


@pytest.mark.parametrize(("name", "number"), [("british", 1), ("fault", 1)])
def test_a_terminal_shows_the_same_in_colour(data_dir, name, number):
    from rich.text import Text

    game = games_of(data_dir, name)[number - 1]
    coloured = shown(game, terminal=True)
    assert "\x1b[" in coloured
    assert Text.from_ansi(coloured).plain.rstrip() == plain_text(game).rstrip()
    assert shown(game) == plain_text(game, symbols=False) or shown(game) == plain_text(game)


def test_suits_have_their_colours_and_winners_stand_out(data_dir):
    coloured = shown(games_of(data_dir, "british")[0], terminal=True)
    assert "\x1b[31m" in coloured
    assert "\x1b[32m" in coloured
    assert "\x1b[94m" in coloured
    assert "\x1b[1;7m" in coloured or "\x1b[1;7;" in coloured


def test_nothing_hostile_reaches_the_terminal(data_dir):
    for game in games_of(data_dir, "fault"):
        text = plain_text(game)
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "[b]evil" in text
        assert "\x1b[31m[b]evil" not in shown(game, terminal=True)


def test_a_fault_stands_where_it_happened(data_dir):
    game = games_of(data_dir, "fault")[0]
    lines = plain_text(game).splitlines()
    place = next(n for n, line in enumerate(lines) if "FAULT" in line)
    assert "illegal: answered `play:XX`" in lines[place]
    assert "stderr" in lines[place + 1]
    assert lines[place + 2] == "  | Traceback"
    assert lines[place + 3] == "  |   oops \\x1b[31m"
    assert any("??" in line for line in lines[:place])
    assert "by forfeit" in lines[-1]


def test_one_hand(data_dir):
    game = games_of(data_dir, "british")[0]
    text = shown(game, hand=2)
    assert "Hand 3" in text  # people count from 1
    assert "Hand 2" not in text
    assert "wins" in text


def test_letters_where_there_are_no_symbols(data_dir):
    text = plain_text(games_of(data_dir, "british")[0], symbols=False)
    assert text.isascii()


def test_a_record_that_breaks_the_rules_is_shown_as_far_as_it_goes(data_dir, tmp_path):
    lines = (data_dir / "replays" / "british.jsonl").read_text().splitlines()
    bodies = []
    for number, line in enumerate(lines):
        data = json.loads(line)
        del data["h"]
        if number == 3:
            data["acts"] = data["acts"].replace("play:", "discard:", 1)
        bodies.append(json.dumps(data, separators=(",", ":")))
    path = tmp_path / "broken.jsonl"
    path.write_text("".join(line + "\n" for line in Chain().extend(bodies)))
    text = plain_text(next(read_games(path)))
    assert "Hand 1" in text
    assert "This record breaks the rules: hand 2" in text


def test_a_hand_is_arranged_as_one_holds_it():
    assert arranged(["9C", "JS", "AH", "JC", "JK"], "C") == ["JK", "JC", "JS", "9C", "AH"]
    assert arranged(["9C", "JS", "AH", "JC", "AC"], None) == ["AC", "JC", "9C", "AH", "JS"]
