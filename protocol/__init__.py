"""The arena's wire protocol, and what a Python bot imports. PROTOCOL.md is the contract.

from protocol import run

run(lambda view: view.legal[0])
"""

from typing import TYPE_CHECKING, Any

from protocol.bot import Bot, run
from protocol.cards import (
    JOKER,
    NO_TRUMP,
    RANKS,
    SUITS,
    Card,
    by_suit,
    effective_suit,
    follow_suit,
    full_pack,
    is_trump,
    left_bower,
    parse_card,
    right_bower,
    sister,
    strength,
    trick_winner,
    trump_order,
)
from protocol.codec import (
    MAX_DEPTH,
    MAX_INT,
    VERSION,
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

if TYPE_CHECKING:
    from protocol.messages import (
        MESSAGES,
        Act,
        Action,
        Bye,
        GameEnd,
        GameStart,
        HandEnd,
        Hello,
        Message,
        Ready,
        parse,
    )
    from protocol.session import TABLE, Connection, ConnectionClosed, Role, State

__all__ = [
    "JOKER",
    "MAX_DEPTH",
    "MAX_FRAME",
    "MAX_INT",
    "MESSAGES",
    "NO_TRUMP",
    "RANKS",
    "SUITS",
    "TABLE",
    "VERSION",
    "Act",
    "Action",
    "Bot",
    "Bye",
    "Card",
    "Code",
    "Codec",
    "Connection",
    "ConnectionClosed",
    "FrameDecoder",
    "GameEnd",
    "GameStart",
    "HandEnd",
    "Hello",
    "LineDecoder",
    "LocalProtocolError",
    "Message",
    "ProtocolError",
    "Ready",
    "RemoteProtocolError",
    "Role",
    "State",
    "View",
    "by_suit",
    "codec",
    "decode_line",
    "decode_payload",
    "effective_suit",
    "encode_frame",
    "encode_line",
    "follow_suit",
    "frame",
    "full_pack",
    "is_trump",
    "left_bower",
    "parse",
    "parse_card",
    "right_bower",
    "run",
    "sister",
    "strength",
    "trick_winner",
    "trump_order",
]


def __getattr__(name: str) -> Any:
    """The typed messages and the state table, on demand: a bot that starts does not need them."""
    if name in __all__:
        from protocol import messages, session

        return getattr(session if hasattr(session, name) else messages, name)
    raise AttributeError(f"module 'protocol' has no attribute {name!r}")
