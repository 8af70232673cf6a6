"""Results from elsewhere as pairings."""

from __future__ import annotations

import pytest

from arena.errors import ArenaError
from arena.exchange.results import read_results

CSV = """a,b,score,pair,points_a,points_b,hands
x,y,1,p1,10,4,9
y,x,0.5,p1,6,6,8
x,y,0-1,p2,3,10,7
y,z,1,,10,0,5
"""

PGN = """[Event "?"]
[White "x"]
[Black "y \\"the\\" \\\\ z"]
[Result "1-0"]

1. e4 {[%clk 1]} e5 1-0

[White "y \\"the\\" \\\\ z"]
[Black "x"]
[Result "1/2-1/2"]

1. d4 1/2-1/2

[White "x"]
[Black "w"]
[Result "*"]
*
[White "x"]
[Black "w"]
[Result "0-1"]
"""


def read(tmp_path, text, **options):
    path = tmp_path / "results"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_results(path, **options)


def test_csv_with_pairs(tmp_path):
    results = read(tmp_path, CSV)
    assert (results.games, results.pairs, results.skipped) == (4, 1, 0)
    xy, yz = results.pairings
    assert (xy.a, xy.b, xy.pairs) == ("x", "y", 2)
    assert xy.cells == (1, 0, 0, 1, 0)
    assert (xy.points_a, xy.points_b, xy.hands, xy.sum_margin) == (19, 20, 24, -1)
    assert yz.cells == (0, 0, 0, 0, 1)


def test_a_byte_order_mark_and_the_order_of_columns(tmp_path):
    results = read(tmp_path, "\ufeffScore, B ,a\r\n1,y,x\r\n")
    assert results.pairings[0].cells == (0, 0, 0, 0, 1)


def test_pgn(tmp_path):
    results = read(tmp_path, PGN)
    assert (results.games, results.skipped) == (3, 1)
    assert [(p.a, p.b, p.pairs) for p in results.pairings] == [("w", "x", 1), ("x", 'y "the" \\ z', 2)]
    paired = read(tmp_path, PGN, consecutive=True)
    assert (paired.games, paired.pairs) == (3, 1)
    assert paired.pairings[1].cells == (0, 0, 0, 1, 0)


def test_consecutive_games_need_the_sides_changed(tmp_path):
    results = read(tmp_path, "a,b,score\nx,y,1\nx,y,1\ny,x,1\nx,y,0\n", consecutive=True)
    assert (results.games, results.pairs) == (4, 1)
    assert results.pairings[0].pairs == 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no results"),
        ("a,b,score\n", "no results"),
        ("a,b\nx,y\n", ":1: no column `score`"),
        ("a,b,scoer\nx,y,1\n", "did you mean `score`"),
        ("a,b,score\nx,y,2\n", ":2: score `2`"),
        ("a,b,score\nx,y\n", ":2: another number"),
        ("a,b,score\nx,y,1,4\n", ":2: another number"),
        ("a,b,score\n,y,1\n", ":2: `a` is empty"),
        ("a,b,score\nx,x,1\n", ":2: `x` plays against itself"),
        ("a,b,score,pair\nx,y,1,1\nx,y,1,1\ny,x,1,1\n", ":4: pair `1` has more"),
        ("a,b,score,hands\nx,y,1,many\n", ":2: hands `many`"),
        ('a,b,score\n"x,y,1\n', "not CSV"),
        (b"a,b,score\n\xff\xfe,y,1\n", "UTF-8"),
        ("a,b,score\n" + "x" * 70000 + ",y,1\n", ":2: longer than"),
        ('[White "x"]\n[Result "1-0"]\n', "no tag `Black`"),
        ('[White "x"]\n[Black "y"]\n[Result "2-0"]\n', "Result `2-0`"),
    ],
    ids=range(16),
)
def test_bad_files_are_named_with_their_line(tmp_path, text, words):
    with pytest.raises(ArenaError) as caught:
        read(tmp_path, text)
    assert words in str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_no_such_file(tmp_path):
    with pytest.raises(ArenaError, match="cannot be read"):
        read_results(tmp_path / "none.csv")
