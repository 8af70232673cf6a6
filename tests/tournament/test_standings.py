"""The table of a tournament: what it says, what it warns of, and that it never says the impossible."""

from __future__ import annotations

import csv
import io
import json
import math
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import ArenaError
from arena.ratings.elo import elo_to_score
from arena.ratings.pairs import PairingStats, PairUnit, tally
from arena.tournament.standings import StandingsOptions, make_standings


def pairing(a, b, lost, level, won, **more):
    return PairingStats(a, b, lost + level + won, (lost, 0, level, 0, won), **more)


def event(elos, pairs, seed, *, luck=True, memory=0.0):
    random = Random(seed)
    found = []
    for a, b in combinations(sorted(elos), 2):
        units = []
        shift = 0.0
        for p in range(pairs):
            lucky = random.gauss(0, 0.15)
            shift = random.gauss(0, memory) if p % 10 == 0 else shift
            x = random.gauss(elo_to_score(elos[a] - elos[b]) + 0.8 * lucky + shift, 0.2)
            score = 0.0 if x < 0.25 else 1.0 if x > 0.75 else 0.5
            units.append(PairUnit(p, score, lucky if luck else None, 12 * (score - 0.5)))
        points = round(sum(u.margin for u in units))
        found.append(
            tally(a, b, units, hands=22 * pairs, points_a=500 + points, points_b=500, forfeits_b=pairs // 20)
        )
    return found


ELOS = {"careful": 120.0, "greedy": 20.0, "lucky": 15.0, "random": -155.0}


def test_the_table():
    standings = make_standings(event(ELOS, 60, 1), faults={"random": {"timeout": 3, "illegal": 1}})
    assert [row.bot for row in standings.rows][::3] == ["careful", "random"]
    top = standings.rows[0]
    assert (top.rank, top.bound, top.flags) == (1, "", ())
    assert top.pairs == 180
    assert top.hands == 3960
    assert top.points_per_hand > 0
    assert 0.5 < top.score < 1
    assert top.adj_score == pytest.approx(top.score, abs=0.05)
    assert top.better_than_next > 0.95
    assert standings.rows[-1].better_than_next is None
    assert sum(row.elo for row in standings.rows) == pytest.approx(0, abs=1e-6)
    assert sum(row.forfeits for row in standings.rows) == 18
    assert standings.faults == {"random": {"timeout": 3, "illegal": 1}}
    assert standings.facts["rated"] == "adjusted"
    assert standings.facts["k_adjusted"] > standings.facts["k_raw"] > 1
    assert standings.warnings == ()


def test_plain_words():
    lines = make_standings(event(ELOS, 60, 1)).lines
    assert lines[0].startswith("`careful` is better than `")
    assert lines[0].endswith(" %.")
    assert "cannot be told apart: about " in lines[1]
    assert lines[1].endswith(" more pairs would do.")
    even = make_standings([pairing("a", "b", 5, 10, 5)]).lines
    assert even == ("`a` and `b` cannot be told apart: more than 20,000 more pairs would do.",)


def test_few_pairs_are_called_too_few():
    for pairs, said in ((1, "1 pair is"), (2, "2 pairs are"), (19, "19 pairs are")):
        won = pairs // 2
        (line,) = make_standings([pairing("a", "b", won, pairs - 2 * won, won)]).lines
        assert line == f"`a` and `b` cannot be told apart: {said} too few to say more."
    (line,) = make_standings([pairing("a", "b", 8, 0, 12)]).lines
    assert line.endswith(" more pairs would do.")


def test_bots_that_never_met_are_said_to_have_not():
    standings = make_standings([pairing("a", "c", 25, 0, 26), pairing("b", "c", 25, 0, 25)])
    order = [row.bot for row in standings.rows]
    assert order == ["a", "b", "c"]
    assert standings.lines[0] == "`a` and `b` cannot be told apart: they have not met."
    assert standings.lines[1].endswith(" more pairs would do.")


def test_why_raw_scores_are_rated():
    def said(*stats, **options):
        warned = make_standings(list(stats), options=StandingsOptions(**options)).warnings
        return [w for w in warned if "aw scores are rated" in w]

    nearly = [1.0] * 5 + [0.75]
    lucks = [-0.3, -0.1, -0.2, -0.1, -0.3, -0.4]
    stats = tally("a", "b", [PairUnit(k, s, x) for k, (s, x) in enumerate(zip(nearly, lucks, strict=True))])
    (line,) = said(stats)
    assert line == (
        "Raw scores are rated: freed of luck `a` won nearly all of its 6 pairs,"
        " `b` lost nearly all of its 6 pairs."
    )
    assert said(stats, adjusted=False) == []
    # Here another warning says it: a bound.
    everything = tally("a", "b", [PairUnit(k, 1.0, x) for k, x in enumerate(lucks)])
    assert said(everything) == []
    assert any("`a` won everything" in w for w in make_standings([everything]).warnings)


def test_the_crosstable_has_both_sides():
    standings = make_standings([pairing("b", "a", 3, 10, 7)])
    assert [(c.row, c.column, c.lost, c.level, c.won) for c in standings.crosstable] == [
        ("b", "a", 3, 10, 7),
        ("a", "b", 7, 10, 3),
    ]
    assert sum(c.score for c in standings.crosstable) == 1


def test_ties_share_a_rank_and_stand_by_name():
    standings = make_standings([pairing(a, b, 5, 0, 5) for a, b in combinations("cab", 2)])
    assert [(row.rank, row.bot) for row in standings.rows] == [(1, "a"), (1, "b"), (1, "c")]


def test_perfect_scores_are_bounds():
    stats = [pairing("a", "b", 0, 0, 20), pairing("a", "c", 0, 0, 20), pairing("b", "c", 8, 0, 12)]
    standings = make_standings(stats)
    top = standings.rows[0]
    assert (top.bot, top.bound, top.error) == ("a", ">", None)
    assert top.better_than_next < 1
    assert "`a` won everything" in standings.warnings[0]
    assert standings.rows[1].error > 0


def test_disconnected_pools_are_flagged():
    standings = make_standings([pairing("a", "b", 4, 0, 6), pairing("c", "d", 3, 0, 7)])
    assert {row.flags for row in standings.rows} == {("group 1 of 2",), ("group 2 of 2",)}
    assert "2 groups (`a`, `b`; `c`, `d`)" in standings.warnings[0]
    assert any("is a guess" in line for line in standings.lines)
    assert not standings.facts["connected"]


def test_bots_without_pairs_are_listed_last():
    standings = make_standings([pairing("a", "b", 4, 0, 6)], bots=["zed", "a"])
    last = standings.rows[-1]
    assert (last.bot, last.rank, last.elo, last.score, last.flags) == ("zed", 3, None, None, ("not rated",))


def test_nothing_played_yet():
    standings = make_standings([], bots=["a", "b"])
    assert [(row.bot, row.elo) for row in standings.rows] == [("a", None), ("b", None)]
    assert json.loads(standings.to_json())["facts"] == {"rated": "nothing"}
    assert make_standings([]).rows == ()


def test_anchor():
    standings = make_standings(event(ELOS, 40, 2), options=StandingsOptions(anchor="greedy", anchor_elo=1000))
    row = next(row for row in standings.rows if row.bot == "greedy")
    assert row.elo == pytest.approx(1000)
    assert row.error == pytest.approx(0, abs=1e-6)
    for pairs in ([pairing("a", "b", 1, 1, 1)], []):
        with pytest.raises(ArenaError, match="the anchor `zed`"):
            make_standings(pairs, bots=["zed"], options=StandingsOptions(anchor="zed"))


def test_owners_apart():
    stats = [pairing("a", "b", 5, 0, 5), pairing("a", "friend", 0, 0, 10), pairing("b", "friend", 5, 0, 5)]
    owners = {"a": "ann", "friend": "ann"}
    together = make_standings(stats, options=StandingsOptions(owners=owners))
    apart = make_standings(stats, options=StandingsOptions(owners=owners, owners_apart=True))
    assert together.rows[0].elo > 100
    assert apart.rows[0].elo == pytest.approx(0)
    assert len(apart.crosstable) == 6


def test_accomplices_are_named():
    elos = dict.fromkeys(["a", "b", "c", "d", "friend"], 0.0)
    stats = [s for s in event(elos, 100, 3) if {s.a, s.b} != {"a", "friend"}]
    stats.append(pairing("friend", "a", 100, 0, 0))
    options = StandingsOptions(owners={"a": "ann", "friend": "ann"}, adjusted=False)
    warned = make_standings(stats, options=options).warnings
    assert any(w.startswith("Without the other bots of owner `ann`, `a` would stand") for w in warned)


def test_luck_that_is_partly_known_is_said():
    stats = event({"a": 20.0, "b": 0.0, "c": -20.0}, 20, 4)
    stats[0] = pairing("a", "b", 5, 5, 10)
    standings = make_standings(stats)
    assert standings.facts["rated"] == "raw"
    assert standings.warnings == ("The luck of 2 of 3 pairings is known: raw scores are rated.",)
    assert standings.rows[0].adj_score is None


def test_a_luck_term_that_is_not_zero_on_average_is_said():
    units = [PairUnit(k, (k % 3) / 2, 0.2 + 0.01 * (k % 7)) for k in range(60)]
    warned = make_standings([tally("a", "b", units)]).warnings
    assert any("The luck term has mean +0.2" in w for w in warned)


@pytest.mark.parametrize("lucks", [(0.15, 0.16), (0.15, 0.17, 0.16)])
def test_few_pairs_with_like_cards_are_no_sign_of_a_wrong_luck_term(lucks):
    units = [PairUnit(k, (k % 3) / 2, luck) for k, luck in enumerate(lucks)]
    assert not any("luck term" in w for w in make_standings([tally("a", "b", units)]).warnings)


def test_memory_within_blocks_is_said():
    standings = make_standings(event({"a": 0.0, "b": 0.0, "c": 0.0}, 100, 5, luck=False, memory=0.3))
    assert standings.facts["clustered"] == "block"
    assert any("correlated" in w for w in standings.warnings)


def test_a_pool_that_no_ladder_fits():
    stats = [pairing("a", "b", 10, 20, 70), pairing("b", "c", 10, 20, 70), pairing("a", "c", 70, 20, 10)]
    standings = make_standings(stats)
    said = "\n".join(standings.warnings)
    assert "One ladder does not fit" in said
    assert "A cycle: `a` beats `b` beats `c` beats `a`" in said
    assert standings.facts["chi2_p"] < 0.01


def test_stopped_early_and_notes():
    options = StandingsOptions(stopped_early=True, notes=("guessable seed",))
    warned = make_standings([pairing("a", "b", 4, 4, 12)], options=options).warnings
    assert warned[0] == "guessable seed"
    assert "stopped by the results" in warned[-1]


def test_single_games_as_units():
    standings = make_standings([pairing("a", "b", 9, 0, 11)], options=StandingsOptions(unit="game"))
    assert "more games would do" in standings.lines[0]
    assert standings.facts["k_raw"] == pytest.approx(0.95)


def test_shared_decks():
    random = Random(6)
    tilt = [random.gauss(0, 0.3) for _ in range(50)]
    shared = {}
    for a, b in combinations("abc", 2):
        xs = [random.gauss(0.5 + (t if a == "a" else 0.0), 0.1) for t in tilt]
        shared[a, b] = [PairUnit(k, 0.0 if x < 0.25 else 1.0 if x > 0.75 else 0.5) for k, x in enumerate(xs)]
    stats = [tally(a, b, units) for (a, b), units in shared.items()]
    alone, together = make_standings(stats), make_standings(stats, shared_decks=shared)
    assert together.facts["clustered"] == "deck"
    errors = [next(row.error for row in s.rows if row.bot == "a") for s in (alone, together)]
    assert errors[1] > 1.2 * errors[0]


def test_files_say_the_same():
    standings = make_standings(event(ELOS, 20, 7), bots=["zed"])
    rows = list(csv.DictReader(io.StringIO(standings.to_csv())))
    data = json.loads(standings.to_json())
    names = [row.bot for row in standings.rows]
    assert [row["bot"] for row in rows] == [row["bot"] for row in data["rows"]] == names
    assert float(rows[0]["elo"]) == data["rows"][0]["elo"] == round(standings.rows[0].elo, 2)
    assert rows[-1]["elo"] == ""
    assert set(data) == {"rows", "crosstable", "warnings", "lines", "faults", "facts"}


def test_large_pools_leave_the_crosstable_out():
    names = [f"b{k:02}" for k in range(70)]
    stats = [pairing(a, b, 2, 3, 3) for a, b in zip(names, names[1:] + names[:1], strict=True)]
    standings = make_standings(stats)
    assert standings.crosstable == ()
    assert len(standings.lines) == 21
    assert standings.lines[-1] == "(and 49 more bots below)"


@st.composite
def events(draw):
    names = ["a", "b", "c", "d"][: draw(st.integers(2, 4))]
    stats = []
    for a, b in combinations(names, 2):
        rows = draw(st.lists(st.tuples(st.sampled_from([0, 1, 2, 4]), st.integers(-3, 3)), max_size=25))
        with_luck = draw(st.booleans())
        units = [
            PairUnit(k, s / 4, lucky / 10 if with_luck else None, s) for k, (s, lucky) in enumerate(rows)
        ]
        stats.append(tally(a, b, units, hands=20 * len(rows), points_a=draw(st.integers(0, 99))))
    return stats


@given(events(), st.integers(0, 10**6))
@settings(max_examples=100, deadline=None)
def test_whatever_happened_the_table_is_finite_and_the_same(stats, seed):
    options = StandingsOptions(owners={"a": "ann", "b": "ann"})
    standings = make_standings(stats, bots="abcd", options=options)
    text = standings.to_json()
    assert "NaN" not in text
    assert "Infinity" not in text
    for row in standings.rows:
        for p in (row.better_than_next, row.best):
            assert p is None or 0 < p < 1
        for x in (row.elo, row.error, row.adj_score, row.points_per_hand):
            assert x is None or math.isfinite(x)
        assert row.bound == "" or row.error is None
        assert 1 <= row.rank_low <= row.rank_high <= 4
    for line in (*standings.lines, *standings.warnings):
        assert not any(word in line for word in ("nan", "inf ", " 100.0 %", " 0.0 %"))
    random = Random(seed)
    turned = [s.swapped() if random.random() < 0.5 else s for s in random.sample(stats, len(stats))]
    again = make_standings(turned, bots="dcba", options=options)
    assert again.to_json() == text
    assert again.to_csv() == standings.to_csv()
