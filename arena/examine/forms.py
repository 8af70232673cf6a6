"""The same message in other forms: longer msgpack, keys that a bot does not know, as large as may be."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from arena.table.referee import Map
from protocol import codec

UNKNOWN: Map = {
    "later_none": None,
    "later_flag": True,
    "later_number": -129,
    "later_float": 0.5,
    "later_text": "grüße",
    "later_list": [[], {}, [1, "two", [3.25]], None],
    "later_map": {"type": "bye", "id": 0, "legal": []},
}
"""Keys that no version of the protocol has, with a value of every kind."""
NEWS: Map = {"type": "later_news", "id": 1, "text": "a message of a type that this version does not know"}
PAD_KEY = "later_padding"


@dataclass(frozen=True, slots=True)
class Manner:
    """How the arena speaks in one part of the examination; all are allowed by PROTOCOL.md."""

    unknown: bool = False
    """Unknown keys in every message, and messages of unknown types between them."""
    wide: bool = False
    """msgpack in its longest forms."""
    pieces: bool = False
    """Every request in pieces, with pauses in the middle of the length and of the map."""
    apart: bool = False
    """Each message by itself, with a pause after it; else several come together, as in real games."""
    pad_every: int = 0
    """Each so many-th request is as large as a frame may be."""
    freeze_every: int = 0
    """Before each so many-th request the bot is frozen for a while."""


def encoder(encoding: str, manner: Manner) -> Callable[[Map], bytes]:
    """From a message to the bytes on the wire, as `manner` has it."""
    plain = codec(encoding).encode
    encode = _wide_frame if manner.wide and encoding == "msgpack" else plain
    if not manner.unknown:
        return encode
    return lambda message: encode(with_unknown(message))


def with_unknown(message: Map) -> Map:
    """Keys that the bot does not know before, between and after those that it knows."""
    keys = list(UNKNOWN.items())
    result = dict(keys[:3])
    for number, (key, value) in enumerate(message.items()):
        result[key] = value
        if number == 1:
            result.update(keys[3:5])
    return result | dict(keys[5:])


def padded(message: Map, encode: Callable[[Map], bytes], encoding: str, size: int) -> Map:
    """The message with an unknown key so long that its payload has exactly `size` bytes."""
    over = 4 if encoding == "msgpack" else 1
    filled = {**message, PAD_KEY: "x" * 300}
    missing = size - (len(encode(filled)) - over)
    filled[PAD_KEY] = "x" * (300 + missing)
    too_much = len(encode_unbounded(filled, encoding)) - size
    filled[PAD_KEY] = "x" * (300 + missing - too_much)
    return filled


def encode_unbounded(message: Map, encoding: str) -> bytes:
    """The payload alone, however long."""
    if encoding == "json":
        import json

        return json.dumps(message, separators=(",", ":")).encode()
    import msgpack

    packed: bytes = msgpack.packb(message)
    return packed


def _wide_frame(message: Map) -> bytes:
    payload = wide(message)
    return len(payload).to_bytes(4, "big") + payload


def wide(value: Any) -> bytes:
    """A value in msgpack's longest form: as right as the shortest one."""
    if value is None or isinstance(value, bool):
        return {None: b"\xc0", False: b"\xc2", True: b"\xc3"}[value]
    if isinstance(value, int):
        return b"\xd3" + struct.pack(">q", value)
    if isinstance(value, float):
        return b"\xcb" + struct.pack(">d", value)
    if isinstance(value, str):
        data = value.encode()
        return b"\xdb" + len(data).to_bytes(4, "big") + data
    if isinstance(value, list | tuple):
        return b"\xdd" + len(value).to_bytes(4, "big") + b"".join(map(wide, value))
    pairs = [wide(part) for pair in value.items() for part in pair]
    return b"\xdf" + len(value).to_bytes(4, "big") + b"".join(pairs)
