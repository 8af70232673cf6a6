"""What breaks in the middle of a tournament: after it, the same games as if nothing had happened.

    python benchmarks/faults.py [SCENARIO ...] [--kills 100] [--seed N]

Each scenario runs `arena run` as a process, breaks something at random moments, goes on with the same
command and compares with an undisturbed run: the same set of (pair, leg) with the same seats, deals and
decisions, each once, and every log verifies. Scenarios: kill-cli, kill-slot, kill-worker, stop-worker,
kill-scheduler, two-coordinators, clock-back, disk-full. The tests run each in a short form. Linux.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena.audit.check import check_tournament
from arena.bots import tree
from arena.errors import ArenaError, Exit
from arena.execution.cluster import local_cluster
from arena.execution.tls import Address
from arena.replay.log import read_games
from arena.store.queries import read_results

ROOT = Path(__file__).resolve().parents[1]
FLAGS = (
    "--seed", "faults", "--rule", "target=2", "--isolation", "basic", "--start-time", "60s", "--move-time",
    "20s", "--grace", "100ms", "--slots", "2",
)  # fmt: skip
PATIENCE_S = 120.0
TTL_S = 5.0
"""The shortest that Dask takes: ten heartbeats."""
CLOCK = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
#include <sys/time.h>
#include <stdlib.h>
/* The wall clock jumps back by an hour, to and fro, every SWING-th of a second; other clocks are right. */
static int back(time_t seconds, long parts) { return (seconds * 10 + parts) & 1; }
int clock_gettime(clockid_t id, struct timespec *t) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int r = real(id, t);
    if (r == 0 && id == CLOCK_REALTIME && back(t->tv_sec, t->tv_nsec / 100000000)) t->tv_sec -= 3600;
    return r;
}
int gettimeofday(struct timeval *v, void *z) {
    struct timespec t;
    int r = clock_gettime(CLOCK_REALTIME, &t);
    v->tv_sec = t.tv_sec; v->tv_usec = t.tv_nsec / 1000;
    return r;
}
time_t time(time_t *p) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    if (p) *p = t.tv_sec;
    return t.tv_sec;
}
"""


class Wrong(Exception):
    """A run that was broken differs from an undisturbed one."""


class Bench:
    """Where the runs of one scenario lie, and the dice that choose the moments."""

    def __init__(self, folder: Path, pairs: int, dice: random.Random) -> None:
        self.folder = folder
        self.pairs = pairs
        self.dice = dice
        self.tmp = folder / "tmp"
        self.tmp.mkdir(parents=True, exist_ok=True)
        self._expected: dict[Any, Any] | None = None

    def start(self, out: Path, *more: str, launcher: str = "", **environment: str) -> subprocess.Popen[str]:
        """`arena run` on `out`."""
        code = launcher + "from arena.cli.main import main; main()"
        return subprocess.Popen(
            [sys.executable, "-c", code, "run", "random", "greedy", "--pairs", str(self.pairs), *FLAGS,
             "--out", str(out), *more],
            cwd=ROOT,
            env={
                **os.environ, "TMPDIR": str(self.tmp), "ARENA_HOME": str(self.folder / "home"),
                "NO_COLOR": "1", **environment,
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )  # fmt: skip

    def expected(self) -> dict[Any, Any]:
        """The games of an undisturbed run."""
        if self._expected is None:
            out = self.folder / "undisturbed"
            code, _, said = finish(self.start(out))
            if code != 0:
                raise Wrong(f"the undisturbed run ended with {code}: {said}")
            self._expected = games(out)
        return self._expected

    def same(self, out: Path, *more: str) -> None:
        """Go on with a run to its end, then compare. Raises Wrong."""
        for _ in range(5):  # a block that was broken four times is set aside until the next run
            code, _, said = finish(self.start(out, *more))
            if code != Exit.FAILED:
                break
        if code != 0:
            raise Wrong(f"the run that went on ended with {code}: {said}")
        found, expected = games(out), self.expected()
        if found.keys() != expected.keys():
            raise Wrong(f"other games: {sorted(found.keys() ^ expected.keys())[:5]}")
        different = [key for key in expected if found[key] != expected[key]]
        if different:
            first = different[0]
            raise Wrong(
                f"other deals, seats or decisions: {different[:5]}; {found[first]}, not {expected[first]}"
            )
        report = check_tournament(out)
        if not report.ok:
            raise Wrong(report.problems[0].sentence())

    def clean(self) -> None:
        """Wait until no process and no file of any seat is left. Raises Wrong."""
        deadline = time.monotonic() + PATIENCE_S
        while left := [*tree.with_environment(f"TMPDIR={self.tmp}"), *self.tmp.glob("arena-seat-*")]:
            if time.monotonic() > deadline:
                raise Wrong(f"left over: {left}")
            time.sleep(0.05)


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Wait for a process; its exit code and what it said."""
    with process:
        out, err = process.communicate(timeout=10 * PATIENCE_S)
    return process.returncode, out, err


def games(out: Path) -> dict[Any, Any]:
    """By (match, pair, leg): dealer, seats, seeds, and every hand with its deal and its decisions."""
    found: dict[Any, Any] = {}
    with read_results(out) as results:
        stored = list(results.games())
        if len(stored) != results.games_done():
            raise Wrong("the sums are not those of the games")
    for one in stored:
        key = (one.match_id, one.game.pair, one.game.leg)
        if key in found:
            raise Wrong(f"a game counts twice: {key}")
        (game,) = (
            game for game in read_games(out / one.log) if one.offset <= game.offset < one.offset + one.bytes
        )
        hands = tuple((hand.dealer, hand.pack, hand.acts, hand.scores) for hand in game.hands)
        found[key] = (game.start.dealer, game.start.teams, game.start.seeds, hands, game.end.score_a)
    return found


def done(out: Path) -> int:
    """Games that are stored so far."""
    try:
        with read_results(out) as results:
            return results.games_done()
    except ArenaError:
        return 0


def wait_for(process: subprocess.Popen[str], condition: Callable[[], bool]) -> bool:
    """Wait until `condition` holds; False if the process ends before."""
    deadline = time.monotonic() + PATIENCE_S
    while process.poll() is None and time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.01)
    return False


def slots_of(pid: int) -> list[int]:
    """Slot processes below a process; not a seat that its slot has forked, called so until it is a bot."""
    found = set()
    for child in tree.descendants(pid):
        with contextlib.suppress(OSError):
            if b"arena.execution.slot" in Path(f"/proc/{child}/cmdline").read_bytes():
                found.add(child)
    return sorted(found.difference(*(tree.descendants(slot)[1:] for slot in found)))


def kill(pid: int, number: signal.Signals = signal.SIGKILL) -> None:
    """Send a signal to a process that may have ended."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def kill_cli(bench: Bench, kills: int) -> str:
    """kill -9 of the command at random moments; each time the same command goes on."""
    bench.expected()
    left, runs = kills, 0
    while left:
        runs += 1
        out = bench.folder / f"cli-{runs}"
        while left and done(out) < len(bench.expected()):
            process = bench.start(out)
            target = done(out) + bench.dice.randrange(4)
            wait_for(process, lambda target=target, out=out: done(out) >= target)  # type: ignore[misc]
            time.sleep(bench.dice.random() * 0.3)
            process.kill()
            finish(process)
            bench.clean()
            left -= 1
        bench.same(out)
    return f"{kills} kills over {runs} tournaments"


def _kill_during(
    bench: Bench, kills: int, name: str, more: Sequence[str], victims: Callable[[int], list[int]]
) -> str:
    """kill -9 of a victim now and then while runs go on, until it was done so often."""
    bench.expected()
    left, runs = kills, 0
    while left:
        runs += 1
        out = bench.folder / f"{name}-{runs}"
        process = bench.start(out, *more)
        while left:
            # One block is not to be hit again and again: that is how a bot that kills slots is found.
            target = done(out) + (bench.dice.randrange(20, 30) if left < kills else 1)
            if not wait_for(process, lambda target=target, out=out: done(out) >= target):  # type: ignore[misc]
                break
            time.sleep(bench.dice.random() * 0.2)
            running = victims(process.pid)
            if running:
                kill(bench.dice.choice(running))
                left -= 1
        finish(process)
        bench.same(out, *more)
        if runs > 2 * (kills - left) + 3:
            raise Wrong(f"only {kills - left} kills hit anything in {runs} tournaments")
    return f"{kills} kills over {runs} tournaments"


def kill_slot(bench: Bench, kills: int) -> str:
    """kill -9 of a slot at random moments."""
    said = _kill_during(bench, kills, "slot", (), slots_of)
    bench.clean()
    return said


@contextmanager
def a_cluster(bench: Bench) -> Iterator[tuple[tuple[str, ...], Address, Path, list[Any]]]:
    """A scheduler and two workers, the flags that name it, and its processes."""
    before = {name: os.environ.get(name) for name in ("TMPDIR", "ARENA_HOME")}
    os.environ.update(TMPDIR=str(bench.tmp), ARENA_HOME=str(bench.folder / "home"))
    tempfile.tempdir = None
    try:
        with local_cluster([(), ()], ttl=f"{TTL_S}s") as (address, tls, children):
            yield (
                ("--executor", "dask", "--scheduler", address.url, "--tls", str(tls)),
                address,
                tls,
                children,
            )
    finally:
        tempfile.tempdir = None
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


def kill_worker(bench: Bench, kills: int) -> str:
    """kill -9 of a Dask worker at random moments; `arena worker` starts another."""
    with a_cluster(bench) as (flags, address, tls, children):
        bench.expected()
        for child in children[1:]:
            child.end()
        serving = subprocess.Popen(
            [sys.executable, "-m", "arena", "worker", address.url, "--tls", str(tls), "--slots", "2"],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            said = _kill_during(bench, kills, "worker", flags, lambda pid: tree.children(serving.pid))
        finally:
            serving.terminate()
            serving.wait(PATIENCE_S)
    bench.clean()
    return said


def _stop_at_play(process: subprocess.Popen[str], victim: int) -> bool:
    """SIGSTOP a worker while its seats play, so that a block is lost; False if the run ended before."""

    def caught() -> bool:
        kill(victim, signal.SIGSTOP)
        if any(tree.children(slot) for slot in slots_of(victim)):
            return True
        kill(victim, signal.SIGCONT)
        return False

    return wait_for(process, caught)


def stop_worker(bench: Bench, kills: int) -> str:
    """SIGSTOP of a Dask worker for longer than its time to live, then SIGCONT."""
    with a_cluster(bench) as (flags, _, _, children):
        out = bench.folder / "stop"
        process = bench.start(out, *flags)
        victim = children[1].process.pid
        try:
            stopped = _stop_at_play(process, victim)
            code, _, said = finish(process)
        finally:
            kill(victim, signal.SIGCONT)
        if code != 0 or not stopped or "is gone" not in said:
            raise Wrong(f"stopped at play: {stopped}; ended with {code}: {said}")
        bench.same(out, *flags)
        children[1].process.wait(PATIENCE_S)  # it finds itself given up, and ends
    bench.clean()
    return f"stopped for more than {TTL_S:g} s: its block was played by the other"


def kill_scheduler(bench: Bench, kills: int) -> str:
    """Loss of the scheduler: the run ends in one line, and goes on with another one."""
    out = bench.folder / "scheduler"
    with a_cluster(bench) as (flags, _, _, children):
        process = bench.start(out, *flags)
        wait_for(process, lambda: done(out) >= 1)
        kill(children[0].process.pid)
        code, _, said = finish(process)
        if code != Exit.ENVIRONMENT or "the Dask scheduler is gone" not in said or "Traceback" in said:
            raise Wrong(f"ended with {code}: {said}")
    bench.clean()
    bench.same(out, "--executor", "dask", "--local", "2")
    return "one line, exit code 4; it went on with another cluster"


def two_coordinators(bench: Bench, kills: int) -> str:
    """A second command on the same folder is refused, and the first one goes on."""
    out = bench.folder / "two"
    process = bench.start(out)
    wait_for(process, lambda: done(out) >= 1)
    code, _, said = finish(bench.start(out))
    process.send_signal(signal.SIGTERM)
    finish(process)
    if code != Exit.ENVIRONMENT or f"pid {process.pid}" not in said:
        raise Wrong(f"the second one ended with {code}: {said}")
    report = check_tournament(out)
    if not report.ok:
        raise Wrong(report.problems[0].sentence())
    return "the second one is refused with the first one's pid"


def clock_back(bench: Bench, kills: int) -> str:
    """The wall clock jumps back by an hour and forth again, ten times a second, for every process."""
    source, library = bench.folder / "clock.c", bench.folder / "clock.so"
    source.write_text(CLOCK)
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    out = bench.folder / "clock"
    code, text, said = finish(bench.start(out, LD_PRELOAD=str(library)))
    if code != 0:
        raise Wrong(f"ended with {code}: {said}")
    if "-1 " in text.replace("<-", "") and "lost on time" in text:
        raise Wrong(text)
    with read_results(out) as results:
        if results.faults():
            raise Wrong(f"faults: {results.faults()}")
        if any(sums.seconds <= 0 or sums.seconds > PATIENCE_S for sums in results.sums()):
            raise Wrong("a game took an impossible time")
    bench.same(out)
    return "no fault, no negative time, the same games"


def disk_full(bench: Bench, kills: int) -> str:
    """The disk is full in the middle of a log: one line, and the same command goes on later.

    As root a small tmpfs is mounted in a private namespace; else a limit on the size of files stands for it.
    """
    out = bench.folder / "full"
    if os.geteuid() == 0 and _can_unshare():
        small = bench.folder / "small"
        small.mkdir(exist_ok=True)
        launcher = (
            "import ctypes, os; libc = ctypes.CDLL(None, use_errno=True); "
            "libc.unshare(0x20000); libc.mount(None, b'/', None, 0x44000, None); "
            f"r = libc.mount(b'tmpfs', {os.fsencode(small)!r}, b'tmpfs', 0, b'size=300k'); assert r == 0; "
        )
        code, _, said = finish(bench.start(small / "out", launcher=launcher))
        _one_line(code, said, small)
    launcher = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, resource.RLIM_INFINITY)); "
    )
    code, _, said = finish(bench.start(out, launcher=launcher))
    _one_line(code, said, out)
    before = done(out)
    bench.same(out)
    return f"one line, exit code 4; {before} games were kept, the rest was played later"


def _one_line(code: int, said: str, folder: Path) -> None:
    if code != Exit.ENVIRONMENT or "Traceback" in said or str(folder) not in said:
        raise Wrong(f"ended with {code}: {said}")


def _can_unshare() -> bool:
    """Whether a private mount namespace can be had; tried in a process of its own."""
    code = "import ctypes, sys; sys.exit(ctypes.CDLL(None).unshare(0x20000) != 0)"
    return hasattr(ctypes, "CDLL") and subprocess.run([sys.executable, "-c", code]).returncode == 0


SCENARIOS: dict[str, tuple[Callable[[Bench, int], str], int]] = {
    "kill-cli": (kill_cli, 10),
    "kill-slot": (kill_slot, 60),
    "kill-worker": (kill_worker, 60),
    "stop-worker": (stop_worker, 20),
    "kill-scheduler": (kill_scheduler, 20),
    "two-coordinators": (two_coordinators, 200),
    "clock-back": (clock_back, 10),
    "disk-full": (disk_full, 100),
}
"""Each with the number of pairs that its tournaments have."""


def run(name: str, folder: Path, kills: int, dice: random.Random, pairs: int | None = None) -> str:
    """Run one scenario in an empty folder; what was seen. Raises Wrong."""
    scenario, usual = SCENARIOS[name]
    return scenario(Bench(folder, pairs or usual, dice), kills)


def main() -> int:
    """Run the scenarios that are named, or all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO", help=", ".join(SCENARIOS))
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=None)
    options = parser.parse_args()
    unknown = set(options.scenarios) - set(SCENARIOS)
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; known: {', '.join(SCENARIOS)}")
    seed = random.randrange(1 << 32) if options.seed is None else options.seed
    print(f"moments by --seed {seed}", flush=True)
    failed = 0
    for name in options.scenarios or SCENARIOS:
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="arena-faults-") as folder:
            try:
                said = run(name, Path(folder), options.kills, random.Random(seed))
            except Wrong as error:
                failed += 1
                said = f"WRONG: {error}"
        print(f"{name:18} {time.monotonic() - began:6.0f} s  {said}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
