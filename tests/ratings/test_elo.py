"""One match: Elo with its error, likelihood ratios, the sequential test, and Elo after it stopped."""

from __future__ import annotations

import math
from dataclasses import fields
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import ArenaError
from arena.ratings.elo import (
    beta_los,
    elo_to_score,
    estimate,
    normal_estimate,
    percent,
    score_to_elo,
)
from arena.ratings.llr import llr_logistic, llr_normal, llr_normalised
from arena.ratings.pairs import LuckFold, PairUnit, beta_of, floored_variance
from arena.ratings.special import beta_cdf, chi2_tail, normal_cdf, normal_quantile, t_cdf, t_quantile
from arena.ratings.sprt import MIN_PAIRS, Sprt, SprtModel, SprtStatus, SprtTest
from arena.ratings.stopped import worse_end

counts = st.lists(st.integers(0, 400), min_size=2, max_size=5).filter(lambda c: len(c) != 4)


@pytest.mark.parametrize(
    ("got", "want"),
    [
        (normal_cdf(1.0), 0.8413447460685429),
        (normal_quantile(0.975), 1.959963984540054),
        (t_cdf(2.0, 3), 0.9303370157205784),
        (t_quantile(0.975, 4), 2.7764451051977987),
        (t_quantile(0.975, 1e6), 1.9599663),
        (t_quantile(0.5, 7), 0.0),
        (beta_cdf(2.5, 4.0, 0.3), 0.3521975859),
        (beta_cdf(3.0, 900.0, 0.003), 0.5081035564),
        (chi2_tail(18.4, 15), 0.2422204858),
        (chi2_tail(281.0, 21), 1.2e-47),
        (chi2_tail(2.0, 2), math.exp(-1)),
    ],
)
def test_distributions(got, want):
    assert got == pytest.approx(want, rel=2e-4, abs=1e-7)


@given(st.floats(0.001, 0.999), st.floats(1.0, 500.0))
def test_quantiles_invert(p, dof):
    assert t_cdf(t_quantile(p, dof), dof) == pytest.approx(p, abs=1e-9)
    assert normal_cdf(normal_quantile(p)) == pytest.approx(p, abs=1e-12)


EDGES = {
    "1-0": ([0, 1], ">", 190.85, 0.75),
    "0-1": ([1, 0], "<", -190.85, 0.25),
    "10-0": ([0, 10], ">", 528.89, 0.99951),
    "one pair won": ([0, 0, 0, 0, 1], ">", 190.85, 0.75),
    "one pair level": ([0, 0, 1, 0, 0], "", 0.0, 0.5),
    "a hundred pairs level": ([0, 0, 100, 0, 0], "", 0.0, 0.5),
    "nothing": ([0, 0, 0, 0, 0], "", 0.0, 0.5),
    "twenty pairs won": ([0, 0, 0, 0, 20], ">", 645.114, 0.9999995),
}


@pytest.mark.parametrize(("cells", "bound", "elo", "los"), EDGES.values(), ids=EDGES)
def test_edges(cells, bound, elo, los):
    e = estimate(cells)
    assert e.bound == bound
    assert e.elo == pytest.approx(elo, abs=0.01)
    assert e.los == pytest.approx(los, abs=1e-5)
    if bound:
        assert e.error is None
    elif sum(cells):
        assert e.error > 0


@given(counts)
def test_estimates_are_finite_and_symmetric(cells):
    e, turned = estimate(cells), estimate(cells[::-1])
    for f in fields(e):
        value = getattr(e, f.name)
        assert value is None or isinstance(value, str) or math.isfinite(value)
    assert 0.0 < e.los < 1.0
    assert e.elo == pytest.approx(-turned.elo, abs=1e-6)
    assert e.los + turned.los == pytest.approx(1.0, abs=1e-6)
    if e.error is not None:
        assert e.low < e.elo < e.high
        assert e.error == pytest.approx(turned.error, rel=1e-6)


def test_few_games_are_wider_than_the_normal_says():
    usual, ours = normal_estimate([2, 0, 4]), estimate([2, 0, 4])
    assert ours.los < usual.los
    assert beta_los(1, 0) == 0.75
    assert beta_los(10, 0) == pytest.approx(0.99951, abs=1e-5)


@pytest.mark.parametrize(
    ("p", "text"),
    [(1.0, "> 99.9 %"), (0.0, "< 0.1 %"), (0.99951, "> 99.9 %"), (0.9994, "99.9 %"), (0.5, "50.0 %")],
)
def test_percent_never_says_certain(p, text):
    assert percent(p) == text


@given(st.floats(-2000, 2000))
def test_elo_and_score_invert(elo):
    assert score_to_elo(elo_to_score(elo)) == pytest.approx(elo, abs=1e-6)


@given(st.lists(st.integers(0, 300), min_size=5, max_size=5), st.floats(-30, 20), st.floats(1, 30))
def test_ratios_are_finite_and_change_sides(cells, elo0, width):
    if not sum(cells):
        return
    for ratio in (llr_logistic, llr_normalised):
        one = ratio(cells, elo0, elo0 + width)
        other = ratio(cells[::-1], -elo0 - width, -elo0)
        assert math.isfinite(one)
        assert one == pytest.approx(-other, abs=1e-6 * (1 + sum(cells)))


def test_normal_ratio_is_near_the_exact_one():
    cells = [210, 0, 540, 0, 250]
    s0, s1 = elo_to_score(0), elo_to_score(5)
    assert llr_normal(1000, 0.52, 0.1146, s0, s1) == pytest.approx(llr_logistic(cells, 0, 5), abs=5e-3)


def test_variance_floor():
    assert floored_variance(1, 0.0) == pytest.approx(0.5 / 5)
    assert floored_variance(0, 0.0) == 0.125
    assert floored_variance(100, -1e-12) == pytest.approx(0.5 / 104)


def test_variance_floor_follows_what_luck_leaves_over():
    # Without luck, or before a decisive pair was seen, the floor is whole.
    assert floored_variance(100, 3.0, 3.0) == floored_variance(100, 3.0)
    assert floored_variance(100, 0.0, 0.0) == floored_variance(100, 0.0)
    # Twelve decisive pairs of which luck leaves half: 4 * (12 / 2 + 4) / (12 + 4) = 2.5 units.
    assert floored_variance(100, 1.5, 3.0) == pytest.approx((1.5 + 2.5 * 0.125) / 102.5)
    # Luck that adds variance does not raise the floor.
    assert floored_variance(100, 4.0, 3.0) == floored_variance(100, 4.0)


# The sequential test


def units(seed, n, mean=0.5, luck=True):
    random = Random(seed)
    found = []
    for pair in range(n):
        lucky = random.gauss(0, 0.15)
        x = random.gauss(mean + 0.8 * lucky, 0.2)
        score = 0.0 if x < 0.25 else 1.0 if x > 0.75 else 0.5
        found.append(PairUnit(pair, score, lucky if luck else None))
    return found


def test_a_clear_gain_is_accepted_and_later_pairs_are_ignored():
    sprt = Sprt(SprtTest(0, 40))
    stream = units(1, 4000, 0.6)
    assert sprt.extend(stream) is SprtStatus.ACCEPT
    report = sprt.report()
    assert report.llr >= report.upper
    assert MIN_PAIRS <= report.pairs < 4000
    assert report.adjusted
    sprt.extend(stream)
    assert sprt.report() == report
    assert report.stopped.low < report.stopped.elo < report.stopped.high
    assert 0.5 < report.stopped.los < 1


def test_a_clear_loss_is_rejected():
    assert Sprt(SprtTest(0, 40)).extend(units(2, 4000, 0.42)) is SprtStatus.REJECT


def test_the_cap_leaves_it_undecided():
    sprt = Sprt(SprtTest(0, 2, max_pairs=30))
    assert sprt.extend(units(3, 100)) is SprtStatus.UNDECIDED
    report = sprt.report()
    assert report.pairs == 30
    assert report.stopped is None


def test_no_decision_before_eight_pairs():
    sprt = Sprt(SprtTest(0, 300))
    statuses = [sprt.add(PairUnit(k, 1.0)) for k in range(8)]
    assert statuses[:7] == [SprtStatus.RUNNING] * 7
    assert statuses[7] is SprtStatus.ACCEPT


def test_resuming_is_replaying():
    stream = units(4, 60)
    whole, parts = Sprt(SprtTest(0, 5)), Sprt(SprtTest(0, 5))
    whole.extend(stream)
    for unit in stream:
        parts.add(unit)
    assert whole.report().to_dict() == parts.report().to_dict()


def test_a_pair_does_not_choose_its_own_beta():
    stream = units(5, 20)
    earlier, last = stream[:-1], stream[-1]
    means = []
    for luck in (last.luck, 0.0):
        sprt = Sprt(SprtTest(0, 5))
        sprt.extend([*earlier, PairUnit(last.pair, last.score, luck)])
        means.append(elo_to_score(sprt.report().elo))
    sums = [(u.score, u.luck) for u in earlier]
    before = LuckFold(
        len(sums),
        sum(s for s, _ in sums),
        sum(x for _, x in sums),
        sum(s * s for s, _ in sums),
        sum(x * x for _, x in sums),
        sum(s * x for s, x in sums),
    )
    assert 20 * (means[1] - means[0]) == pytest.approx(beta_of(before) * last.luck, abs=1e-9)


@pytest.mark.parametrize("model", SprtModel)
@pytest.mark.parametrize("score", [0.0, 0.25, 0.5, 0.75, 1.0])
def test_constant_results_stay_finite(model, score):
    sprt = Sprt(SprtTest(-5, 5, max_pairs=200, model=model))
    sprt.extend(PairUnit(k, score) for k in range(200))
    for value in sprt.report().to_dict().values():
        assert not isinstance(value, float) or math.isfinite(value)


def test_without_pairs_there_is_a_report():
    report = Sprt(SprtTest()).report()
    assert (report.pairs, report.llr, report.raw_llr, report.adjusted) == (0, 0.0, 0.0, False)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"elo0": 5, "elo1": 5}, "elo0"),
        ({"elo0": math.nan}, "elo0"),
        ({"alpha": 0.0}, "alpha"),
        ({"beta": 0.5}, "beta"),
        ({"max_pairs": 3}, "3 pairs"),
    ],
)
def test_impossible_tests_are_refused(arguments, named):
    with pytest.raises(ArenaError, match=named):
        SprtTest(**arguments)


def test_normalised_fixed_length_does_not_depend_on_the_variance():
    test = SprtTest(0, 10, model=SprtModel.NORMALISED)
    assert test.fixed_pairs(0.02) == pytest.approx(test.fixed_pairs(0.12))
    assert SprtTest(0, 10).fixed_pairs(0.02) < SprtTest(0, 10).fixed_pairs(0.12)


# Ends of a Brownian motion between walls, by simulation


@pytest.mark.parametrize("drift", [-0.3, 0.0, 0.15])
@pytest.mark.parametrize(("time", "end"), [(4.0, 0.3), (9.0, -0.8), (6.0, 3.0), (6.0, -3.0)])
def test_ends_agree_with_simulation(drift, time, end):
    import numpy as np

    random = np.random.Generator(np.random.PCG64(7))
    step, low, high = 0.01, -3.0, 3.0
    at = np.zeros(4000)
    hit = np.full(4000, np.inf)
    side = np.zeros(4000)
    for k in range(int(14 / step)):
        free = np.isinf(hit)
        at[free] += drift * step + np.sqrt(step) * random.standard_normal(int(free.sum()))
        # Walls are met between looks: the usual correction moves them in by 0.583 standard steps.
        inner = 0.583 * np.sqrt(step)
        for wall, crossed in ((-1, at < low + inner), (1, at > high - inner)):
            new = free & crossed & np.isinf(hit)
            hit[new], side[new] = (k + 1) * step, wall
        if abs(time - (k + 1) * step) < step / 2:
            there = at.copy()
    if end <= low:
        worse = (side == -1) & (hit <= time)
    elif end >= high:
        worse = ~((side == 1) & (hit <= time))
    else:
        worse = ((side == -1) & (hit <= time)) | ((hit > time) & (there <= end))
    assert worse_end(drift, 1.0, low, high, time, end) == pytest.approx(worse.mean(), abs=0.025)


def test_ends_by_images_and_by_series_agree():
    for drift in (-0.2, 0.0, 0.4):
        for end in (-1.0, 0.0, 0.5):
            # Just on either side of the switch.
            below = worse_end(drift, 1.0, -3.0, 3.0, 0.7199, end)
            above = worse_end(drift, 1.0, -3.0, 3.0, 0.7201, end)
            assert below == pytest.approx(above, abs=1e-3)
