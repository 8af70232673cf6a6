"""The ladder, rung by rung, and what is said to seats. No clock, no process."""

from __future__ import annotations

import itertools
import random
from typing import Any

import msgpack
import pytest

from arena.bots.limits import Limits
from arena.cards.shuffle import shuffled
from arena.games.registry import get_game
from arena.table import referee
from arena.table.referee import Burned, Foul, NoFrame, Why, judge, judge_ready, request_ids, usual_answer
from arena.table.verdict import Fault
from protocol import decode_payload, encode_frame

LEGAL = ["pass", "order_up", "order_up_alone"]
ID = 2**52 + 1


def packed(value: Any) -> bytes:
    data: bytes = msgpack.packb(value)
    return data


def good(**changes: Any) -> dict[str, Any]:
    return {"type": "action", "id": ID, "action": "order_up", **changes}


RUNGS = [
    # 1. a whole frame
    (NoFrame(Why.BAD_BYTES, "text"), Fault.MALFORMED),
    (NoFrame(Why.EOF), Fault.CRASHED),
    (NoFrame(Why.BLOCKED), Fault.NOT_READING),
    (NoFrame(Why.MEMORY, "2000 MiB"), Fault.OVER_MEMORY),
    (NoFrame(Why.EARLIER, foul=Foul(Fault.UNSOLICITED, "a frame")), Fault.UNSOLICITED),
    # 2. in time
    (NoFrame(Why.LATE), Fault.TIMEOUT),
    (Burned(3, 0.5), Fault.BURNED),
    # 3. a well-formed message
    (b"\xc1", Fault.MALFORMED),
    (packed([1, 2]), Fault.MALFORMED),
    (packed({**good(), "extra": b"bin"}), Fault.MALFORMED),
    (packed(good(type="ready")), Fault.MALFORMED),
    (packed({"type": "action", "id": ID}), Fault.MALFORMED),
    (packed({"type": "action", "action": "pass"}), Fault.MALFORMED),
    (packed(good(id=str(ID))), Fault.MALFORMED),
    (packed(good(id=1.5)), Fault.MALFORMED),
    (packed(good(id=True)), Fault.MALFORMED),
    (packed(good(action=["pass"])), Fault.MALFORMED),
    (packed(good(action=None)), Fault.MALFORMED),
    (b"\x84\xa4type\xa6action\xa2id\x01\xa2id\x01\xa6action\xa4pass", Fault.MALFORMED),
    # 4. the right id
    (packed(good(id=ID + 1)), Fault.WRONG_ID),
    (packed(good(id=7)), Fault.UNSOLICITED),
    (packed(good(id=ID + 1, action="nonsense")), Fault.WRONG_ID),
    # 5. a legal action
    (packed(good(action="name:H")), Fault.ILLEGAL),
    (packed(good(action="PASS")), Fault.ILLEGAL),
    (packed(good(action="")), Fault.ILLEGAL),
]


@pytest.mark.parametrize(("came", "fault"), RUNGS, ids=[f"{n}-{fault}" for n, (_, fault) in enumerate(RUNGS)])
def test_the_first_rung_that_fails_gives_the_verdict(came: Any, fault: Fault) -> None:
    verdict = judge(came, ID, LEGAL, decode_payload, previous_id=7)
    assert isinstance(verdict, Foul)
    assert verdict.code is fault


@pytest.mark.parametrize(
    "came",
    [packed(good()), packed(good(comment="unknown keys are ignored")), good(), packed(good(id=float(ID)))],
)
def test_a_good_answer_is_an_index_into_legal(came: Any) -> None:
    assert judge(came, ID, LEGAL, decode_payload) == 1


def test_a_burner_is_blamed_not_the_seat_that_was_late() -> None:
    verdict = judge(Burned(3, 0.5), ID, LEGAL, decode_payload)
    assert isinstance(verdict, Foul)
    assert verdict.seat == 3
    assert "500 ms" in verdict.detail


def test_an_illegal_action_is_shown_beside_the_legal_ones() -> None:
    verdict = judge(packed(good(action="play:9C\x1b[31m")), ID, LEGAL, decode_payload)
    assert isinstance(verdict, Foul)
    assert "\x1b" not in verdict.detail
    assert "pass, order_up, order_up_alone" in verdict.expected


def test_the_shortcut_says_what_the_ladder_says() -> None:
    keys = ["type", "id", "action", "note"]
    values: list[Any] = ["action", ID, float(ID), True, "order_up", "pass", None, b"action", [1], 2**60, -1]
    seen = 0
    for names in itertools.permutations(keys, 3):
        for chosen in itertools.product(values, repeat=3):
            payload = packed(dict(zip(names, chosen, strict=True)))
            fast = usual_answer(payload, ID, LEGAL)
            if fast is not None:
                seen += 1
                assert fast == judge(payload, ID, LEGAL, decode_payload)
    assert seen == 24, "six orders, two words, the id as a whole number or as a whole float"
    twice = b"\x83\xa4type\xa6action\xa6action\xa4pass\xa6action\xa4pass"
    assert usual_answer(twice, ID, LEGAL) is None
    for junk in (b"", b"\x83", b"\x83\xc1", b"\x83\x01\x02\x03\x04\x05\x06", good(), NoFrame(Why.LATE)):
        assert usual_answer(junk, ID, LEGAL) is None  # type: ignore[arg-type]


READY = [
    ({"type": "ready"}, ("", "")),
    ({"type": "ready", "name": "x", "version": "1", "more": 3}, ("x", "1")),
    ({"type": "action"}, Fault.BAD_READY),
    ({"type": "ready", "name": 3}, Fault.BAD_READY),
    ({"type": "ready", "version": "v" * 65}, Fault.BAD_READY),
    ({"type": "ready", "name": "Żółw 1", "version": "β"}, ("Żółw 1", "β")),
    ({"type": "ready", "name": "\x1b[2Jx"}, Fault.BAD_READY),
    ({"type": "ready", "name": "x\n"}, Fault.BAD_READY),
    ({"type": "ready", "version": "1\x9b0m"}, Fault.BAD_READY),
    ({"type": "ready", "version": "1\x7f"}, Fault.BAD_READY),
    ([], Fault.BAD_READY),
]


@pytest.mark.parametrize(("message", "expected"), READY)
def test_ready(message: Any, expected: Any) -> None:
    result = judge_ready(packed(message), decode_payload)
    assert (result.code if isinstance(result, Foul) else result) == expected


def test_control_characters_in_a_name_are_told_and_not_repeated() -> None:
    result = judge_ready({"type": "ready", "name": "\x1b]0;x\x07"}, decode_payload)
    assert isinstance(result, Foul)
    assert (result.detail, result.expected) == (
        r"`name` is '\x1b]0;x\x07'",
        "a string of at most 64 characters without control characters",
    )


@pytest.mark.parametrize(
    ("why", "fault"),
    [
        (Why.EOF, Fault.START_FAILED),
        (Why.LATE, Fault.START_TIMEOUT),
        (Why.BLOCKED, Fault.START_TIMEOUT),
        (Why.BAD_BYTES, Fault.BAD_READY),
    ],
)
def test_no_ready(why: Why, fault: Fault) -> None:
    result = judge_ready(NoFrame(why), decode_payload)
    assert isinstance(result, Foul)
    assert result.code is fault


def test_ids_are_below_2_53_and_come_from_the_source() -> None:
    ids = request_ids()
    drawn = [next(ids) for _ in range(2000)]
    assert len(set(drawn)) == 2000
    assert max(drawn) < 2**53
    assert max(drawn) > 2**51
    fixed = request_ids(lambda n: b"\xff" * n)
    assert next(fixed) == 2**53 - 1


def test_a_request_is_a_function_of_state_seat_and_clock_fields() -> None:
    game = get_game("british", {"target": 15})
    state = game.new_state(dealer=1)
    state.deal(shuffled(b"seed", 25))
    seat = state.to_act
    assert seat is not None
    request = referee.act(state, seat, state.legal_words(), 5, 1000, 2500)
    assert request == referee.act(state.copy(), seat, state.legal_words(), 5, 1000, 2500)
    assert request["type"] == "act"
    assert request["id"] == 5
    assert request["rules"] == {"target": 15}
    assert request["legal"] == state.legal_words()
    assert (request["time_ms"], request["bank_ms"]) == (1000, 2500)
    assert "bank_ms" not in referee.act(state, seat, state.legal_words(), 5, None, None)


@pytest.mark.parametrize("bank_ms", [None, 2500])
@pytest.mark.parametrize("game_id", ["british", "north-american"])
def test_a_packed_request_is_the_request_packed(game_id: str, bank_ms: int | None) -> None:
    game = get_game(game_id)
    state = game.new_state()
    state.deal(shuffled(b"a", len(game.pack)))
    keys = set()
    for request_id in (0, 200, 70_000, 2**32, 2**53 - 1) * 6:
        seat = state.to_act
        if seat is None:
            break
        legal = state.legal_words()
        request = referee.act(state, seat, legal, request_id, 1000, bank_ms)
        packed = referee.packed_act(*state.packed_view(seat), legal, request_id, 1000, bank_ms)
        assert packed == encode_frame(request)
        keys.add(len(request))
        state.apply(state.legal()[-1])
    assert keys


def test_hello_shows_rules_and_limits_and_no_more() -> None:
    game = get_game()
    hello = referee.hello(game, Limits(move_ms=None, bank_ms=7))
    assert hello["rules"] == dict(game.rules)
    assert set(hello["limits"]) == {"move_ms", "bank_ms", "start_ms", "grace_ms", "memory_mb", "frame_bytes"}
    assert hello["limits"]["move_ms"] is None


def test_game_start_names_partner_and_seed_and_never_the_opponents() -> None:
    start = referee.game_start(get_game(), 3, 2, 99)
    assert start == {"type": "game_start", "seat": 3, "partner": 1, "dealer": 2, "seed": 99}


def test_hand_end_lays_the_hand_open() -> None:
    game = get_game()
    state = game.new_state()
    rng = random.Random(4)
    state.deal(shuffled(b"seed", 24))
    while state.to_act is not None:
        state.apply(rng.choice(state.legal()))
    last = state.last_hand
    assert last is not None
    end = referee.hand_end(last, state.scores)
    assert end["forfeit"] is False
    assert decode_payload(packed(end))["hands"] == [list(hand) for hand in last.hands]
    assert end["points"] == last.points
