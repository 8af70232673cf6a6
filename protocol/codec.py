"""Payloads to maps and back, in msgpack and in JSON: one map with string keys, bounded, unambiguous.

`encode_frame`/`decode_payload` are the msgpack pair that the referee calls at each decision;
`encode_line`/`decode_line` are the same for JSON; `codec(encoding)` gives either by name.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from math import isfinite
from typing import Any, NamedTuple, NoReturn

import msgpack

from protocol.errors import Code, LocalProtocolError, RemoteProtocolError
from protocol.framing import MAX_FRAME, Decoder, FrameDecoder, LineDecoder, show

VERSION = 1
"""The protocol version that this package speaks."""
MAX_DEPTH = 16
"""How deeply maps and lists may nest, the message itself included. The deepest message needs 4."""
MAX_INT = 2**53 - 1
"""The largest whole number, either sign: what every language and JSON carry exactly."""

Map = dict[str, Any]

_SIMPLE = frozenset({str, bool, type(None)})
# A Packer keeps no state between calls (autoreset); making one a call costs more than packing with it.
_pack: Callable[[Any], bytes] = msgpack.Packer(use_bin_type=True).pack
_dump: Callable[[Any], str] = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def encode_frame(message: Map) -> bytes:
    """One msgpack frame, length included. Raises LocalProtocolError if it cannot be packed or is too long."""
    try:
        payload = _pack(message)
    except (TypeError, ValueError, OverflowError) as error:
        raise LocalProtocolError(Code.MALFORMED, f"cannot be sent as msgpack: {error}") from None
    length = len(payload)
    if length > MAX_FRAME:
        raise LocalProtocolError(Code.TOO_LONG, f"a frame of {length} bytes: at most {MAX_FRAME} are allowed")
    return length.to_bytes(4, "big") + payload


def decode_payload(payload: bytes) -> Map:
    """One msgpack map. Anything else raises RemoteProtocolError (`malformed`, `bin_strings`, `too_deep`)."""
    try:
        message = msgpack.unpackb(payload, object_pairs_hook=_pairs, strict_map_key=False)
    except RemoteProtocolError:
        raise
    except (ValueError, TypeError, RecursionError, MemoryError, msgpack.UnpackException) as error:
        raise _bad_msgpack(payload, error) from None
    if type(message) is not dict:
        raise _not_a_map(message)
    for key, value in message.items():
        kind = type(value)
        if kind in _SIMPLE or (kind is int and -MAX_INT <= value <= MAX_INT):
            continue
        message[key] = _check(value, 2)
    return message


def encode_line(message: Map) -> bytes:
    """One line of JSON, newline included, in ASCII. Raises LocalProtocolError as `encode_frame` does."""
    try:
        payload = _dump(message).encode("ascii")
    except (TypeError, ValueError, RecursionError) as error:
        raise LocalProtocolError(Code.MALFORMED, f"cannot be sent as JSON: {error}") from None
    if len(payload) > MAX_FRAME:
        text = f"a line of {len(payload)} bytes: at most {MAX_FRAME} are allowed"
        raise LocalProtocolError(Code.TOO_LONG, text)
    return payload + b"\n"


def decode_line(payload: bytes) -> Map:
    """One JSON object. Raises RemoteProtocolError (`malformed`, `too_deep`) on anything else."""
    try:
        message = _parse(payload.decode("utf-8"))
    except RemoteProtocolError:
        raise
    except UnicodeDecodeError:
        raise RemoteProtocolError(Code.MALFORMED, f"{show(payload)} is not UTF-8") from None
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        raise _bad_json(payload, error) from None
    if type(message) is not dict:
        raise _not_a_map(message)
    checked: Map = _check(message, 1)
    return checked


class Codec(NamedTuple):
    """One encoding of the wire: `encode` a map to bytes, `decode` a payload, `decoder()` cuts the stream."""

    encoding: str
    encode: Callable[[Map], bytes]
    decode: Callable[[bytes], Map]
    decoder: Callable[[], Decoder]


def codec(encoding: str) -> Codec:
    """The codec of `msgpack` or `json`. Raises ValueError for another name."""
    if encoding == "msgpack":
        return Codec("msgpack", encode_frame, decode_payload, FrameDecoder)
    if encoding == "json":
        return Codec("json", encode_line, decode_line, LineDecoder)
    raise ValueError(f"unknown encoding {encoding!r}: expected 'msgpack' or 'json'")


def _pairs(pairs: list[tuple[Any, Any]]) -> Map:
    """A map from its pairs in order; refuses keys that are not strings, and duplicates."""
    result = dict(pairs)
    if len(result) != len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise RemoteProtocolError(Code.MALFORMED, f"the key {twice!a} comes twice in one map")
    for key in result:
        if type(key) is not str:
            if type(key) is bytes:
                raise _bin(key, "key")
            raise RemoteProtocolError(Code.MALFORMED, f"the map key {key!a} is not a string")
    return result


def _check(value: Any, depth: int) -> Any:
    """`value`, refused where it has no one meaning in every language; whole floats become integers.

    Recursion is bounded by MAX_DEPTH.
    """
    kind = type(value)
    if kind is str:
        _check_text(value)
    elif kind is int:
        if not -MAX_INT <= value <= MAX_INT:
            raise RemoteProtocolError(Code.MALFORMED, f"the whole number {value} is beyond 2^53 - 1")
    elif kind is float:
        if not isfinite(value):
            raise RemoteProtocolError(Code.MALFORMED, f"the number {value} is not finite")
        if value.is_integer() and -MAX_INT <= value <= MAX_INT:
            return int(value)
    elif kind is dict or kind is list:
        if depth > MAX_DEPTH:
            raise _too_deep()
        if kind is list:
            return [_check(item, depth + 1) for item in value]
        for key, item in value.items():
            _check_text(key)
            value[key] = _check(item, depth + 1)
    elif kind is bytes:
        raise _bin(value, "value")
    elif kind is not bool and value is not None:
        text = "a msgpack extension type: only maps, lists, strings, numbers, true, false and nil are allowed"
        raise RemoteProtocolError(Code.MALFORMED, text)
    return value


def _check_text(text: str) -> None:
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            wrong = f"{text[:40]!a} holds half a surrogate pair, which is not text"
            raise RemoteProtocolError(Code.MALFORMED, wrong) from None


def _bin(value: bytes, what: str) -> RemoteProtocolError:
    return RemoteProtocolError(
        Code.BIN_STRINGS,
        f"the {what} {show(value)} came as msgpack bin, not str: your language packs strings as bin; "
        "see PROTOCOL.md, pitfalls (Perl: ->utf8; C++: std::string, not std::vector; Java: packString)",
    )


def _too_deep() -> RemoteProtocolError:
    return RemoteProtocolError(Code.TOO_DEEP, f"maps and lists nested more than {MAX_DEPTH} deep")


def _not_a_map(message: Any) -> RemoteProtocolError:
    text = f"a message is one map; {type(message).__name__} came: {ascii(message)[:60]}"
    return RemoteProtocolError(Code.MALFORMED, text)


def _bad_msgpack(payload: bytes, error: BaseException) -> RemoteProtocolError:
    if isinstance(error, (msgpack.StackError, RecursionError)):
        return _too_deep()
    if payload[:1] == b"{":
        text = f'{show(payload)} is JSON in a frame: send msgpack, or one line of JSON with encoding = "json"'
        return RemoteProtocolError(Code.WRONG_ENCODING, text)
    if isinstance(error, msgpack.ExtraData):
        extra = len(error.extra)
        text = f"{extra} bytes follow the map inside its frame: one frame holds exactly one map"
        return RemoteProtocolError(Code.MALFORMED, text)
    if isinstance(error, UnicodeDecodeError):
        return RemoteProtocolError(Code.MALFORMED, "a string is not UTF-8")
    reason = "a map's key is a map or list" if isinstance(error, TypeError) else str(error)
    reason = reason or type(error).__name__
    return RemoteProtocolError(Code.MALFORMED, f"not msgpack ({reason}): {payload[:24].hex(' ')}")


def _json_int(digits: str) -> int:
    if len(digits) > 17:
        raise RemoteProtocolError(Code.MALFORMED, f"a whole number beyond 2^53 - 1 ({len(digits)} digits)")
    return int(digits)


def _json_constant(name: str) -> NoReturn:
    raise RemoteProtocolError(Code.MALFORMED, f"{name} is not JSON")


def _bad_json(payload: bytes, error: ValueError) -> RemoteProtocolError:
    hint = ""
    if payload.lstrip().startswith(b"{'"):
        hint = "; JSON strings and keys take double quotes"
    elif not payload.rstrip().endswith(b"}"):
        hint = "; a message is one line"
    return RemoteProtocolError(Code.MALFORMED, f"not JSON ({error}): {show(payload)}{hint}")


_parse: Callable[[str], Any] = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_int=_json_int, parse_constant=_json_constant
).decode
