"""Writes protocol/vectors/*.json: `python tests/protocol/make_vectors.py`, then read the diff.

Independent of the package on purpose: bytes are put together here by hand, and deals and seeds are
computed from the text of PROTOCOL.md, so that the vectors check the code and not the other way round.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import struct
from pathlib import Path
from typing import Any

VECTORS = Path(__file__).parents[2] / "protocol" / "vectors"

# --- msgpack by hand: the shortest form of everything, and longer forms where a vector asks for them


def pack(value: Any) -> bytes:
    """Shortest msgpack of what messages are made of."""
    if value is None:
        return b"\xc0"
    if value is True or value is False:
        return b"\xc3" if value else b"\xc2"
    if isinstance(value, int):
        return pack_int(value)
    if isinstance(value, float):
        return b"\xcb" + struct.pack(">d", value)
    if isinstance(value, str):
        data = value.encode()
        n = len(data)
        head = bytes([0xA0 | n]) if n < 32 else b"\xd9" + bytes([n]) if n < 256 else b"\xda" + be(n, 2)
        return head + data
    if isinstance(value, list):
        n = len(value)
        return (bytes([0x90 | n]) if n < 16 else b"\xdc" + be(n, 2)) + b"".join(map(pack, value))
    n = len(value)
    head = bytes([0x80 | n]) if n < 16 else b"\xde" + be(n, 2)
    return head + b"".join(pack(k) + pack(v) for k, v in value.items())


def pack_int(n: int) -> bytes:
    if 0 <= n < 128:
        return bytes([n])
    if -32 <= n < 0:
        return bytes([256 + n])
    for code, size in ((0xCC, 1), (0xCD, 2), (0xCE, 4), (0xCF, 8)):
        if 0 <= n < 256**size:
            return bytes([code]) + be(n, size)
    for code, size in ((0xD0, 1), (0xD1, 2), (0xD2, 4), (0xD3, 8)):
        if -(256**size) // 2 <= n < 0:
            return bytes([code]) + n.to_bytes(size, "big", signed=True)
    raise AssertionError(n)


def be(n: int, size: int) -> bytes:
    return n.to_bytes(size, "big")


def framed(*payloads: bytes) -> bytes:
    return b"".join(be(len(payload), 4) + payload for payload in payloads)


def line(*messages: Any) -> bytes:
    return b"".join(json.dumps(m, separators=(",", ":")).encode() + b"\n" for m in messages)


def bin8(text: str) -> bytes:
    return b"\xc4" + bytes([len(text)]) + text.encode()


# --- messages

RULES = {
    "target": 10,
    "joker": False,
    "stick_the_dealer": False,
    "all_pass": "next_dealer",
    "lone_lead": "dealer_left",
    "dealer_partner_order_up": "free",
    "may_discard_upcard": True,
    "super_euchre": False,
    "defend_alone": "off",
    "joker_up_alone": "never",
    "lone_short": "one",
    "lone_march_points": 4,
    "lone_euchre_points": 2,
    "lone_doubles_all": False,
    "farmers_hand": "off",
    "no_trump": "off",
    "trump_to_call": "off",
    "hand_limit": 200,
}
HELLO = {
    "type": "hello",
    "protocol": 1,
    "game": "north-american",
    "rules": RULES,
    "limits": {
        "move_ms": 1000,
        "bank_ms": None,
        "start_ms": 5000,
        "grace_ms": 500,
        "memory_mb": 1024,
        "frame_bytes": 65536,
    },
}
READY = {"type": "ready", "name": "first", "version": "1.0"}
GAME_START = {"type": "game_start", "seat": 2, "partner": 0, "dealer": 0, "seed": 6755399441055744}
BID = {
    "type": "act",
    "id": 4503599627370497,
    "game": "north-american",
    "rules": {},
    "phase": "bid1",
    "hand_number": 0,
    "seat": 2,
    "dealer": 0,
    "scores": [0, 0],
    "hand": ["TC", "9D", "AD", "KH", "JS"],
    "upcard": "JC",
    "calls": ["pass"],
    "trump": None,
    "maker": None,
    "alone": [],
    "tricks": [],
    "won": [0, 0],
    "legal": ["pass", "order_up", "order_up_alone"],
    "time_ms": 1000,
}
ACTION = {"type": "action", "id": 4503599627370497, "action": "order_up"}
PLAY = {
    "type": "act",
    "id": 123456789012345,
    "game": "north-american",
    "rules": {},
    "phase": "play",
    "hand_number": 3,
    "seat": 2,
    "dealer": 3,
    "scores": [4, 6],
    "hand": ["TC", "9D", "AD", "JS"],
    "upcard": "JC",
    "calls": ["pass", "pass", "order_up"],
    "trump": "C",
    "maker": 2,
    "alone": [],
    "tricks": [[[0, "KH"], [1, "9H"], [2, "QH"], [3, "AH"]], [[3, "AC"], [0, "9C"], [1, "QD"]]],
    "won": [0, 1],
    "legal": ["play:TC", "play:JS"],
    "time_ms": 1000,
}
DISCARD = {
    "type": "act",
    "id": 77,
    "game": "british",
    "rules": {"target": 15},
    "phase": "discard",
    "hand_number": 1,
    "seat": 1,
    "dealer": 1,
    "scores": [2, 0],
    "hand": ["9C", "TC", "QD", "AH", "JS", "JK"],
    "upcard": "JK",
    "calls": ["name:S"],
    "trump": "S",
    "maker": 1,
    "alone": [],
    "tricks": [],
    "won": [0, 0],
    "legal": ["discard:9C", "discard:TC", "discard:QD", "discard:AH", "discard:JS", "discard:JK"],
    "time_ms": None,
    "bank_ms": 25000,
}
HAND_END = {
    "type": "hand_end",
    "hand_number": 0,
    "dealer": 0,
    "hands": [
        ["9C", "QC", "TD", "9H", "KS"],
        ["KC", "JD", "JH", "TS", "AS"],
        ["TC", "9D", "AD", "KH", "JS"],
        ["AC", "QD", "TH", "QH", "9S"],
    ],
    "upcard": "JC",
    "points": [1, 0],
    "scores": [1, 0],
    "thrown_in": False,
    "forfeit": False,
}
GAME_END = {"type": "game_end", "scores": [10, 7], "winner": 0, "reason": "target"}
BYE = {"type": "bye"}
BYE_HEAD = {"type": "bye", "head": "00112233445566778899aabbccddeeff"}
ALL = {
    "hello": ("arena", HELLO),
    "ready": ("bot", READY),
    "ready without a name": ("bot", {"type": "ready"}),
    "game_start": ("arena", GAME_START),
    "act, a call": ("arena", BID),
    "act, a card": ("arena", PLAY),
    "act, the dealer's discard, with a bank": ("arena", DISCARD),
    "action": ("bot", ACTION),
    "hand_end": ("arena", HAND_END),
    "game_end": ("arena", GAME_END),
    "game_end, a draw": (
        "arena",
        {"type": "game_end", "scores": [3, 3], "winner": None, "reason": "hand_limit"},
    ),
    "bye": ("arena", BYE),
    "bye with a digest": ("arena", BYE_HEAD),
    "a type of a later version, from the arena: ignored": ("arena", {"type": "weather", "sky": "grey"}),
}


def good() -> list[dict[str, Any]]:
    """Streams that are right, however they are cut into reads, and the maps in them."""
    out = []

    def add(name: str, sender: str, encoding: str, data: bytes, *maps: Any) -> None:
        out.append(
            {"name": name, "from": sender, "encoding": encoding, "hex": data.hex(), "maps": list(maps)}
        )

    for name, (sender, message) in ALL.items():
        add(name, sender, "msgpack", framed(pack(message)), message)
        add(name, sender, "json", line(message), message)
    add("three messages in one read", "arena", "msgpack", framed(pack(HELLO), pack(GAME_START), pack(PLAY)),
        HELLO, GAME_START, PLAY)  # fmt: skip
    add("three messages in one read", "arena", "json", line(HELLO, GAME_START, PLAY), HELLO, GAME_START, PLAY)
    unknown = {**ACTION, "because": {"depth": [1, [2, [None, True, -5, 0.25, "é\U0001f0cf"]]]}}
    add("unknown keys are ignored", "bot", "msgpack", framed(pack(unknown)), unknown)
    add("unknown keys are ignored", "bot", "json", line(unknown), unknown)

    # Longer forms than need be: small codecs write one form of each kind. All are right.

    def action(head: bytes, key: Any, number: bytes, text: Any) -> bytes:
        return head + key("type") + text("action") + key("id") + number + key("action") + text("order_up")

    def str8(s: str) -> bytes:
        return b"\xd9" + bytes([len(s)]) + s.encode()

    def str16(s: str) -> bytes:
        return b"\xda" + be(len(s), 2) + s.encode()

    def str32(s: str) -> bytes:
        return b"\xdb" + be(len(s), 4) + s.encode()

    small = {**ACTION, "id": 7}
    big = ACTION["id"]
    wide = {
        "map16": (action(b"\xde\0\3", pack, pack(big), pack), ACTION),
        "map32": (action(b"\xdf\0\0\0\3", pack, pack(big), pack), ACTION),
        "str8": (action(b"\x83", str8, pack(big), str8), ACTION),
        "str16": (action(b"\x83", str16, pack(big), str16), ACTION),
        "str32": (action(b"\x83", str32, pack(big), str32), ACTION),
        "a small id as uint8": (action(b"\x83", pack, b"\xcc\x07", pack), small),
        "a small id as uint16": (action(b"\x83", pack, b"\xcd" + be(7, 2), pack), small),
        "a small id as uint32": (action(b"\x83", pack, b"\xce" + be(7, 4), pack), small),
        "a small id as uint64": (action(b"\x83", pack, b"\xcf" + be(7, 8), pack), small),
        "a small id as int8": (action(b"\x83", pack, b"\xd0\x07", pack), small),
        "a small id as int16": (action(b"\x83", pack, b"\xd1" + be(7, 2), pack), small),
        "a small id as int32": (action(b"\x83", pack, b"\xd2" + be(7, 4), pack), small),
        "a small id as int64": (action(b"\x83", pack, b"\xd3" + be(7, 8), pack), small),
        "an id as int64": (action(b"\x83", pack, b"\xd3" + be(big, 8), pack), ACTION),
        "an id as a double": (action(b"\x83", pack, b"\xcb" + struct.pack(">d", big), pack), ACTION),
        "a small id as a float": (action(b"\x83", pack, b"\xca" + struct.pack(">f", 7), pack), small),
    }
    for name, (payload, message) in wide.items():
        add(f"not the shortest form: {name}", "bot", "msgpack", framed(payload), message)
    lists = {**ACTION, "more": [1, 2]}
    for name, head in (("array16", b"\xdc\0\2"), ("array32", b"\xdd\0\0\0\2")):
        data = b"\x84" + b"".join(pack(x) for pair in ACTION.items() for x in pair) + pack("more") + head
        add(f"not the shortest form: {name}", "bot", "msgpack", framed(data + b"\1\2"), lists)
    add("spaces, \\r\\n and blank lines", "bot", "json",
        b'\r\n \n  { "type" : "action" , "id" : 7 , "action" : "order_up" } \r\n\n', small)  # fmt: skip
    add("escapes in JSON", "bot", "json",
        b'{"\\u0074ype":"action","id":7,"action":"order\\u005fup","x":"\\ud83d\\ude00"}\n',
        {**small, "x": "\U0001f600"})  # fmt: skip
    add(
        "an id written as 7.0 in JSON",
        "bot",
        "json",
        b'{"type":"action","id":7.0,"action":"order_up"}\n',
        small,
    )
    add("UTF-8 in JSON", "bot", "json", '{"type":"ready","name":"Žofie"}\n'.encode(),
        {"type": "ready", "name": "Žofie"})  # fmt: skip
    return out


def bad() -> list[dict[str, Any]]:
    """Streams whose first message (or what stands in its place) is wrong, and the code it gives."""
    out = []

    def add(name: str, code: str, data: bytes, encoding: str = "msgpack") -> None:
        out.append({"name": name, "encoding": encoding, "hex": data.hex(), "code": code})

    body = b"".join(pack(x) for pair in ACTION.items() for x in pair)
    whole = framed(pack(ACTION))
    add("print", "text_on_stdout", b"thinking...\n" + whole)
    add("an accent printed", "text_on_stdout", "Žofie denkt\n".encode() + whole)
    add("a byte order mark", "text_on_stdout", b"\xef\xbb\xbf" + whole)
    add("a traceback", "text_on_stdout", b"Traceback (most recent call last):\n")
    add("a PHP warning", "text_on_stdout", b"\nWarning: Undefined variable $x in bot.php on line 3\n")
    add("a newline, then text", "text_on_stdout", b"\nhello")
    add("JSON where msgpack is due", "wrong_encoding", line(ACTION))
    add("JSON inside a frame", "wrong_encoding", framed(line(ACTION)))
    add("a map without its length", "too_long", pack(ACTION))
    add("a map16 without its length", "too_long", b"\xde\0\3" + body)
    add("a little-endian length", "too_long", struct.pack("<I", len(pack(ACTION))) + pack(ACTION))
    add("length 65537", "too_long", be(65537, 4) + b"\x83")
    add("length 0xffffffff", "too_long", b"\xff\xff\xff\xff")
    add("length 0", "malformed", b"\0\0\0\0" + whole)
    add("a nil", "malformed", framed(b"\xc0"))
    add("a list", "malformed", framed(pack(["action", 7, "order_up"])))
    add("a number", "malformed", framed(b"\x07"))
    add("a string", "malformed", framed(pack("order_up")))
    add("a map cut short", "malformed", framed(pack(ACTION)[:-3]))
    add("bytes after the map", "malformed", framed(pack(ACTION) + b"\0"))
    add("two maps in one frame", "malformed", framed(pack(ACTION) * 2))
    add("the byte 0xc1", "malformed", framed(b"\xc1"))
    add("a key twice", "malformed", framed(b"\x84" + body + pack("id") + b"\x07"))
    add("a key twice further in", "malformed", framed(b"\x84" + body + pack("x") + b"\x82\xa1a\1\xa1a\2"))
    add("a number as key", "malformed", framed(b"\x84" + body + b"\1\1"))
    add("nil as key", "malformed", framed(b"\x84" + body + b"\xc0\1"))
    add("a list as key", "malformed", framed(b"\x84" + body + b"\x90\1"))
    all_bin = bin8("type") + bin8("action") + bin8("id") + b"\7" + bin8("action") + bin8("pass")
    one_bin = pack("type") + pack("action") + pack("id") + b"\7" + pack("action") + bin8("pass")
    add("strings as bin, keys too", "bin_strings", framed(b"\x83" + all_bin))
    add("the action as bin", "bin_strings", framed(b"\x83" + one_bin))
    add("bin further in", "bin_strings", framed(b"\x84" + body + pack("x") + b"\x91" + bin8("y")))
    add("a string that is not UTF-8", "malformed", framed(b"\x84" + body + pack("x") + b"\xa2\xff\xfe"))
    add("half a surrogate pair", "malformed", framed(b"\x84" + body + pack("x") + b"\xa3\xed\xa0\x80"))
    add("an extension type", "malformed", framed(b"\x84" + body + pack("x") + b"\xd4\5\0"))
    add("a timestamp", "malformed", framed(b"\x84" + body + pack("x") + b"\xd6\xff\0\0\0\0"))
    add("not a number", "malformed", framed(b"\x84" + body + pack("x") + b"\xcb\x7f\xf8\0\0\0\0\0\0"))
    add("infinity", "malformed", framed(b"\x84" + body + pack("x") + b"\xca\x7f\x80\0\0"))
    add("2^53", "malformed", framed(b"\x84" + body + pack("x") + pack(2**53)))
    add("-2^53", "malformed", framed(b"\x84" + body + pack("x") + pack(-(2**53))))
    add("2^64 - 1", "malformed", framed(b"\x84" + body + pack("x") + pack(2**64 - 1)))
    add("17 deep", "too_deep", framed(b"\x84" + body + pack("x") + b"\x91" * 16 + b"\xc0"))
    add("a list that claims 4 thousand million items", "malformed", framed(b"\xdd\xff\xff\xff\xff"))
    add("a map that claims 65535 pairs", "malformed", framed(b"\xde\xff\xff"))
    add("a string that claims 4 GiB", "malformed", framed(b"\x81\xa1a\xdb\xff\xff\xff\xff"))
    j = "json"
    text = line(ACTION)[:-2].decode()
    add("print", "text_on_stdout", b"thinking...\n" + line(ACTION), j)
    add("a byte order mark", "text_on_stdout", b"\xef\xbb\xbf" + line(ACTION), j)
    add("msgpack where JSON is due", "wrong_encoding", whole, j)
    add("a msgpack map without a length", "wrong_encoding", pack(ACTION), j)
    add("a list", "text_on_stdout", b'["action",7]\n', j)
    add("single quotes", "malformed", b"{'type':'action','id':7,'action':'pass'}\n", j)
    add("a message over two lines", "malformed", b'{"type":"action",\n"id":7,"action":"pass"}\n', j)
    add("two messages on a line", "malformed", line(ACTION)[:-1] + line(ACTION), j)
    add("a key twice", "malformed", text.encode() + b',"id":7}\n', j)
    add("a trailing comma", "malformed", text.encode() + b",}\n", j)
    add("NaN", "malformed", text.encode() + b',"x":NaN}\n', j)
    add("-Infinity", "malformed", text.encode() + b',"x":-Infinity}\n', j)
    add("1e999", "malformed", text.encode() + b',"x":1e999}\n', j)
    add("2^53", "malformed", text.encode() + b',"x":9007199254740992}\n', j)
    add("20 digits", "malformed", text.encode() + b',"x":' + b"9" * 20 + b"}\n", j)
    add("half a surrogate pair", "malformed", text.encode() + b',"x":"\\ud83d"}\n', j)
    add("half a surrogate pair in a key", "malformed", text.encode() + b',"\\ud83d":1}\n', j)
    add("not UTF-8", "malformed", text.encode() + b',"x":"\xff"}\n', j)
    add("a bare control character", "malformed", text.encode() + b',"x":"\t"}\n', j)
    add("17 deep", "too_deep", text.encode() + b',"x":' + b"[" * 16 + b"]" * 16 + b"}\n", j)
    return out


def wrong_messages() -> list[dict[str, Any]]:
    """Well-formed maps that are not messages, and what the other side makes of them in `state`."""
    out = []

    def add(name: str, state: str, message: Any, code: str) -> None:
        out.append({"name": name, "from": "bot", "state": state, "map": message, "code": code})

    add("no type", "asked", {"id": BID["id"], "action": "pass"}, "bad_message")
    add("a type that is no string", "asked", {"type": 1}, "bad_message")
    add("an unknown type", "asked", {"type": "move", "id": BID["id"], "move": "pass"}, "unknown_type")
    add("no id", "asked", {"type": "action", "action": "pass"}, "bad_message")
    add("no action", "asked", {"type": "action", "id": BID["id"]}, "bad_message")
    add("an id as text", "asked", {"type": "action", "id": str(BID["id"]), "action": "pass"}, "bad_message")
    add("an id that is true", "asked", {"type": "action", "id": True, "action": "pass"}, "bad_message")
    add("a negative id", "asked", {"type": "action", "id": -1, "action": "pass"}, "bad_message")
    add(
        "an action that is a number", "asked", {"type": "action", "id": BID["id"], "action": 0}, "bad_message"
    )
    add("an empty action", "asked", {"type": "action", "id": BID["id"], "action": ""}, "bad_message")
    add("another request's id", "asked", {"type": "action", "id": 1, "action": "pass"}, "wrong_id")
    add("wrong id and illegal", "asked", {"type": "action", "id": 1, "action": "play:9C"}, "wrong_id")
    add("an illegal action", "asked", {"type": "action", "id": BID["id"], "action": "play:TC"}, "illegal")
    add("upper case", "asked", {"type": "action", "id": BID["id"], "action": "PASS"}, "illegal")
    add("ready instead of an action", "asked", READY, "bad_message")
    add("an action instead of ready", "starting", ACTION, "bad_message")
    add("a name that is no string", "starting", {"type": "ready", "name": 5}, "bad_message")
    add("a name of 65 characters", "starting", {"type": "ready", "name": "n" * 65}, "bad_message")
    add("a name with a terminal escape", "starting", {"type": "ready", "name": "\x1b[2J"}, "bad_message")
    add("ready twice", "idle", READY, "unsolicited")
    add("an action before the question", "playing", ACTION, "unsolicited")
    add("the arena's own message", "asked", BYE, "bad_message")
    return out


# --- deals and seeds, from the text of PROTOCOL.md


def stream(seed: bytes):  # type: ignore[no-untyped-def]
    counter = 0
    while True:
        yield from hashlib.sha256(seed + be(counter, 4)).digest()
        counter += 1


def deal_order(seed: bytes, size: int) -> tuple[list[int], int]:
    """The order of dealing, and how many bytes of the stream it took."""
    source, used = stream(seed), 0
    order = list(range(size))
    for i in range(size - 1, 0, -1):
        n = i + 1
        while True:
            byte = next(source)
            used += 1
            if byte < 256 - 256 % n:
                break
        j = byte % n
        order[i], order[j] = order[j], order[i]
    return order, used


def cards(joker: bool) -> list[str]:
    return [rank + suit for suit in "CDHS" for rank in "9TJQKA"] + ["JK"] * joker


def mac(key: bytes, label: str) -> bytes:
    return hmac.new(key, label.encode("ascii"), hashlib.sha256).digest()


def deals() -> dict[str, Any]:
    seeds = [bytes(32), bytes(range(32)), b"\xff" * 32, hashlib.sha256(b"arena").digest()]
    out = []
    for seed in seeds:
        for size in (24, 25, 32, 43):
            order, used = deal_order(seed, size)
            entry: dict[str, Any] = {"seed": seed.hex(), "cards": size, "order": order, "bytes_used": used}
            if size < 32:
                pack_ = cards(size == 25)
                entry["dealt"] = " ".join(pack_[i] for i in order)
            out.append(entry)
    rules = {"joker": False, "stick_the_dealer": True, "target": 10}
    canonical = json.dumps({"game": "north-american", "rules": rules}, sort_keys=True, separators=(",", ":"))
    rules_id = hashlib.sha256(canonical.encode()).hexdigest()
    digest_a, digest_b = "0a" * 32, "b1" * 32
    chains = []
    for text, a, b, block, pair, hand, seat in (
        ("7", digest_a, digest_b, 0, 0, 0, 0),
        ("7", digest_a, digest_b, 0, 9, 12, 3),
        ("7", digest_a, digest_b, 3, 31, 0, 2),
        ("7", "-", "-", 3, 31, 0, 2),
        ("žena", digest_a, digest_b, 0, 0, 0, 1),
    ):
        master = hashlib.sha256(b"arena/seed/1|" + text.encode()).digest()
        block_seed = mac(master, f"arena/block/1|{rules_id}|{a}|{b}|{block}")
        deck_seed = mac(block_seed, f"deck|{pair}|{hand}")
        bot = int.from_bytes(mac(block_seed, f"bot|{pair}|{seat}"), "big") >> (256 - 53)
        order, _ = deal_order(deck_seed, 24)
        chains.append(
            {
                "seed_text": text,
                "master": master.hex(),
                "master_commitment": hashlib.sha256(b"arena/commit/1|" + master).hexdigest(),
                "digest_a": a,
                "digest_b": b,
                "block": block,
                "block_seed": block_seed.hex(),
                "block_commitment": hashlib.sha256(b"arena/commit/1|" + block_seed).hexdigest(),
                "pair": pair,
                "hand": hand,
                "deck_seed": deck_seed.hex(),
                "dealt": " ".join(cards(False)[i] for i in order),
                "seat": seat,
                "bot_seed": bot,
            }
        )
    return {
        "about": "arena-deal-1 and the seeds; PROTOCOL.md, Deals",
        "algorithm": "arena-deal-1",
        "deals": out,
        "rules": {"game": "north-american", "rules": rules, "canonical": canonical, "rules_id": rules_id},
        "chains": chains,
    }


def files() -> dict[str, Any]:
    """Every file's name and content."""
    return {
        "good.json": {
            "about": "Streams of bytes that are right, and the maps in them. `from` says who sends them.",
            "vectors": good(),
        },
        "bad.json": {
            "about": "Streams of bytes that are wrong, and the code of the error (PROTOCOL.md, Faults).",
            "vectors": bad(),
        },
        "messages.json": {
            "about": "Well-formed maps from a bot that are wrong in a state of the conversation; "
            "in `asked` the open request is `request`.",
            "request": BID,
            "vectors": wrong_messages(),
        },
        "deals.json": deals(),
    }


def text_of(content: Any) -> str:
    """One vector a line, so that a diff can be read."""
    parts = []
    for key, value in content.items():
        if isinstance(value, list):
            rows = ",\n  ".join(json.dumps(row, ensure_ascii=True) for row in value)
            parts.append(f'"{key}": [\n  {rows}\n ]')
        else:
            parts.append(f'"{key}": {json.dumps(value)}')
    return "{\n " + ",\n ".join(parts) + "\n}\n"


if __name__ == "__main__":
    for name, content in files().items():
        (VECTORS / name).write_text(text_of(content), encoding="ascii")
