"""The codecs: what goes in comes out, what is wrong is named, and nothing runs away."""

from __future__ import annotations

import time
from typing import Any

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol import (
    MAX_DEPTH,
    MAX_FRAME,
    MAX_INT,
    Code,
    LocalProtocolError,
    RemoteProtocolError,
    codec,
    decode_line,
    decode_payload,
    encode_frame,
    encode_line,
)

text = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-MAX_INT, MAX_INT)
    | st.floats(allow_nan=False, allow_infinity=False).filter(lambda x: not x.is_integer())
    | text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=20,
)
maps = st.dictionaries(text, values, max_size=6)


@pytest.mark.parametrize("encoding", ["msgpack", "json"])
@settings(deadline=None)
@given(message=maps)
def test_encode_then_decode_is_the_identity(encoding: str, message: dict[str, Any]) -> None:
    wire = codec(encoding)
    decoder = wire.decoder()
    decoder.feed(wire.encode(message))
    payload = decoder.next_frame()
    assert payload is not None
    assert wire.decode(payload) == message
    assert decoder.pending == 0


def attempt(decode: Any, payload: bytes) -> dict[str, Any] | RemoteProtocolError:
    """The map, or the error where it is the right kind of error."""
    try:
        message: dict[str, Any] = decode(payload)
    except RemoteProtocolError as error:
        return error
    return message


@settings(deadline=None)
@given(st.binary(max_size=100))
def test_any_payload_gives_a_map_or_a_remote_error(data: bytes) -> None:
    for decode in (decode_payload, decode_line):
        result = attempt(decode, data)
        if isinstance(result, RemoteProtocolError):
            assert str(result).isascii()
            assert "\n" not in str(result)
        else:
            assert type(result) is dict


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_inside_a_map_give_a_map_or_a_remote_error(data: bytes) -> None:
    for decode, payload in ((decode_payload, b"\x81\xa1a" + data), (decode_line, b'{"a":' + data + b"}")):
        result = attempt(decode, payload)
        if isinstance(result, RemoteProtocolError):
            assert result.code in (Code.MALFORMED, Code.BIN_STRINGS, Code.TOO_DEEP)
        else:
            assert type(result) is dict


def test_a_codec_by_a_wrong_name() -> None:
    with pytest.raises(ValueError, match="'xml': expected 'msgpack' or 'json'"):
        codec("xml")


@pytest.mark.parametrize(
    ("number", "expected"),
    [(7.0, 7), (float(2**53 - 1), 2**53 - 1), (2.0**60, 2.0**60), (0.5, 0.5), (-3.0, -3)],
)
def test_whole_floats_are_integers(number: float, expected: float) -> None:
    for value in (
        decode_payload(msgpack.packb({"id": number}))["id"],
        decode_line(b'{"id":%r}' % number)["id"],
    ):
        assert value == expected
        assert type(value) is type(expected)


def nested(depth: int) -> dict[str, Any]:
    """A map with so many levels of lists inside that it is `depth` deep."""
    value: Any = 1
    for _ in range(depth - 1):
        value = [value]
    return {"x": value}


@pytest.mark.parametrize("encoding", ["msgpack", "json"])
def test_depth_is_bounded(encoding: str) -> None:
    wire = codec(encoding)

    def payload(message: dict[str, Any]) -> bytes:
        decoder = wire.decoder()
        decoder.feed(wire.encode(message))
        frame = decoder.next_frame()
        assert frame is not None
        return frame

    assert wire.decode(payload(nested(MAX_DEPTH))) == nested(MAX_DEPTH)
    with pytest.raises(RemoteProtocolError, match="nested more than 16 deep") as caught:
        wire.decode(payload(nested(MAX_DEPTH + 1)))
    assert caught.value.code is Code.TOO_DEEP


BOMBS = {
    "nested lists": b"\x91" * 65000 + b"\xc0",
    "nested lists, never closed": b"\x91" * 65536,
    "nested maps": b"\x81\xa1a" * 21000 + b"\xc0",
    "lists of lists that claim much": b"\xdd\xff\xff\xff\xff" * 13000,
    "maps that claim much": b"\xdf\x7f\xff\xff\xff" * 13000,
    "a map of maps that claim much": b"\x81\xa1a" + b"\xdf\0\0\xff\xff" * 13000,
    "wide": b"\xdd\0\0\xff\0" + b"\xc0" * 0xFF00,
    "many empty maps": b"\xdd\0\0\xff\0" + b"\x80" * 0xFF00,
}
JSON_BOMBS = {
    "nested lists": b'{"a":' + b"[" * 65000,
    "nested maps": b'{"a":' * 13000,
    "many digits": b'{"a":' + b"9" * 65000 + b"}",
    "many digits after the point": b'{"a":0.' + b"9" * 65000 + b"}",
    "a huge exponent": b'{"a":1e' + b"9" * 65000 + b"}",
    "wide": b'{"a":[' + b"0," * 32000 + b"0]",
    "backslashes": b'{"a":"' + b"\\" * 65000,
}


@pytest.mark.parametrize("name", BOMBS)
def test_msgpack_bombs_are_refused_quickly(name: str) -> None:
    start = time.process_time()
    with pytest.raises(RemoteProtocolError) as caught:
        decode_payload(BOMBS[name])
    assert caught.value.code in (Code.TOO_DEEP, Code.MALFORMED)
    assert len(str(caught.value)) < 300
    assert time.process_time() - start < 1


@pytest.mark.parametrize("name", JSON_BOMBS)
def test_json_bombs_are_refused_quickly(name: str) -> None:
    start = time.process_time()
    result = attempt(decode_line, JSON_BOMBS[name])
    assert time.process_time() - start < 1
    if name == "many digits after the point":
        assert result == {"a": 1}
    else:
        assert isinstance(result, RemoteProtocolError)
        assert result.code in (Code.TOO_DEEP, Code.MALFORMED)
        assert len(str(result)) < 300


@pytest.mark.parametrize(
    ("encode", "value"),
    [
        (encode_frame, {1, 2}),
        (encode_line, {1, 2}),
        (encode_frame, object()),
        (encode_line, object()),
        (encode_frame, 2**70),
        (encode_frame, {"a": [2**64]}),
    ],
)
def test_what_cannot_be_sent_is_a_local_error(encode: Any, value: object) -> None:
    with pytest.raises(LocalProtocolError) as caught:
        encode({"x": value})
    assert caught.value.code is Code.MALFORMED


def test_json_has_no_nan_and_no_endless_nesting() -> None:
    loop: list[Any] = []
    loop.append(loop)
    for value in (float("nan"), float("inf"), loop):
        with pytest.raises(LocalProtocolError):
            encode_line({"x": value})


@pytest.mark.parametrize("encoding", ["msgpack", "json"])
def test_the_longest_message(encoding: str) -> None:
    wire = codec(encoding)
    head = len(wire.encode({"x": "y" * 60000})) - 60000
    around = 4 if encoding == "msgpack" else 1
    longest = {"x": "y" * (MAX_FRAME - (head - around))}
    data = wire.encode(longest)
    assert len(data) == MAX_FRAME + around
    decoder = wire.decoder()
    decoder.feed(data)
    payload = decoder.next_frame()
    assert payload is not None
    assert wire.decode(payload) == longest
    with pytest.raises(LocalProtocolError, match="at most 65536") as caught:
        wire.encode({"x": longest["x"] + "y"})
    assert caught.value.code is Code.TOO_LONG


def test_a_failed_encoding_leaves_nothing_behind() -> None:
    before = encode_frame({"a": 1})
    with pytest.raises(LocalProtocolError):
        encode_frame({"a": [1, 2, {"b": object()}]})
    assert encode_frame({"a": 1}) == before


def test_the_mistakes_are_named() -> None:
    """Each common mistake gives a text that says what to do."""
    cases = [
        (decode_payload, msgpack.packb({b"type": b"action"}), "your language packs strings as bin"),
        (decode_payload, b'{"type":"ready"}', "is JSON in a frame"),
        (decode_payload, msgpack.packb({"a": 1}) + b"xy", "2 bytes follow the map"),
        (decode_payload, msgpack.packb({"a": msgpack.Timestamp(1)}), "extension type"),
        (decode_line, b"{'type':'ready'}", "double quotes"),
        (decode_line, b'{"type":', "a message is one line"),
        (decode_line, b'{"type":"ready"},', "a message is one line"),
        (decode_line, b"[1]", "a message is one map; list came"),
    ]
    for decode, payload, expected in cases:
        with pytest.raises(RemoteProtocolError, match=expected):
            decode(payload)
