"""One conversation as a state machine: bytes in, events out. No clock, no process.

`TABLE` is the whole of it: role -> state -> message type -> next state, read by both sides. Each side
keeps the same one state; a message moves it, whichever side sent it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from protocol.codec import codec
from protocol.errors import Code, LocalProtocolError, RemoteProtocolError
from protocol.messages import (
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


class Role(StrEnum):
    """The two sides of the wire."""

    ARENA = "arena"
    BOT = "bot"


class State(StrEnum):
    """Where a conversation stands."""

    NEW = "new"
    """Nothing was said."""
    STARTING = "starting"
    """`hello` was sent, `ready` is due."""
    IDLE = "idle"
    """Between games."""
    PLAYING = "playing"
    """In a game, no question open."""
    ASKED = "asked"
    """`act` was sent, `action` is due."""
    CLOSED = "closed"
    """`bye` was sent, or a stream ended."""


TABLE: Mapping[Role, Mapping[State, Mapping[type[Message], State]]] = {
    Role.ARENA: {
        State.NEW: {Hello: State.STARTING},
        State.STARTING: {Bye: State.CLOSED},
        State.IDLE: {GameStart: State.PLAYING, Bye: State.CLOSED},
        State.PLAYING: {
            Act: State.ASKED,
            HandEnd: State.PLAYING,
            GameEnd: State.IDLE,
            Bye: State.CLOSED,
        },
        State.ASKED: {Bye: State.CLOSED},
        State.CLOSED: {},
    },
    Role.BOT: {
        State.NEW: {},
        State.STARTING: {Ready: State.IDLE},
        State.IDLE: {},
        State.PLAYING: {},
        State.ASKED: {Action: State.PLAYING},
        State.CLOSED: {},
    },
}


@dataclass(frozen=True, slots=True)
class ConnectionClosed:
    """The other side's stream ended between two messages."""


Event = Message | ConnectionClosed


class Connection:
    """One side of a conversation, `role` being ours.

    `send(message)` gives the bytes to write; `receive_data(bytes)` takes what was read (b"" at the end of
    the stream) and `next_event()` gives the messages in it, None when more bytes are needed.
    After an error in either direction's rules the connection is of no further use.
    """

    __slots__ = ("_act", "_codec", "_decoder", "_ended", "_state", "role")

    def __init__(self, role: Role, encoding: str = "msgpack") -> None:
        self.role = role
        self._codec = codec(encoding)
        self._decoder = self._codec.decoder()
        self._state = State.NEW
        self._act: Act | None = None
        self._ended = False

    @property
    def state(self) -> State:
        """Where the conversation stands."""
        return self._state

    @property
    def request(self) -> Act | None:
        """The open request, None when no answer is due."""
        return self._act

    @property
    def their_role(self) -> Role:
        return Role.BOT if self.role is Role.ARENA else Role.ARENA

    def send(self, message: Message) -> bytes:
        """The bytes of `message`. Raises LocalProtocolError, and changes nothing, if it may not go now."""
        error = self._wrong(self.role, message)
        if error:
            raise LocalProtocolError(*error)
        data = self._codec.encode(message.to_map())
        self._move(self.role, message)
        return data

    def receive_data(self, data: bytes) -> None:
        """Take what was read; b"" says that the stream has ended."""
        if data:
            self._decoder.feed(data)
        else:
            self._ended = True

    def next_event(self) -> Event | None:
        """The next message that came; None when more bytes are needed; ConnectionClosed at the end.

        Raises RemoteProtocolError when the other side broke the protocol: bytes that are no frame, a message
        that is wrong in itself, that was not asked for (`unsolicited`), or whose id (`wrong_id`) or action
        (`illegal`) is not the request's. A bot skips message types that it does not know.
        """
        while (payload := self._decoder.next_frame()) is not None:
            message = parse(values := self._codec.decode(payload))
            if message is None:
                if self.role is Role.BOT:
                    continue
                text = f"a message of the unknown type {ascii(values['type'])[:60]}"
                raise RemoteProtocolError(Code.UNKNOWN_TYPE, text)
            error = self._wrong(self.their_role, message)
            if error:
                raise RemoteProtocolError(*error)
            self._move(self.their_role, message)
            return message
        if not self._ended:
            return None
        if self._decoder.pending:
            text = f"the stream ended in the middle of a message: {self._decoder.hint()}"
            raise RemoteProtocolError(Code.TRUNCATED, text)
        self._state = State.CLOSED
        self._act = None
        return ConnectionClosed()

    def _wrong(self, role: Role, message: Message) -> tuple[Code, str] | None:
        """What is wrong with `role` saying `message` now, None when nothing is."""
        allowed = TABLE[role][self._state]
        if type(message) not in allowed:
            if not allowed:
                text = (
                    f"`{message.type}` was not asked for: the {role} has nothing to say while {self._state}"
                )
                return Code.UNSOLICITED, text
            names = " or ".join(f"`{cls.type}`" for cls in allowed)
            return Code.BAD_MESSAGE, f"`{message.type}` came while {self._state}, expected {names}"
        if isinstance(message, Action) and self._act is not None:
            if message.id != self._act.id:
                return Code.WRONG_ID, f"an answer to request {message.id}; open is {self._act.id}"
            if message.action not in self._act.legal:
                legal = ", ".join(self._act.legal)
                return Code.ILLEGAL, f"the action {message.action!a} is not legal; legal are {legal}"
        return None

    def _move(self, role: Role, message: Message) -> None:
        self._state = TABLE[role][self._state][type(message)]
        self._act = message if isinstance(message, Act) else None
