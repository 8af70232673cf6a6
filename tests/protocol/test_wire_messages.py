"""Typed messages: an invalid one cannot exist, whichever way it is made."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from protocol import (
    MESSAGES,
    Act,
    Action,
    Bye,
    Code,
    GameEnd,
    GameStart,
    HandEnd,
    Hello,
    LocalProtocolError,
    Message,
    ProtocolError,
    Ready,
    RemoteProtocolError,
    parse,
)

LIMITS = {
    "move_ms": 1000,
    "bank_ms": None,
    "start_ms": 5000,
    "grace_ms": 500,
    "memory_mb": 1024,
    "frame_bytes": 65536,
}
VIEW = {
    "upcard": "KC",
    "calls": ["pass", "pass", "order_up"],
    "trump": "C",
    "maker": 0,
    "alone": [],
    "tricks": [[[2, "QD"], [3, "KS"]]],
    "won": [0, 0],
}


def act(**changes: Any) -> Act:
    values: dict[str, Any] = {
        "id": 7,
        "game": "north-american",
        "rules": {"stick_the_dealer": True, "target": 7, "lone_lead": "maker_left"},
        "phase": "play",
        "hand_number": 0,
        "seat": 0,
        "dealer": 1,
        "scores": [0, 0],
        "hand": ["TC", "JD"],
        "view": VIEW,
        "legal": ["play:JD"],
        "time_ms": 1000,
        "bank_ms": None,
    }
    return Act(**{**values, **changes})


GOOD: list[Message] = [
    Hello(1, "british", {"joker": True, "target": 11, "defend_alone": "off"}, LIMITS),
    Ready(),
    Ready("Žofie 🃏", "1.0"),
    GameStart(3, None, 0, 2**53 - 1),
    act(),
    act(bank_ms=0, time_ms=None),
    act(game="other", view={"trick_in_some_other_shape": [1, [2]]}),
    Action(0, "pass"),
    HandEnd(0, 1, [["9C"], ["JK"], [], ["AS"]], None, [0, 2], [-40, 2], False, True),  # type: ignore[arg-type]
    GameEnd((10, 3), 0, "target"),
    GameEnd((3, 3), None, "hand_limit"),
    Bye(),
    Bye("0aff"),
]


@pytest.mark.parametrize("message", GOOD, ids=lambda m: m.type)
def test_to_map_and_back(message: Message) -> None:
    values = message.to_map()
    assert values["type"] == message.type
    assert parse(values) == message
    assert parse({**values, "a key of a later version": [1]}) == message or isinstance(message, Act)


def test_every_message_is_frozen() -> None:
    assert {message.type for message in GOOD} == set(MESSAGES)
    for cls in MESSAGES.values():
        assert cls.__dataclass_params__.frozen  # type: ignore[attr-defined]
        assert not hasattr(next(m for m in GOOD if type(m) is cls), "__dict__")


def test_keys_that_are_absent_and_keys_that_are_null() -> None:
    assert Ready().to_map() == {"type": "ready"}
    assert Bye().to_map() == {"type": "bye"}
    assert "bank_ms" not in act(bank_ms=None).to_map()
    assert act(time_ms=None).to_map()["time_ms"] is None
    assert GameEnd((3, 3), None, "hand_limit").to_map()["winner"] is None
    assert parse({"type": "ready", "name": None}) == Ready()


def test_act_keeps_the_keys_of_the_game_as_its_view() -> None:
    message = act()
    values = message.to_map()
    assert list(values)[9:17] == ["hand", *VIEW]
    assert values["tricks"] == VIEW["tricks"]
    again = parse({**values, "weather": "grey"})
    assert isinstance(again, Act)
    assert again.view == {**VIEW, "weather": "grey"}
    assert again.hand == ("TC", "JD")


BAD: list[tuple[Message, dict[str, Any]]] = [
    (GOOD[0], {"protocol": 0}),
    (GOOD[0], {"protocol": True}),
    (GOOD[0], {"game": ""}),
    (GOOD[0], {"rules": {"target": None}}),
    (GOOD[0], {"rules": {1: True}}),
    (GOOD[0], {"rules": []}),
    (GOOD[0], {"limits": {}}),
    (GOOD[0], {"limits": {**LIMITS, "move_ms": 0.5}}),
    (GOOD[0], {"limits": None}),
    (Ready(), {"name": 5}),
    (Ready(), {"name": "n" * 65}),
    (Ready(), {"version": "a\nb"}),
    (Ready(), {"version": "a\x9bb"}),
    (GOOD[3], {"seat": 4}),
    (GOOD[3], {"seat": -1}),
    (GOOD[3], {"partner": "none"}),
    (GOOD[3], {"seed": 2**53}),
    (act(), {"id": -1}),
    (act(), {"phase": "é"}),
    (act(), {"scores": [1]}),
    (act(), {"scores": 1}),
    (act(), {"hand": ["9C", 9]}),
    (act(), {"legal": []}),
    (act(), {"time_ms": -1}),
    (act(), {"view": 3}),
    (act(), {"view": {"trump": "X"}}),
    (act(), {"view": {"tricks": [[[4, "9C"]]]}}),
    (act(), {"view": {"tricks": [["9C"]]}}),
    (act(), {"view": {"tricks": ["9C"]}}),
    (act(), {"view": {"calls": "pass"}}),
    (act(), {"view": {"discard": None}}),
    (Action(0, "pass"), {"id": "0"}),
    (Action(0, "pass"), {"id": None}),
    (Action(0, "pass"), {"action": "x" * 65}),
    (Action(0, "pass"), {"action": "a\nb"}),
    (GOOD[8], {"hands": [["9C"]]}),
    (GOOD[8], {"thrown_in": 0}),
    (GOOD[9], {"winner": 2}),
    (GOOD[9], {"reason": "boredom"}),
    (GOOD[9], {"reason": ["target"]}),
    (Bye(), {"head": "0AFF"}),
    (Bye(), {"head": ""}),
]


@pytest.mark.parametrize(
    ("message", "change"), BAD, ids=lambda x: x.type if isinstance(x, Message) else str(x)[:40]
)
def test_a_wrong_message_cannot_be_made(message: Message, change: dict[str, Any]) -> None:
    with pytest.raises(LocalProtocolError) as caught:
        dataclasses.replace(message, **change)  # type: ignore[type-var]
    key = next(iter(change))
    assert caught.value.code is Code.BAD_MESSAGE
    assert f"`{message.type}`: the key `{key}` is " in str(caught.value)
    assert "expected" in str(caught.value)
    values = {**message.to_map(), **change.get("view", change)} if change != {"view": 3} else None
    if values:
        with pytest.raises(RemoteProtocolError) as remote:
            parse(values)
        assert remote.value.code is Code.BAD_MESSAGE


@pytest.mark.parametrize("message", GOOD, ids=lambda m: m.type)
def test_every_required_key_is_missed(message: Message) -> None:
    optional = {"name", "version", "head", "bank_ms"}
    if isinstance(message, Act):
        optional |= set(message.view)
    for key in message.to_map():
        values = {k: v for k, v in message.to_map().items() if k != key}
        if key in optional:
            assert parse(values) is not None
        else:
            with pytest.raises(RemoteProtocolError, match=key) as caught:
                parse(values)
            assert caught.value.code is Code.BAD_MESSAGE


def test_unknown_types_are_nobodys_message() -> None:
    assert parse({"type": "weather"}) is None
    for values in ({}, {"type": 3}, {"type": None}, {"type": ["act"]}):
        with pytest.raises(ProtocolError, match="needs the key `type`"):
            parse(values)
