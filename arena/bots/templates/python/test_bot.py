"""Asks the bot what is recorded in frames.bin, without the arena: every answer must be legal."""

import struct
import sys
from pathlib import Path

try:
    from bot import choose

    from protocol import View, decode_payload
except ModuleNotFoundError as error:
    if error.name != "protocol" or __name__ != "__main__":
        raise
    sys.exit(
        "test_bot.py: this Python has no package `protocol`, which the arena gives its bots. Either\n"
        "  python3 -m pip install ./protocol     in the folder of the arena's sources, or\n"
        "  python3 test_bot.py                   with the Python that the arena is installed in"
    )


def test_every_answer_is_legal() -> None:
    data = Path(__file__).with_name("frames.bin").read_bytes()
    asked = at = 0
    while at < len(data):
        (size,) = struct.unpack_from(">I", data, at)
        message = decode_payload(data[at + 4 : at + 4 + size])
        at += 4 + size
        if message["type"] == "act":
            word = choose(View(message))
            assert word in message["legal"], f"{message['phase']}: {word} is not in {message['legal']}"
            asked += 1
    assert asked > 0
    print(f"{asked} requests, every answer legal")


if __name__ == "__main__":
    test_every_answer_is_legal()
