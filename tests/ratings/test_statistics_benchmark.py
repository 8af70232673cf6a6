"""The statistics benchmark reads pools of real pairs, and its made-up pools are what they claim to be."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
BENCHMARK = ROOT / "benchmarks" / "statistics"


ROOMS = ("pools", "savings", "intervals", "schedules")


@pytest.fixture
def pools(monkeypatch):
    if not BENCHMARK.is_dir():
        pytest.skip("the benchmarks are not here")
    monkeypatch.syspath_prepend(str(BENCHMARK))
    import pools

    yield pools
    for room in ROOMS:
        sys.modules.pop(room, None)


def random():
    return np.random.Generator(np.random.PCG64(1))


@pytest.mark.parametrize("suffix", [".npz", ".json"])
def test_pools_are_stored_and_read(pools, tmp_path, suffix):
    pool = pools.made_up_pool({"a": 20.0, "b": 0.0, "c": -10.0}, "unlike", random(), size=50, deck_skill=0.2)
    file = tmp_path / f"pool{suffix}"
    pool.save(file)
    again = pools.load_pool(file)
    assert again.names == pool.names
    assert again.common
    for one, other in zip(pool.pairings, again.pairings, strict=True):
        assert (one.a, one.b, one.kind) == (other.a, other.b, other.kind)
        for key in ("score", "luck", "margin", "hands"):
            np.testing.assert_allclose(getattr(one, key), getattr(other, key), atol=1e-9)


def test_luck_that_is_not_known_counts_as_none(pools, tmp_path):
    pool = pools.made_up_pool({"a": 0.0, "b": 0.0}, "unlike", random(), size=20)
    pool.pairings[0].luck[3, 1] = np.nan
    pool.save(tmp_path / "pool.npz")
    again = pools.load_pool(tmp_path / "pool.npz").pairings[0].luck
    assert np.isfinite(again).all()
    np.testing.assert_allclose(again.mean(axis=0), 0, atol=1e-12)


def test_sums_are_those_of_a_tally(pools):
    from arena.ratings.pairs import PairUnit, tally

    pair = pools.made_up_pool({"a": 0.0, "b": 0.0}, "unlike", random(), size=100).pairings[0]
    s, luck, margin = pair.draw(random(), 37)
    units = [PairUnit(k, *map(float, row)) for k, row in enumerate(zip(s, luck, margin, strict=True))]
    want = tally("a", "b", units)
    whole = pools.stats_of("a", "b", s, luck, margin)
    parts = pools.added(
        pools.stats_of("a", "b", s[:20], luck[:20], margin[:20]),
        pools.stats_of("a", "b", s[20:], luck[20:], margin[20:], start=20),
    )
    for got in (whole, parts):
        assert got.cells == want.cells
        for name in ("folds", "blocks"):
            for one, other in zip(getattr(got, name), getattr(want, name), strict=True):
                for field in type(one).__slots__:
                    assert getattr(one, field) == pytest.approx(getattr(other, field))


def test_a_tilted_pool_has_the_score_asked_for_and_no_luck(pools):
    pair = pools.made_up_pool({"a": 10.0, "b": 0.0}, "unlike", random(), size=5000).pairings[0]
    share = np.diff(pair.tilted(0.56), prepend=0.0)
    assert share @ pair.score.mean(axis=1) == pytest.approx(0.56)
    assert share @ pair.luck.mean(axis=1) == pytest.approx(0, abs=1e-9)


def test_bots_of_a_pool_are_put_at_any_distance(pools):
    pool = pools.made_up_pool({"a": 20.0, "b": 0.0, "c": -10.0}, "family", random(), size=5000)
    ladder = pool.ladder({"a": -90.0, "b": 0.0})
    assert ladder.names == ("a", "b")
    assert [(p.a, p.b) for p in ladder.pairings] == [("a", "b")]
    pair = ladder.pairings[0]
    assert pair.mean == pytest.approx(1 / (1 + 10 ** (90 / 400)))
    s, luck, _ = pair.draw(random(), 20_000)
    assert s.mean() == pytest.approx(pair.mean, abs=0.01)
    assert luck.mean() == pytest.approx(0, abs=0.01)


def test_the_stored_pool_is_read(pools):
    pool = pools.load_pool(ROOT / "benchmarks" / "data" / "pool.json.gz")
    assert len(pool.names) == 8
    assert len(pool.pairings) == 28
    assert pool.common
    for p in pool.pairings:
        assert p.score.shape == p.luck.shape == p.margin.shape == (1300, 2)
        # A game is won by who has more points, and the reference policy explains who gets them.
        assert (np.sign(p.margin) == np.sign(p.score - 0.5)).all()
        assert np.corrcoef(p.luck.ravel(), p.score.ravel())[0, 1] > 0.4


def test_who_knows_the_variance_needs_little_more_than_the_shortest_test(pools):
    import savings

    from arena.ratings.sprt import SprtTest

    test = SprtTest(0, 20)
    least = savings.shortest_share(test)
    # Wald: 2 (0.9 log 19) observations of z^2 = 4 * 1.645^2.
    assert least == pytest.approx(2 * 0.9 * 2.944439 / (4 * 1.644854**2), rel=1e-6)
    pair = pools.made_up_pool({"a": 0.0, "b": 0.0}, "unlike", random(), size=5000).pairings[0]
    found = savings.oracle_runs(pair, random(), 400, 0.0, test=test)
    assert found.accepted <= 0.08
    assert found.accepted + found.rejected == pytest.approx(1.0)
    # The mean length of 400 runs is known to 0.015.
    assert found.games / found.fixed_games == pytest.approx(least, abs=0.05)


def test_games_are_read_off_a_rising_curve(pools):
    import schedules

    np.testing.assert_allclose(schedules.isotonic([0.1, 0.5, 0.3, 0.7]), [0.1, 0.4, 0.4, 0.7])
    np.testing.assert_allclose(schedules.isotonic([0.9, 0.6, 0.3]), [0.6, 0.6, 0.6])
    curve = schedules.Curve((100, 200, 300, 400), (0.2, 0.96, 0.84, 1.0))
    assert curve.games_for(0.95) == pytest.approx(350)
    assert curve.games_for(0.2) == 100
    assert schedules.Curve((100, 200), (0.2, 0.5)).games_for(0.95) is None


def test_an_adaptive_event_is_played_as_a_run_plays_it(pools):
    """What is played is told to the next decision, before its results are looked at."""
    import intervals

    from arena.ratings.adaptive import next_blocks

    elos = {"a": 10.0, "b": 0.0, "c": -10.0}
    pool = pools.made_up_pool(elos, "unlike", random(), size=2000)
    course = intervals.adaptive_course(pool, random(), 200, at_a_time=3)
    seen = [stats for stats, settled in course if not settled]
    sums = [sum(s.pairs for s in stats) for stats in seen]
    # Two laps of three pairings; a batch is chosen at once, and played while the next is chosen.
    assert sums == [60, 60, 90, 120, 150, 180, 200]
    chosen = [next_blocks("abc", seen[0], count=3, first_pairs=0).blocks]
    chosen.append(next_blocks("abc", seen[1], count=3, first_pairs=0, pending=chosen[0]).blocks)
    for k, batch in enumerate(chosen):
        before, after = ({(s.a, s.b): s.pairs for s in stats} for stats in seen[k + 1 : k + 3])
        more = {pair: after[pair] - before[pair] for pair in after if after[pair] > before[pair]}
        assert more == {pair: 10 * sum(set(pair) == set(b) for b in batch) for pair in more}
        assert sum(more.values()) == 30
    again = intervals.same_plan(pool, random(), seen[-1])
    assert [(s.a, s.b, s.pairs) for s in again] == [(s.a, s.b, s.pairs) for s in seen[-1]]
    assert [s.cells for s in again] != [s.cells for s in seen[-1]]


@pytest.mark.slow
def test_the_command_runs_on_a_stored_pool(pools, tmp_path):
    file = tmp_path / "pool.json"
    pools.made_up_pool({"a": 20.0, "b": 0.0, "c": -10.0}, "unlike", random(), size=300).save(file)
    command = [sys.executable, str(BENCHMARK), "--quick", "--only", "gains,coverage", "--pool", str(file)]
    command += ["--json", str(tmp_path / "out.json")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, 1), done.stderr
    assert "times fewer games" in done.stdout
    assert (tmp_path / "out.json").read_text().startswith("{")
