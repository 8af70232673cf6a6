"""Whose mistake it was: `LocalProtocolError` is ours, `RemoteProtocolError` is the other side's.

The split is the referee's blame decision, as in h11: the arena raises `LocalProtocolError` where
the arena itself erred (a house error, never charged to a bot) and `RemoteProtocolError` where the
bytes that came in are wrong (charged to the bot that sent them).
"""

from __future__ import annotations

from enum import StrEnum


class Code(StrEnum):
    """What was wrong, as a closed set. PROTOCOL.md, "Faults", lists them for authors."""

    TEXT_ON_STDOUT = "text_on_stdout"
    """Not a frame: text that was printed to stdout."""
    WRONG_ENCODING = "wrong_encoding"
    """JSON where msgpack is expected, or the other way round."""
    TOO_LONG = "too_long"
    """A frame (or line) longer than the limit, or four bytes that are no length at all."""
    TRUNCATED = "truncated"
    """The stream ended in the middle of a frame."""
    MALFORMED = "malformed"
    """The payload is not one well-formed map (bad msgpack or JSON, trailing bytes, duplicate keys, ...)."""
    BIN_STRINGS = "bin_strings"
    """Strings packed as msgpack `bin`."""
    TOO_DEEP = "too_deep"
    """Nested more deeply than any message is."""
    BAD_MESSAGE = "bad_message"
    """A well-formed map that is not a message: a key missing, or a value of the wrong kind."""
    UNKNOWN_TYPE = "unknown_type"
    """A message type that the referee does not know (a bot ignores such messages)."""
    WRONG_ID = "wrong_id"
    """An answer whose id is not that of the open request."""
    ILLEGAL = "illegal"
    """A well-formed answer whose action is not in `legal`."""
    UNSOLICITED = "unsolicited"
    """A message that was not asked for in this state."""


class ProtocolError(Exception):
    """A breach of PROTOCOL.md. `code` is the kind, `str(error)` one line for a person."""

    def __init__(self, code: Code, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text


class LocalProtocolError(ProtocolError):
    """This side tried to send something that is not allowed. Nothing was sent."""


class RemoteProtocolError(ProtocolError):
    """The other side sent something that is not allowed. The connection is of no further use."""
