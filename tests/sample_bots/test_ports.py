"""The sample bots in other languages: built, started, and asked what the Python bots are asked.

Each is a process of its own, answers thousands of recorded requests (tests/data/requests_*.jsonl.gz) and
must choose what `sample_bots/careful` chooses; the `simple` ones, what Python's template of a bot chooses.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.bots.manifest import Manifest, read_manifest
from arena.bots.new import TEMPLATES
from protocol import View, decode_payload, encode_frame, frame

ROOT = Path(__file__).parents[2]
BOTS = ROOT / "sample_bots"
PORTS = {
    "careful": "python3",
    "careful_c": "cc",
    "careful_cpp": "c++",
    "careful_go": "go",
    "careful_java": "javac",
    "careful_javascript": "node",
    "careful_lua": "lua5.4",
    "careful_rust": "rustc",
    "simple_csharp": "mcs",
    "simple_perl": "perl",
    "simple_php": "php",
    "simple_ruby": "ruby",
    "simple_typescript": "tsc",
}
"""Each bot, and the tool without which it cannot be tried."""
RECORDINGS = ("north_american", "british", "options")
SECONDS = 120
HELLO = {"type": "hello", "protocol": 1, "game": "british", "rules": {}, "limits": {"move_ms": 1000}}
START = {"type": "game_start", "seat": 0, "partner": 2, "dealer": 0, "seed": 2**53 - 1}
END = {"type": "game_end", "scores": [10, 3], "winner": 0, "reason": "target"}


def recorded(name: str) -> list[dict[str, Any]]:
    with gzip.open(ROOT / "tests" / "data" / f"requests_{name}.jsonl.gz", "rt") as file:
        return [json.loads(line) for line in file]


@pytest.fixture(scope="module")
def expected() -> Iterator[dict[str, dict[str, list[str]]]]:
    """What the Python bots answer: by kind of bot, then by recording."""
    sys.path.insert(0, str(BOTS / "careful"))
    try:
        from strategy import choose  # type: ignore[import-not-found]
    finally:
        sys.path.pop(0)
    template: dict[str, Any] = {"__name__": "template"}
    exec((TEMPLATES / "python" / "bot.py").read_text(), template)
    kinds = {"careful": choose, "simple": template["choose"]}
    yield {
        kind: {name: [choose(View(act)) for act in recorded(name)] for name in RECORDINGS}
        for kind, choose in kinds.items()
    }
    del sys.modules["strategy"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Copies a bot and builds it, once."""
    done: dict[str, Path] = {}

    def build(name: str) -> Path:
        if name not in done:
            directory = tmp_path_factory.mktemp("ports") / name
            shutil.copytree(BOTS / name, directory, ignore=shutil.ignore_patterns("__pycache__"))
            environment = os.environ | {"GOCACHE": str(directory.parent / "gocache")}
            for step in read_manifest(directory).build:
                result = subprocess.run(
                    step, cwd=directory, env=environment, capture_output=True, text=True, timeout=SECONDS
                )
                assert result.returncode == 0, result.stderr
                assert result.stderr == "", "a sample bot builds without warnings"
            done[name] = directory
        return done[name]

    return build


def unframe(data: bytes) -> Iterator[dict[str, Any]]:
    """The messages in a stream of whole frames."""
    at = 0
    while at < len(data):
        end = at + 4 + int.from_bytes(data[at : at + 4], "big")
        yield decode_payload(data[at + 4 : end])
        at = end


def wide(value: Any) -> bytes:
    """A value in msgpack's longest forms, which are as right as its shortest."""
    if value is None or isinstance(value, bool):
        return {None: b"\xc0", False: b"\xc2", True: b"\xc3"}[value]
    if isinstance(value, int):
        return b"\xd3" + value.to_bytes(8, "big", signed=True)
    if isinstance(value, float):
        return b"\xcb" + struct.pack(">d", value)
    if isinstance(value, str):
        data = value.encode()
        return b"\xdb" + len(data).to_bytes(4, "big") + data
    if isinstance(value, list):
        return b"\xdd" + len(value).to_bytes(4, "big") + b"".join(map(wide, value))
    pairs = [wide(part) for pair in value.items() for part in pair]
    return b"\xdf" + len(value).to_bytes(4, "big") + b"".join(pairs)


def converse(directory: Path, frames: bytes) -> tuple[list[dict[str, Any]], str]:
    """Sends the frames to a bot and takes all its answers, and what it wrote to stderr."""
    manifest: Manifest = read_manifest(directory)
    command = [word.replace("{python}", sys.executable) for word in manifest.command]
    if "/" in command[0] and not Path(command[0]).is_absolute():
        command[0] = str(directory / command[0])
    result = subprocess.run(
        command,
        cwd=directory,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        input=frames,
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    errors = result.stderr.decode(errors="replace")
    assert result.returncode == 0, errors
    return list(unframe(result.stdout)), errors


@pytest.mark.slow
@pytest.mark.parametrize("name", PORTS)
def test_port_decides_as_python_does(
    name: str,
    expected: dict[str, dict[str, list[str]]],
    built: Callable[[str], Path],
    need_tool: Callable[[str], str],
) -> None:
    need_tool(PORTS[name])
    words = expected[name.partition("_")[0]]
    acts = [pair for part in RECORDINGS for pair in zip(recorded(part), words[part], strict=True)]
    messages = [HELLO, START, *(act for act, _ in acts), END, {"type": "bye", "head": "00" * 16}]
    answers, errors = converse(built(name), b"".join(map(encode_frame, messages)))
    assert errors == ""
    assert answers[0] == {"type": "ready", "name": name, "version": "1.0"}
    assert len(answers) == 1 + len(acts)
    for (act, word), answer in zip(acts, answers[1:], strict=True):
        assert answer == {"type": "action", "id": act["id"], "action": word}, act


@pytest.mark.slow
@pytest.mark.parametrize("name", PORTS)
def test_port_reads_every_form_and_ignores_what_it_does_not_know(
    name: str,
    expected: dict[str, dict[str, list[str]]],
    built: Callable[[str], Path],
    need_tool: Callable[[str], str],
) -> None:
    need_tool(PORTS[name])
    unknown = {"a": None, "b": -5, "c": 0.5, "d": [[], {}, "zażółć"], "e": {"type": "bye"}, "f": "x" * 300}
    words = expected[name.partition("_")[0]]
    acts = recorded("options")[:200]
    messages = [HELLO | unknown, {"type": "news", "text": "?"}, *(unknown | act for act in acts)]
    # Without `bye`: the end of standard input is enough.
    answers, errors = converse(built(name), b"".join(frame(wide(message)) for message in messages))
    assert errors == ""
    assert [answer["type"] for answer in answers] == ["ready"] + ["action"] * len(acts)
    assert [answer["action"] for answer in answers[1:]] == words["options"][: len(acts)]


@pytest.mark.slow
@pytest.mark.parametrize("name", PORTS)
def test_port_answers_legally_where_it_knows_nothing(
    name: str, built: Callable[[str], Path], need_tool: Callable[[str], str]
) -> None:
    need_tool(PORTS[name])
    act = {"type": "act", "id": 7, "game": "another", "rules": {}, "phase": "sing", "legal": ["a", "b:c"]}
    answers, errors = converse(built(name), encode_frame(HELLO) + encode_frame(act))
    assert (answers[-1], errors) == ({"type": "action", "id": 7, "action": "a"}, "")
