"""The Python bot loop, in this process over pipes and as a program of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import protocol
from protocol import Bot, LocalProtocolError, View, codec, run

ENV = {"PYTHONPATH": str(Path(protocol.__file__).parents[1]), "PATH": os.environ["PATH"]}
LIMITS = {"move_ms": 1000}
HELLO = {"type": "hello", "protocol": 1, "game": "north-american", "rules": {}, "limits": LIMITS, "new": 1}
START = {"type": "game_start", "seat": 1, "partner": 3, "dealer": 0, "seed": 5}
ACT = {"type": "act", "id": 2**53 - 1, "legal": ["pass", "order_up"], "phase": "bid1"}
HAND_END = {"type": "hand_end", "points": [0, 0]}
GAME_END = {"type": "game_end", "winner": None}
BYE = {"type": "bye"}
WEATHER = {"type": "weather", "sky": "grey"}


def stdio(data: bytes, play: Callable[[], None]) -> bytes:
    """Runs `play` with `data` on this process's descriptor 0; what it wrote to descriptor 1."""

    def feed() -> None:
        with open(to_bot[1], "wb") as stream:
            stream.write(data)

    to_bot, from_bot = os.pipe(), os.pipe()
    saved = os.dup(0), os.dup(1)
    os.dup2(to_bot[0], 0)
    os.dup2(from_bot[1], 1)
    os.close(to_bot[0])
    os.close(from_bot[1])
    writer = threading.Thread(target=feed)
    writer.start()
    try:
        play()
    finally:
        for fd, copy in enumerate(saved):
            os.dup2(copy, fd)
            os.close(copy)
        writer.join()
    with open(from_bot[0], "rb") as stream:
        return stream.read()


def read(encoding: str, data: bytes) -> list[dict[str, Any]]:
    wire = codec(encoding)
    decoder = wire.decoder()
    decoder.feed(data)
    out = []
    while (payload := decoder.next_frame()) is not None:
        out.append(wire.decode(payload))
    assert decoder.pending == 0
    return out


class Recorder(Bot):
    name = "recorder"
    version = "2"

    def __init__(self) -> None:
        self.seen: list[str] = []

    def on_hello(self, hello: dict[str, Any]) -> None:
        self.seen.append(f"hello {hello['game']}")

    def on_game_start(self, start: dict[str, Any]) -> None:
        self.seen.append(f"start {start['seat']}")

    def choose(self, view: View) -> str:
        print("thinking...")
        self.seen.append(f"act {view.phase}")
        return view.legal[-1]

    def on_hand_end(self, end: dict[str, Any]) -> None:
        self.seen.append("hand_end")

    def on_game_end(self, end: dict[str, Any]) -> None:
        self.seen.append("game_end")


@pytest.mark.parametrize("encoding", ["msgpack", "json"])
@pytest.mark.parametrize("told", ["argument", "environment", "first byte"])
def test_a_bot_with_all_hooks(encoding: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARENA_ENCODING", raising=False)
    if told == "environment":
        monkeypatch.setenv("ARENA_ENCODING", encoding)
    bot = Recorder()
    encode = codec(encoding).encode
    data = b"".join(map(encode, (HELLO, START, ACT, WEATHER, HAND_END, GAME_END, BYE, ACT)))
    before = sys.stdout
    out = stdio(data, lambda: bot.run(encoding if told == "argument" else None))
    assert sys.stdout is before
    assert read(encoding, out) == [
        {"type": "ready", "name": "recorder", "version": "2"},
        {"type": "action", "id": 2**53 - 1, "action": "order_up"},
    ]
    assert bot.seen == ["hello north-american", "start 1", "act bid1", "hand_end", "game_end"]


def test_a_function_is_a_bot() -> None:
    data = b"".join(map(codec("msgpack").encode, (HELLO, START, ACT, HAND_END, GAME_END)))
    out = stdio(data, lambda: run(lambda view: view.legal[0]))
    assert read("msgpack", out) == [
        {"type": "ready"},
        {"type": "action", "id": 2**53 - 1, "action": "pass"},
    ]


def test_no_input_at_all() -> None:
    assert stdio(b"", lambda: run(lambda view: "pass")) == b""


def test_an_illegal_word_is_sent_and_said(capsys: pytest.CaptureFixture[str]) -> None:
    out = stdio(codec("json").encode(ACT), lambda: run(lambda view: "fly"))
    assert read("json", out)[0]["action"] == "fly"
    assert "choose() returned 'fly', which is not in ['pass', 'order_up']" in capsys.readouterr().err


@pytest.mark.parametrize("answer", [None, 3, b"pass", ["pass"]])
def test_what_is_no_word_is_an_error_of_the_bot(answer: Any) -> None:
    def play() -> None:
        with pytest.raises(LocalProtocolError, match="it must return a word"):
            run(lambda view: answer)

    assert stdio(codec("json").encode(ACT), play) == b""


def test_another_version_of_the_protocol_is_refused() -> None:
    def play() -> None:
        with pytest.raises(LocalProtocolError, match="the arena speaks protocol 2, this bot 1"):
            run(lambda view: "pass")

    assert stdio(codec("json").encode({**HELLO, "protocol": 2}), play) == b""


def test_a_bot_must_choose() -> None:
    def play() -> None:
        with pytest.raises(NotImplementedError):
            Bot().run()

    assert stdio(codec("json").encode(ACT), play) == b""


def test_an_arena_that_has_gone_is_no_error() -> None:
    program = "from protocol import run; run(lambda view: view.legal[0])"
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENV,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.close()
    process.stdin.write(codec("msgpack").encode(HELLO))
    process.stdin.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 0


def test_an_arena_that_has_gone_is_no_error_here() -> None:
    class Gone(Bot):
        def choose(self, view: View) -> str:
            raise BrokenPipeError

    assert stdio(codec("json").encode(ACT), Gone().run) == b""


def test_without_a_stderr() -> None:
    """What is written to descriptors 1 and 2 must not come among the frames."""

    def choose(view: View) -> str:
        os.write(1, b"thinking...")
        os.write(2, b"thinking...")
        return view.legal[0]

    def play() -> None:
        saved = os.dup(2)
        os.close(2)
        try:
            run(choose)
        finally:
            os.dup2(saved, 2)
            os.close(saved)

    out = stdio(codec("json").encode(ACT), play)
    assert read("json", out) == [{"type": "action", "id": 2**53 - 1, "action": "pass"}]


PRINTER = """
import os, sys
print("a banner")
from protocol import run
os.system("true")
def choose(view):
    print("thinking...")
    os.write(1, b"even so\\n")
    sys.stdout.write("and so")
    os.system("echo a child")
    return view.legal[0]
run(choose)
print("after")
"""


@pytest.mark.parametrize("encoding", ["msgpack", "json"])
def test_print_does_no_harm(encoding: str) -> None:
    data = b"".join(map(codec(encoding).encode, (HELLO, START, ACT, BYE)))
    env = {"PYTHONPATH": str(Path(protocol.__file__).parents[1]), "PATH": os.environ["PATH"]}
    done = subprocess.run(
        [sys.executable, "-c", PRINTER], input=data, capture_output=True, env=env, check=True
    )
    assert [message["type"] for message in read(encoding, done.stdout)] == ["ready", "action"]
    for printed in (b"a banner", b"thinking...", b"even so", b"and so", b"a child", b"after"):
        assert printed in done.stderr
