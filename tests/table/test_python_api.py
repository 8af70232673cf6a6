"""Hands, games and pairs played from Python."""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import arena
from arena.api import play_game, play_hand, play_pairs
from arena.bots.limits import Limits
from arena.errors import ArenaError
from arena.games.registry import get_game
from arena.table.verdict import EndReason, Fault


def first(view: Any) -> str:
    word: str = view.legal[0]
    return word


def last(view: Any) -> str:
    word: str = view.legal[-1]
    return word


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    (tmp_path / "bot.toml").write_text('name = "mine"\nversion = "1"\ncommand = ["{python}", "bot.py"]\n')
    (tmp_path / "bot.py").write_text("from protocol import run\nrun(lambda view: view.legal[-1])\n")
    return tmp_path


def test_a_game_is_the_same_for_the_same_seed() -> None:
    one, same, other = (play_game([first, last], seed=seed) for seed in (1, 1, 2))
    strip = [
        [(h.pack, [(d.seat, d.word) for d in h.decisions], h.scores) for h in g.hands] for g in (one, same)
    ]
    assert strip[0] == strip[1]
    assert one.hands[0].pack != other.hands[0].pack
    assert one.reason is EndReason.TARGET
    assert one.scores == one.hands[-1].scores
    assert [hand.number for hand in one.hands] == list(range(len(one.hands)))


def test_without_a_seed_no_two_games_are_alike() -> None:
    packs = {play_hand([first, first]).pack for _ in range(5)}
    assert len(packs) == 5


def test_a_hand_from_a_given_pack_dealer_and_score() -> None:
    pack = list(reversed(get_game().pack))
    hand = play_hand([last] * 4, pack=pack, dealer=2, scores=(8, 3))
    assert list(hand.pack) == pack
    assert hand.dealer == 2
    assert hand.end == "played"
    assert hand.decisions[0].seat == 3
    assert sum(hand.points) > 0
    assert hand.scores == (8 + hand.points[0], 3 + hand.points[1])
    assert hand.facts["maker"] is not None


def test_a_hand_that_all_pass_is_a_hand() -> None:
    hand = play_hand([first] * 4, seed=1)
    assert hand.end == "thrown_in"
    assert hand.points == (0, 0)
    assert [decision.seat for decision in hand.decisions] == [1, 2, 3, 0] * 2


def test_pairs_are_played_on_the_same_decks_with_seats_swapped() -> None:
    seen: list[tuple[int, str, str]] = []

    def noting(name: str) -> Any:
        def choose(view: Any) -> str:
            seen.append((view["seat"], name, view["upcard"]))
            return last(view)

        return choose

    result = play_pairs(noting("a"), noting("b"), 3, seed=5)
    for pair in result.pairs:
        packs = [[hand.pack for hand in game.hands] for game in pair.legs]
        shorter = min(map(len, packs))
        assert packs[0][:shorter] == packs[1][:shorter]
        assert pair.legs[0].hands[0].dealer == pair.pair % 4
    assert {(seat % 2, name) for seat, name, _ in seen} == {(0, "a"), (1, "b"), (0, "b"), (1, "a")}


def test_scores_are_from_the_first_players_side() -> None:
    result = play_pairs(lambda view: "nonsense", last, 4, seed=3)
    assert result.score == 0.0
    assert result.cells == (4, 0, 0, 0, 0)
    assert result.forfeits == (8, 0)
    assert result.points == (0, 0)
    fault = result.pairs[0].legs[0].fault
    assert fault is not None
    assert fault.code is Fault.ILLEGAL
    assert result.pairs[0].legs[0].hands[-1].end == "forfeit"
    assert result.pairs[0].legs[0].hands[-1].fault == fault
    rng = random.Random(1)
    fair = play_pairs(last, lambda view: rng.choice(view.legal), 20, seed=3)
    assert fair.score == pytest.approx(sum(i / 4 * n for i, n in enumerate(fair.cells)) / 20)
    margin = fair.points[0] - fair.points[1]
    assert margin == sum(pair.margin for pair in fair.pairs)
    assert play_pairs(first, first, 0).score == 0.5


def test_identical_players_score_half_of_every_pair() -> None:
    result = play_pairs(last, last, 5, seed=9)
    assert result.cells == (0, 0, 5, 0, 0)


def test_rules_and_games_are_chosen_by_name() -> None:
    british = play_game([last, last], game="british", rules={"target": 3}, seed=1)
    assert max(british.scores) >= 3
    assert len(british.hands[0].pack) == 25


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: play_game([first, last], game="brittish"), "did you mean `british`"),
        (lambda: play_game([first, last], rules={"stick_dealer": True}), "stick_the_dealer"),
        (lambda: play_game([first, last, first]), "3 players"),
        (lambda: play_game(first), "expected a list"),
        (lambda: play_game([first, "/no/such/bot"]), "/no/such/bot"),
        (lambda: play_hand([first] * 4, pack=["9C"]), "pack"),
    ],
)
def test_what_cannot_be_played_is_said_in_one_line(call: Any, says: str) -> None:
    with pytest.raises(ArenaError) as caught:
        call()
    assert says in str(caught.value)


def test_what_a_callable_raises_comes_back() -> None:
    def broken(view: Any) -> str:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        play_game([broken, first])


def test_directories_and_callables_sit_at_one_table(bot: Path) -> None:
    result = play_pairs(bot, last, 2, seed=4, limits=Limits(move_ms=10_000, start_ms=30_000))
    assert result.cells == (0, 0, 2, 0, 0), "they play alike"
    assert result.forfeits == (0, 0)


def test_a_bot_that_does_not_start_is_an_error_with_what_it_said(bot: Path) -> None:
    (bot / "bot.py").write_text("raise SystemExit('no licence')\n")
    with pytest.raises(ArenaError, match="no licence"):
        play_game([bot, first])


def test_a_bot_that_fails_in_a_game_forfeits_and_the_next_game_has_fresh_processes(bot: Path) -> None:
    (bot / "bot.py").write_text("from protocol import run\nrun(lambda view: 1 / 0)\n")
    result = play_pairs(bot, last, 2, seed=4, limits=Limits(move_ms=10_000, start_ms=30_000))
    assert result.forfeits == (4, 0)
    fault = result.pairs[0].legs[0].fault
    assert fault is not None
    assert fault.code is Fault.CRASHED
    assert "ZeroDivisionError" in fault.stderr_tail


def test_the_package_hands_the_functions_on_without_loading_them() -> None:
    assert arena.play_game is play_game
    code = "import sys, arena; assert 'arena.api' not in sys.modules; from arena import play_pairs"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
    with pytest.raises(AttributeError, match="no attribute"):
        arena.play_everything  # noqa: B018


HIDES = """
import os, resource, sys, time
from protocol import run

def hide(lower):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            if lower:
                resource.setrlimit(resource.RLIMIT_MSGQUEUE, (0, 0))
            os.closerange(0, 100)
            os.execve(sys.executable, ["{mark}", "-c", "import time; time.sleep(60)"], {{}})
        os._exit(0)
    os.wait()

started = []

def choose(view):
    if not started:
        started.append(1)
        hide(False)
        hide(True)
    return view.legal[0]

run(choose)
"""
PLAYS = """
import os, subprocess, sys
from arena.api import play_hand
from arena.bots import cgroup, tree
cgroup.make = lambda name, limits: None  # as where no control group can be had
mine = subprocess.Popen(["sleep", "60"], start_new_session=True)
hand = play_hand([sys.argv[1]] * 4, isolation="basic")
print(hand.end, mine.poll())
# What loses its parent now is not ours: it would stay, dead, as we do not know of it.
pid = int(subprocess.run(["sh", "-c", "sleep 60 >&- 2>&- & echo $!"], capture_output=True, text=True).stdout)
print(pid in tree.children(os.getpid()))
os.kill(pid, 9)
mine.kill()
mine.wait()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux hands orphans over")
def test_a_daemon_of_a_bot_ends_with_the_game_and_the_callers_own_children_do_not(bot: Path) -> None:
    mark = f"arena-test-{os.getpid()}-{os.urandom(4).hex()}"
    (bot / "bot.py").write_text(HIDES.format(mark=mark))
    done = subprocess.run(
        [sys.executable, "-c", PLAYS, str(bot)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout == "thrown_in None\nFalse\n", done.stderr
    left = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if mark.encode() in path.read_bytes():
                left.append(path)
    assert left == []
