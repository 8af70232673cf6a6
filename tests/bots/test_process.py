"""Seats as real processes, at every level that this machine offers."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arena.bots import cgroup, process, tree
from arena.bots.levels import Level
from arena.bots.limits import Limits
from arena.bots.process import SeatProcess, spawn, stop_all

Start = Callable[..., SeatProcess]
Puppets = Callable[..., Any]
Read = Callable[[SeatProcess], bytes]
Until = Callable[..., bool]
Marked = Callable[[str], list[int]]

ENVIRONMENT = {
    "PATH",
    "HOME",
    "TMPDIR",
    "LANG",
    "PYTHONPATH",
    "PYTHONHASHSEED",
    "PYTHONDONTWRITEBYTECODE",
    "JDK_JAVA_OPTIONS",
}
DAEMON = """
    import os, subprocess, sys
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(600)", {mark!r}])
        os._exit(0)
    os.wait()
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", {mark!r}])
    print("ready", flush=True)
    sys.stdin.read()
"""


def test_echo_and_polite_end(level: Level, puppet: Puppets) -> None:
    bot = puppet(level)
    assert bot.do("result = 6 * 7") == 42
    assert bot.seat.returncode is None
    stop_all([bot.seat], 10_000)
    assert bot.seat.returncode == 0
    stop_all([bot.seat], 10_000)
    assert (bot.seat.stdin_fd, bot.seat.stdout_fd, bot.seat.stderr_fd) == (-1, -1, -1)


def test_python_bots_import_the_protocol_and_not_the_arena(level: Level, puppet: Puppets) -> None:
    bot = puppet(level)
    assert bot.do("import protocol, msgpack; result = callable(protocol.run)") is True
    if level is Level.STRONG:
        assert "ModuleNotFoundError" in bot.error("import arena")
        assert "ModuleNotFoundError" in bot.error("import sample_bots")


def test_environment_is_its_own(level: Level, puppet: Puppets, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_SECRET", "swordfish")
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    monkeypatch.setenv("PATH", f"/secret/bin:{os.environ['PATH']}")
    bot = puppet(level)
    found = bot.do("import os; result = dict(os.environ)")
    assert set(found) - {"PWD", "LC_CTYPE"} == ENVIRONMENT
    assert found["LANG"] == "C.UTF-8"
    assert "secret" not in found["PATH"]


def test_nothing_is_inherited_but_the_three_pipes(level: Level, puppet: Puppets) -> None:
    read_end, write_end = os.pipe()
    os.set_inheritable(write_end, True)
    try:
        bot = puppet(level)
        assert bot.do("import os; result = sorted(map(int, os.listdir('/proc/self/fd')))")[:4] == [0, 1, 2, 3]
        code = f"import os; os.fstat({max(write_end, 9)})"
        assert "OSError" in bot.error(code)
    finally:
        os.close(read_end)
        os.close(write_end)


def test_starts_in_its_own_directory(level: Level, puppet: Puppets) -> None:
    bot = puppet(level)
    assert bot.do("import os; result = os.listdir('.')") == ["bot.py"]
    written = "import os; open(os.path.join(os.environ['TMPDIR'], 'note'), 'w').write('x'); result = 1"
    assert bot.do(written) == 1


def test_a_daemon_does_not_outlive_the_seat(
    level: Level, start: Start, mark: str, read_some: Read, until: Until, marked: Marked
) -> None:
    seat = start(DAEMON.format(mark=mark), level)
    assert read_some(seat) == b"ready\n"
    assert until(lambda: len(marked(mark)) >= 2)
    stop_all([seat], 10_000)
    assert marked(mark) == []


def test_kill_ends_everything_at_once(
    level: Level, start: Start, mark: str, read_some: Read, marked: Marked
) -> None:
    seat = start(DAEMON.format(mark=mark), level)
    read_some(seat)
    seat.kill()
    seat.kill()
    assert seat.returncode is not None
    assert marked(mark) == []
    assert seat.processes() == []


def test_a_bot_that_ignores_every_request_to_end(level: Level, start: Start, read_some: Read) -> None:
    seat = start(
        """
        import signal
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
            signal.signal(number, signal.SIG_IGN)
        print("deaf", flush=True)
        while True:
            signal.pause()
        """,
        level,
    )
    read_some(seat)
    began = time.monotonic()
    stop_all([seat], 100)
    assert time.monotonic() - began < 5
    assert seat.returncode not in (None, 0)


def test_a_bot_that_stops_itself_is_ended(level: Level, start: Start, read_some: Read) -> None:
    seat = start("import os, signal; print('x', flush=True); os.kill(os.getpid(), signal.SIGSTOP)", level)
    read_some(seat)
    stop_all([seat], 50)
    assert seat.returncode is not None


def test_a_polite_bot_may_speak_after_the_end(level: Level, start: Start, read_some: Read) -> None:
    seat = start(
        """
        import sys
        print("on", flush=True)
        sys.stdin.read()
        sys.stdout.write("x" * 300_000)
        sys.stdout.flush()
        sys.stderr.write("y" * 300_000 + "last words")
        """,
        level,
    )
    read_some(seat)
    stop_all([seat], 20_000)
    assert seat.returncode == 0
    assert seat.stderr.text().endswith("last words")


def test_stderr_is_kept_in_bounds(level: Level, start: Start, read_some: Read, until: Until) -> None:
    seat = start(
        """
        import sys
        sys.stderr.write("first words\\n")
        for _ in range(100):
            sys.stderr.write("x" * 100_000)
        sys.stderr.write("\\nlast words\\x1b[2J")
        sys.stderr.flush()
        print("done", flush=True)
        sys.stdin.read()
        """,
        level,
        Limits(stderr_bytes=4096),
    )
    assert read_some(seat) == b"done\n"
    assert until(lambda: seat.drain_stderr() and seat.stderr.total > 10_000_000)
    text = seat.stderr.text()
    assert text.startswith("first words")
    assert "last words" in text
    assert "\x1b" not in text
    assert len(text) < 4300
    assert seat.stderr.left_out == seat.stderr.total - 4096


def test_memory_of_the_whole_tree(level: Level, puppet: Puppets) -> None:
    bot = puppet(level)
    before = bot.seat.memory_bytes()
    bot.do(
        """
        import os, signal
        if os.fork() == 0:
            block = bytearray(b"x") * (60 << 20)
            os.write(1, b'["child", null]\\n')
            signal.pause()
        """
    )
    bot.line()
    bot.do("block = bytearray(b'x') * (60 << 20)")
    after = bot.seat.memory_bytes()
    assert before is not None
    assert after is not None
    assert 110 << 20 < after - before < 160 << 20


def test_forked_workers_are_not_counted_twice(level: Level, puppet: Puppets) -> None:
    bot = puppet(level, Limits(memory_mb=200))
    bot.do("block = bytearray(b'x') * (100 << 20)")
    bot.do(
        """
        import os, signal
        for _ in range(4):
            if os.fork() == 0:
                os.write(1, b'["child", null]\\n')
                signal.pause()
        """
    )
    for _ in range(4):
        bot.line()
    used = bot.seat.memory_bytes()
    assert used is not None
    assert used < 150 << 20


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")
@pytest.mark.parametrize("exact", [False, True])
def test_page_tables_are_counted(
    exact: bool, puppet: Puppets, strong: Level, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One byte of each 2 MiB is read: no page of its own comes of it, but a page of the table."""
    monkeypatch.setattr(cgroup, "make", lambda name, limits: None)  # it might kill it before we have looked
    bot = puppet(strong, Limits(memory_mb=64))
    bot.do(
        """
        import mmap
        areas = []
        for _ in range(20):
            area = mmap.mmap(-1, 1 << 31, mmap.MAP_PRIVATE | 0x4000, mmap.PROT_READ)
            area.madvise(15)  # no huge pages
            areas.append(area)
            for at in range(0, 1 << 31, 1 << 21):
                area[at]
        """
    )
    used = tree.memory_bytes(bot.seat.processes(), exact=exact)
    assert 75 << 20 < used < 150 << 20
    assert (bot.seat.memory_bytes() or 0) > 64 << 20


@pytest.mark.skipif(sys.platform != "linux", reason="only there is a reading exact")
def test_exact_readings_take_a_small_part_of_the_time(
    puppet: Puppets, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = puppet(Level.BASIC, Limits(memory_mb=100))
    now, exact_seconds, truth = 1000.0, 0.3, 50 << 20
    readings = []

    def memory_bytes(pids: Any, *, exact: bool = False) -> int:
        nonlocal now
        if not exact:
            return 200 << 20
        readings.append(now)
        now += exact_seconds
        return truth

    with monkeypatch.context() as patch:
        patch.setattr(process, "time", SimpleNamespace(monotonic=lambda: now))
        patch.setattr(tree, "memory_bytes", memory_bytes)
        for _ in range(1000):
            assert bot.seat.memory_bytes() == 50 << 20
            now += 0.05
        assert len(readings) == 4
        assert min(later - one for one, later in pairwise(readings)) >= 51 * exact_seconds
        truth = 150 << 20  # it is blamed for no more than has been seen
        assert bot.seat.memory_bytes() == 50 << 20
        now += 51 * exact_seconds
        assert bot.seat.memory_bytes() == 150 << 20


def test_cpu_time_is_counted(level: Level, puppet: Puppets) -> None:
    bot = puppet(level)
    bot.do("result = 0")
    before = bot.seat.cpu_seconds()
    burn = "import time; end = time.process_time() + 0.1\nwhile time.process_time() < end: pass\n"
    bot.do(burn)
    middle = bot.seat.cpu_seconds()
    bot.do(f"import subprocess, sys; subprocess.run([sys.executable, '-c', {burn!r}])")
    after = bot.seat.cpu_seconds()
    assert before is not None
    assert middle is not None
    assert after is not None
    assert 0.09 < middle - before < 0.3
    assert after - middle > 0.09
    bot.seat.kill()
    assert (bot.seat.cpu_seconds() or 0) >= after


def test_a_frozen_seat_does_nothing(level: Level, start: Start, read_some: Read, until: Until) -> None:
    seat = start(
        """
        import os, sys
        if os.fork() == 0:
            os.setsid()
        while True:
            os.write(1, b".")
        """,
        level,
    )
    read_some(seat)
    seat.freeze()
    assert seat.frozen
    quiet = until(lambda: not select.select([seat.stdout_fd], [], [], 0.2)[0] or not read_some(seat))
    assert quiet
    cpu = seat.cpu_seconds()
    assert select.select([seat.stdout_fd], [], [], 0.2)[0] == []
    assert seat.cpu_seconds() == cpu
    seat.thaw()
    assert read_some(seat)
    seat.freeze()
    stop_all([seat], 0)
    assert seat.returncode is not None


def test_a_frozen_seat_is_ended_politely(level: Level, puppet: Puppets) -> None:
    bot = puppet(level)
    bot.do("result = 1")
    bot.seat.freeze()
    stop_all([bot.seat], 10_000)
    assert bot.seat.returncode == 0


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system pins no process")
def test_pinned_from_the_first_instruction(level: Level, puppet: Puppets) -> None:
    before = os.sched_getaffinity(0)
    cpu = max(before)
    bot = puppet(level, cpus=(cpu,))
    assert bot.do("import os; result = sorted(os.sched_getaffinity(0))") == [cpu]
    assert os.sched_getaffinity(0) == before


def test_limits_hold(level: Level, puppet: Puppets) -> None:
    bot = puppet(level, Limits(files=40, file_bytes=1 << 20, memory_mb=200, cpu_s=77))
    found = bot.do(
        """
        import resource as r
        result = [r.getrlimit(k) for k in (r.RLIMIT_NOFILE, r.RLIMIT_FSIZE, r.RLIMIT_CORE, r.RLIMIT_CPU)]
        """
    )
    assert found == [[40, 40], [1 << 20, 1 << 20], [0, 0], [77, 77]]
    if sys.platform == "linux":
        assert "MemoryError" in bot.error("block = bytearray(300 << 20)")


def test_many_processes_are_refused_and_ended(
    level: Level, puppet: Puppets, until: Until, alive: Callable[[int], bool]
) -> None:
    if os.geteuid() != 0 and level is Level.BASIC:
        pytest.skip("the limit there counts every process of this user")
    bot = puppet(level, Limits(processes=20))
    made = bot.do(
        """
        import os, signal
        result = 0
        for _ in range(60):
            try:
                if os.fork() == 0:
                    signal.pause()
            except OSError:
                break
            result += 1
        """
    )
    assert made < 40
    pids = bot.seat.processes()
    assert len(pids) > made
    bot.seat.kill()
    assert until(lambda: not any(alive(pid) for pid in pids))


@pytest.mark.skipif(sys.platform != "linux", reason="Linux's way of choosing")
def test_the_system_kills_bots_first_when_memory_runs_out(level: Level, puppet: Puppets) -> None:
    bot = puppet(level)
    bot.do("result = 1")
    scores = {Path(f"/proc/{pid}/oom_score_adj").read_text() for pid in bot.seat.processes()}
    assert scores == {"1000\n"}


def test_early_kill_leaves_nothing(level: Level, tmp_path: Path, mark: str, marked: Marked) -> None:
    directory = tmp_path / "bot"
    directory.mkdir()
    for step in range(25):
        seat = spawn(directory, ["/bin/sh", "-c", "while :; do sleep 600; done", mark], Limits(), level)
        select.select([], [], [], step * 0.0005)
        seat.kill()
        seat.close()
    assert marked(mark) == []


def test_nothing_is_left_on_disk(level: Level, start: Start, read_some: Read) -> None:
    seat = start(
        """
        import os, sys
        os.chdir(os.environ["TMPDIR"])
        for _ in range(1200):
            os.mkdir("d")
            os.chdir("d")
        open("file", "w").write("x" * 1000)
        os.chmod(".", 0)
        os.chmod(os.environ["TMPDIR"] + "/d", 0)
        print(os.environ["TMPDIR"], flush=True)
        sys.stdin.read()
        """,
        level,
    )
    tmp = read_some(seat).decode().strip()
    stop_all([seat], 10_000)
    if level is not Level.STRONG:
        assert re.search(r"arena-seat-[0-9a-f]{16}", tmp)
        assert not os.path.exists(os.path.dirname(tmp))
    assert not [name for name in os.listdir("/tmp") if name.startswith("arena-seat-") and name in tmp]


DRIVER = """
import sys, os
sys.path[:0] = {path!r}
from arena.bots import cgroup
from arena.bots.limits import Limits
from arena.bots.process import spawn
if not {grouped}:
    cgroup.make = lambda name, limits: None
seats = [spawn({directory!r}, ["{{python}}", "bot.py"], Limits(), {level!r}) for _ in range(2)]
for seat in seats:
    os.set_blocking(seat.stdout_fd, True)
    os.read(seat.stdout_fd, 100)
boxes = [seat._box for seat in seats]
print(*(box.token for box in boxes), *((box.group and box.group.path) or "-" for box in boxes), flush=True)
sys.stdin.read()
"""


def test_a_killed_referee_leaves_nothing(
    level: Level, grouped: bool, tmp_path: Path, mark: str, until: Until, marked: Marked
) -> None:
    directory = tmp_path / "bot"
    directory.mkdir()
    (directory / "bot.py").write_text("import signal\n" + textwrap.dedent(DAEMON.format(mark=mark)))
    script = DRIVER.format(
        path=[p or os.getcwd() for p in sys.path], directory=str(directory), level=str(level), grouped=grouped
    )
    driver = subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )
    assert driver.stdin is not None
    assert driver.stdout is not None
    with driver, driver.stdin, driver.stdout:
        *told, group, _ = driver.stdout.readline().decode().split()
        assert until(lambda: len(marked(mark)) >= 4)
        driver.send_signal(signal.SIGKILL)
        driver.wait()
    assert until(lambda: marked(mark) == [])
    assert until(lambda: not any(marked(token) for token in told[:2]))
    assert until(lambda: not os.path.exists(group))
    assert not [n for n in os.listdir("/tmp") if any(n.startswith(token) for token in told[:2])]


def test_a_referee_killed_in_the_middle_of_a_start(
    level: Level, grouped: bool, tmp_path: Path, mark: str, until: Until, marked: Marked
) -> None:
    """Its private directories lie in one whose name is marked, and so are its guards."""
    directory, private = tmp_path / "bot", tmp_path / mark
    directory.mkdir()
    private.mkdir()
    (directory / "bot.py").write_text("import time; print(1, flush=True); time.sleep(600)")
    script = DRIVER.format(
        path=[p or os.getcwd() for p in sys.path], directory=str(directory), level=str(level), grouped=grouped
    ).replace("seats =", "print('now', flush=True)\nseats =")
    for moment in (0.001, 0.004, 0.012, 0.03):
        driver = subprocess.Popen(
            [sys.executable, "-c", script, mark], stdout=subprocess.PIPE, stdin=subprocess.PIPE,
            env={**os.environ, "TMPDIR": str(private)},
        )  # fmt: skip
        assert driver.stdin is not None
        assert driver.stdout is not None
        with driver, driver.stdin, driver.stdout:
            driver.stdout.readline()
            select.select([], [], [], moment)
            driver.kill()
    assert until(lambda: marked(mark) == [])
    assert list(private.glob("arena-seat-*")) == []


def test_orphans_of_a_slot_are_swept() -> None:
    script = f"""
import sys
sys.path[:0] = {[p or os.getcwd() for p in sys.path]!r}
import os, time
from arena.bots import cgroup, process, tree
tree.adopt_orphans()
pid = os.fork()
if pid == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
    os._exit(0)
os.waitpid(pid, 0)
assert len(tree.children(os.getpid())) == 1
tree.sweep_children()
print(tree.children(os.getpid()))
"""
    if not tree.LINUX:
        pytest.skip("only Linux hands orphans over")
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout == "[]\n", done.stderr
