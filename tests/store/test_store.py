"""The store: durable games, sums kept up, repeats visible, and what the disk refuses."""

from __future__ import annotations

import json
import os
import random
import resource
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from arena.errors import ArenaError, Exit
from arena.store.database import VERSION
from arena.store.folder import DATABASE, Lock
from arena.store.queries import read_results
from arena.store.rows import BotRow, GameRow, Meta
from arena.store.store import Store

META = Meta(
    arena="0.1.0",
    created="2026-01-01T00:00:00+00:00",
    game="north-american",
    rules={"target": 5},
    options={"move-time": "1s"},
    seed="ab" * 32,
    commitment="cd" * 32,
    guessable=False,
)
A, B = BotRow("1" * 64, "ann", "1"), BotRow("2" * 64, "bob", "2", owner="me")
GAME = GameRow(
    pair=0, leg=0, score_a=1.0, points_a=10, points_b=4, hands=9, decisions=220, reason="target", seconds=0.5
)


def lines_of(*records: object) -> list[str]:
    return [json.dumps({"r": record, "h": f"{i:032x}"}) for i, record in enumerate(records)]


def opened(folder: Path) -> Store:
    store = Store(folder, META)
    with store.transaction():
        store.add_bot(A)
        store.add_bot(B)
    return store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with opened(tmp_path / "out") as store:
        yield store


def begin(store: Store, block: int = 0, games: int = 20) -> tuple[int, int, int]:
    with store.transaction():
        match = store.match("ff" * 32, A.digest, B.digest)
        return match, block, store.begin(match, block, games)


def add(store: Store, at: tuple[int, int, int], game: GameRow, *records: object) -> bool:
    with store.transaction():
        return store.game(*at, game, lines_of(*(records or ("game",))))


def test_an_attempt_is_visible_before_its_first_game(store: Store) -> None:
    begin(store)
    (attempt,) = store.attempts()
    assert (attempt.status, attempt.attempt, attempt.a, attempt.b) == ("running", 1, "ann", "bob")
    assert attempt.log == f"logs/{'f' * 8}/0-1.jsonl"


def test_a_pair_counts_when_both_games_do(store: Store) -> None:
    at = begin(store)
    add(store, at, GAME)
    (sums,) = store.sums()
    assert (sums.games, sums.pairs, sums.cells) == (1, 0, (0, 0, 0, 0, 0))
    add(store, at, replace(GAME, leg=1, score_a=0.5, points_a=7, points_b=7))
    (sums,) = store.sums()
    assert (sums.a, sums.b, sums.games, sums.pairs) == ("ann", "bob", 2, 1)
    assert sums.cells == (0, 0, 0, 1, 0)
    assert (sums.margin, sums.margin2, sums.points_a, sums.points_b, sums.hands) == (6, 36, 17, 11, 18)


def test_sums_equal_the_games_in_any_order(store: Store) -> None:
    dice = random.Random(5)
    games = [
        GameRow(
            pair,
            leg,
            score_a=dice.choice([0.0, 0.5, 1.0]),
            points_a=dice.randrange(11),
            points_b=dice.randrange(11),
            hands=dice.randrange(20),
            decisions=3,
            reason="forfeit" if (guilty := dice.choice([None, None, "a", "b"])) else "target",
            fault_code="timeout" if guilty else None,
            fault_bot=guilty,
            seconds=0.25,
        )
        for pair in range(8)
        for leg in (0, 1)
    ]
    dice.shuffle(games)
    at = begin(store)
    for game in games:
        add(store, at, game)
    with store.transaction():
        store.void("ff" * 32, 3, 1)
    kept = {(g.pair, g.leg): g for g in games if (g.pair, g.leg) != (3, 1)}
    whole = [(kept[p, 0], kept[p, 1]) for p in range(8) if (p, 1) in kept]
    (sums,) = store.sums()
    assert sums.games == 15
    assert sums.pairs == 7
    assert sums.cells == tuple(
        sum(one.score_a + two.score_a == cell / 2 for one, two in whole) for cell in range(5)
    )
    margins = [one.points_a - one.points_b + two.points_a - two.points_b for one, two in whole]
    assert (sums.margin, sums.margin2) == (sum(margins), sum(m * m for m in margins))
    assert sums.points_a == sum(g.points_a for g in kept.values())
    assert sums.forfeits_b == sum(g.fault_bot == "b" for g in kept.values())
    assert sums.seconds == pytest.approx(15 * 0.25)
    assert {(g.game.pair, g.game.leg, g.status) for g in store.games(all_statuses=True)} >= {(3, 1, "void")}


def test_a_repeated_game_is_kept_beside_and_does_not_count(store: Store) -> None:
    assert add(store, begin(store), GAME)
    again = begin(store)
    assert again[2] == 2
    assert not add(store, again, replace(GAME, score_a=0.0))
    (sums,) = store.sums()
    assert sums.games == 1
    statuses = {(g.attempt, g.status, g.game.score_a) for g in store.games(all_statuses=True)}
    assert statuses == {(1, "counts", 1.0), (2, "superseded", 0.0)}


def test_logs_hold_what_the_rows_say(store: Store) -> None:
    at = begin(store)
    add(store, at, GAME, "header", "first")
    add(store, at, replace(GAME, leg=1), "second")
    with store.transaction():
        store.finish(*at, lines_of("footer"), {"late_ms": 3})
    first, second = store.games()
    data = (store.folder / first.log).read_bytes()
    assert b'"first"' in data[first.offset : first.offset + first.bytes]
    assert data[second.offset : second.offset + second.bytes] == f"{lines_of('second')[0]}\n".encode()
    (attempt,) = store.attempts()
    assert attempt.status == "finished"
    assert attempt.bytes == len(data)
    assert attempt.head == "0" * 32


def test_faults_by_bot_and_reason(store: Store) -> None:
    at = begin(store)
    add(store, at, replace(GAME, reason="forfeit", fault_code="timeout", fault_bot="b", fault_text="late"))
    add(store, at, replace(GAME, pair=1, reason="forfeit", fault_code="crashed", fault_bot="a", score_a=0.0))
    add(store, at, replace(GAME, pair=2))
    assert [(f.bot, f.code, f.games) for f in store.faults()] == [
        ("ann", "crashed", 1),
        ("bob", "timeout", 1),
    ]
    assert store.reasons() == {"forfeit": 2, "target": 1}
    (late,) = store.faulty_games("bob")
    assert late.game.fault_text == "late"
    assert list(store.faulty_games("bob", "crashed")) == []


def test_what_the_slot_says_beyond_the_columns_is_kept() -> None:
    row = GameRow.of(4, 1, {"score_a": 1.0, "points_a": 1, "points_b": 0, "hands": 1, "decisions": 2,
                            "reason": "target", "late_ms": 7})  # fmt: skip
    assert row.facts == {"late_ms": 7}


def test_head_to_head_in_either_order(store: Store) -> None:
    add(store, begin(store), GAME)
    assert store.head_to_head("bob", "ann") == store.head_to_head("ann", "bob") != None  # noqa: E711
    assert store.head_to_head("ann", "eve") is None


def test_a_bot_keeps_its_name_and_history(store: Store) -> None:
    with store.transaction():
        store.bot_started(B.digest)
        store.bot_broke(B.digest)
        store.add_bot(replace(B, name="other", owner="you"))
    bob = next(bot for bot in store.bots() if bot.digest == B.digest)
    assert (bob.name, bob.owner, bob.started, bob.breaks) == ("bob", "you", True, 1)


def test_an_error_undoes_rows_and_log(store: Store) -> None:
    at = begin(store)
    add(store, at, GAME, "header")

    def failing() -> None:
        with store.transaction():
            store.game(*at, replace(GAME, leg=1), lines_of("lost"))
            raise KeyError

    with pytest.raises(KeyError):
        failing()
    (game,) = store.games()
    assert (store.folder / game.log).stat().st_size == game.bytes
    assert add(store, at, replace(GAME, leg=1))


def test_reading_while_it_is_written(store: Store) -> None:
    with read_results(store.folder) as results:
        assert results.games_done() == 0
        add(store, begin(store), GAME)
        assert results.games_done() == 1
        assert results.meta == META
        assert results.head() == store.head() != ""


def test_the_seed_is_for_its_owner_alone(store: Store) -> None:
    assert stat.S_IMODE((store.folder / DATABASE).stat().st_mode) == 0o600


def test_closing_reveals_the_seed_once(store: Store) -> None:
    assert store.meta.closed is None
    with store.transaction():
        assert store.close_tournament() == META.seed
    assert store.meta.closed is not None


def test_a_second_coordinator_is_refused(store: Store) -> None:
    with pytest.raises(ArenaError, match=f"pid {os.getpid()}.* is running this tournament") as caught:
        Store(store.folder, META)
    assert caught.value.exit_code == Exit.ENVIRONMENT


def test_the_lock_goes_with_its_holder(tmp_path: Path) -> None:
    code = "import sys, os\nfrom pathlib import Path\nfrom arena.store.folder import Lock\n"
    code += "lock = Lock(Path(sys.argv[1]))\nprint('held', flush=True)\nsys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code, tmp_path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(ArenaError):
            Lock(tmp_path)
        holder.kill()
    Lock(tmp_path).release()


def killed(folder: Path, code: str) -> None:
    """Run code that has a store and an attempt `at` open, and ends as if by kill -9."""
    script = (
        "import os, sys; sys.path.insert(0, sys.argv[2]); from pathlib import Path\n"
        "from test_store import *\n"
        "store = opened(Path(sys.argv[1])); at = begin(store); add(store, at, GAME, 'header', 'one')\n"
        f"{code}\nos._exit(9)"
    )
    subprocess.run([sys.executable, "-c", script, folder, Path(__file__).parent], check=False, timeout=60)


def test_a_torn_log_tail_is_cut_off(tmp_path: Path) -> None:
    killed(tmp_path / "out", "store._logs.append(store.folder.joinpath('logs/ffffffff/0-1.jsonl'),"
           " next(store.attempts()).bytes, ['half a li'])")  # fmt: skip
    with Store(tmp_path / "out") as store:
        (attempt,) = store.attempts()
        assert (attempt.status, attempt.why, attempt.played) == ("lost", "interrupted", 1)
        assert store.set_aside == len("half a li\n")
        assert (store.folder / attempt.log).stat().st_size == attempt.bytes
        assert store.games_done() == 1


def test_a_game_is_either_whole_or_not_there(tmp_path: Path) -> None:
    killed(tmp_path / "out", "store._connection.execute('BEGIN'); store._depth = 1\n"
           "store.game(*at, GameRow(1, 0, 1.0, 1, 1, 1, 1, 'target'), lines_of('two'))")  # fmt: skip
    with Store(tmp_path / "out") as store:
        assert store.games_done() == 1
        assert store.set_aside > 0


def test_a_log_shorter_than_its_rows_is_named(tmp_path: Path) -> None:
    killed(tmp_path / "out", "os.truncate(store.folder / 'logs/ffffffff/0-1.jsonl', 3)")
    with pytest.raises(ArenaError, match=r"0-1\.jsonl: has 3 bytes"):
        Store(tmp_path / "out")


def test_a_full_database_leaves_everything_as_it_was(store: Store) -> None:
    at = begin(store)
    add(store, at, GAME, "header")
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(ArenaError, match="the disk is full") as caught:
        add(store, at, replace(GAME, leg=1, fault_text="x" * 100_000), "more")
    assert caught.value.exit_code == Exit.ENVIRONMENT
    (game,) = store.games()
    assert (store.folder / game.log).stat().st_size == game.bytes
    store._connection.execute(f"PRAGMA max_page_count = {pages + 1000}")
    assert add(store, at, replace(GAME, leg=1))


def test_a_log_that_cannot_grow_leaves_everything_as_it_was(store: Store) -> None:
    at = begin(store)
    add(store, at, GAME, "header")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
    try:
        with pytest.raises(ArenaError, match=r"0-1\.jsonl"):
            add(store, at, replace(GAME, leg=1), "x" * 300_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    (game,) = store.games()
    assert (store.folder / game.log).stat().st_size == game.bytes
    assert add(store, at, replace(GAME, leg=1))


def rewrite(folder: Path, statement: str) -> None:
    with closing(sqlite3.connect(folder / DATABASE)) as connection, connection:
        connection.execute(statement)


@pytest.mark.parametrize("open_it", [lambda out: Store(out, META), read_results], ids=["write", "read"])
class TestForeignDatabases:
    def test_newer_version(self, tmp_path: Path, open_it: Callable[[Path], object]) -> None:
        opened(tmp_path).close()
        rewrite(tmp_path, f"PRAGMA user_version = {VERSION + 1}")
        with pytest.raises(
            ArenaError, match=f"has version {VERSION + 1}.*knows versions up to {VERSION}"
        ) as caught:
            open_it(tmp_path)
        assert caught.value.exit_code == Exit.ENVIRONMENT

    def test_another_program(self, tmp_path: Path, open_it: Callable[[Path], object]) -> None:
        opened(tmp_path).close()
        rewrite(tmp_path, "PRAGMA application_id = 7")
        with pytest.raises(ArenaError, match="some other program"):
            open_it(tmp_path)

    def test_not_a_database(self, tmp_path: Path, open_it: Callable[[Path], object]) -> None:
        (tmp_path / DATABASE).write_bytes(b"certainly no database, but long enough to have a header" * 99)
        with pytest.raises(ArenaError, match=f"{DATABASE}: is not a database"):
            open_it(tmp_path)

    def test_corrupt(self, tmp_path: Path, open_it: Callable[[Path], object]) -> None:
        opened(tmp_path).close()
        data = bytearray((tmp_path / DATABASE).read_bytes())
        data[100:4096] = bytes(3996)
        (tmp_path / DATABASE).write_bytes(data)
        with pytest.raises(ArenaError, match=f"{DATABASE}: ") as caught:
            open_it(tmp_path)
        assert caught.value.exit_code == Exit.ENVIRONMENT


def test_an_empty_database_is_begun(tmp_path: Path) -> None:
    (tmp_path / DATABASE).touch()
    with pytest.raises(ArenaError, match="holds no tournament"):
        read_results(tmp_path)
    with Store(tmp_path, META) as store:
        assert store.meta.seed == META.seed


def test_no_tournament(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="holds no tournament"):
        read_results(tmp_path / "nowhere")


def test_a_folder_of_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(ArenaError, match="is not empty and holds no tournament"):
        Store(tmp_path, META)
    assert [entry.name for entry in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_file_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(ArenaError, match="out: ") as caught:
        Store(tmp_path / "out", META)
    assert caught.value.exit_code == Exit.BAD_INPUT


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_unwritable_folder(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(ArenaError, match=r"cannot be written to|permission denied") as caught:
        Store(tmp_path / "out", META)
    assert caught.value.exit_code == Exit.ENVIRONMENT
    tmp_path.chmod(0o700)
