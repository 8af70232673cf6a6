"""Looks for seeds, decks and the other seats: environments, files, descriptors, memory."""

import glob
import os
import sys
from collections.abc import Callable

from protocol import View, run

done: list[int] = []


def tried(what: str, attempt: Callable[[], object]) -> None:
    try:
        seen = attempt()
    except OSError as error:
        print("STOPPED", what, "|", error, file=sys.stderr, flush=True)
    else:
        print("THROUGH" if seen else "STOPPED", what, "|", seen, file=sys.stderr, flush=True)


def ancestors() -> list[int]:
    found, pid = [], os.getppid()
    while pid > 1:
        found.append(pid)
        with open(f"/proc/{pid}/stat") as file:
            pid = int(file.read().rpartition(")")[2].split()[1])
    return found


def processes() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def environments() -> str:
    for pid in processes():
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                for word in file.read().split(b"\0"):
                    if word.startswith(b"ARENA_CANARY="):
                        return word.decode()
        except OSError:
            continue
    return ""


def seed_files() -> str:
    for path in glob.glob("/tmp/arena-canary-*/*"):
        with open(path) as file:
            return file.read()
    return ""


def descriptors() -> int:
    return sum(len(os.listdir(f"/proc/{pid}/fd")) for pid in ancestors())


def memory() -> int:
    for pid in ancestors():
        with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", buffering=0) as file:
            file.seek(int(maps.readline().split("-")[0], 16))
            return len(file.read(64))
    return 0


def others() -> list[int]:
    """Processes that are not of this seat: their working directory or command line can be read."""
    own = {1, os.getpid(), *ancestors()}
    found = []
    for pid in processes():
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if pid not in own and b"bot.py" in file.read():
                    found.append(pid)
        except OSError:
            continue
    return found


def inherited() -> list[int]:
    """Descriptors that are open and none of ours."""
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            link = os.readlink(f"/proc/self/fd/{name}")
        except OSError:
            continue
        if int(name) > 2 and not link.startswith(("/proc", "pipe:")):
            found.append(int(name))
    return found


def read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(20)


def choose(view: View) -> str:
    if not done:
        done.append(1)
        tried("the referee's environment", environments)
        tried("the tournament's seed file", seed_files)
        tried("the referee's descriptors", descriptors)
        tried("the referee's memory", memory)
        tried("other seats' processes", others)
        tried("inherited descriptors", inherited)
        tried("another bot's program", lambda: read("../../random/bot.py"))
        tried("the machine's secrets", lambda: read("/etc/shadow"))
        tried("the machine's name", lambda: os.uname().nodename not in ("bot", "localhost"))
        tried(
            "root's home",
            lambda: [name for name in os.listdir("/root") if f"/root/{name}/" not in sys.base_prefix],
        )
    return view.legal[0]


run(choose)
