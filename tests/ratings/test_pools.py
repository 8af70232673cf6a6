"""Ratings of pools: where they exist, what happens where they do not, and laws that always hold."""

from __future__ import annotations

import math
from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import ArenaError
from arena.ratings.bradley_terry import check_anchors, fit_pool
from arena.ratings.columns import adjusted_scores, columns_of, deck_units, raw_scores
from arena.ratings.elo import elo_to_score
from arena.ratings.fit import cycles, disagreements, misfit
from arena.ratings.owners import owner_shifts
from arena.ratings.pairs import PairingStats, PairUnit, tally
from arena.ratings.ranks import draw_ranks


def pairing(a, b, lost, level, won):
    return PairingStats(a, b, lost + level + won, (lost, 0, level, 0, won))


def rate(*pairings, **options):
    return fit_pool(columns_of(pairings), **options)


def simulated(elos, pairs, seed, *, block=0.0, luck=0.15, gap=None):
    """Pairs of every pairing; `block` correlates the pairs of a block, `gap` bends one pairing."""
    random = Random(seed)
    found = []
    names = sorted(elos)
    for k, a in enumerate(names):
        for b in names[k + 1 :]:
            mean = elo_to_score(elos[a] - elos[b]) + (gap or {}).get((a, b), 0.0)
            units = []
            for p in range(pairs):
                if p % 10 == 0:
                    shift = random.gauss(0, block)
                lucky = random.gauss(0, luck)
                x = random.gauss(mean + shift + 0.8 * lucky, 0.2)
                low, high = 0.25, 0.75
                units.append(PairUnit(p, 0.0 if x < low else 1.0 if x > high else 0.5, lucky))
            found.append(tally(a, b, units))
    return found


# Edge rules


def test_one_pair():
    fit = rate(pairing("a", "b", 0, 0, 1))
    assert fit.bound == (">", "<")
    gap, _ = fit.difference(0, 1)
    assert elo_to_score(gap) == pytest.approx(0.75)
    assert 0.6 < fit.better(0, 1) < 0.9


def test_ten_to_nothing():
    fit = rate(pairing("a", "b", 0, 0, 10))
    gap, _ = fit.difference(0, 1)
    assert elo_to_score(gap) == pytest.approx(10.5 / 11)
    assert fit.better(0, 1) < 1


@pytest.mark.parametrize("n", [1, 100])
def test_nothing_but_level_pairs_still_has_an_error(n):
    fit = rate(pairing("a", "b", 0, n, 0))
    assert fit.elo.tolist() == [0.0, 0.0]
    assert fit.bound == ("", "")
    assert fit.error(0) > 0
    assert fit.better(0, 1) == pytest.approx(0.5)


def test_a_perfect_bot_does_not_move_the_others():
    fit = rate(pairing("a", "b", 0, 0, 10), pairing("a", "c", 0, 0, 10), pairing("b", "c", 4, 0, 6))
    assert fit.bound == (">", "", "")
    assert not fit.prior
    gap, _ = fit.difference(1, 2)
    assert gap == pytest.approx(70.4365, abs=1e-3)
    total = 10 * elo_to_score(fit.elo[0] - fit.elo[1]) + 10 * elo_to_score(fit.elo[0] - fit.elo[2])
    assert total / 20 == pytest.approx(20.5 / 21)


def test_a_chain_of_perfect_bots():
    fit = rate(pairing("a", "b", 0, 0, 5), pairing("b", "c", 0, 0, 5))
    assert fit.bound == (">", "", "<")
    assert fit.elo[0] == pytest.approx(-fit.elo[2])
    assert fit.elo[0] > fit.elo[1] > fit.elo[2]
    longer = rate(*[pairing(x, y, 0, 0, 5) for x, y in combinations("abcd", 2)])
    assert list(longer.elo) == sorted(longer.elo, reverse=True)
    assert longer.bound == (">", ">", "<", "<")


def test_disconnected_pools_are_named_and_held_by_a_prior():
    fit = rate(pairing("a", "b", 4, 0, 6), pairing("c", "d", 3, 0, 7))
    assert fit.prior
    assert fit.group.tolist() == [0, 0, 1, 1]
    assert fit.error(0) > 300
    assert np.abs(fit.elo).max() < 400


def test_groups_joined_one_way_only():
    fit = rate(pairing("a", "b", 4, 0, 6), pairing("c", "d", 3, 0, 7), pairing("a", "c", 0, 0, 5))
    assert fit.prior
    assert len(set(fit.group.tolist())) == 2
    assert min(fit.elo[:2]) > max(fit.elo[2:])


def test_two_perfect_bots_who_met_only_the_core_and_each_other():
    fit = rate(pairing("a", "b", 0, 0, 4), pairing("a", "c", 0, 0, 4), pairing("b", "c", 3, 0, 5),
               pairing("a", "z", 0, 0, 4), pairing("b", "z", 0, 0, 4))  # fmt: skip
    assert fit.bound[0] == ">"
    assert fit.bound[3] == "<"
    assert np.isfinite(fit.elo).all()


def test_nothing_to_rate():
    with pytest.raises(ArenaError, match="nothing to rate"):
        fit_pool(columns_of([PairingStats("a", "b")], ["a", "b"]))


def test_bots_without_pairs_are_left_out():
    fit = fit_pool(columns_of([pairing("a", "b", 1, 0, 3)], ["zed"]))
    assert fit.names == ("a", "b")


def test_anchor_has_no_error_and_the_others_that_of_the_difference():
    fit = rate(*simulated({"a": 60, "b": 0, "c": -60}, 40, 1))
    fixed = fit.anchored("b", 1500.0)
    assert fixed.elo[1] == 1500.0
    assert fixed.error(1) == pytest.approx(0.0, abs=1e-6)
    _, se = fit.difference(0, 1)
    assert fixed.error(0) == pytest.approx(se * fit.t95)
    assert fixed.better(0, 2) == pytest.approx(fit.better(0, 2))


@pytest.mark.parametrize(
    ("anchors", "said"),
    [
        ({"a": 0.0, "b": 100.0}, "contradict"),
        ({"caerful": 0.0}, "did you mean `careful`"),
        ({"zzz": 0.0}, "rated are"),
    ],
)
def test_anchors_that_cannot_be(anchors, said):
    with pytest.raises(ArenaError, match="anchor") as caught:
        check_anchors(anchors, ("a", "b", "careful"))
    assert said in str(caught.value)
    check_anchors({"a": 0.0}, ("a", "b"))


def test_adjusted_sums_without_a_maximum_fall_back_to_raw():
    # The weak bot lost nearly all, and luck says that it should have lost more than all.
    weak = [PairUnit(k, 0.5 if k == 3 else 0.0, 0.3 if k % 2 else 0.1) for k in range(20)]
    even = [PairUnit(k, (k % 3) / 2, 0.01 * (k % 5 - 2)) for k in range(20)]
    stats = [tally("weak", "b", weak), tally("weak", "c", weak), tally("b", "c", even)]
    columns = columns_of(stats)
    assert columns.all_luck
    freed = adjusted_scores(columns)
    k = columns.names.index("weak")
    total = np.where(columns.i == k, freed.s, 0) + np.where(columns.j == k, freed.n - freed.s, 0)
    assert total.sum() < 0.25
    fit = fit_pool(columns)
    assert not fit.adjusted
    np.testing.assert_allclose(fit.elo, fit_pool(columns, adjusted=False).elo)


# What a fit is


def test_expected_scores_are_the_actual_ones():
    columns = columns_of(simulated({"a": 90, "b": 20, "c": 0, "d": -110}, 30, 2))
    for adjusted in (True, False):
        fit = fit_pool(columns, adjusted=adjusted)
        scores = adjusted_scores(columns) if adjusted else raw_scores(columns)
        rest = scores.s - scores.n * fit.expected
        by_bot = np.bincount(columns.i, rest, 4) - np.bincount(columns.j, rest, 4)
        np.testing.assert_allclose(by_bot, 0, atol=1e-8)
        assert fit.elo.sum() == pytest.approx(0, abs=1e-9)
        assert fit.adjusted is adjusted


def test_luck_makes_errors_smaller():
    columns = columns_of(simulated({"a": 40, "b": 20, "c": 0, "d": -60}, 60, 3, luck=0.25))
    adjusted, raw = fit_pool(columns), fit_pool(columns, adjusted=False)
    assert adjusted.error(0) < 0.9 * raw.error(0)


def test_memory_within_a_block_widens_the_errors():
    elos = {"a": 40, "b": 0, "c": -40}
    independent = rate(*simulated(elos, 100, 4), adjusted=False)
    remembered = rate(*simulated(elos, 100, 4, block=0.25), adjusted=False)
    assert independent.clustered == "pair"
    assert remembered.clustered == "block"
    assert remembered.error(0) > 1.5 * independent.error(0)


def test_independent_blocks_are_rarely_taken_for_memory():
    elos = {"a": 0, "b": 0, "c": 0, "d": 0}
    taken = sum(rate(*simulated(elos, 40, s), adjusted=False).clustered == "block" for s in range(60))
    assert taken <= 3


def test_shared_decks_cluster_the_errors():
    random = Random(5)
    shared: dict[tuple[str, str], list[PairUnit]] = {}
    tilt = [random.gauss(0, 0.25) for _ in range(60)]
    for a, b in (("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d")):
        units = []
        for deck in range(60):
            # Bot a plays each deck its own way, well or badly, against everyone.
            x = random.gauss(0.5 + (tilt[deck] if a == "a" else 0.0), 0.15)
            units.append(PairUnit(deck, 0.0 if x < 0.25 else 1.0 if x > 0.75 else 0.5, 0.0))
        shared[a, b] = units
    columns = columns_of(tally(a, b, units) for (a, b), units in shared.items())
    alone = fit_pool(columns, adjusted=False)
    together = fit_pool(columns, adjusted=False, decks=deck_units(columns, shared))
    assert together.clustered == "deck"
    assert together.error(0) > 1.3 * alone.error(0)


def test_ranks_come_from_joint_draws():
    fit = rate(*simulated({"a": 200, "b": 1, "c": 0, "d": -200}, 30, 7))
    ranks = draw_ranks(fit)
    assert ranks == draw_ranks(fit)
    assert ranks.low[0] == ranks.high[0] == 1
    assert ranks.low[1:3] == (2, 2)
    assert ranks.high[1:3] == (3, 3)
    assert sum(ranks.best) == pytest.approx(1.0, abs=0.01)
    assert min(ranks.best) > 0
    assert max(ranks.best) < 1


def test_a_large_pool_has_ranks():
    random = Random(7)
    stats = [
        pairing(f"b{k:03}", f"b{(k + d) % 250:03}", random.randint(1, 5), 3, random.randint(1, 5))
        for k in range(250)
        for d in (1, 2, 7)
    ]
    ranks = draw_ranks(rate(*stats))
    assert all(1 <= low <= high <= 250 for low, high in zip(ranks.low, ranks.high, strict=True))


# Does one ladder fit?


def test_a_pool_that_fits_and_one_that_does_not():
    elos = {"a": 60, "b": 20, "c": -20, "d": -60}
    for gap, clear in ((None, False), ({("a", "d"): -0.25}, True)):
        columns = columns_of(simulated(elos, 200, 8, gap=gap))
        fit = fit_pool(columns)
        found = misfit(columns, adjusted_scores(columns), fit)
        assert found.dof == 3
        assert found.clear is clear
        if clear:
            assert {found.residuals[0].a, found.residuals[0].b} == {"a", "d"}
            assert found.residuals[0].z < -3


def test_misfit_is_rarely_seen_where_there_is_none():
    elos = {name: 25.0 * k for k, name in enumerate("abcdef")}
    seen = 0
    for seed in range(60):
        columns = columns_of(simulated(elos, 20, 100 + seed))
        fit = fit_pool(columns)
        scores = adjusted_scores(columns) if fit.adjusted else raw_scores(columns)
        seen += misfit(columns, scores, fit).clear
    assert seen <= 4


def test_cycles_are_found_once():
    columns = columns_of([pairing(x, y, 5, 10, 25) for x, y in ("ab", "bc", "ca")])
    fit = fit_pool(columns)
    assert [c.bots for c in cycles(columns, raw_scores(columns), fit)] == [("a", "b", "c")]
    ladder = columns_of([pairing(x, y, 5, 10, 25) for x, y in ("ab", "bc", "ac")])
    assert cycles(ladder, raw_scores(ladder), fit_pool(ladder)) == ()


def test_raw_and_adjusted_order_can_disagree():
    lucky = [PairUnit(k, 1.0 if k % 2 else 0.5, 0.3) for k in range(40)]
    even = [PairUnit(k, (k % 3) / 2, 0.0) for k in range(40)]
    columns = columns_of([tally("a", "b", lucky), tally("a", "c", even), tally("b", "c", even)])
    raw = fit_pool(columns, adjusted=False)
    adjusted = fit_pool(columns)
    assert raw.elo[0] > raw.elo[1]
    if adjusted.elo[0] < adjusted.elo[1]:
        assert ("b", "a") in disagreements(columns, adjusted)
    assert disagreements(columns, raw) == ()


def test_accomplices_show():
    elos = {"a": 0, "b": 0, "c": 0, "d": 0, "friend": -50}
    stats = simulated(elos, 100, 9)
    stats = [s for s in stats if {s.a, s.b} != {"a", "friend"}] + [pairing("a", "friend", 0, 0, 100)]
    owners = {"a": "ann", "friend": "ann", "b": "bob", "c": "cat", "d": "dan"}
    columns = columns_of(stats)
    shifts = owner_shifts(columns, fit_pool(columns), owners)
    found = {s.bot: s for s in shifts if s.owner == "ann"}
    assert found["a"].shift < -10
    assert found["friend"].shift > 10
    assert found["a"].clear
    assert not found["b"].clear
    assert owner_shifts(columns, fit_pool(columns), {"a": "ann"}) == ()


# Laws


@st.composite
def pools(draw):
    bots = draw(st.integers(2, 6))
    names = [f"bot{k}" for k in range(bots)]
    stats = []
    for i in range(bots):
        for j in range(i + 1, bots):
            cells = draw(st.tuples(*[st.integers(0, draw(st.sampled_from([0, 1, 6])))] * 5))
            if sum(cells):
                stats.append(PairingStats(names[i], names[j], sum(cells), cells))
    return stats


@given(pools(), st.integers(0, 2**31))
@settings(max_examples=150, deadline=None)
def test_any_pool_is_finite_and_symmetric(stats, seed):
    if not stats:
        return
    fit = rate(*stats)
    assert np.isfinite(fit.elo).all()
    assert np.isfinite(fit.cov).all()
    assert (np.diag(fit.cov) >= 0).all()
    assert math.isfinite(fit.t95)
    for a in range(len(fit.names)):
        for b in range(len(fit.names)):
            assert 0 <= fit.better(a, b) <= 1
            assert fit.better(a, b) + fit.better(b, a) == pytest.approx(1)
    random = Random(seed)
    turned = [s.swapped() if random.random() < 0.5 else s for s in random.sample(stats, len(stats))]
    again = rate(*turned)
    assert again.elo.tolist() == fit.elo.tolist()
    assert again.cov.tolist() == fit.cov.tolist()
    mirrored = rate(*[PairingStats(s.a, s.b, s.pairs, s.cells[::-1]) for s in stats])
    np.testing.assert_allclose(mirrored.elo, -fit.elo, atol=1e-4 * (1 + np.abs(fit.elo).max()))
    ranks = draw_ranks(fit)
    assert all(1 <= low <= high <= len(fit.names) for low, high in zip(ranks.low, ranks.high, strict=True))


def test_a_pool_that_no_ladder_fits_is_not_taken_for_memory():
    taken = 0
    for seed in range(60):
        random = Random(seed)
        stats = []
        for a, b, chance in (("a", "b", 0.9), ("b", "c", 0.9), ("a", "c", 0.55)):
            draws = [(random.random() < chance) + (random.random() < chance) for _ in range(60)]
            stats.append(tally(a, b, [PairUnit(k, wins / 2) for k, wins in enumerate(draws)]))
        taken += rate(*stats, adjusted=False).clustered == "block"
    assert taken <= 1


def test_a_few_blocks_are_no_evidence_of_memory():
    units = [PairUnit(k, 1.0 if k < 10 else 0.5) for k in range(20)]
    assert rate(tally("a", "b", units), adjusted=False).clustered == "pair"
