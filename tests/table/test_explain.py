"""Verdicts in words."""

from __future__ import annotations

import pytest

from arena.bots.limits import Limits
from arena.table.explain import fault_text
from arena.table.referee import Foul
from arena.table.verdict import Fault


def text(foul: Foul, *, answered: bool = False, stderr: str = "", hand: int | None = 4) -> str:
    return fault_text(
        foul, bot="greedy", seat=2, game="pair 3 leg 0", hand_number=hand, limits=Limits(), answered=answered,
        stderr=stderr,
    )  # fmt: skip


@pytest.mark.parametrize("code", list(Fault))
def test_every_fault_has_one_line_that_names_bot_seat_game_and_hand(code: Fault) -> None:
    line = text(Foul(code, "something came", "something else"))
    assert line.startswith("greedy, seat 2, pair 3 leg 0, hand 5: ")
    assert "something came" in line
    assert "expected something else" in line
    assert "\n" not in line


ADVICE = [
    (Foul(Fault.TIMEOUT, ""), {}, "is stdout flushed"),
    (Foul(Fault.TIMEOUT, ""), {"answered": True}, "thinks too long"),
    (Foul(Fault.CRASHED, "", ""), {"stderr": "UnicodeDecodeError: 'utf-8' codec can't"}, "read as text"),
    (Foul(Fault.CRASHED, "", ""), {"stderr": "ModuleNotFoundError: No module named 'x'"}, "library"),
    (Foul(Fault.CRASHED, "", ""), {"stderr": "boom"}, "stderr says why"),
    (Foul(Fault.CRASHED, "", ""), {}, "nothing on stderr"),
    (Foul(Fault.ILLEGAL, "'PASS' came", "one of pass, order_up"), {}, "did you mean `pass`"),
    (Foul(Fault.ILLEGAL, "'order up' came", "one of pass, order_up"), {}, "did you mean `order_up`"),
    (Foul(Fault.ILLEGAL, "'play:9C' came", "one of play:9D, play:9H"), {}, "word out of `legal`"),
    (Foul(Fault.WRONG_ID, "id 3 came", "the request's id 4"), {}, "copy `id`"),
    (Foul(Fault.UNSOLICITED, ""), {}, "each `act` once"),
    (Foul(Fault.NOT_READING, ""), {}, "read stdin"),
    (Foul(Fault.TIMEOUT, ""), {}, "1000 ms"),
]


@pytest.mark.parametrize(("foul", "circumstances", "expected"), ADVICE)
def test_the_likely_mistake_is_named(foul: Foul, circumstances: dict[str, object], expected: str) -> None:
    assert expected in text(foul, **circumstances)  # type: ignore[arg-type]


def test_a_near_card_is_no_suggestion() -> None:
    line = text(Foul(Fault.ILLEGAL, "'play:9C' came", "one of play:9D, play:9H"))
    assert "did you mean" not in line


def test_what_unflushed_output_looks_like_is_not_said_twice() -> None:
    assert text(Foul(Fault.TIMEOUT, "4 of 9 bytes of a frame came: is stdout flushed?")).count("flushed") == 1
