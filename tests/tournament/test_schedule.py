"""Who meets whom, in which order, under which name."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from itertools import combinations, islice

import pytest

from arena.errors import ArenaError
from arena.tournament.names import assign_names
from arena.tournament.schedule import blocks, circle, count_pairings, games_of, match_id, pairings

A, B, C = "a" * 64, "b" * 64, "c" * 64


@pytest.mark.parametrize("bots", range(2, 13))
def test_everyone_meets_everyone_once(bots: int) -> None:
    assert sorted(circle(bots)) == list(combinations(range(bots), 2))
    assert count_pairings("round-robin", bots) == len(list(circle(bots)))


@pytest.mark.parametrize("bots", range(2, 13))
def test_all_bots_advance_evenly(bots: int) -> None:
    met: Counter[int] = Counter(dict.fromkeys(range(bots), 0))
    for pairing in circle(bots):
        met.update(pairing)
        assert max(met.values()) - min(met.values()) <= 2


def test_a_gauntlet() -> None:
    assert list(pairings("gauntlet", 4)) == [(0, 1), (0, 2), (0, 3)]
    assert count_pairings("gauntlet", 4) == 3


def test_block_by_block() -> None:
    plan = list(blocks("round-robin", 3, 25))
    assert [(b.block, b.first, b.pairs) for b in plan] == [(0, 0, 10)] * 3 + [(1, 10, 10)] * 3 + [
        (2, 20, 5)
    ] * 3


def test_more_pairs_leave_the_earlier_blocks_as_they_were() -> None:
    few = [(b.one, b.other, b.first) for b in blocks("round-robin", 5, 20)]
    assert [(b.one, b.other, b.first) for b in blocks("round-robin", 5, 40)][: len(few)] == few


def test_first_legs_first() -> None:
    assert list(games_of(10, 2)) == [(10, 0), (11, 0), (10, 1), (11, 1)]


def test_a_thousand_bots_start_at_once_and_hold_no_list() -> None:
    tracemalloc.start()
    first = list(islice(blocks("round-robin", 1000, 1000), 2000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len({(b.one, b.other) for b in first}) == 2000
    assert peak < 2_000_000


BASE = {
    "game": "north-american",
    "rules": {"target": 10},
    "digests": ("aa", "bb"),
    "limits": {"move_ms": 1000},
    "conditions": {"ponder": "watch"},
    "commitment": "cc",
}


def test_a_match_does_not_depend_on_the_order_of_its_bots() -> None:
    assert match_id(**BASE) == match_id(**{**BASE, "digests": ("bb", "aa")})


@pytest.mark.parametrize(
    "change",
    [
        {"game": "british"},
        {"rules": {"target": 11}},
        {"digests": ("aa", "cc")},
        {"limits": {"move_ms": 999}},
        {"conditions": {"ponder": "freeze"}},
        {"commitment": "cd"},
    ],
)
def test_whatever_results_depend_on_makes_another_match(change: dict[str, object]) -> None:
    assert match_id(**BASE) != match_id(**{**BASE, **change})  # type: ignore[arg-type]


def test_bots_of_one_name_get_their_version() -> None:
    names = assign_names([("x", "1.0", A, "p"), ("y", "1.0", B, "q"), ("x", "1.1", C, "r")])
    assert names == {A: "x@1.0", B: "y", C: "x@1.1"}


def test_bots_of_one_name_and_version_get_their_digest() -> None:
    names = assign_names([("x", "1.0", A, "p"), ("x", "1.0", C, "r"), ("x", "2.0", B, "q")])
    assert names == {A: "x@aaaaaaaa", C: "x@cccccccc", B: "x@2.0"}


def test_bots_without_a_version_get_their_digest() -> None:
    assert assign_names([("x", "", A, "p"), ("x", "", C, "r")]) == {A: "x@aaaaaaaa", C: "x@cccccccc"}


def test_digests_that_begin_alike() -> None:
    one, other = "a" * 10 + "1" * 54, "a" * 10 + "2" * 54
    names = assign_names([("x", "1", one, "p"), ("x", "1", other, "q")])
    assert names == {one: f"x@{one[:8]}", other: f"x@{other[:12]}"}


def test_a_stored_bot_keeps_its_name() -> None:
    assert assign_names([("x", "1", B, "q"), ("x", "1", A, "p")], {A: "x"}) == {A: "x", B: "x@bbbbbbbb"}
    assert assign_names([("x", "2", B, "q"), ("x", "1", A, "p")], {A: "x"}) == {A: "x", B: "x@2"}


def test_a_stored_name_is_not_given_again() -> None:
    assert assign_names([("x", "1", B, "q")], {A: "x"}) == {B: "x@1"}
    assert assign_names([("x", "1", B, "q")], {A: "x", C: "x@1"}) == {B: "x@bbbbbbbb"}


def test_a_bot_given_twice() -> None:
    with pytest.raises(ArenaError, match="`p` is given twice"):
        assign_names([("x", "1", A, "p"), ("x", "1", A, "p")])
    with pytest.raises(ArenaError, match="`p` and `q` are the same bot"):
        assign_names([("x", "1", A, "p"), ("x", "1", A, "q")])
