"""A referee in a process of its own, which plays blocks with bots that mean harm, and tells what was left.

`python -m arena.audit.trial` reads one JSON object a line from stdin (`Trial`) and writes one a line to
stdout. A bot that brings this process down has shown that it can: whoever started it sees that no line came.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import resource
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from arena.bots import process, sandbox, tree
from arena.bots.limits import Limits
from arena.execution.slot import SlotSystem
from arena.table.block import play_block
from arena.table.job import BlockJob, BotRef, Finished, Lost

CANARY = "ARENA_CANARY"
PORTS = range(47631, 47647)
"""Where the service waits that a bot must not reach: the first free one."""
DYING_S = 1.0
"""How long what has been killed may take to be gone."""
_LEFT = re.compile(r"^LEFT (?P<path>/\S*/arena-bad-[\w.-]+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Trial:
    """One block: the bad bot is team A, an honest one team B."""

    bad: BotRef
    good: BotRef
    isolation: str
    games: tuple[tuple[int, int], ...] = ((0, 0),)
    limits: dict[str, Any] = field(default_factory=dict)
    rules: dict[str, Any] = field(default_factory=dict)
    started_before: bool = False
    cpus: tuple[int, ...] = ()
    ponder: str = "watch"
    block_seed: str = "00" * 32

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Trial:
        bots = {
            key: BotRef(**{**data[key], "command": tuple(data[key]["command"])}) for key in ("bad", "good")
        }
        games = tuple((pair, leg) for pair, leg in data["games"])
        return cls(**{**data, **bots, "games": games, "cpus": tuple(data["cpus"])})


class _Recording(SlotSystem):
    """Starts real processes, and remembers them."""

    def __init__(self) -> None:
        self.seats: list[process.SeatProcess] = []

    def spawn(self, *arguments: Any, **options: Any) -> process.SeatProcess:
        seat = process.spawn(*arguments, **options)
        self.seats.append(seat)
        return seat


def play(trial: Trial) -> dict[str, Any]:
    """Play the block; how its games and it itself ended, what was said on stderr, what was left."""
    system = _Recording()
    before = set(tree.children(os.getpid()))
    memory = _resident()
    began = time.monotonic()
    job = BlockJob(
        match_id="trial", block=0, attempt=0, game="north-american", rules=trial.rules,
        bots=(trial.bad, trial.good), games=trial.games, block_seed=bytes.fromhex(trial.block_seed),
        limits=Limits.from_dict(trial.limits), isolation=trial.isolation, cpus=trial.cpus,
        ponder=trial.ponder, started_before=(trial.started_before, True),
    )  # fmt: skip
    games: list[dict[str, Any]] = []
    result: dict[str, Any] = {"end": "none", "stderr": [], "frozen": []}
    with _on(trial.cpus):
        for event in play_block(job, system=system):
            if isinstance(event, Lost):
                result |= {"end": f"lost: {event.why}", "bot": event.bot, "text": event.text}
            elif isinstance(event, Finished):
                facts = {key: event.facts[key] for key in ("stderr", "frozen", "cpu_s")}
                result |= {"end": "finished", **facts}
            else:
                games.append({"pair": event[1].pair, "leg": event[1].leg, **event[1].row})
    said = [entry["text"] for entry in result["stderr"]] + [game.get("fault_stderr", "") for game in games]
    return result | {
        "games": games,
        "seconds": round(time.monotonic() - began, 3),
        "grown_mb": (_resident() - memory) >> 20,
        "left": [*_processes_left(before, system.seats), *_files_left(said, system.seats)],
    }


def _resident() -> int:
    """The most memory that this process ever held, in bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


@contextmanager
def _on(cpus: Sequence[int]) -> Iterator[None]:
    """This process on the seats' cores, as a slot is."""
    if not cpus or not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _processes_left(before: set[int], seats: Sequence[process.SeatProcess]) -> list[str]:
    """Processes that the block left: adopted by this one, or with a seat's mark on them. They are ended."""
    deadline = time.monotonic() + DYING_S
    while True:
        left = set(tree.children(os.getpid())) - before
        for pid in left:
            with suppress(ChildProcessError):  # what has ended only waits to be collected
                os.waitpid(pid, os.WNOHANG)
        for seat in seats:
            left |= set(tree.with_environment(seat.token))
        if not left or time.monotonic() > deadline:
            break
        time.sleep(0.005)
    names = [f"process {_name(pid)}" for pid in sorted(left)]
    if left:
        tree.sweep_children()
    return names


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")[:60]
    except OSError:
        return str(pid)


def _files_left(said: Sequence[str], seats: Sequence[process.SeatProcess]) -> list[str]:
    """What lies on the disk of what bots said that they wrote, and of what was made for them. Removed."""
    left = []
    for path in {Path(found["path"]) for text in said for found in _LEFT.finditer(text)}:
        if path.is_file():
            left.append(f"file {path.parent}")
            path.unlink()
    for place in (Path(tempfile.gettempdir()), *map(Path, ("/sys/fs/cgroup", "/sys/fs/cgroup/unified"))):
        left += [f"{place}/{seat.token}" for seat in seats for _ in place.glob(f"{seat.token}*")]
    return sorted(set(left))


def canary_folder(canary: str) -> Path:
    """Where the file with the secret lies. Its name does not tell it."""
    name = hashlib.sha256(canary.encode()).hexdigest()[:16]
    return Path(tempfile.gettempdir(), f"arena-canary-{name}")


def _serve_canary(canary: str) -> None:
    """A service on the loopback that tells the secret to whoever connects."""
    server = socket.socket()
    for port in PORTS:
        try:
            server.bind(("127.0.0.1", port))
            break
        except OSError:
            continue
    server.listen()

    def serve() -> None:
        while True:
            connection, _ = server.accept()
            with connection:
                connection.sendall(f"{CANARY}={canary}".encode())

    threading.Thread(target=serve, daemon=True).start()


def main() -> None:
    """Play trials until stdin ends. The secret that no bot may learn is in the environment and in a file."""
    tree.adopt_orphans()
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    canary = os.environ.get(CANARY, "")
    folder = canary_folder(canary)
    folder.mkdir(mode=0o700)
    try:
        seed = folder / "seed"
        seed.touch(mode=0o600)
        seed.write_text(f"{CANARY}={canary}")
        _serve_canary(canary)
        for line in sys.stdin:
            out.write(json.dumps(play(Trial.from_dict(json.loads(line)))) + "\n")
            out.flush()
    finally:
        sandbox.remove_tree(str(folder))


if __name__ == "__main__":
    main()
