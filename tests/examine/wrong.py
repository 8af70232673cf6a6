"""Bots with one mistake each: a right bot, with some of its text replaced by what people write instead."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

DATA = Path(__file__).parents[1] / "data"
TEMPLATES = Path(__file__).parents[2] / "arena" / "bots" / "templates"

PYTHON = """\
import struct
import sys

import msgpack

stdin, stdout = sys.stdin.buffer, sys.stdout.buffer


def receive():
    header = stdin.read(4)
    if len(header) < 4:
        return None
    return msgpack.unpackb(stdin.read(struct.unpack(">I", header)[0]))


def send(answer):
    payload = msgpack.packb(answer)
    stdout.write(struct.pack(">I", len(payload)) + payload)
    stdout.flush()


while message := receive():
    if message["type"] == "hello":
        send({"type": "ready"})
    elif message["type"] == "act":
        send({"type": "action", "id": message["id"], "action": message["legal"][0]})
    elif message["type"] == "bye":
        break
"""
COMMANDS = {"python": ["{python}", "bot.py"], "javascript": ["node", "bot.js"], "c": ["./bot"]}
FILES = {"python": "bot.py", "javascript": "bot.js", "c": "bot.c"}

Edits = Sequence[tuple[str, str]]
"""Old text, which stands in the right bot once, and new text."""


def _read() -> dict[str, dict[str, tuple[Edits, str]]]:
    found: dict[str, dict[str, tuple[Edits, str]]] = {}
    for bot in tomllib.loads((DATA / "wrong_bots.toml").read_text("utf-8"))["bot"]:
        edits = [(old, new) for old, new in bot["edits"]]
        found.setdefault(bot["mistake"], {})[bot["language"]] = (edits, bot["says"])
    return found


MISTAKES: Mapping[str, Mapping[str, tuple[Edits, str]]] = _read()
"""By mistake and language: what is replaced by what, and words that `arena bot check` must say."""


def source(language: str) -> str:
    """The right bot of a language."""
    if language == "python":
        return PYTHON
    return (TEMPLATES / language / FILES[language]).read_text("utf-8")


def write_wrong(folder: Path, language: str, edits: Edits) -> Path:
    """A bot with one mistake, in `folder`."""
    text = source(language)
    for old, new in edits:
        assert text.count(old) == 1, f"{old!r} must stand in the bot once"
        text = text.replace(old, new)
    folder.mkdir()
    (folder / FILES[language]).write_text(text, "utf-8")
    command = str(COMMANDS[language]).replace("'", '"')
    build = 'build = ["cc", "-O2", "-w", "-o", "bot", "bot.c"]\n' if language == "c" else ""
    (folder / "bot.toml").write_text(
        f'name = "wrong"\nversion = "1"\ncommand = {command}\n{build}language = "{language}"\n', "utf-8"
    )
    return folder
