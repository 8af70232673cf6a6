"""The luck meter: unbiased, the same with and without a compiler, and tables that are what they say."""

from __future__ import annotations

import math

import pytest

from arena.analysis.luck import LuckMeter, OutcomeTable, Playouts, hand_points, shipped_table, win_table
from arena.analysis.win_table import solve
from arena.cards.seeds import derive
from arena.cards.shuffle import shuffled
from arena.errors import ArenaError
from arena.games.base import Game
from arena.games.euchre import reference
from arena.games.registry import get_game

PRESETS = ["north-american", "british"]


def meter(game: Game) -> LuckMeter:
    table = shipped_table(Playouts(game))
    assert table is not None
    return LuckMeter(game, table)


def decks(game: Game, count: int, label: str) -> list[tuple[int, ...]]:
    return [tuple(shuffled(derive(label.encode(), k), len(game.pack))) for k in range(count)]


@pytest.mark.parametrize("name", PRESETS)
def test_a_table_is_shipped_for_each_preset(name: str) -> None:
    playouts = Playouts(get_game(name, {}))
    assert shipped_table(playouts) is not None
    assert shipped_table(Playouts(get_game(name, {"target": 5, "lone_march_points": 3}))) is not None


@pytest.mark.parametrize("name", PRESETS)
def test_the_shipped_table_is_what_the_command_makes(name: str) -> None:
    """The same frequencies as a smaller run of the same playouts, within five standard errors."""
    playouts = Playouts(get_game(name, {}))
    shipped = shipped_table(playouts)
    assert shipped is not None
    hands = 3000
    small = playouts.table(hands)
    for code, count in enumerate(small.counts):
        p = shipped.counts[code] / sum(shipped.counts)
        assert abs(count - hands * p) <= 5 * math.sqrt(hands * p * (1 - p)) + 3, code


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("scores", [(0, 0), (9, 9), (4, 8)])
def test_the_mean_luck_is_zero_within_its_error(name: str, scores: tuple[int, int]) -> None:
    game = get_game(name, {})
    luck = meter(game)
    terms = [luck.term(pack, k % 4, scores) for k, pack in enumerate(decks(game, 1500, f"luck {scores}"))]
    mean = sum(terms) / len(terms)
    error = math.sqrt(sum((t - mean) ** 2 for t in terms)) / len(terms)
    assert error > 0
    assert abs(mean) < 4 * error + 0.002


def test_the_win_table_agrees_with_the_published_chart() -> None:
    """Benjamin's chart of 10,000 simulated games a score; our policy is another, hence the width."""
    wins = meter(get_game("north-american", {})).wins
    for own, other, expected in ((9, 9, 0.65), (8, 8, 0.54), (9, 8, 0.73)):
        assert wins.dealer_wins(own, other) == pytest.approx(expected, abs=0.06)
    assert 1 - wins.dealer_wins(6, 9) == pytest.approx(0.82, abs=0.06)
    assert wins.dealer_wins(2, 8) == pytest.approx(0.08, abs=0.04)
    assert wins.dealer_wins(10, 3) == 1.0
    assert wins.dealer_wins(3, 10) == 0.0


@pytest.mark.parametrize("same_dealer", [False, True])
def test_the_all_pass_cycle_is_solved_exactly(same_dealer: bool) -> None:
    chances = [(1, 0, 0.4), (0, 1, 0.25), (2, 0, 0.05)]
    q = 0.3
    table = solve(chances, q, 5, same_dealer=same_dealer)
    for own in range(5):
        for other in range(5):
            passed = table.dealer_wins(own, other) if same_dealer else 1 - table.dealer_wins(other, own)
            expected = q * passed + sum(
                p * (1 - table.dealer_wins(other + theirs, own + ours)) for ours, theirs, p in chances
            )
            assert table.dealer_wins(own, other) == pytest.approx(expected, abs=1e-12)


def test_both_sides_luck_of_a_deal_adds_up_to_nothing() -> None:
    """What a deal gives one side it takes from the other, and the same deal always gives the same."""
    game = get_game("north-american", {})
    luck, again = meter(game), meter(game)
    for pack in decks(game, 20, "sides"):
        term = luck.term(pack, 0, (3, 6))
        assert term == again.term(pack, 0, (3, 6))
        # Everyone moves one seat on: the dealing side is now team 1, with the same cards and score.
        codes = luck.playouts.outcomes(pack, 0)
        assert all(0 <= code < reference.OUTCOMES for code in codes)
        assert -1 < term < 1


def test_a_redealt_hand_is_no_luck() -> None:
    game = get_game("north-american", {"farmers_hand": "redeal"})
    playouts = Playouts(game)
    nines_and_tens = [card for card in range(24) if card % 6 < 2]
    rest = [card for card in range(24) if card % 6 >= 2]
    pack = (*nines_and_tens[:5], *rest[:15], nines_and_tens[5], *nines_and_tens[6:], *rest[15:])
    assert sorted(pack) == list(range(24))
    table = playouts.table(500)
    assert LuckMeter(game, table).term(pack, 0, (0, 0)) == 0.0
    assert sum(table.counts) == 500


def test_compiled_playouts_equal_plain_ones() -> None:
    numba = pytest.importorskip("numba")
    numpy = pytest.importorskip("numpy")
    game = get_game("british", {"stick_the_dealer": True})
    rules = reference.parameters(game.rules)

    def array(values):
        return numpy.array(values, dtype=numpy.int64)

    plain = reference.build(lambda f: f, tuple)
    fast = reference.build(numba.njit, array)
    for k, pack in enumerate(decks(game, 300, "numba")):
        assert plain(pack, k % 4, k + 1, rules) == fast(array(pack), k % 4, k + 1, array(rules))


def test_a_changed_table_file_is_refused() -> None:
    table = OutcomeTable(1, (0, 0, 0, 0, 1, 0), False, tuple(range(reference.OUTCOMES)))
    text = table.to_json()
    assert OutcomeTable.from_json(text, "x.json") == table
    with pytest.raises(ArenaError, match=r"x\.json: its digest"):
        OutcomeTable.from_json(text.replace(" 7,", " 8,", 1), "x.json")
    with pytest.raises(ArenaError, match=r"x\.json: not an outcome table"):
        OutcomeTable.from_json("{}", "x.json")


def test_points_follow_the_rules() -> None:
    rules = get_game("north-american", {"super_euchre": True, "lone_march_points": 5}).rules
    assert hand_points(reference.ALL_PASS, rules) == (0, 0)
    assert hand_points(0 * 12 + 0 * 6 + 4, rules) == (1, 0)
    assert hand_points(1 * 12 + 0 * 6 + 2, rules) == (2, 0)
    assert hand_points(1 * 12 + 0 * 6 + 0, rules) == (4, 0)
    assert hand_points(0 * 12 + 1 * 6 + 5, rules) == (5, 0)
    table = OutcomeTable(1, (), False, tuple([1] * reference.OUTCOMES))
    assert win_table(table, rules).target == 10
