"""Every reference value: what other programs print for the same results, and where they are wrong.

`RATING_CASES=FILE` runs another set of the same structure. Where a reference is itself wrong (it prints
inf, NaN, an overflowed integer, a clamped or simulated number), the test says so and asks for what ours
must be instead.
"""

from __future__ import annotations

import json
import math
import os
import re
from pathlib import Path

import numpy as np
import pytest

from arena.ratings import graph
from arena.ratings.bradley_terry import Fit, fit_pool
from arena.ratings.columns import columns_of, raw_scores
from arena.ratings.elo import (
    ELO_PER_LOGIT,
    beta_los,
    elo_to_score,
    estimate,
    moments,
    normal_estimate,
    online_elo,
    score_to_elo,
    trinomial_los,
)
from arena.ratings.llr import (
    llr_bayeselo,
    llr_logistic,
    llr_logistic_alt,
    llr_normal,
    llr_normalised,
    llr_normalised_alt,
)
from arena.ratings.pairs import PairingStats
from arena.ratings.special import Z95, normal_cdf, t_quantile
from arena.ratings.sprt import SprtTest
from arena.ratings.stopped import stopped_elo

GIVEN = Path(__file__).parent.parent / "data/ratings/rating_reference.json"
FILE = Path(os.environ.get("RATING_CASES") or GIVEN)
CASES = json.loads(FILE.read_text())["cases"]


def _name(case) -> str:
    what = case.get("case") or json.dumps(case.get("args") or case.get("k"))
    return re.sub(r"[^\w.,=-]+", "_", f"{case['program'][:12]}-{case.get('fn') or ''}-{what}")[:100]


def finite(value) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


@pytest.mark.parametrize("case", CASES, ids=[f"{k}-{_name(c)}" for k, c in enumerate(CASES)])
def test_reference(case):
    program, fn = case["program"], case.get("fn") or ""
    for prefix, fragment, check in DISPATCH:
        if program.startswith(prefix) and fragment in fn:
            check(case)
            return
    pytest.fail(f"no check for {program!r}, {fn!r}: a new kind of reference")


# One match


def _fastchess_cells(args, penta):
    if not penta:
        win, draw, loss = args
        return [loss, draw, win]
    ll, ld, wl, dd, wd, ww = args
    return [ll, ld, wl + dd, wd, ww]


def fastchess_elo(case):
    cells = _fastchess_cells(case["args"], "Penta" in case["fn"])
    want = case["value"]
    ours = normal_estimate(cells)
    safe = estimate(cells)
    assert_printable(safe)
    if ours is None:
        # No variance. fastchess prints inf, an error of 0 or NaN, and LOS 100 % or NaN: wrong; ours is
        # finite.
        assert not finite(want["nelo"]) or want["nelo"] == 0
        assert safe.bound == {1.0: ">", 0.0: "<"}.get(want["score"], "")
        assert safe.bound or safe.error > 0
        return
    assert ours.score == pytest.approx(want["score"], abs=1e-9)
    for name, value in (("elo", ours.elo), ("nelo", ours.nelo), ("nerr", ours.nelo_error)):
        assert value == pytest.approx(want[name], abs=1e-4)
    if finite(want["err"]):
        assert ours.error == pytest.approx(want["err"], abs=1e-4)
    else:
        # The interval leaves 0..1 and fastchess prints NaN: ours falls back to Student's t on the logit
        # scale.
        assert ours.error is None
        assert safe.error > 0
    los = re.fullmatch(r"([\d.]+) ?%", want["los"])
    assert los, "fastchess prints no LOS although there is variance"
    assert 100 * ours.los == pytest.approx(float(los[1]), abs=0.00501)


def assert_printable(e):
    numbers = [e.score, e.elo, e.error, e.low, e.high, e.nelo, e.nelo_error, e.los]
    assert all(x is None or math.isfinite(x) for x in numbers)
    assert 0.0 < e.los < 1.0


def _clamped_elo(score):
    return score_to_elo(min(0.999, max(0.001, score)))


def fishtest_elo(case):
    cells = case["args"]
    m = moments(cells, zero_cell=1e-3)
    se = math.sqrt(m.variance / m.n)
    elo, err, los = case["value"]
    assert _clamped_elo(m.mean) == pytest.approx(elo, abs=1e-4)
    half = (_clamped_elo(m.mean + Z95 * se) - _clamped_elo(m.mean - Z95 * se)) / 2
    assert half == pytest.approx(err, abs=1e-4)
    assert normal_cdf((m.mean - 0.5) / se) == pytest.approx(los, abs=1e-6)
    ours = estimate(cells)
    assert_printable(ours)
    scored = moments(cells)
    if scored.mean in (0.0, 1.0):
        # A clamp is no estimate: ours says that it is a bound.
        assert ours.bound == (">" if scored.mean else "<")
    elif min(cells) > 0 and abs(m.mean - 0.5) + Z95 * se < 0.499:
        plain = normal_estimate(cells)
        assert (plain.elo, plain.error, plain.los) == pytest.approx((elo, err, los), abs=1e-4)


def openbench_elo(case):
    lower, elo, upper = case["value"]
    cells = case["args"]
    m = moments(cells)
    assert_printable(estimate(cells))
    if m.n < 2:
        # OpenBench gives up with 0, 0, 0; one unit tells something, and ours says how little.
        assert (lower, elo, upper) == (0, 0, 0)
        return
    if m.mean in (0.0, 1.0):
        # Clamped to 0.001..0.999 with an interval of no width: wrong; ours is a bound.
        assert lower == elo == upper
        assert estimate(cells).bound == (">" if m.mean else "<")
        return
    half = t_quantile(0.975, m.n - 1) * math.sqrt(m.variance / m.n)
    assert score_to_elo(m.mean) == pytest.approx(elo, abs=1e-4)
    assert _clamped_elo(m.mean - half) == pytest.approx(lower, abs=1e-4)
    assert _clamped_elo(m.mean + half) == pytest.approx(upper, abs=1e-4)


# Likelihood ratios


def fastchess_llr(case):
    args, want = case["args"], case["value"]
    cells = _fastchess_cells(args["counts"], args["kind"] == "penta")
    model = case["fn"].split()[-1]
    ratio = {"logistic": llr_logistic, "normalized": llr_normalised, "bayesian": llr_bayeselo}[model]
    if model == "bayesian" and args["kind"] == "penta":
        ratio = llr_logistic
    # fastchess solves its root to 1e-3 only, which shifts the ratio of very long matches in proportion.
    tolerance = max(2e-4, 2e-9 * sum(cells)) if model != "normalized" else 2e-4
    assert ratio(cells, args["elo0"], args["elo1"]) == pytest.approx(want["LLR"], abs=tolerance)
    test = SprtTest(args["elo0"], args["elo1"], args["alpha"], args["beta"])
    assert (test.lower, test.upper) == pytest.approx((want["lower"], want["upper"]), abs=1e-6)


def fishtest_llr(ratio):
    def check(case):
        elo0, elo1, cells = case["args"]
        assert ratio(cells, elo0, elo1) == pytest.approx(case["value"], abs=1e-6, rel=1e-9)

    return check


def alt2(cells, elo0, elo1):
    m = moments(cells, zero_cell=1e-3)
    return llr_normal(m.n, m.mean, m.variance, elo_to_score(elo0), elo_to_score(elo1))


def openbench_sprt(ratio):
    def check(case):
        cells, elo0, elo1 = case["args"]
        assert ratio(cells, elo0, elo1) == pytest.approx(case["value"], abs=1e-6, rel=1e-9)

    return check


def fishtest_stopped(case):
    elo0, elo1, cells = case["args"]
    want, test = case["value"], SprtTest(elo0, elo1)
    assert (test.lower, test.upper) == pytest.approx((want["a"], want["b"]), abs=1e-9)
    assert llr_logistic(cells, elo0, elo1) == pytest.approx(want["LLR"], abs=1e-6)
    ours = stopped_elo(moments(cells, zero_cell=1e-3), test)
    assert (ours.elo, ours.low, ours.high) == pytest.approx((want["elo"], *want["ci"]), abs=1e-4)
    assert ours.los == pytest.approx(want["LOS"], abs=1e-6)


def cutechess_los(case):
    assert trinomial_los(*case["args"]) == pytest.approx(case["value"], abs=1e-6)


def beta_posterior(case):
    assert beta_los(*case["args"][:2]) == pytest.approx(case["value"], abs=1e-6)


def fastchat_online(case):
    ratings: dict[str, float] = {}
    for a, b, score in case["sequence"]:
        ratings = online_elo(ratings, a, b, score, k=case["k"], start=case["init"])
    assert ratings == pytest.approx(case["value"], abs=1e-6)


# Pools: single games are the units, and the textbook sandwich without floors is what is compared


def pool(case, *, small_sample=False) -> tuple[Fit, object]:
    columns = columns_of(
        PairingStats(a, b, w + d + lost, (lost, 0, d, 0, w)) for a, b, w, d, lost in case["results"]
    )
    return fit_pool(columns, games_per_unit=1, small_sample=small_sample), columns


def exists(case) -> bool:
    """Whether the maximum-likelihood ratings exist (Ford's condition)."""
    _, columns = pool(case)
    s = raw_scores(columns)
    return graph.one_group(graph.took_from(len(columns.names), columns.i, columns.j, s.n, s.s))


def laplacian(columns, weight):
    size = len(columns.names)
    full = np.zeros((size, size))
    for i, j, w in zip(columns.i, columns.j, weight, strict=True):
        full[[i, j], [i, j]] += w
        full[[i, j], [j, i]] -= w
    return full


def fisher(fit, columns, units=None):
    """Inverse information relative to the pool's mean, in Elo squared."""
    units = columns.n if units is None else units
    h = laplacian(columns, units * fit.expected * (1 - fit.expected))
    return np.linalg.pinv(h) * ELO_PER_LOGIT**2


def ours_is_flagged(case):
    """No maximum exists: whatever the reference printed, ours is finite, and bounded or flagged."""
    fit, _ = pool(case, small_sample=True)
    assert np.isfinite(fit.elo).all()
    assert np.isfinite(fit.cov).all()
    assert fit.prior or any(fit.bound)


def arena_rank(case):
    if not exists(case):
        ours_is_flagged(case)
        return
    fit, columns = pool(case)
    n, p, s = columns.n, fit.expected, raw_scores(columns)
    theirs = np.array([case["value"][name]["rating"] for name in fit.names])
    # Its L-BFGS stops early on uneven pools: then its own score equations are further from zero than ours.
    scores = {}
    for who, elo in (("ours", fit.elo), ("theirs", theirs)):
        model = np.array([elo_to_score(elo[i] - elo[j]) for i, j in zip(columns.i, columns.j, strict=True)])
        rest = s.s - n * model
        by_bot = np.bincount(columns.i, rest, len(fit.names)) - np.bincount(columns.j, rest, len(fit.names))
        scores[who] = np.abs(by_bot).max()
    assert scores["ours"] < 1e-9 * n.sum()
    apart = np.abs(fit.elo - theirs).max()
    assert apart < 1e-5 or (apart < 1e-3 and scores["theirs"] > 100 * scores["ours"])
    # Its sandwich has a ridge of 1e-5 on the mean Hessian, and no other difference.
    ridge = 1e-5 * n.sum() * np.eye(len(fit.names))
    h, meat = laplacian(columns, n * p * (1 - p)), laplacian(columns, n * fit.variance)
    bread = np.linalg.inv(h + ridge)
    half = Z95 * np.sqrt(np.diag(bread @ meat @ bread)) * ELO_PER_LOGIT
    for k, name in enumerate(fit.names):
        want = case["value"][name]
        ours = half[k], Z95 * math.sqrt(fit.cov[k, k])
        assert ours[0] == pytest.approx((want["upper"] - want["lower"]) / 2, rel=1e-5)
        assert ours[1] == pytest.approx((want["upper"] - want["lower"]) / 2, rel=1e-2)


def own_newton(case):
    fit, columns = pool(case)
    cov = fisher(fit, columns)
    for k, name in enumerate(fit.names):
        rating, se = case["value"][name]
        assert fit.elo[k] == pytest.approx(rating, abs=1e-5)
        assert math.sqrt(cov[k, k]) == pytest.approx(se, abs=1e-5)


def ordo(case):
    if case.get("rc"):
        # Ordo refuses; ours rates, names the groups or gives bounds, and flags it.
        assert not exists(case)
        ours_is_flagged(case)
        return
    fit, _ = pool(case)
    for name, (rating, *_) in case["value"].items():
        assert fit.elo[fit.names.index(name)] == pytest.approx(float(rating), abs=0.01)


def _ordo_table(stdout):
    """Name, sign, rating, error and so on of each line of Ordo's table."""
    found = {}
    for line in stdout.splitlines():
        if m := re.match(r"\s*\d+\s+(\S+)\s+([<>]?)\s*:\s+(-?[\d.]+)\s+(.*)", line):
            found[m[1]] = (m[2], float(m[3]), m[4].split())
    return found


def results_of(case):
    """Some cases name their results only."""
    if case.get("results"):
        return case["results"]
    named = FORCED | {c["case"]: c["results"] for c in CASES if c.get("results")}
    if case["case"] not in named:
        pytest.skip(f"the results called {case['case']!r} are not given")
    return named[case["case"]]


def ordo_forced(case):
    """`-G`: its number for a perfect score does not follow its manual's half-point rule; ours does."""
    table = _ordo_table(case["stdout"])
    results = results_of(case)
    if exists({"results": results}):
        fit, _ = pool({"results": results})
        for name, (_, rating, _) in table.items():
            assert fit.elo[fit.names.index(name)] == pytest.approx(rating, abs=0.01)
        return
    fit, columns = pool({"results": results}, small_sample=True)
    ours_is_flagged({"results": results})
    names = [name for name, (sign, *_) in table.items() if not sign]
    for name, (sign, *_) in table.items():
        if sign:
            assert fit.bound[fit.names.index(name)] == sign
    if fit.prior or len(names) < 2:
        return
    # Among the bots who are not perfect Ordo is right.
    for a in names:
        for b in names:
            gap, _ = fit.difference(fit.names.index(a), fit.names.index(b))
            assert gap == pytest.approx(table[a][1] - table[b][1], abs=0.01)
    half_conceded(fit, columns)


def half_conceded(fit, columns):
    """A perfect bot's bound: its expected score is (S + 1/2) / (n + 1) of its units."""
    for k, sign in enumerate(fit.bound):
        if not sign:
            continue
        every = zip(columns.i, columns.j, columns.n, strict=True)
        mine = [(j if i == k else i, n) for i, j, n in every if k in (i, j)]
        total = sum(n for _, n in mine)
        expected = sum(n * elo_to_score(fit.elo[k] - fit.elo[other]) for other, n in mine) / total
        half = 0.5 / (total + 1)
        assert expected == pytest.approx(1 - half if sign == ">" else half, abs=1e-9)


FORCED = {
    "one_game": [["A", "B", 1, 0, 0]],
    "perfect_top": [["A", "B", 10, 0, 0], ["A", "C", 10, 0, 0], ["B", "C", 6, 0, 4]],
    "perfect_bottom": [["A", "B", 6, 0, 4], ["A", "C", 10, 0, 0], ["B", "C", 10, 0, 0]],
    "one_way_bridge": [["A", "B", 6, 0, 4], ["A", "C", 5, 0, 0], ["C", "D", 7, 0, 3]],
    "disconnected": [["A", "B", 6, 0, 4], ["C", "D", 7, 0, 3]],
}


def ordo_simulated(case):
    """Errors that Ordo simulates (2000 runs): to 5 % of ours by Fisher information, relative or to the
    anchor.
    """
    fit, columns = pool({"results": results_of(case)})
    anchor = re.search(r"-A (\S+)", case["fn"])
    cov = fisher(fit, columns)
    elo = fit.elo
    if anchor:
        k = fit.names.index(anchor[1])
        elo = elo - elo[k]
        cov = cov + cov[k, k] - cov[:, [k]] - cov[[k], :]
        assert fit.anchored(anchor[1], 0.0).error(k) == 0.0
    for name, (_, rating, rest) in _ordo_table(case["stdout"]).items():
        k = fit.names.index(name)
        assert elo[k] == pytest.approx(rating, abs=0.01)
        if not rest[0].startswith("-"):
            assert Z95 * math.sqrt(cov[k, k]) == pytest.approx(float(rest[0]), rel=0.06)


def bayeselo(case):
    prior = float(re.search(r"prior ([\d.]+)", case["fn"])[1])
    results = case["results"]
    played: dict[str, int] = {}
    for a, b, w, d, lost in results:
        for bot in (a, b):
            played[bot] = played.get(bot, 0) + w + d + lost
    # BayesElo counts a draw as one win and one loss, and spreads `prior` virtual draws a player over
    # opponents.
    doubled = []
    for a, b, w, d, lost in results:
        n = w + d + lost
        d += 0.5 * prior * (n / played[a] + n / played[b])
        doubled.append([a, b, w + d, 0, lost + d])
    scale = 1 if all(float(x).is_integer() for r in doubled for x in r[2:]) else 10**6
    ours = {"results": [[a, b, round(w * scale), 0, round(lost * scale)] for a, b, w, _, lost in doubled]}
    garbage = any(abs(v["plus"]) > 4000 for v in case["value"].values())
    if not exists(ours):
        # It prints overflowed integers or a rating that depends on when it stopped: wrong; ours is flagged.
        assert garbage
        ours_is_flagged({"results": results})
        return
    fit, columns = pool(ours)
    cov = fisher(fit, columns, columns.n / scale)
    order = list(case["value"])
    for name, want in case["value"].items():
        k = fit.names.index(name)
        assert round(fit.elo[k]) == want["rating"]
        assert Z95 * math.sqrt(cov[k, k]) == pytest.approx(want["plus"], abs=0.75)
    for name, *row in case["los_rows"]:
        k = fit.names.index(name)
        for other, printed in zip([o for o in order if o != name], row, strict=True):
            m = fit.names.index(other)
            sd = math.sqrt(cov[k, k] + cov[m, m] - 2 * cov[k, m])
            assert 100 * normal_cdf((fit.elo[k] - fit.elo[m]) / sd) == pytest.approx(float(printed), abs=1.01)


DISPATCH = (
    ("fastchess", "Elo", fastchess_elo),
    ("fastchess", "getLLR", fastchess_llr),
    ("fishtest", "get_elo", fishtest_elo),
    ("fishtest", "SPRT_elo", fishtest_stopped),
    ("fishtest", "LLR_logistic", fishtest_llr(llr_logistic)),
    ("fishtest", "LLR_normalized_alt", fishtest_llr(llr_normalised_alt)),
    ("fishtest", "LLR_normalized", fishtest_llr(llr_normalised)),
    ("fishtest", "LLR_alt2", fishtest_llr(alt2)),
    ("fishtest", "LLR_alt", fishtest_llr(llr_logistic_alt)),
    ("OpenBench", "Elo", openbench_elo),
    ("OpenBench", "PentanomialSPRT", openbench_sprt(llr_normalised)),
    ("OpenBench", "TrinomialSPRT", openbench_sprt(llr_bayeselo)),
    ("arena-rank", "", arena_rank),
    ("FastChat", "", fastchat_online),
    ("Ordo", "-G", ordo_forced),
    ("Ordo", "-s", ordo_simulated),
    ("Ordo", "", ordo),
    ("BayesElo", "", bayeselo),
    ("own", "Fisher", own_newton),
    ("own", "eta", beta_posterior),
    ("formula", "eta", beta_posterior),
    ("formula", "LOS", cutechess_los),
)
