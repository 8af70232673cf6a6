"""`bot.toml`: what a submission says about itself."""

from __future__ import annotations

import difflib
import json
import os
import re
import stat
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from arena.errors import ArenaError

MANIFEST = "bot.toml"
MAX_MANIFEST_BYTES = 64 * 1024
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}", re.ASCII)
"""Names stand in file names, tables and terminal lines: letters, digits and `. _ + -`, at most 64."""
LANGUAGES = (
    "python", "javascript", "typescript", "c", "cpp", "rust", "java", "go", "lua", "ruby", "perl", "php",
    "csharp",
)  # fmt: skip


class Encoding(StrEnum):
    """How messages are written: length-prefixed msgpack, or JSON, one message a line."""

    MSGPACK = "msgpack"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class Manifest:
    """One submission: who it is, how it is built and how it is started."""

    name: str
    version: str
    command: tuple[str, ...]
    """The program and its arguments, run in the bot's directory; `{python}` is the arena's interpreter."""
    build: tuple[tuple[str, ...], ...] = ()
    """Commands that make the program, in order; none for most bots."""
    games: tuple[str, ...] = ()
    """Game ids that it plays; none means all."""
    encoding: Encoding = Encoding.MSGPACK
    language: str | None = None
    owner: str | None = None


def read_manifest(directory: Path) -> Manifest:
    """The manifest of a bot's directory. Raises ArenaError naming the file and the key."""
    path = directory / MANIFEST
    if not directory.is_dir():
        what = "is not a directory" if directory.exists() else "there is no such directory"
        raise ArenaError(f"bot `{directory}`: {what}", hint=f"a bot is a directory that holds a `{MANIFEST}`")
    try:
        if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(directory)):
            raise ArenaError(
                f"{path}: a link to `{os.readlink(path)}`, outside the bot's directory",
                hint="put the file itself there",
            )
        with open(path, "rb", opener=_without_waiting) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise ArenaError(f"{path}: not a file", hint="it is a text file: `arena bot new` makes one")
            raw = file.read(MAX_MANIFEST_BYTES + 1)
    except FileNotFoundError:
        raise ArenaError(
            f"bot `{directory}`: it has no `{MANIFEST}`",
            hint='the least is three lines: name = "mybot", version = "1", command = ["./mybot"]',
        ) from None
    except OSError as error:
        raise ArenaError(f"{path}: cannot be read: {error.strerror}") from None
    if len(raw) > MAX_MANIFEST_BYTES:
        raise ArenaError(f"{path}: larger than {MAX_MANIFEST_BYTES // 1024} KiB")
    try:
        data = tomllib.loads(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ArenaError(f"{path}: not UTF-8 text (byte {error.start})") from None
    except tomllib.TOMLDecodeError as error:
        raise ArenaError(
            f"{path}: not valid TOML: {error}",
            hint='text stands in quotes, lists in brackets: command = ["./mybot"]',
        ) from None
    return parse_manifest(data, path)


def _without_waiting(path: str, flags: int) -> int:
    """A pipe is opened at once, too, and can then be refused."""
    return os.open(path, flags | os.O_NONBLOCK)


def parse_manifest(data: dict[str, Any], path: Path) -> Manifest:
    """A manifest from parsed TOML; `path` is named in errors."""
    for key in data:
        if key not in _KEYS:
            close = difflib.get_close_matches(key, _KEYS, n=1)
            raise ArenaError(
                f"{path}: unknown key `{key}`",
                hint=f"did you mean `{close[0]}`?" if close else f"known keys: {', '.join(_KEYS)}",
            )
    for key in ("name", "version", "command"):
        if key not in data:
            raise ArenaError(f"{path}: `{key}` is missing", hint=f"for example {key} = {_EXAMPLES[key]}")
    values = {key: _KEYS[key](value, key, path) for key, value in data.items()}
    return Manifest(**values)


_EXAMPLES = {"name": '"mybot"', "version": '"1.0"', "command": '["./mybot"]'}


def _bad(path: Path, key: str, expected: str, value: object) -> ArenaError:
    shown = repr(value)
    return ArenaError(
        f"{path}: `{key}` must be {expected}, not {shown[:60]}{'...' if len(shown) > 60 else ''}"
    )


def _text(value: object, key: str, path: Path) -> str:
    if not isinstance(value, str):
        raise _bad(path, key, "text in quotes", value)
    if not value or len(value) > 64 or not value.isprintable() or value != value.strip():
        raise _bad(path, key, "1 to 64 printable characters without space around them", value)
    return value


def _name(value: object, key: str, path: Path) -> str:
    text = _text(value, key, path)
    if not NAME.fullmatch(text):
        raise _bad(path, key, "letters, digits and `.` `_` `+` `-`, beginning with a letter or digit", value)
    return text


def _command(value: object, key: str, path: Path) -> tuple[str, ...]:
    if isinstance(value, str):
        shell = any(character in value for character in "&|;<>$*`")
        split = ["sh", "-c", value] if shell else value.split() or ["./mybot"]
        raise _bad(path, key, f"a list of words, such as {json.dumps(split, ensure_ascii=False)}", value)
    if not isinstance(value, list) or not value or not all(isinstance(word, str) for word in value):
        raise _bad(path, key, "a list of texts, the program first", value)
    words: list[str] = value
    if not words[0] or any("\0" in word for word in words):
        raise _bad(path, key, "a list of texts, the program first, none with a zero byte", value)
    return tuple(words)


def _build(value: object, key: str, path: Path) -> tuple[tuple[str, ...], ...]:
    if isinstance(value, list) and value and all(isinstance(step, list) for step in value):
        return tuple(_command(step, key, path) for step in value)
    if value == []:
        return ()
    return (_command(value, key, path),)


def _games(value: object, key: str, path: Path) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(game, str) for game in value):
        raise _bad(path, key, 'a list of game ids, such as ["north-american"]', value)
    return tuple(value)


def _encoding(value: object, key: str, path: Path) -> Encoding:
    if value not in tuple(Encoding):
        raise _bad(path, key, " or ".join(f'"{e}"' for e in Encoding), value)
    return Encoding(str(value))


def _language(value: object, key: str, path: Path) -> str:
    """Any language's name; one of LANGUAGES in their spelling, since advice goes by it."""
    text = _text(value, key, path)
    return text.lower() if text.lower() in LANGUAGES else text


_KEYS: dict[str, Callable[[object, str, Path], Any]] = {
    "name": _name,
    "version": _text,
    "command": _command,
    "build": _build,
    "games": _games,
    "encoding": _encoding,
    "language": _language,
    "owner": _text,
}
