"""Sums of a pairing: tallying, turning round, and the cross-fitted luck adjustment."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import ArenaError
from arena.ratings.columns import adjusted_scores, block_squares, columns_of, deck_units, raw_scores
from arena.ratings.pairs import (
    DEFAULT_BETA,
    BlockSums,
    LuckFold,
    PairingStats,
    PairUnit,
    beta_of,
    cell_of,
    fold_of,
    slope_of,
    tally,
)

scores = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
some_units = st.lists(st.tuples(scores, st.floats(-0.5, 0.5)), min_size=1, max_size=60).map(
    lambda rows: [PairUnit(k, s, luck, 4 * s - 2) for k, (s, luck) in enumerate(rows)]
)


def lucky_units(seed, n, mean=0.5, beta=0.8, noise=0.2, spread=0.15):
    random = Random(seed)
    found = []
    for pair in range(n):
        luck = random.gauss(0, spread)
        x = random.gauss(mean + beta * luck, noise)
        found.append(PairUnit(pair, 0.0 if x < 0.25 else 1.0 if x > 0.75 else 0.5, luck))
    return found


def test_a_tally_counts():
    units = [PairUnit(0, 1.0, 0.1, 8), PairUnit(1, 0.5, -0.2, -1), PairUnit(10, 0.0, 0.3, -6)]
    stats = tally("a", "b", units, hands=60, points_a=50, points_b=49, forfeits_b=1)
    assert stats.cells == (1, 0, 1, 0, 1)
    assert (stats.pairs, stats.games, stats.score, stats.score2) == (3, 6, 1.5, 1.25)
    assert stats.three == (1, 1, 1)
    assert (stats.sum_margin, stats.sum_margin2) == (1, 101)
    first, second = stats.folds
    assert (first.n, second.n) == (2, 1)
    assert pytest.approx(-0.1) == first.L
    assert second == LuckFold(1, 0.0, 0.3, 0.0, 0.09, 0.0)
    near = pytest.approx
    assert stats.blocks[0] == BlockSums(1, 4, 3.0, near(-0.2), 2.25, near(0.01), near(-0.15))


def test_luck_that_is_not_known_for_every_pair_is_not_kept():
    stats = tally("a", "b", [PairUnit(0, 1.0, 0.1), PairUnit(1, 1.0, None)])
    assert stats.folds == ()
    assert stats.blocks
    assert tally("a", "b", []).blocks == ()


@given(some_units)
def test_turning_round_twice_is_nothing(units):
    stats = tally("a", "b", units, hands=9, points_a=3, points_b=4)
    turned = tally("b", "a", [replace(u, score=1 - u.score, luck=-u.luck, margin=-u.margin) for u in units],
                   hands=9, points_a=4, points_b=3)  # fmt: skip
    for one, other in ((stats.swapped(), turned), (stats.swapped().swapped(), stats)):
        assert one.cells == other.cells
        for f, g in zip(one.folds, other.folds, strict=True):
            assert (f.n, f.s, f.L, f.s2, f.L2, f.sL) == pytest.approx((g.n, g.s, g.L, g.s2, g.L2, g.sL))
        for f, g in zip(one.blocks, other.blocks, strict=True):
            assert (f.nS, f.nL, f.S2, f.SL) == pytest.approx((g.nS, g.nL, g.S2, g.SL))


@pytest.mark.parametrize(
    "wrong",
    [
        {"b": "a"},
        {"pairs": 3},
        {"cells": (-1, 0, 0, 0, 1)},
        {"folds": (LuckFold(5),)},
    ],
)
def test_sums_that_cannot_be_are_refused(wrong):
    with pytest.raises(ArenaError):
        PairingStats(**{"a": "a", "b": "b", "pairs": 0, "cells": (0,) * 5} | wrong)


def test_scores_that_no_pair_can_have():
    assert [cell_of(s) for s in (0, 0.25, 0.5, 0.75, 1)] == [0, 1, 2, 3, 4]
    for score in (0.3, -0.25, 1.25):
        with pytest.raises(ArenaError, match="cannot score"):
            cell_of(score)


def test_folds_are_whole_blocks():
    assert [fold_of(p) for p in (0, 9, 10, 19, 20)] == [0, 0, 1, 1, 0]


def test_beta_is_drawn_to_what_is_typical():
    assert beta_of(LuckFold()) == pytest.approx(DEFAULT_BETA)
    assert slope_of(LuckFold(5, 2, 0, 1, 0, 0)) is None
    units = lucky_units(1, 4000, beta=0.3)
    stats = tally("a", "b", units)
    whole = stats.folds[0] + stats.folds[1]
    assert slope_of(whole) == pytest.approx(beta_of(whole), abs=0.01)
    lopsided = LuckFold(100, 97.0, 0.0, 96.0, 0.0, 0.0)
    assert beta_of(lopsided) < 0.45 * DEFAULT_BETA


def test_each_fold_is_adjusted_by_the_other():
    units = lucky_units(2, 80)
    columns = columns_of([tally("a", "b", units)])
    before = adjusted_scores(columns)
    # New scores in fold 1 move the beta of fold 0 and not its own.
    moved = [replace(u, score=1.0 if u.luck > 0 else 0.0) if fold_of(u.pair) else u for u in units]
    after = adjusted_scores(columns_of([tally("a", "b", moved)]))
    assert before.beta[0, 1] == pytest.approx(after.beta[0, 1])
    assert before.beta[0, 0] != pytest.approx(after.beta[0, 0])


def test_sums_are_those_of_the_adjusted_pairs():
    units = lucky_units(3, 57)
    columns = columns_of([tally("a", "b", units)])
    freed = adjusted_scores(columns)
    x = np.array([u.score - freed.beta[0, fold_of(u.pair)] * u.luck for u in units])
    assert freed.s[0] == pytest.approx(x.sum())
    assert freed.s2[0] == pytest.approx((x**2).sum())
    blocks = [x[k : k + 10] for k in range(0, 57, 10)]
    want = sum((block - 0.4).sum() ** 2 for block in blocks)
    assert block_squares(columns, freed, np.array([0.4]))[0] == pytest.approx(want)


def test_the_adjustment_is_unbiased_and_narrower():
    raw, freed = [], []
    for seed in range(400):
        columns = columns_of([tally("a", "b", lucky_units(seed, 20, mean=0.55))])
        raw.append(raw_scores(columns).s[0] / 20)
        freed.append(adjusted_scores(columns).s[0] / 20)
    true = np.mean([tally("a", "b", lucky_units(10_000, 40_000, mean=0.55)).score / 40_000])
    assert np.mean(freed) == pytest.approx(true, abs=4 * np.std(freed) / 20)
    assert np.var(freed) < 0.85 * np.var(raw)


def test_columns_do_not_depend_on_order_or_side():
    stats = [
        tally("b", "a", lucky_units(4, 30)),
        tally("a", "c", lucky_units(5, 30)),
        tally("a", "b", lucky_units(6, 20)),
        tally("c", "b", lucky_units(7, 10)),
    ]
    one = columns_of(stats, ["z"])
    other = columns_of([s.swapped() for s in reversed(stats)], ["z"])
    assert one.names == other.names == ("a", "b", "c", "z")
    for name in ("i", "j", "cells", "folds", "blocks"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=1e-12)
    assert one.n.tolist() == [50, 30, 10]


def test_luck_of_some_records_only_is_not_used():
    stats = [tally("a", "b", lucky_units(8, 20)), PairingStats("a", "b", 1, (0, 0, 0, 0, 1))]
    columns = columns_of(stats)
    assert not columns.all_luck
    assert not columns.folds.any()
    assert columns_of(stats[:1]).all_luck


def test_single_pairs_by_deck():
    units = lucky_units(9, 25)
    columns = columns_of([tally("b", "a", units)])
    decks = deck_units(columns, {("b", "a"): units, ("x", "y"): units})
    assert decks.deck.tolist() == list(range(25))
    freed = adjusted_scores(columns)
    assert decks.adjusted(freed).sum() == pytest.approx(freed.s[0])
    plain = decks.adjusted(raw_scores(columns)).sum()
    assert plain == pytest.approx(columns.n[0] - sum(u.score for u in units))
