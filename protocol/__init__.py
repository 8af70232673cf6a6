"""The arena's wire protocol, and what a Python bot imports. PROTOCOL.md is the contract."""

from protocol.bot import Bot, run
from protocol.codec import (
    Codec,
    codec,
    decode_line,
    decode_payload,
    encode_frame,
    encode_line,
)
from protocol.errors import Code, LocalProtocolError, ProtocolError, RemoteProtocolError
from protocol.framing import MAX_FRAME, FrameDecoder, LineDecoder, frame
from protocol.view import View

__all__ = [
    "MAX_FRAME",
    "Bot",
    "Code",
    "Codec",
    "FrameDecoder",
    "LineDecoder",
    "LocalProtocolError",
    "ProtocolError",
    "RemoteProtocolError",
    "View",
    "codec",
    "decode_line",
    "decode_payload",
    "encode_frame",
    "encode_line",
    "frame",
    "run",
]
