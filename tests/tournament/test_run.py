"""Real tournaments of real bots: the same table anywhere, and nothing lost or doubled however they end."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from arena.audit.check import check_tournament
from arena.bots import tree
from arena.errors import ArenaError, Exit
from arena.replay.log import read_games
from arena.store.queries import read_results
from arena.store.rows import Sums
from arena.tournament.close import close_tournament
from arena.tournament.config import RunConfig
from arena.tournament.events import GameEnded, Notice, Progress, RunEvent, RunReport, Started
from arena.tournament.results import open_results
from arena.tournament.run import run_tournament

ROOT = Path(__file__).resolve().parents[2]
KILLS = int(os.environ.get("ARENA_TEST_KILLS", "3"))
"""How often a run is killed before it is compared with an undisturbed one; a hundred for a long test."""
PATIENCE_S = 60
FLAGS = (
    "--rule",
    "target=2",
    "--isolation",
    "basic",
    "--start-time",
    "60s",
    "--move-time",
    "20s",
    "--grace",
    "100ms",
)


def config(out: Path, **changes: object) -> RunConfig:
    base = RunConfig(
        bots=("random", "greedy"),
        rules={"target": 2},
        pairs=4,
        seed="7",
        isolation="basic",
        start_ms=60_000,
        move_ms=20_000,
        grace_ms=100,
        out=str(out),
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def table(out: Path) -> list[Sums]:
    """The sums, but for the time that the games took."""
    with read_results(out) as results:
        return [replace(sums, seconds=0.0) for sums in results.sums()]


def played(out: Path) -> dict[tuple[str, int, int], object]:
    """Every game that counts, as its log has it: deals, decisions, seats, dealer, score."""
    found: dict[tuple[str, int, int], object] = {}
    with read_results(out) as results:
        counts = {(g.match_id, g.game.pair, g.game.leg): g for g in results.games()}
        assert len(counts) == results.games_done()
    for key, stored in counts.items():
        (game,) = (
            g for g in read_games(out / stored.log) if g.offset == at(stored.offset, g.offset, stored.bytes)
        )
        deals = tuple((hand.dealer, hand.pack, hand.acts, hand.scores) for hand in game.hands)
        found[key] = (game.start.dealer, game.start.teams, game.start.seeds, deals, game.end.score_a)
    return found


def at(first: int, offset: int, size: int) -> int:
    """`offset`, if the game that begins there is among the bytes of a row; else something else."""
    return offset if first <= offset < first + size else -1


def verified(out: Path) -> None:
    report = check_tournament(out)
    assert report.ok, [problem.sentence() for problem in report.problems]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("undisturbed") / "out"
    report = run_tournament(config(out, slots=1))
    assert report.complete
    return out


@pytest.fixture
def tmpdir_of_bots(tmp_path: Path) -> Iterator[Path]:
    """Where bots' private folders go; nothing of them may be left at the end."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    yield folder
    assert gone(folder)


def gone(folder: Path) -> bool:
    """Whether, within a bounded time, no process and no file of any seat is left."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if not tree.with_environment(f"TMPDIR={folder}") and not any(folder.glob("arena-seat-*")):
            return True
        time.sleep(0.02)
    return False


def command(out: Path, folder: Path, *more: str, launcher: str = "") -> subprocess.Popen[str]:
    """`arena run` as a process of its own."""
    start = launcher or "from arena.cli.main import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", start, "run", "random", "greedy", "--pairs", "4", "--seed", "7", *FLAGS,
         "--out", str(out), *more],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(folder), "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    with process:
        out, err = process.communicate(timeout=PATIENCE_S)
    return process.returncode, out, err


def until(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Wait until `condition` holds or the process has ended."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)


def games_in(out: Path) -> int:
    try:
        with read_results(out) as results:
            return results.games_done()
    except ArenaError:
        return 0


def has_games(out: Path, games: int) -> bool:
    return games_in(out) >= games


def test_a_tournament_ends_with_a_table_and_logs_that_verify(undisturbed: Path) -> None:
    (sums,) = table(undisturbed)
    assert (sums.games, sums.pairs) == (8, 4)
    verified(undisturbed)
    with open_results(undisturbed) as results:
        standings = results.standings()
    assert {row.bot for row in standings.rows} == {"random", "greedy"}


@pytest.mark.parametrize("slots", [2, 3])
def test_the_same_seed_gives_the_same_table_at_any_number_of_slots(
    undisturbed: Path, tmp_path: Path, slots: int
) -> None:
    events: list[RunEvent] = []
    report = run_tournament(config(tmp_path / "out", slots=slots), events.append)
    assert report.complete
    assert report.games_played == 8
    assert table(tmp_path / "out") == table(undisturbed)
    assert played(tmp_path / "out") == played(undisturbed)
    with open_results(tmp_path / "out") as one, open_results(undisturbed) as other:
        assert one.standings().to_json() == other.standings().to_json()
    assert isinstance(events[0], Started)
    assert events[0].slots == slots
    assert isinstance(events[-1], Progress)
    assert sum(isinstance(event, GameEnded) for event in events) == 8


def test_the_same_command_again_plays_nothing(tmp_path: Path) -> None:
    first = run_tournament(config(tmp_path / "out", pairs=1))
    again = run_tournament(config(tmp_path / "out", pairs=1))
    assert (first.games_played, again.games_played, again.games_done) == (2, 0, 2)
    assert again.complete
    assert again.head == first.head


def test_bots_and_pairs_are_added(undisturbed: Path, tmp_path: Path) -> None:
    run_tournament(config(tmp_path / "out", pairs=1))
    more = run_tournament(config(tmp_path / "out", pairs=4))
    assert (more.games_played, more.games_done) == (6, 8)
    assert played(tmp_path / "out") == played(undisturbed)
    third = run_tournament(config(tmp_path / "out", pairs=4, bots=("careful", "random", "greedy")))
    assert (third.games_played, third.games_done) == (16, 24)
    verified(tmp_path / "out")


def test_a_seed_of_the_systems_own_stays_with_the_tournament(tmp_path: Path) -> None:
    one = config(tmp_path / "out", pairs=1, seed=None)
    run_tournament(one)
    with read_results(tmp_path / "out") as results:
        meta = results.meta
    assert not meta.guessable
    assert run_tournament(one).games_played == 0
    other = config(tmp_path / "other", pairs=1, seed=None)
    run_tournament(other)
    with read_results(tmp_path / "other") as results:
        assert results.meta.seed != meta.seed


def test_deals_do_not_repeat(undisturbed: Path) -> None:
    """Each deck occurs in both legs of its pair, and nowhere else."""
    seen: dict[object, set[int]] = {}
    for (_, pair, _), game in played(undisturbed).items():
        for _, pack, _, _ in game[3]:  # type: ignore[index]
            seen.setdefault(pack, set()).add(pair)
    assert all(len(pairs) == 1 for pairs in seen.values())


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"move_ms": 19_000}, "move-time 20s, and you ask for 19s"),
        ({"rules": {"target": 3}}, "rule target=2, and you ask for target=3"),
        ({"game": "british"}, "game north-american, and you ask for british"),
        ({"seed": "8"}, "seed another one"),
        ({"seed": None}, "seed a chosen one"),
        ({"schedule": "gauntlet"}, "schedule round-robin"),
        ({"common_decks": True}, "common-decks off"),
        ({"ponder": "freeze"}, "ponder watch"),
        ({"memory_mb": 512}, "memory 1024"),
    ],
)
@pytest.mark.parametrize("dry", [False, True])
def test_other_options_are_refused_by_name(
    undisturbed: Path, change: dict[str, object], name: str, dry: bool
) -> None:
    before = table(undisturbed)
    with pytest.raises(ArenaError, match=name):
        run_tournament(config(undisturbed, dry_run=dry, **change))
    assert table(undisturbed) == before


@pytest.mark.parametrize("schedule", ["round-robin", "gauntlet", "swiss", "adaptive"])
def test_where_nothing_is_left_no_executor_is_started(
    schedule: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bots = ("random", "greedy", "careful")
    asked = config(tmp_path / "out", bots=bots, pairs=1, schedule=schedule, budget=6)
    first = run_tournament(asked)
    assert first.games_played > 0

    def start(*args: object) -> None:
        raise AssertionError("an executor was started")

    monkeypatch.setattr("arena.tournament.run._executor", start)
    told: list[object] = []
    again = run_tournament(asked, told.append)
    assert (again.games_played, again.games_done, again.complete) == (0, first.games_done, True)
    assert (again.games_total, again.head, again.ended) == (first.games_total, first.head, first.ended)
    assert any("nothing left to play" in str(event) for event in told)
    if schedule == "round-robin":
        # As many games are stored as the budget allows, and yet they are not those of its plan.
        with pytest.raises(AssertionError, match="executor"):
            run_tournament(config(tmp_path / "out", bots=bots, pairs=2, budget=6))


def test_a_closed_tournament_takes_nothing_more(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run_tournament(config(out, pairs=1))
    seed = close_tournament(out)
    assert close_tournament(out) == seed
    for more in ({"pairs": 1}, {"pairs": 2}, {"pairs": 1, "dry_run": True}):
        with pytest.raises(ArenaError, match="was closed") as caught:
            run_tournament(config(out, **more))
        assert "`arena standings " in caught.value.hint
    verified(out)


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    report = run_tournament(
        config(tmp_path / "out", dry_run=True, bots=("random", "greedy", "careful"), slots=2)
    )
    assert report.estimate is not None
    assert (report.estimate.games, report.estimate.games_stored, report.estimate.slots) == (24, 0, 2)
    assert report.estimate.seconds_low > 0
    assert not (tmp_path / "out").exists()


def test_a_dry_run_knows_what_is_stored(undisturbed: Path) -> None:
    report = run_tournament(config(undisturbed, dry_run=True, pairs=10))
    assert report.estimate is not None
    assert (report.estimate.games, report.estimate.games_stored) == (20, 8)


def test_a_bot_is_not_given_twice(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="`random` is given twice"):
        run_tournament(config(tmp_path / "out", bots=("random", "greedy", "random")))
    assert not (tmp_path / "out").exists()


def test_one_bot_is_no_tournament(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="at least two bots"):
        run_tournament(config(tmp_path / "out", bots=("random",)))


def bot_of(folder: Path, name: str, program: str, games: str = "") -> str:
    """A bot of one Python file."""
    directory = folder / name
    directory.mkdir(parents=True)
    (directory / "bot.toml").write_text(
        f'name = "{name}"\nversion = "1"\ncommand = ["{{python}}", "bot.py"]\n{games}'
    )
    (directory / "bot.py").write_text(program)
    return str(directory)


def test_a_bot_that_never_starts_is_an_error_and_no_result(tmp_path: Path) -> None:
    broken = bot_of(tmp_path, "broken", "import sys; sys.exit('no model file')")
    events: list[RunEvent] = []
    report = run_tournament(
        config(tmp_path / "out", pairs=2, bots=("random", "greedy", broken), slots=2), events.append
    )
    (failure,) = report.failed
    assert failure.name == "broken"
    assert "no model file" in failure.text
    assert report.exit_code == Exit.FAILED
    assert (report.games_done, report.games_total) == (4, 4)
    (sums,) = table(tmp_path / "out")
    assert {sums.a, sums.b} == {"random", "greedy"}
    assert any(isinstance(event, Notice) and "`broken` does not start" in event.text for event in events)


def test_a_bot_for_another_game_is_refused(tmp_path: Path) -> None:
    british = bot_of(tmp_path, "brit", "", 'games = ["british"]')
    with pytest.raises(ArenaError, match="`brit` does not play north-american"):
        run_tournament(config(tmp_path / "out", bots=("random", british)))


def test_a_slot_that_is_killed_costs_nothing(undisturbed: Path, tmp_path: Path) -> None:
    killed: list[int] = []

    def kill(event: RunEvent) -> None:
        if isinstance(event, GameEnded) and len(killed) < 2:
            slots = set(tree.children(os.getpid())) - before
            killed.extend(slots)
            tree.send(slots, signal.SIGKILL)

    before = set(tree.children(os.getpid()))
    report = run_tournament(config(tmp_path / "out", slots=1), kill)
    assert report.complete
    assert killed
    assert not report.set_aside
    assert played(tmp_path / "out") == played(undisturbed)
    with read_results(tmp_path / "out") as results:
        assert not results.faults()
        assert {attempt.why for attempt in results.attempts(status="lost")} == {"slot_died"}
    verified(tmp_path / "out")


def test_a_budget_of_time_ends_in_order(tmp_path: Path) -> None:
    report = run_tournament(config(tmp_path / "out", pairs=10_000, time_s=1.5))
    assert (report.stopped, report.complete, report.exit_code) == ("time", False, Exit.OK)
    verified(tmp_path / "out")


@pytest.mark.parametrize(
    "signals", [(signal.SIGKILL,), (signal.SIGINT, signal.SIGTERM)], ids=["kill", "stop"]
)
def test_an_end_at_any_moment_loses_and_doubles_nothing(
    undisturbed: Path, tmp_path: Path, tmpdir_of_bots: Path, signals: tuple[signal.Signals, ...]
) -> None:
    out = tmp_path / "out"
    dice = random.Random(os.urandom(8))
    for _ in range(KILLS):
        process = command(out, tmpdir_of_bots)
        until(partial(has_games, out, games_in(out) + dice.randrange(3)), process)
        time.sleep(dice.random() * 0.2)
        process.send_signal(dice.choice(signals))
        finish(process)
        assert gone(tmpdir_of_bots)
    code, _, err = finish(command(out, tmpdir_of_bots))
    assert code == 0, err
    assert played(out) == played(undisturbed)
    assert table(out) == table(undisturbed)
    verified(out)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_in_order(
    undisturbed: Path, tmp_path: Path, tmpdir_of_bots: Path, number: signal.Signals
) -> None:
    out = tmp_path / "out"
    process = command(out, tmpdir_of_bots, "--pairs", "2000")
    until(lambda: games_in(out) > 0, process)
    process.send_signal(number)
    code, _, err = finish(process)
    assert code == Exit.INTERRUPTED, err
    assert "Traceback" not in err
    with read_results(out) as results:
        assert 0 < results.games_done() < 4000
        assert set(results.reasons()) == {"target"}
        assert not list(results.attempts(status="running"))
    verified(out)
    expected = played(undisturbed)
    assert all(game == expected[key] for key, game in played(out).items() if key in expected)


def test_a_second_signal_ends_at_once(tmp_path: Path, tmpdir_of_bots: Path) -> None:
    out = tmp_path / "out"
    process = command(out, tmpdir_of_bots, "--pairs", "2000")
    until(lambda: games_in(out) > 0, process)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    code, _, err = finish(process)
    assert code == Exit.INTERRUPTED, err
    verified(out)


def test_a_second_coordinator_is_refused(tmp_path: Path, tmpdir_of_bots: Path) -> None:
    out = tmp_path / "out"
    process = command(out, tmpdir_of_bots, "--pairs", "2000")
    until(lambda: games_in(out) > 0, process)
    code, _, err = finish(command(out, tmpdir_of_bots, "--pairs", "2000"))
    process.send_signal(signal.SIGTERM)
    finish(process)
    assert code == Exit.ENVIRONMENT
    assert f"pid {process.pid}" in err


def test_a_full_disk_stops_in_one_line_and_goes_on_later(
    undisturbed: Path, tmp_path: Path, tmpdir_of_bots: Path
) -> None:
    """A limit on the size of files stands for the disk: writing fails in the middle of a log or a row."""
    out = tmp_path / "out"
    launcher = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY)); "
        "from arena.cli.main import main; main()"
    )
    code, _, err = finish(command(out, tmpdir_of_bots, "--pairs", "2000", launcher=launcher))
    assert code == Exit.ENVIRONMENT, err
    last = err.strip().splitlines()[-2:]
    assert str(out) in last[0]
    assert "Traceback" not in err
    done = games_in(out)
    assert done > 0
    code, _, err = finish(command(out, tmpdir_of_bots))
    assert code == 0, err
    assert games_in(out) >= done
    verified(out)


def test_a_report_says_what_a_machine_can_read(tmp_path: Path, tmpdir_of_bots: Path) -> None:
    code, text, err = finish(command(tmp_path / "out", tmpdir_of_bots, "--json"))
    assert code == 0, err
    data = json.loads(text)
    assert data["complete"] is True
    assert data["games_done"] == 8


def test_an_unusable_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ArenaError, match="file") as caught:
        run_tournament(config(tmp_path / "file" / "out"))
    assert caught.value.exit_code == Exit.BAD_INPUT


def test_exit_codes() -> None:
    report = RunReport("out", True, None, 1, 1, 1, 0.5)
    assert report.exit_code == Exit.OK
    assert replace(report, stopped="interrupted").exit_code == Exit.INTERRUPTED


def test_no_bot_named_means_the_sample_bots(tmp_path: Path) -> None:
    report = run_tournament(config(tmp_path / "out", bots=(), dry_run=True))
    assert report.estimate is not None
    assert set(report.estimate.bots) >= {"random", "greedy", "careful"}


ASKS_FOR_A_KILL = """
import os, time
from protocol import run
def choose(view):
    open(os.path.join(os.environ["TMPDIR"], "kill-my-slot"), "w").close()
    time.sleep(30)
run(choose)
"""


def test_a_bot_that_kills_its_slot_forfeits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another user's process cannot kill a slot, so the test does it for the bot."""
    killer = bot_of(tmp_path, "killer", ASKS_FOR_A_KILL)
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    over = threading.Event()
    before = set(tree.children(os.getpid()))

    def kill() -> None:
        while not over.wait(0.005):
            for asked in folder.glob("arena-seat-*/tmp/kill-my-slot"):
                asked.unlink(missing_ok=True)
                tree.send(set(tree.children(os.getpid())) - before, signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        report = run_tournament(config(tmp_path / "out", bots=("random", killer), pairs=1, slots=1))
    finally:
        over.set()
        thread.join()
    assert report.complete
    assert gone(folder)
    with read_results(tmp_path / "out") as results:
        faults = [(fault.bot, fault.code, fault.games) for fault in results.faults()]
    assert faults == [("killer", "killed_slot", 2)]
    verified(tmp_path / "out")
