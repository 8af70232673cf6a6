"""Jobs to a slot process and events back, as frames: a 4-byte big-endian length, then one msgpack map.

To a slot: `{"type": "job", ...}`, `{"type": "cancel"}`. From it: `game`, `finished`, `lost`; each names its
job by `[match_id, block, attempt]`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgpack

from arena.bots.limits import Limits
from arena.execution.base import BlockJob, BotRef, Event, Finished, GameDone, Lost

MAX_MESSAGE = 1 << 28
"""Bytes; far beyond a block's longest game, near enough to stop at a stream that is no stream of frames."""
HEADER = 4

Map = dict[str, Any]
JobKey = tuple[str, int, int]

CANCEL: Map = {"type": "cancel"}
"""Kill all bots and exit."""


class WireError(Exception):
    """What came from the other process is no frame of ours."""


def encode(message: Map) -> bytes:
    """One frame."""
    payload: bytes = msgpack.packb(message, use_bin_type=True)
    return len(payload).to_bytes(HEADER, "big") + payload


class FrameReader:
    """Cuts what was read into messages, however the reads fall."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[Map]:
        """The messages that are whole now. Raises WireError."""
        self._buffer += data
        messages = []
        start = 0
        while len(self._buffer) - start >= HEADER:
            length = int.from_bytes(self._buffer[start : start + HEADER], "big")
            if not 0 < length <= MAX_MESSAGE:
                raise WireError(f"a frame of {length} bytes")
            end = start + HEADER + length
            if len(self._buffer) < end:
                break
            try:
                message = msgpack.unpackb(bytes(self._buffer[start + HEADER : end]))
            except (ValueError, msgpack.UnpackException) as error:
                raise WireError(f"not msgpack: {error}") from None
            if not isinstance(message, dict):
                raise WireError(f"a {type(message).__name__} where a map was expected")
            messages.append(message)
            start = end
        del self._buffer[:start]
        return messages


def key_of(job: BlockJob) -> JobKey:
    """What names a job in events."""
    return job.match_id, job.block, job.attempt


def job_to_wire(job: BlockJob) -> Map:
    """A job as a message."""
    return {
        "type": "job",
        "match_id": job.match_id,
        "block": job.block,
        "attempt": job.attempt,
        "game": job.game,
        "rules": job.rules,
        "bots": [
            {
                "name": bot.name,
                "version": bot.version,
                "digest": bot.digest,
                "directory": bot.directory,
                "command": list(bot.command),
                "encoding": str(bot.encoding),
            }
            for bot in job.bots
        ],
        "games": [list(game) for game in job.games],
        "block_seed": job.block_seed,
        "limits": job.limits.to_dict(),
        "isolation": str(job.isolation),
        "started_before": list(job.started_before),
        "cpus": list(job.cpus),
        "ponder": job.ponder,
        "tempo_ms": job.tempo_ms,
        "options": job.options,
    }


def job_from_wire(message: Map) -> BlockJob:
    """The job in a message. Raises KeyError, TypeError or ValueError if it is none."""
    a, b = (BotRef(**{**bot, "command": tuple(bot["command"])}) for bot in message["bots"])
    started_a, started_b = message["started_before"]
    return BlockJob(
        match_id=message["match_id"],
        block=message["block"],
        attempt=message["attempt"],
        game=message["game"],
        rules=message["rules"],
        bots=(a, b),
        games=tuple((pair, leg) for pair, leg in message["games"]),
        block_seed=message["block_seed"],
        limits=Limits.from_dict(message["limits"]),
        isolation=message["isolation"],
        started_before=(started_a, started_b),
        cpus=tuple(message["cpus"]),
        ponder=message["ponder"],
        tempo_ms=message["tempo_ms"],
        options=message["options"],
    )


def event_to_wire(event: Event) -> Map:
    """An event as a message."""
    match event:
        case Finished():
            return {
                "type": "finished",
                "job": list(key_of(event.job)),
                "lines": list(event.lines),
                "facts": event.facts,
            }
        case Lost():
            return {
                "type": "lost",
                "job": list(key_of(event.job)),
                "why": event.why,
                "bot": event.bot,
                "text": event.text,
            }
        case (job, done):
            return {
                "type": "game",
                "job": list(key_of(job)),
                "pair": done.pair,
                "leg": done.leg,
                "row": done.row,
                "lines": list(done.lines),
            }


def event_from_wire(message: Map, job_of: Callable[[JobKey], BlockJob]) -> Event:
    """The event in a message; `job_of` gives the job of a key. Raises WireError for another message."""
    try:
        match_id, block, attempt = message["job"]
        job = job_of((match_id, block, attempt))
        match message["type"]:
            case "game":
                lines = tuple(message["lines"])
                return job, GameDone(message["pair"], message["leg"], message["row"], lines)
            case "finished":
                return Finished(job, tuple(message["lines"]), message["facts"])
            case "lost":
                return Lost(job, message["why"], message["bot"], message["text"])
    except (KeyError, TypeError, ValueError) as error:
        raise WireError(f"not an event: {type(error).__name__} {error}") from None
    raise WireError(f"a message of type {message['type']!r}")
