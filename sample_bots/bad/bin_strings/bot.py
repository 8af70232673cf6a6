"""Packs its strings as msgpack bin, as Perl does without ->utf8."""

import os
import time

from protocol import View, run

out = os.dup(1)


def choose(view: View) -> str:
    def packed(text: str) -> bytes:
        return b"\xc4" + bytes([len(text)]) + text.encode()

    number = b"\xcf" + view["id"].to_bytes(8, "big")
    word = packed(view.legal[0])
    payload = b"\x83" + packed("type") + packed("action") + packed("id") + number + packed("action") + word
    os.write(out, len(payload).to_bytes(4, "big") + payload)
    time.sleep(60)
    return view.legal[0]


run(choose)
