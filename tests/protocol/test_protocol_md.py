"""PROTOCOL.md: every example in it is run, every table in it is compared with the code."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import protocol
from arena.bots.limits import Limits
from arena.bots.manifest import parse_manifest
from arena.cards.shuffle import shuffled
from arena.games.registry import game_info
from arena.table.verdict import EndReason, Fault
from protocol import TABLE, Code, Role, State, codec, parse
from protocol.messages import LIMITS, REASONS

ROOM = Path(protocol.__file__).parent
TEXT = (ROOM / "PROTOCOL.md").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language tag, its text, the line that it begins on."""

    tag: str
    text: str
    line: int


def blocks(*tags: str) -> list[Block]:
    found = []
    for match in re.finditer(r"^```([^\n]*)\n(.*?)^```$", TEXT, re.M | re.S):
        block = Block(match[1], match[2], TEXT[: match.start()].count("\n") + 1)
        if not tags or block.tag in tags:
            found.append(block)
    return found


def params(*tags: str) -> list[Any]:
    return [pytest.param(block, id=f"line {block.line}") for block in blocks(*tags)]


def test_every_block_is_of_a_kind_that_is_tested() -> None:
    assert {block.tag for block in blocks()} == {
        "", "deal", "hex", "json", "jsonl", "python bot", "python codec", "python deal", "sh", "toml",
    }  # fmt: skip
    assert [block.line for block in blocks("")] == [TEXT[: TEXT.index("```\narena  ")].count("\n") + 1]


def schema() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json.loads((ROOM / "schema.json").read_text(encoding="utf-8")))


def test_every_json_example_stands_before_its_frame() -> None:
    both = blocks("json", "hex")
    assert [block.tag for block in both] == ["json", "hex"] * (len(both) // 2)
    assert len(both) >= 20
    assert {json.loads(block.text)["type"] for block in both[::2]} == set(protocol.MESSAGES)
    for example, frame in zip(both[::2], both[1::2], strict=True):
        message = json.loads(example.text)
        data = bytes.fromhex(frame.text)
        assert codec("msgpack").encode(message) == data, f"line {frame.line}"
        assert codec("msgpack").decode(data[4:]) == message


@pytest.mark.parametrize("block", params("json", "jsonl"))
def test_examples_are_messages(block: Block) -> None:
    texts = block.text.splitlines() if block.tag == "jsonl" else [block.text]
    for text in texts:
        message = json.loads(text)
        schema().validate(message)
        typed = parse(message)
        assert typed is not None
        assert typed.to_map() == message


def test_hello_shows_the_defaults() -> None:
    hello = json.loads(blocks("json")[0].text)
    rules = {option.name: option.default for option in game_info("north-american").options}
    assert hello["rules"] == rules
    limits = Limits().to_dict()
    assert hello["limits"] == {key: limits[key] for key in LIMITS}


ACTS = [json.loads(b.text) for b in blocks("json") if json.loads(b.text)["type"] == "act"]
LINES = [json.loads(line) for block in blocks("jsonl") for line in block.text.splitlines()]


def outputs(program: Path, encoding: str, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    wire = codec(encoding)
    done = subprocess.run(
        [sys.executable, str(program)],
        input=b"".join(map(wire.encode, messages)),
        capture_output=True,
        env={"PYTHONPATH": str(ROOM.parent), "PATH": os.environ["PATH"]},
        check=True,
        timeout=60,
    )
    assert done.stderr == b""
    decoder = wire.decoder()
    decoder.feed(done.stdout)
    out = []
    while (payload := decoder.next_frame()) is not None:
        out.append(wire.decode(payload))
    assert decoder.pending == 0
    return out


@pytest.mark.parametrize("block", params("python bot"))
def test_the_bots_on_the_page_play(block: Block, tmp_path: Path) -> None:
    program = tmp_path / "bot.py"
    program.write_text(block.text, encoding="utf-8")
    encoding = "json" if "json.loads" in block.text else "msgpack"
    opening = [m for m in LINES if m["type"] in ("hello", "game_start")]
    messages = [*opening, *ACTS, {"type": "later", "x": 1}, *LINES[-3:]]
    ready, *actions = outputs(program, encoding, messages)
    assert ready["type"] == "ready"
    assert parse(ready) is not None
    assert [a["id"] for a in actions] == [act["id"] for act in ACTS]
    for act, action in zip(ACTS, actions, strict=True):
        assert action["action"] in act["legal"]


def test_the_shell_line_works(tmp_path: Path) -> None:
    [block] = blocks("sh")
    first = tmp_path / "first"
    first.write_text(f"#!{sys.executable}\n{blocks('python bot')[0].text}", encoding="utf-8")
    first.chmod(0o755)
    done = subprocess.run(
        ["/bin/sh", "-c", block.text], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60
    )
    ready, action = map(json.loads, done.stdout.splitlines())
    assert ready == {"type": "ready"}
    assert action == {"type": "action", "id": 7, "action": "pass"}


def test_the_manifest() -> None:
    [block] = blocks("toml")
    manifest = parse_manifest(tomllib.loads(block.text), Path("bot.toml"))
    assert manifest.name == "first"
    assert set(manifest.games) == {"north-american", "british"}


def test_the_deal_on_the_page() -> None:
    [code] = blocks("python deal")
    names: dict[str, Any] = {}
    exec(compile(code.text, "PROTOCOL.md", "exec"), names)
    for seed in (bytes(32), b"x" * 32):
        for cards in (2, 24, 25, 43):
            assert names["deal"](seed, cards) == shuffled(seed, cards)
    [dealt] = blocks("deal")
    assert " ".join(protocol.full_pack()[i] for i in shuffled(bytes(32), 24)) == dealt.text.strip()


def test_the_codec_on_the_page() -> None:
    [code] = blocks("python codec")
    names: dict[str, Any] = {}
    exec(compile(code.text, "PROTOCOL.md", "exec"), names)
    vectors = json.loads((ROOM / "vectors" / "good.json").read_text(encoding="ascii"))["vectors"]
    for vector in vectors:
        if vector["encoding"] == "msgpack":
            decoder = protocol.FrameDecoder()
            decoder.feed(bytes.fromhex(vector["hex"]))
            maps = []
            while (payload := decoder.next_frame()) is not None:
                value, end = names["decode"](payload)
                assert end == len(payload)
                maps.append(value)
            assert maps == vector["maps"]
    answer = {"type": "action", "id": 2**53 - 1, "action": "order_up"}
    assert codec("msgpack").decode(names["encode"](answer)) == answer


def rows(first_heading: str) -> Iterator[list[str]]:
    """The rows of the table whose first column has this heading, header and rule left out."""
    lines = TEXT.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"| {first_heading} |"))
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            return
        yield [cell.strip() for cell in line.strip("|").split("|")]


def words(text: str) -> list[str]:
    return re.findall(r"`([^`]*)`", text)


def shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def test_the_option_table_is_that_of_the_games() -> None:
    options = {game: game_info(game).options for game in ("north-american", "british")}
    expected = []
    for na, br in zip(*options.values(), strict=True):
        assert na.name == br.name
        values = ", ".join(map(shown, na.values)) if na.values else f"{na.minimum}, {na.minimum + 1}, ..."
        expected.append([f"`{na.name}`", values, shown(na.default), shown(br.default)])
    table = list(rows("option"))
    assert [row[:4] for row in table] == expected
    assert all(len(row) == 5 and row[4] for row in table), "each has a meaning, in words of its own"


def test_the_verdict_and_code_tables_are_whole() -> None:
    assert [words(row[0])[0] for row in rows("verdict")] == list(Fault)
    codes = [word for row in rows("code") for word in words(row[0])]
    assert sorted(codes) == sorted(Code)


def test_the_limits_table() -> None:
    limits = Limits().to_dict()
    table = {words(row[0])[0]: row[1].strip("`") for row in rows("key | default")}
    assert table == {key: "null" if limits[key] is None else str(limits[key]) for key in LIMITS}
    for number in (limits["processes"], limits["files"]):
        assert f"({number})" in TEXT
    assert f"({limits['file_bytes'] >> 20} MiB)" in TEXT
    assert f"({limits['stderr_bytes'] >> 10} KiB" in TEXT


def test_the_state_table() -> None:
    for state, arena, bot in rows("state"):
        here = State(words(state)[0])
        for role, cell in ((Role.ARENA, arena), (Role.BOT, bot)):
            told = {}
            for part in re.split(r", (?![^(]*\))", cell):
                names = words(part)
                if names:
                    told[names[0]] = State(names[1]) if len(names) > 1 else here
            assert told == {cls.type: to for cls, to in TABLE[role][here].items()}, (here, role)
    assert [words(row[0])[0] for row in rows("state")] == list(State)


def test_the_reasons() -> None:
    assert set(REASONS) == set(EndReason)
    section = TEXT[TEXT.index("### game_end") : TEXT.index("### bye")]
    for reason in EndReason:
        assert f"`{reason}`" in section


def test_links_lead_somewhere() -> None:
    headings = re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", TEXT, flags=re.S), re.M)
    anchors = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    for target in re.findall(r"\]\(([^)]+)\)", TEXT):
        if target.startswith("#"):
            assert target[1:] in anchors, target
        elif not target.startswith("https://"):
            assert (ROOM / target).is_file(), target
