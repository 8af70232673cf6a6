"""Deciding what to play next: bounds that hold at any time, adaptive blocks, Swiss rounds."""

from __future__ import annotations

import math
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ratings.adaptive import FIRST_PAIRS, next_blocks
from arena.ratings.elo import elo_to_score
from arena.ratings.pairs import PairingStats
from arena.ratings.sequential import (
    any_time_half_width,
    any_time_limit,
    information_per_pair,
    mixture_log_ratio,
    more_pairs,
)
from arena.ratings.swiss import swiss_round


def played(a, b, pairs, gap, seed=0):
    """Pairs with the scores that this gap leads one to expect, as even as they can be."""
    p = elo_to_score(gap)
    won = round(pairs * max(0.0, p - 0.15))
    lost = round(pairs * max(0.0, 1 - p - 0.15))
    return PairingStats(a, b, pairs, (lost, 0, pairs - won - lost, 0, won))


def pool(elos, pairs):
    return [played(a, b, pairs, elos[a] - elos[b]) for a, b in combinations(sorted(elos), 2)]


@given(st.floats(-300, 300), st.floats(0.01, 500))
def test_the_mixture_ratio_is_even_and_finite(gap, se):
    ratio = mixture_log_ratio(gap, se)
    assert math.isfinite(ratio)
    assert ratio == mixture_log_ratio(-gap, se)
    width = any_time_half_width(se, 0.05)
    assert mixture_log_ratio(width, se) == pytest.approx(math.log(20), rel=1e-6)


def test_nothing_is_settled_without_an_error_bar():
    assert mixture_log_ratio(10.0, 0.0) == 0.0
    assert mixture_log_ratio(10.0, math.inf) == 0.0


def test_looking_often_costs_no_more_than_was_said():
    """A walk without drift crosses a fixed limit of 1.96 often, and the mixture's at most as claimed."""
    random = Random(11)
    fixed = mixed = 0
    limit = any_time_limit(0.05, 2)
    assert limit == pytest.approx(math.log(1 / 0.1))
    for _ in range(400):
        total, crossed, wrong = 0.0, False, False
        for n in range(1, 400):
            total += random.gauss(0, 40.0)
            se = 40.0 / math.sqrt(n)
            crossed = crossed or abs(total / n) > 1.96 * se
            wrong = wrong or (total > 0 and mixture_log_ratio(total / n, se) >= limit)
        fixed += crossed
        mixed += wrong
    assert fixed > 0.35 * 400
    assert mixed <= 0.05 * 400


def test_more_pairs_shrink_the_error_to_what_is_needed():
    per_pair = information_per_pair(0.5, 0.06)
    se = 1 / math.sqrt(40 * per_pair)
    need = more_pairs(10.0, se, per_pair)
    assert 10.0 * math.sqrt((40 + need) * per_pair) == pytest.approx(1.645, rel=0.03)
    assert need % 10 == 0
    assert more_pairs(0.0, se, per_pair) is None
    assert more_pairs(0.001, se, per_pair) is None
    assert more_pairs(200.0, se, per_pair) == 10


def test_round_robin_comes_first():
    bots = ["d", "b", "a", "c"]
    decision = next_blocks(bots, [], count=100)
    laps = list(combinations("abcd", 2))
    assert decision.blocks == (*laps, *laps)
    assert not decision.settled
    some = [PairingStats("b", "a", 10, (3, 0, 4, 0, 3)), PairingStats("a", "c", 20, (5, 0, 10, 0, 5))]
    assert next_blocks(bots, some, count=3).blocks == (("a", "d"), ("b", "c"), ("b", "d"))


def test_the_least_certain_neighbours_play():
    stats = pool({"a": 150, "b": 10, "c": 0, "d": -150}, FIRST_PAIRS)
    decision = next_blocks("abcd", stats, count=3)
    assert set(decision.blocks) == {("b", "c")}
    assert not decision.settled
    assert [(n.a, n.b) for n in decision.neighbours] == [("a", "b"), ("b", "c"), ("c", "d")]


def test_blocks_chosen_before_count():
    stats = pool({"a": 20, "b": 0, "c": -21}, 40)
    blocks = next_blocks("abc", stats, count=40).blocks
    assert set(blocks) == {("a", "b"), ("b", "c")}


def test_a_gap_seen_as_zero_does_not_draw_a_whole_batch_to_itself():
    stats = pool({"a": 4, "b": 0, "c": 0}, 40)
    decision = next_blocks("abc", stats, count=40)
    assert min(abs(n.gap) for n in decision.neighbours) < 0.01
    assert {frozenset(block) for block in decision.blocks} == {frozenset("ab"), frozenset("bc")}
    # Blocks that are played already, but not looked at yet, count as much.
    ahead = next_blocks("abc", stats, count=1, pending=decision.blocks[:1]).blocks
    assert set(ahead[0]) != set(decision.blocks[0])


def test_a_settled_order_stops():
    decision = next_blocks("abc", pool({"a": 100, "b": 0, "c": -100}, 1000), count=3)
    assert decision.settled
    assert decision.blocks == ()
    assert all(n.settled for n in decision.neighbours)
    assert not next_blocks("abc", pool({"a": 100, "b": 0, "c": -100}, 20), confidence=0.9999).settled


def test_decisions_do_not_depend_on_order():
    stats = pool({"a": 20, "b": 12, "c": 3, "d": -30}, 30)
    turned = [s.swapped() for s in reversed(stats)]
    assert next_blocks("abcd", stats, count=9) == next_blocks("dcba", turned, count=9)


def test_a_lone_bot_has_nothing_to_play():
    assert next_blocks(["a"], []).settled


# Swiss


def test_the_top_half_meets_its_neighbours():
    scores = {"a": 3.0, "b": 3.0, "c": 2.0, "d": 1.0}
    assert swiss_round(scores, []).pairings == (("a", "b"), ("c", "d"))
    assert swiss_round(scores, [("b", "a")]).pairings == (("a", "c"), ("b", "d"))


def test_byes_go_round_from_the_bottom():
    scores = {"a": 3.0, "b": 2.0, "c": 1.0}
    first = swiss_round(scores, [])
    assert first.bye == "c"
    second = swiss_round(scores, first.pairings, byes=["c"])
    assert second.bye == "b"
    assert second.pairings == (("a", "c"),)


def test_pairings_are_remade_before_anyone_meets_twice():
    scores = {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}
    met = [("c", "d")]
    got = swiss_round(scores, met)
    assert got.repeated == ()
    assert got.pairings == (("a", "c"), ("b", "d"))


def test_when_all_have_met_a_pairing_is_repeated_and_said_so():
    scores = {"a": 2.0, "b": 1.0}
    got = swiss_round(scores, [("a", "b")])
    assert got.pairings == got.repeated == (("a", "b"),)


@given(st.integers(2, 14), st.integers(0, 12), st.integers(0, 10**6))
def test_every_round_pairs_everyone_once(bots, rounds, seed):
    random = Random(seed)
    scores = {f"b{k}": 0.0 for k in range(bots)}
    met, byes, repeats = [], [], 0
    for _ in range(rounds):
        got = swiss_round(scores, met, byes)
        named = [bot for pair in got.pairings for bot in pair] + ([got.bye] if got.bye else [])
        assert sorted(named) == sorted(scores)
        assert set(got.repeated) == {p for p in got.pairings if frozenset(p) in {frozenset(m) for m in met}}
        repeats += len(got.repeated)
        met += got.pairings
        byes += [got.bye] if got.bye else []
        for a, b in got.pairings:
            scores[random.choice((a, b))] += 1.0
    if rounds <= bots // 2:
        assert repeats == 0
    if byes:
        assert max(byes.count(b) for b in scores) - min(byes.count(b) for b in scores) <= 1
