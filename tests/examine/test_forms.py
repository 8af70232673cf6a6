"""Messages in other forms mean the same; the look into a bot's source finds what it should."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.examine.forms import PAD_KEY, Manner, encoder, padded, wide, with_unknown
from arena.examine.source import Mistake, flushes, suspicious
from protocol import codec, decode_line, decode_payload

MESSAGE = {
    "type": "act",
    "id": 2**53 - 1,
    "hand": ["9C", "JK"],
    "trump": None,
    "won": [0, -3],
    "x": {"y": 0.5},
}


def test_wide_forms_mean_the_same() -> None:
    assert decode_payload(wide(MESSAGE)) == MESSAGE
    assert len(wide(MESSAGE)) > len(codec("msgpack").encode(MESSAGE))
    frame = encoder("msgpack", Manner(wide=True))(MESSAGE)
    assert frame[4:] == wide(MESSAGE)
    assert encoder("json", Manner(wide=True))(MESSAGE) == codec("json").encode(MESSAGE)


def test_unknown_keys_change_nothing_that_is_known() -> None:
    more = with_unknown(MESSAGE)
    assert {key: more[key] for key in MESSAGE} == MESSAGE
    assert next(iter(more)) not in MESSAGE
    assert list(more)[-1] not in MESSAGE
    assert decode_payload(encoder("msgpack", Manner(unknown=True))(MESSAGE)[4:]) == more


@pytest.mark.parametrize("encoding", ["msgpack", "json"])
@pytest.mark.parametrize("size", [1000, 65536])
def test_padded_messages_have_exactly_the_size(encoding: str, size: int) -> None:
    encode = codec(encoding).encode
    message = padded(MESSAGE, encode, encoding, size)
    data = encode(message)
    payload = data[4:] if encoding == "msgpack" else data[:-1]
    assert len(payload) == size
    decoded = decode_payload(payload) if encoding == "msgpack" else decode_line(payload)
    assert {key: value for key, value in decoded.items() if key != PAD_KEY} == MESSAGE


def test_suspicious_lines(tmp_path: Path) -> None:
    (tmp_path / "bot.js").write_text(
        '// console.log("no")\nconsole.log("yes");\nprocess.stdin.setEncoding("utf8");\n'
    )
    (tmp_path / "bot.test.js").write_text('console.log("a test may");\n')
    assert [str(line) for line in suspicious(tmp_path, "javascript", Mistake.PRINTS)] == [
        'bot.js:2: console.log("yes");'
    ]
    assert [line.number for line in suspicious(tmp_path, "javascript", Mistake.READS_TEXT)] == [3]
    assert suspicious(tmp_path, "fortran", Mistake.PRINTS) == []
    assert flushes(tmp_path, "javascript") is False
    assert flushes(tmp_path, "c") is None
