"""The state table, and the two sides of a conversation joined in memory."""

from __future__ import annotations

import random
from typing import Any

import pytest

from protocol import (
    MESSAGES,
    TABLE,
    Act,
    Action,
    Bye,
    Code,
    Connection,
    ConnectionClosed,
    GameEnd,
    GameStart,
    HandEnd,
    Hello,
    LocalProtocolError,
    Message,
    Ready,
    RemoteProtocolError,
    Role,
    State,
    codec,
    frame,
)

LIMITS = dict.fromkeys(("move_ms", "bank_ms", "start_ms", "grace_ms", "memory_mb", "frame_bytes"))
HELLO = Hello(1, "north-american", {}, LIMITS)
START = GameStart(0, 2, 1, 99)
HAND_END = HandEnd(0, 1, (("9C",),) * 4, "KC", (0, 2), (0, 2), False, False)
GAME_END = GameEnd((0, 10), 1, "target")
READY = Ready("x", "1")


def act(number: int = 7) -> Act:
    return Act(number, "north-american", {}, "bid1", 0, 0, 3, (0, 0), ("9C",), {}, ("pass", "order_up"), None)


SAMPLES: dict[type[Message], Message] = {
    type(m): m for m in (HELLO, READY, START, act(), Action(7, "pass"), HAND_END, GAME_END, Bye())
}


class Pair:
    """Both sides, and the wire between them; what is sent arrives in pieces."""

    def __init__(self, encoding: str, rng: random.Random) -> None:
        self.sides = {role: Connection(role, encoding) for role in Role}
        self.rng = rng

    def say(self, role: Role, message: Message) -> None:
        data = self.sides[role].send(message)
        other = self.sides[self.sides[role].their_role]
        while data:
            size = self.rng.randint(1, len(data))
            assert other.next_event() is None
            other.receive_data(data[:size])
            data = data[size:]
        assert other.next_event() == message
        assert other.next_event() is None
        assert self.sides[Role.ARENA].state is self.sides[Role.BOT].state
        assert self.sides[Role.ARENA].request == self.sides[Role.BOT].request


@pytest.mark.parametrize("encoding", ["msgpack", "json"])
def test_a_whole_conversation(encoding: str) -> None:
    pair = Pair(encoding, random.Random(encoding))
    pair.say(Role.ARENA, HELLO)
    pair.say(Role.BOT, READY)
    for _ in range(2):
        pair.say(Role.ARENA, START)
        for number in (7, 8):
            pair.say(Role.ARENA, act(number))
            pair.say(Role.BOT, Action(number, "order_up"))
            pair.say(Role.ARENA, HAND_END)
        pair.say(Role.ARENA, GAME_END)
    pair.say(Role.ARENA, Bye())
    for side in pair.sides.values():
        assert side.state is State.CLOSED
        side.receive_data(b"")
        assert side.next_event() == ConnectionClosed()


def in_state(state: State, role: Role) -> Connection:
    """A side that has come to `state` on the shortest way."""
    connection = Connection(role, "json")
    encode = codec("json").encode

    def say(sender: Role, message: Message) -> None:
        if sender is role:
            connection.send(message)
        else:
            connection.receive_data(encode(message.to_map()))
            assert connection.next_event() == message

    steps = {
        State.NEW: 0,
        State.STARTING: 1,
        State.IDLE: 2,
        State.PLAYING: 3,
        State.ASKED: 4,
    }
    way = [(Role.ARENA, HELLO), (Role.BOT, READY), (Role.ARENA, START), (Role.ARENA, act())]
    for sender, message in way[: steps.get(state, 2)]:
        say(sender, message)
    if state is State.CLOSED:
        say(Role.ARENA, Bye())
    assert connection.state is state
    return connection


def test_the_table_is_whole() -> None:
    assert set(TABLE) == set(Role)
    for role in Role:
        assert set(TABLE[role]) == set(State)
    reached = {State.NEW} | {
        to for states in TABLE.values() for moves in states.values() for to in moves.values()
    }
    assert reached == set(State)
    sent = {cls for states in TABLE.values() for moves in states.values() for cls in moves}
    assert sent == set(MESSAGES.values())
    for state in State:
        assert not (TABLE[Role.BOT][state] and set(TABLE[Role.ARENA][state]) - {Bye}), (
            "one side's turn at a time"
        )


@pytest.mark.parametrize("ours", Role)
@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("kind", SAMPLES, ids=lambda cls: cls.type)
def test_every_message_in_every_state(kind: type[Message], state: State, ours: Role) -> None:
    """Sent by us and by the other side: the table decides, and an error of ours changes nothing."""
    message = SAMPLES[kind]
    for sender in Role:
        connection = in_state(state, ours)
        to = TABLE[sender][state].get(kind)
        if sender is ours:
            if to is None:
                with pytest.raises(LocalProtocolError):
                    connection.send(message)
                assert connection.state is state
            else:
                assert connection.send(message) == codec("json").encode(message.to_map())
                assert connection.state is to
        else:
            connection.receive_data(codec("json").encode(message.to_map()))
            if to is None:
                with pytest.raises(RemoteProtocolError) as caught:
                    connection.next_event()
                due = TABLE[sender][state]
                assert caught.value.code is (Code.BAD_MESSAGE if due else Code.UNSOLICITED)
            else:
                assert connection.next_event() == message
                assert connection.state is to


@pytest.mark.parametrize(
    ("answer", "code"),
    [(Action(8, "pass"), Code.WRONG_ID), (Action(8, "fly"), Code.WRONG_ID), (Action(7, "fly"), Code.ILLEGAL)],
)
def test_answers_are_tied_to_requests(answer: Action, code: Code) -> None:
    bot = in_state(State.ASKED, Role.BOT)
    with pytest.raises(LocalProtocolError) as ours:
        bot.send(answer)
    assert ours.value.code is code
    assert bot.request == act()
    bot.send(Action(7, "pass"))
    arena = in_state(State.ASKED, Role.ARENA)
    arena.receive_data(codec("json").encode(answer.to_map()))
    with pytest.raises(RemoteProtocolError) as theirs:
        arena.next_event()
    assert theirs.value.code is code


def test_a_second_answer_is_unsolicited() -> None:
    arena = in_state(State.ASKED, Role.ARENA)
    data = codec("json").encode(Action(7, "pass").to_map())
    arena.receive_data(data + data)
    assert arena.next_event() == Action(7, "pass")
    with pytest.raises(RemoteProtocolError, match="`action` was not asked for") as caught:
        arena.next_event()
    assert caught.value.code is Code.UNSOLICITED


def test_unknown_types_are_skipped_by_a_bot_and_refused_by_the_arena() -> None:
    weather: dict[str, Any] = {"type": "weather", "sky": "grey"}
    for role in Role:
        connection = in_state(State.PLAYING, role)
        connection.receive_data(codec("json").encode(weather))
        if role is Role.BOT:
            connection.receive_data(codec("json").encode(act().to_map()))
            assert connection.next_event() == act()
        else:
            with pytest.raises(RemoteProtocolError, match="weather") as caught:
                connection.next_event()
            assert caught.value.code is Code.UNKNOWN_TYPE


def test_the_end_of_the_stream() -> None:
    arena = in_state(State.ASKED, Role.ARENA)
    arena.receive_data(codec("json").encode(Action(7, "pass").to_map()))
    arena.receive_data(b"")
    assert arena.next_event() == Action(7, "pass"), "an answer followed by exit counts"
    assert arena.next_event() == ConnectionClosed()
    assert arena.state is State.CLOSED

    arena = in_state(State.ASKED, Role.ARENA)
    arena.receive_data(b"")
    assert arena.next_event() == ConnectionClosed()
    assert arena.request is None

    arena = Connection(Role.ARENA)
    arena.send(HELLO)
    arena.receive_data(frame(b"\x81")[:-1])
    arena.receive_data(b"")
    with pytest.raises(RemoteProtocolError, match="0 of 1 bytes of a frame came") as caught:
        arena.next_event()
    assert caught.value.code is Code.TRUNCATED
