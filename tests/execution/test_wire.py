"""Jobs and events as frames."""

from __future__ import annotations

import random

import pytest

from arena.bots.limits import Limits
from arena.execution.base import BlockJob, BotRef, Finished, GameDone, Lost
from arena.execution.wire import (
    CANCEL,
    FrameReader,
    WireError,
    encode,
    event_from_wire,
    event_to_wire,
    job_from_wire,
    job_to_wire,
    key_of,
)

JOB = BlockJob(
    match_id="m",
    block=3,
    attempt=1,
    game="british",
    rules={"target": 15, "joker": False},
    bots=(
        BotRef("a", "1", "0" * 64, "/bots/a", ("{python}", "bot.py")),
        BotRef("b@ff", "é", "f" * 64, "/bots/b", ("./b",), "json"),
    ),
    games=((30, 0), (31, 0), (30, 1)),
    block_seed=bytes(range(32)),
    limits=Limits(move_ms=None, bank_ms=5),
    isolation="basic",
    started_before=(True, False),
    cpus=(1,),
    ponder="freeze",
    tempo_ms=50,
    options={"guessable": True},
)
EVENTS = [
    (JOB, GameDone(30, 0, {"score_a": 0.5, "fault_code": None}, ("{}", '{"t":"end"}'))),
    Finished(JOB, ("{}",), {"late_ms": {"max": 0.5}}),
    Lost(JOB, "start_failed", "b@ff", "it said\nnothing"),
    Lost(JOB, "cancelled"),
]


def test_a_job_survives_the_wire() -> None:
    (message,) = FrameReader().feed(encode(job_to_wire(JOB)))
    assert job_from_wire(message) == JOB


@pytest.mark.parametrize("event", EVENTS)
def test_an_event_survives_the_wire(event: object) -> None:
    (message,) = FrameReader().feed(encode(event_to_wire(event)))  # type: ignore[arg-type]
    assert event_from_wire(message, {key_of(JOB): JOB}.__getitem__) == event


def test_messages_are_the_same_however_the_reads_fall() -> None:
    stream = b"".join(map(encode, [job_to_wire(JOB), CANCEL, *map(event_to_wire, EVENTS)]))  # type: ignore[arg-type]
    whole = FrameReader().feed(stream)
    rng = random.Random(2)
    for _ in range(50):
        reader, rest, got = FrameReader(), stream, []
        while rest:
            cut = rng.choice([1, 3, 4, 5, 100, 10_000])
            got += reader.feed(rest[:cut])
            rest = rest[cut:]
        assert got == whole


@pytest.mark.parametrize("junk", [b"Traceback", b"\0\0\0\0", b"\0\0\0\1\xc1", b"\0\0\0\1\x05"])
def test_what_is_no_frame_is_an_error(junk: bytes) -> None:
    with pytest.raises(WireError):
        FrameReader().feed(junk)


@pytest.mark.parametrize(
    "message", [{}, {"type": "game"}, {"type": "x", "job": ["m", 3, 1]}, {"type": "lost", "job": 3}]
)
def test_what_is_no_event_is_an_error(message: dict[str, object]) -> None:
    with pytest.raises(WireError):
        event_from_wire(message, {key_of(JOB): JOB}.__getitem__)
