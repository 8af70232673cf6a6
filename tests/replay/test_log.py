"""Writing and reading block logs."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from arena.replay.log import GENESIS, MAX_LINE, Chain, LogError, link, read_games, read_header, read_lines
from arena.replay.record import GameRecorder, encode
from arena.replay.records import GameEnd, GameStart, HandRecord, Header, describe


@dataclass(frozen=True)
class SomeFault:
    code: str = "timeout"
    seat: int = 2
    team: int = 0
    hand_number: int | None = 0
    text: str = "late"
    stderr_tail: str = "\ud800 \u202e"


def test_the_recorder_writes_what_it_was_told():
    recorder = GameRecorder(12, 1, 0, [1, 0, 1, 0], [5, 6, 7, 8])
    recorder.hand(0, 0, ["9C", "TC"])
    recorder.decision("pass", 17, 900)
    recorder.decision("order_up", 23, 800)
    recorder.hand_ended([1, 0], [1, 0], "played")
    recorder.hand(1, 1, ["TC", "9C"])
    recorder.decision("pass", 1, 800)
    bodies = recorder.finish([1, 0], 1, "forfeit", 1.0, SomeFault(), [[0.5, 0.25]] * 4)
    start, first, second, end = (json.loads(body) for body in bodies)
    assert start == {
        "t": "game", "pair": 12, "leg": 1, "dealer": 0, "teams": [1, 0, 1, 0], "seeds": [5, 6, 7, 8],
    }  # fmt: skip
    assert first == {
        "t": "hand", "n": 0, "dealer": 0, "pack": "9CTC", "acts": "pass order_up", "us": [17, 23],
        "bank": [900, 800], "points": [1, 0], "scores": [1, 0], "end": "played",
    }  # fmt: skip
    assert (second["end"], second["points"], second["scores"]) == ("forfeit", [0, 0], [1, 0])
    assert end["fault"]["code"] == "timeout"
    assert end["cpu"] == [[0.5, 0.25]] * 4
    assert (recorder.hands, recorder.decisions) == (2, 3)
    assert all(body.isascii() and "\n" not in body for body in bodies)


def test_no_bank_no_key():
    recorder = GameRecorder(0, 0, 0, [0, 1], [1, 2])
    recorder.hand(0, 0, ["9C"])
    recorder.hand_ended([0, 0], [0, 0], "redealt")
    assert "bank" not in json.loads(recorder.finish([0, 0], None, "hand_limit", 0.5)[1])


def test_hands_do_not_overlap():
    recorder = GameRecorder(0, 0, 0, [0, 1], [1, 2])
    with pytest.raises(ValueError, match="no hand"):
        recorder.hand_ended([0, 0], [0, 0], "played")
    recorder.hand(0, 0, ["9C"])
    with pytest.raises(ValueError, match="has not ended"):
        recorder.hand(1, 0, ["9C"])


def test_each_line_is_its_body_and_the_hash_of_all_before():
    chain = Chain()
    lines = chain.extend(['{"t":"a"}', '{"t":"b"}'])
    first = link(GENESIS, '{"t":"a"}')
    second = link(first, '{"t":"b"}')
    assert lines == [f'{{"t":"a","h":"{first}"}}', f'{{"t":"b","h":"{second}"}}']
    assert chain.head == second
    assert Chain(first).extend(['{"t":"b"}']) == lines[1:]


def test_a_log_comes_back_as_typed_records(bodies, write_log):
    path = write_log(bodies(bank=True, faults={(1, 0): 9}))
    lines = list(read_lines(path))
    assert [line.body for line in lines] == bodies(bank=True, faults={(1, 0): 9})
    assert [line.number for line in lines] == list(range(1, len(lines) + 1))
    data = path.read_bytes()
    assert all(data[line.offset : line.offset + 2] == b'{"' for line in lines)
    header = lines[0].record
    assert isinstance(header, Header)
    assert header == read_header(path)
    assert [bot.name for bot in header.bots] == ["bot-0", "bot-1"]
    games = list(read_games(path))
    assert [(game.start.pair, game.start.leg) for game in games] == [(0, 0), (1, 0), (0, 1), (1, 1)]
    assert games[1].end.fault is not None
    assert games[1].hands[-1].end == "forfeit"
    assert all(len(hand.pack) == 24 for game in games for hand in game.hands)
    assert all(hand.bank is not None for game in games for hand in game.hands)
    assert lines[games[2].line - 1].record == games[2].start


def test_an_unfinished_game_at_the_end_is_left_out(bodies, write_log):
    path = write_log(bodies(closed=False)[:-1])
    assert len(list(read_games(path))) == 3
    torn = path.read_bytes()[:-10]
    path.write_bytes(torn)
    assert len(list(read_games(path))) == 3


BAD_LINES = [
    (b"\n", "hash"),
    (b"hello\n", "hash"),
    (b'{"t":"game"}\n', "hash"),
    (b'{"t":"\xff\xfe","h":"' + b"0" * 32 + b'"}\n', "UTF-8"),
    (b'{"t":"game",,"h":"' + b"0" * 32 + b'"}\n', "JSON"),
    (b"[" * 5000 + b',"h":"' + b"0" * 32 + b'"}\n', "JSON"),
    (b'{"t":"game","pair":' + b"9" * 5000 + b',"h":"' + b"0" * 32 + b'"}\n', "JSON"),
    (b'{"t":"hand","t":"hand","h":"' + b"0" * 32 + b'"}\n', "twice"),
    (b'{"t":"zebra","h":"' + b"0" * 32 + b'"}\n', "zebra"),
    (b'{"t":["hand"],"h":"' + b"0" * 32 + b'"}\n', "`t` is"),
    (b'{"t":"game","pair":-1,"h":"' + b"0" * 32 + b'"}\n', "`pair` is -1"),
    (b'{"t":"game","pair":true,"h":"' + b"0" * 32 + b'"}\n', "`pair` is True"),
    (b'{"t":"game","h":"' + b"0" * 32 + b'"}\n', "`pair` is missing"),
    (b'{"t":"close","seed":"zz","h":"' + b"0" * 32 + b'"}\n', "64 hex"),
    (b'{"t":"block","format":2,"h":"' + b"0" * 32 + b'"}\n', "format 2: this arena reads format 1"),
    (b"x" * (MAX_LINE + 10) + b"\n", "longer than"),
    (b"x" * (MAX_LINE + 10), "longer than"),
    (b'{"t":"game"', "ends in the middle"),
]


@pytest.mark.parametrize(("raw", "what"), BAD_LINES, ids=range(len(BAD_LINES)))
def test_a_bad_line_is_named_with_file_and_number(tmp_path, raw, what):
    path = tmp_path / "bad.jsonl"
    good = Chain().extend([encode({"t": "close", "seed": "0" * 64})])[0].encode() + b"\n"
    path.write_bytes(good + raw)
    with pytest.raises(LogError) as caught:
        list(read_lines(path))
    assert caught.value.line == 2
    assert str(caught.value).startswith(f"{path}:2: ")
    assert what in str(caught.value)
    assert len(str(caught.value)) < 400


def test_no_file_and_a_folder(tmp_path):
    with pytest.raises(LogError, match="cannot be read"):
        list(read_lines(tmp_path / "none.jsonl"))
    with pytest.raises(LogError, match="cannot be read"):
        list(read_lines(tmp_path))


def test_what_a_record_is_called():
    start = GameStart(3, 1, 0, (0, 1), (1, 2))
    end = GameEnd(3, 1, (0, 0), None, "hand_limit", 0.5, None, None)
    hand = HandRecord(7, 0, (), (), (), None, (0, 0), (0, 0), "played")
    assert describe(start) == "start of game (pair 3 leg 1)"
    assert describe(end) == "end of game (pair 3 leg 1)"
    assert describe(hand) == "hand 8"
