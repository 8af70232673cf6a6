"""Framing: the same frames and the same error however the bytes are cut, and nothing beyond its bounds."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol import (
    MAX_FRAME,
    Code,
    FrameDecoder,
    LineDecoder,
    LocalProtocolError,
    RemoteProtocolError,
    frame,
)
from protocol.framing import Decoder, show


def drain(decoder: Decoder) -> list[bytes]:
    out = []
    while (payload := decoder.next_frame()) is not None:
        out.append(payload)
    return out


def outcome(decoder: Decoder, chunks: list[bytes]) -> tuple[list[bytes], Code | None]:
    """The frames that came before the first error, and its code."""
    frames: list[bytes] = []
    for chunk in chunks:
        decoder.feed(chunk)
        try:
            while (payload := decoder.next_frame()) is not None:
                frames.append(payload)
        except RemoteProtocolError as error:
            return frames, error.code
    return frames, None


def cut(data: bytes, at: list[int]) -> list[bytes]:
    places = sorted({0, len(data), *(min(i, len(data)) for i in at)})
    return [data[a:b] for a, b in pairwise(places)]


payloads = st.lists(st.binary(min_size=1, max_size=300), max_size=6)
lines = st.lists(
    st.binary(max_size=60).map(lambda b: b"{" + b.replace(b"\n", b"").rstrip() + b"}"), max_size=6
)
cuts = st.lists(st.integers(0, 2000), max_size=12)


@settings(deadline=None)
@given(payloads, cuts)
def test_frames_are_invariant_under_splitting(frames: list[bytes], at: list[int]) -> None:
    data = b"".join(map(frame, frames))
    assert outcome(FrameDecoder(), cut(data, at)) == (frames, None)
    assert outcome(FrameDecoder(), [data[i : i + 1] for i in range(len(data))]) == (frames, None)


@settings(deadline=None)
@given(lines, cuts, st.sampled_from([b"\n", b"\r\n", b"\n\n", b"\n \t\r\n"]))
def test_lines_are_invariant_under_splitting(frames: list[bytes], at: list[int], newline: bytes) -> None:
    data = b"".join(line + newline for line in frames)
    assert outcome(LineDecoder(), cut(data, at)) == (frames, None)
    assert outcome(LineDecoder(), [data[i : i + 1] for i in range(len(data))]) == (frames, None)


@settings(deadline=None)
@given(
    st.binary(max_size=200),
    cuts,
    st.sampled_from([FrameDecoder, LineDecoder]),
    st.sampled_from([8, 64, MAX_FRAME]),
)
def test_any_bytes_give_the_same_frames_and_code_however_cut(
    data: bytes, at: list[int], kind: type[Any], limit: int
) -> None:
    whole = outcome(kind(limit), [data])
    assert outcome(kind(limit), cut(data, at)) == whole
    assert outcome(kind(limit), [data[i : i + 1] for i in range(len(data))]) == whole


@pytest.mark.parametrize("limit", [1, 5, MAX_FRAME])
def test_a_frame_of_just_the_limit_passes_and_one_byte_more_does_not(limit: int) -> None:
    decoder = FrameDecoder(limit)
    decoder.feed(frame(b"x" * limit, limit))
    assert drain(decoder) == [b"x" * limit]
    decoder.feed((limit + 1).to_bytes(4, "big"))
    with pytest.raises(RemoteProtocolError, match=f"at most {limit}") as caught:
        decoder.next_frame()
    assert caught.value.code is Code.TOO_LONG


def test_a_frame_of_the_limit_cut_at_every_byte() -> None:
    data = frame(b"abcdefgh") * 2
    for place in range(len(data) + 1):
        assert outcome(FrameDecoder(8), [data[:place], data[place:]]) == ([b"abcdefgh"] * 2, None)


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
def test_a_line_of_just_the_limit_passes_and_one_byte_more_does_not(newline: bytes) -> None:
    line = b"{" + b"x" * 8 + b"}"
    data = line + newline
    for place in range(len(data) + 1):
        assert outcome(LineDecoder(10), [data[:place], data[place:]]) == ([line], None)
        assert outcome(LineDecoder(9), [data[:place], data[place:]]) == ([], Code.TOO_LONG)


def test_a_line_without_an_end_is_refused_at_the_limit() -> None:
    decoder = LineDecoder(10)
    decoder.feed(b"{" + b"x" * 10)
    assert decoder.next_frame() is None
    decoder.feed(b"x")
    with pytest.raises(RemoteProtocolError) as caught:
        decoder.next_frame()
    assert caught.value.code is Code.TOO_LONG


def test_blanks_without_end_take_no_memory() -> None:
    decoder = LineDecoder()
    for _ in range(100):
        decoder.feed(b" \r\n" * 20000)
        assert decoder.next_frame() is None
        assert decoder.pending == 0


@pytest.mark.parametrize("decoder", [FrameDecoder(), LineDecoder()])
def test_an_error_stays(decoder: Decoder) -> None:
    decoder.feed(b"hello\n")
    texts = set()
    for _ in range(3):
        with pytest.raises(RemoteProtocolError, match=r"'hello.*printed to stdout.*stderr") as caught:
            decoder.next_frame()
        assert caught.value.code is Code.TEXT_ON_STDOUT
        texts.add(str(caught.value))
        decoder.feed(b"more\n")
    assert len(texts) == 1


@pytest.mark.parametrize("size", [0, MAX_FRAME + 1])
def test_our_own_frames_are_bounded_too(size: int) -> None:
    with pytest.raises(LocalProtocolError) as caught:
        frame(b"x" * size)
    assert caught.value.code is Code.TOO_LONG


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", ""),
        (b"ok", "only 'ok' came, which looks like text printed to stdout"),
        (b"\0\0", "only 2 of the 4 bytes of a frame's length came: 00 00"),
        (b"\0\0\0\x05ab", "2 of 5 bytes of a frame came: is stdout flushed?"),
    ],
)
def test_hint_of_an_unfinished_frame(data: bytes, expected: str) -> None:
    decoder = FrameDecoder()
    decoder.feed(data)
    assert decoder.next_frame() is None
    assert decoder.hint() == expected
    assert decoder.pending == len(data)


def test_hint_of_an_unfinished_line() -> None:
    decoder = LineDecoder()
    assert decoder.hint() == ""
    decoder.feed(b'{"type":')
    assert decoder.hint() == "'{\"type\":' came without a newline at its end; a JSON message is one line"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"thinking...\n\0\0\0", r"'thinking...\n'..."),
        (b"\x1b[31mred", r"'\x1b[31mred'"),
        ("Žofie".encode(), r"'\u017dofie'"),
        (b"\0\1\2", "00 01 02"),
        (b"\xff" * 100, " ".join(["ff"] * 15) + "..."),
        (b"x" * 100, "'" + "x" * 60 + "'..."),
    ],
)
def test_what_came_is_shown_on_one_line_of_ascii(data: bytes, expected: str) -> None:
    assert show(data) == expected
