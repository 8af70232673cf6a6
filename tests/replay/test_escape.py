"""What a bot chose is shown as harmless text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.replay.escape import columns, padded, plain, plain_lines


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("careful", "careful"),
        ("Bot 7 (très fort) 😀", "Bot 7 (très fort) 😀"),
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("a\nb\tc\r", "a\\x0ab\\x09c\\x0d"),
        ("abc\u202edef", "abc\\u202edef"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("line\u2028para\u2029", "line\\u2028para\\u2029"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
        ("e" + "\u0301" * 5, "e\u0301\u0301" + "\\u0301" * 3),
        ("[bold]markup[/bold] :boom:", "[bold]markup[/bold] :boom:"),
        ("../../etc", "../../etc"),
        ("x" * 300, "x" * 197 + "..."),
    ],
)
def test_what_is_shown(text, shown):
    assert plain(text) == shown


@given(st.text())
def test_nothing_hidden_gets_through(text):
    shown = plain(text)
    assert len(shown) <= 200
    assert not {unicodedata.category(char) for char in shown} & {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
    shown.encode()
    assert plain(shown) == shown


def test_the_last_lines_of_stderr():
    text = "first\n\tsecond\x1b\r\nthird\n\n\n"
    assert plain_lines(text) == ["first", "    second\\x1b", "third"]
    assert plain_lines("\n".join(map(str, range(100))), 3) == ["97", "98", "99"]
    assert plain_lines("") == []


def test_columns_of_a_terminal():
    assert [columns(text) for text in ("abc", "😀", "日本", "e\u0301")] == [3, 2, 4, 1]
    assert padded("😀", 4) == "😀  "
    assert padded("abc", 2) == "abc"
