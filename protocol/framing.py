"""Bytes in, payloads out: the two framings of the wire. Sans-IO, no clock, bounded memory.

`FrameDecoder`: 4-byte big-endian length, then the payload (encoding `msgpack`).
`LineDecoder`: one payload a line (encoding `json`).
Both give the same frames and the same error code however the bytes are cut into reads.
"""

from __future__ import annotations

from protocol.errors import Code, LocalProtocolError, RemoteProtocolError

MAX_FRAME = 65536
"""Bytes in one payload, without its length or newline."""
HEADER = 4
_SHOWN = 60
_TEXT = frozenset(range(0x20, 0x7F)) | {0x09, 0x0A, 0x0D, 0x1B}


class FrameDecoder:
    """Cuts a stream into frames. `feed` what was read, then call `next_frame` until it gives None."""

    __slots__ = ("_buffer", "_dead", "limit")

    def __init__(self, limit: int = MAX_FRAME) -> None:
        self.limit = limit
        self._buffer = b""
        self._dead: RemoteProtocolError | None = None

    def feed(self, data: bytes) -> None:
        """Add what was read. Never raises; the caller bounds how much it feeds between frames."""
        self._buffer = self._buffer + data if self._buffer else data

    def next_frame(self) -> bytes | None:
        """The next whole payload, or None while it is not all there.

        Raises RemoteProtocolError (`text_on_stdout`, `wrong_encoding`, `too_long`, `malformed`)
        as soon as the four bytes of the length are known to be wrong, and again at each later call.
        """
        buffer = self._buffer
        have = len(buffer)
        if have < HEADER:
            return None
        length = int.from_bytes(buffer[:HEADER], "big")
        if not 0 < length <= self.limit:
            if self._dead is None:
                self._dead = _bad_header(buffer, length, self.limit)
            raise self._dead
        end = HEADER + length
        if have < end:
            return None
        self._buffer = buffer[end:]
        return buffer[HEADER:end]

    @property
    def pending(self) -> int:
        """Bytes that are fed and not yet given out."""
        return len(self._buffer)

    def hint(self) -> str:
        """What an unfinished frame looks like, for the text of a verdict; "" when nothing is pending."""
        buffer = self._buffer
        if not buffer:
            return ""
        if buffer[0] in _TEXT and len(buffer) < HEADER:
            return f"only {show(buffer)} came, which looks like text printed to stdout"
        if len(buffer) < HEADER:
            return f"only {len(buffer)} of the 4 bytes of a frame's length came: {buffer.hex(' ')}"
        length = int.from_bytes(buffer[:HEADER], "big")
        return f"{len(buffer) - HEADER} of {length} bytes of a frame came: is stdout flushed?"


class LineDecoder:
    """Cuts a stream into lines, one JSON payload each.

    Blank lines and blanks before a line are dropped and count for no limit; `\\r\\n` is a newline too.
    """

    __slots__ = ("_buffer", "_dead", "_seen", "limit")

    def __init__(self, limit: int = MAX_FRAME) -> None:
        self.limit = limit
        self._buffer = b""
        self._seen = 0
        self._dead: RemoteProtocolError | None = None

    def feed(self, data: bytes) -> None:
        """Add what was read. Never raises; the caller bounds how much it feeds between frames."""
        self._buffer = self._buffer + data if self._buffer else data.lstrip()

    def next_frame(self) -> bytes | None:
        """The next line that is not blank, without its newline, or None while none is whole.

        Raises RemoteProtocolError (`text_on_stdout`, `wrong_encoding`, `too_long`), also at each later call.
        """
        if self._dead is not None:
            raise self._dead
        buffer = self._buffer
        end = buffer.find(b"\n", self._seen)
        line = buffer if end < 0 else buffer[:end].removesuffix(b"\r")
        # A line that just fits may be longer by its `\r` until its newline is there.
        too_long = len(line) > self.limit + (end < 0)
        if too_long or _is_binary(line) or (end >= 0 and line[:1] != b"{"):
            self._dead = _bad_line(line, self.limit)
            raise self._dead
        if end < 0:
            self._seen = len(buffer)
            return None
        self._buffer = buffer[end + 1 :].lstrip()
        self._seen = 0
        return line

    @property
    def pending(self) -> int:
        """Bytes that are fed and not yet given out."""
        return len(self._buffer)

    def hint(self) -> str:
        """What an unfinished line looks like, for the text of a verdict; "" when nothing is pending."""
        if not self._buffer:
            return ""
        return f"{show(self._buffer)} came without a newline at its end; a JSON message is one line"


Decoder = FrameDecoder | LineDecoder


def frame(payload: bytes, limit: int = MAX_FRAME) -> bytes:
    """`payload` behind its length. Raises LocalProtocolError (`too_long`) over the limit or when empty."""
    length = len(payload)
    if not 0 < length <= limit:
        raise LocalProtocolError(Code.TOO_LONG, f"a frame of {length} bytes: allowed are 1 to {limit}")
    return length.to_bytes(HEADER, "big") + payload


def show(data: bytes) -> str:
    """The start of `data` for one line: the text that it begins with, quoted, else its bytes in hex."""
    text = data[:_SHOWN].decode("utf-8", "replace").split("\ufffd")[0].split("\0")[0]
    if text:
        return ascii(text) + ("..." if len(text.encode()) < len(data) else "")
    return data[: _SHOWN // 4].hex(" ") + ("..." if len(data) > _SHOWN // 4 else "")


def _bad_header(buffer: bytes, length: int, limit: int) -> RemoteProtocolError:
    head = buffer[:HEADER]
    if length == 0:
        return RemoteProtocolError(Code.MALFORMED, "a frame of length 0: every frame holds one map")
    if head[0] == 0 or head[1:] == b"\0\0\0":
        little = int.from_bytes(head, "little")
        if 0 < little <= limit and head[0] != 0:
            return RemoteProtocolError(
                Code.TOO_LONG,
                f"a frame's length came as {head.hex(' ')}, which is {length} bytes (at most {limit}); "
                f"it looks little-endian ({little}): send the 4 bytes of the length big-endian",
            )
        return RemoteProtocolError(Code.TOO_LONG, f"a frame of {length} bytes: at most {limit} are allowed")
    if head[:1] == b"{":
        return RemoteProtocolError(
            Code.WRONG_ENCODING,
            f"{show(buffer)} came instead of a frame; it looks like JSON: "
            'set encoding = "json" in bot.toml, or send msgpack behind a 4-byte length',
        )
    if head[0] in _TEXT or _is_utf8_text(head):
        return RemoteProtocolError(
            Code.TEXT_ON_STDOUT,
            f"{show(buffer)} came instead of a frame; it looks like text printed to stdout: "
            "stdout is for frames alone, print to stderr",
        )
    if 0x80 <= head[0] <= 0x8F or head[0] in (0xDE, 0xDF):
        return RemoteProtocolError(
            Code.TOO_LONG,
            f"a frame's length came as {head.hex(' ')}, which is {length} bytes (at most {limit}); it looks "
            "like a msgpack map without its length: send 4 bytes of big-endian length before each map",
        )
    return RemoteProtocolError(
        Code.TOO_LONG,
        f"a frame's length came as {head.hex(' ')}, which is {length} bytes: at most {limit} are allowed",
    )


def _is_utf8_text(head: bytes) -> bool:
    """Whether the four bytes start with a character of UTF-8 beyond ASCII (an accent, an emoji, a BOM)."""
    return 0xC2 <= head[0] <= 0xF4 and 0x80 <= head[1] <= 0xBF


def _is_binary(line: bytes) -> bool:
    """Whether a line starts as a frame does (a length below 16 MiB) or as a msgpack map does."""
    return bool(line) and (line[0] == 0 or 0x80 <= line[0] <= 0x8F)


def _bad_line(line: bytes, limit: int) -> RemoteProtocolError:
    if _is_binary(line):
        return RemoteProtocolError(
            Code.WRONG_ENCODING,
            f"{show(line)} came instead of a line of JSON; it looks like msgpack: "
            'leave out encoding = "json" in bot.toml, or send JSON, one map a line',
        )
    if line[:1] == b"{":
        return RemoteProtocolError(Code.TOO_LONG, f"a line of more than {limit} bytes: {show(line)}")
    return RemoteProtocolError(
        Code.TEXT_ON_STDOUT,
        f"{show(line)} came instead of a line of JSON; it looks like text printed to stdout: "
        "stdout is for messages alone, print to stderr",
    )
