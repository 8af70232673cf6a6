"""Small real processes that misbehave, where the point is that it is a process."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.bots.limits import Limits
from arena.table.block import play_block
from arena.table.job import BlockJob, BotRef, Event, Finished, GameDone, Lost

PRELUDE = """
import os, signal, sys, time
import msgpack
pack, unpack = msgpack.packb, msgpack.unpackb

def send(message):
    data = pack(message)
    os.write(1, len(data).to_bytes(4, "big") + data)

def messages():
    data = b""
    while True:
        while len(data) < 4 or len(data) < 4 + int.from_bytes(data[:4], "big"):
            chunk = os.read(0, 65536)
            if not chunk:
                sys.exit(0)
            data += chunk
        end = 4 + int.from_bytes(data[:4], "big")
        message, data = unpack(data[4:end]), data[end:]
        yield message

def answer(message, word=None):
    send({"type": "action", "id": message["id"], "action": word or message["legal"][0]})

def serve(act=answer, told=lambda message: None):
    for message in messages():
        if message["type"] == "hello":
            send({"type": "ready"})
        elif message["type"] == "act":
            act(message)
        elif message["type"] == "bye":
            sys.exit(0)
        told(message)
"""

Make = Callable[..., BotRef]


@pytest.fixture
def make_bot(tmp_path: Path) -> Make:
    def make(name: str, body: str) -> BotRef:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "bot.py").write_text(PRELUDE + body)
        (folder / "pids").touch()
        (folder / "pids").chmod(0o666)  # run by root, bots are somebody else
        digest = ("a" if name == "good" else "b") * 64
        return BotRef(name, "1", digest, str(folder), ("{python}", "bot.py"))

    return make


@pytest.fixture
def good(make_bot: Make) -> BotRef:
    return make_bot("good", "serve()")


def block(a: BotRef, b: BotRef, **changes: Any) -> BlockJob:
    values: dict[str, Any] = {
        "match_id": "m",
        "block": 0,
        "attempt": 0,
        "game": "north-american",
        "rules": {"hand_limit": 1},
        "bots": (a, b),
        "games": ((0, 0),),
        "block_seed": b"s" * 32,
        "limits": Limits(move_ms=600, start_ms=10_000, grace_ms=200),
        "isolation": "basic",
        "started_before": (True, True),
    }
    return BlockJob(**(values | changes))


def games_of(events: Iterator[Event]) -> list[dict[str, Any]]:
    rows = []
    for event in events:
        assert not isinstance(event, Lost), event
        if not isinstance(event, Finished):
            done: GameDone = event[1]
            rows.append(done.row)
    return rows


def alive(pid: int) -> bool:
    """Whether a process lives; one that is dead and not yet collected does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        return not Path("/proc/self/stat").exists()
    return stat.rpartition(")")[2].split()[0] not in "ZX"


BAD = {
    "half a frame, then nothing": ("os.write(1, b'\\0\\0\\0\\x20abc'); time.sleep(60)", "timeout"),
    "nothing": ("time.sleep(60)", "timeout"),
    "a byte now and then": ("[(os.write(1, b'\\0'), time.sleep(0.25)) for _ in range(99)]", "timeout"),
    "too late": ("time.sleep(0.9); answer(m)", "timeout"),
    "too late and illegal": ("time.sleep(0.9); answer(m, 'nonsense')", "timeout"),
    "illegal": ("answer(m, 'nonsense')", "illegal"),
    "another id": ("m['id'] += 1; answer(m)", "wrong_id"),
    "exit at once": ("os._exit(0)", "crashed"),
    "a signal": ("os.kill(os.getpid(), signal.SIGSEGV)", "crashed"),
    "stdout closed, alive": ("os.close(1); time.sleep(60)", "crashed"),
    "a traceback on stderr": ("raise KeyError('x')", "crashed"),
    "answer, then exit": ("answer(m); os._exit(0)", "crashed"),
    "two answers at once": ("answer(m); answer(m)", "unsolicited"),
    "a banner": ("os.write(1, b'thinking...\\n'); answer(m)", "malformed"),
    "a length of 4 GiB": ("os.write(1, b'\\xff' * 8)", "malformed"),
    "endless output": ("[os.write(1, b'x' * 65536) for _ in range(10**9)]", "malformed"),
    "stops itself": ("os.kill(os.getpid(), signal.SIGSTOP)", "timeout"),
}


@pytest.mark.parametrize("name", list(BAD))
def test_each_misbehaviour_has_its_verdict_and_the_other_side_wins(
    make_bot: Make, good: BotRef, name: str
) -> None:
    act, expected = BAD[name]
    bad = make_bot("bad", f"def act(m):\n    {act}\nserve(act)")
    began = time.monotonic()
    (row,) = games_of(play_block(block(good, bad)))
    assert (row["fault_code"], row["fault_bot"]) == (expected, "b"), row["fault_text"]
    assert row["score_a"] == 1.0
    assert time.monotonic() - began < 20
    if name == "a traceback on stderr":
        assert "KeyError: 'x'" in row["fault_stderr"]
        assert "exit code 1" in row["fault_text"]
    if name == "a signal":
        assert "SIGSEGV" in row["fault_text"]


def test_a_bot_that_never_reads_is_not_waited_for(make_bot: Make, good: BotRef) -> None:
    """It is told of thirty thousand bytes of hands that it does not read, and then asked."""
    bad = make_bot("bad", "next(messages()); send({'type': 'ready'}); time.sleep(60)")
    (row,) = games_of(play_block(block(good, bad)))
    assert (row["fault_code"], row["fault_bot"]) == ("timeout", "b")


def test_ten_megabytes_to_stderr_before_each_answer_harm_nobody(make_bot: Make, good: BotRef) -> None:
    noisy = make_bot("noisy", "serve(lambda m: (os.write(2, b'x' * 10_000_000), answer(m)))")
    job = block(good, noisy, limits=Limits(move_ms=5000, start_ms=10_000, stderr_bytes=4096))
    (row,) = games_of(play_block(job))
    assert row["reason"] == "hand_limit"


def test_the_two_sets_never_meet(make_bot: Make, good: BotRef) -> None:
    """Each process notes its pid and looks for older ones: four of its own set, and none of another alive."""
    body = """
def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False

with open("pids", "a+") as file:
    file.write(f"{os.getpid()}\\n")
    file.flush()
    file.seek(0)
    pids = [int(line) for line in file]
older = [pid for pid in pids[: (len(pids) - 1) // 2 * 2] if alive(pid)]
print("older:", older, file=sys.stderr, flush=True)
if older:
    sys.exit(3)
serve()
"""
    curious = make_bot("curious", body)
    job = block(good, curious, games=tuple((pair, leg) for leg in (0, 1) for pair in range(3)))
    events = list(play_block(job))
    rows = games_of(iter(events))
    assert [row["reason"] for row in rows] == ["hand_limit"] * 6, str(rows[0])
    pids = [int(line) for line in (Path(curious.directory) / "pids").read_text().split()]
    assert len(set(pids)) == 4
    end = events[-1]
    assert isinstance(end, Finished)
    assert [entry["text"] for entry in end.facts["stderr"]] == ["older: []\n"] * 4


def test_what_was_kept_in_memory_is_gone_in_the_second_leg(make_bot: Make, good: BotRef) -> None:
    """A bot that remembers every hand laid open looks for a repeat; in one process it would find one."""
    body = """
seen = []
def told(message):
    if message["type"] == "hand_end":
        if message["hands"] in seen:
            print("again", file=sys.stderr, flush=True)
        seen.append(message["hands"])
serve(told=told)
"""
    collector = make_bot("collector", body)
    job = block(good, collector, games=tuple((pair, leg) for leg in (0, 1) for pair in range(4)))
    events = list(play_block(job))
    assert len(games_of(iter(events))) == 8
    end = events[-1]
    assert isinstance(end, Finished)
    assert end.facts["stderr"] == []


def test_after_a_block_none_of_its_processes_lives(make_bot: Make, good: BotRef) -> None:
    daemon = make_bot(
        "daemon",
        """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open("pids", "a").write(f"{os.getpid()}\\n")
        time.sleep(120)
    os._exit(0)
open("pids", "a").write(f"{os.getpid()}\\n")
serve()
""",
    )
    rows = games_of(play_block(block(good, daemon)))
    assert rows[0]["reason"] == "hand_limit", str(rows[0])
    pids = [int(line) for line in (Path(daemon.directory) / "pids").read_text().split()]
    assert len(pids) == 4
    assert [pid for pid in pids if alive(pid)] == []
