"""A bot's directory as one thing with one name: the canonical digest of its files."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from arena.errors import ArenaError

IGNORED = frozenset(("__pycache__", ".git"))
"""Made by running or keeping a bot, no part of it."""
MAX_FILES = 20_000
MAX_BYTES = 512 << 20
_CHUNK = 1 << 20
_SEPARATOR = b"arena/bundle/1\n"


@dataclass(frozen=True, slots=True)
class Bundle:
    """What a digest was made of."""

    digest: str
    """Hex SHA-256."""
    files: int
    size: int
    """Bytes of all files."""


@dataclass(frozen=True, slots=True)
class _Entry:
    name: bytes
    """Path relative to the bot's directory, `/` between its parts."""
    path: Path
    kind: bytes
    """`f` a file, `x` an executable one, `l` a link."""
    size: int


def bundle(directory: Path, *, max_files: int = MAX_FILES, max_bytes: int = MAX_BYTES) -> Bundle:
    """The digest of a bot's directory; it depends on nothing but names, executable bits and contents.

    SHA-256 over `arena/bundle/1` and a newline, then for each file in the order of its name's bytes: a kind
    byte (`f`, `x` executable, `l` link), the lengths of name and content as 8-byte big-endian numbers, name,
    content; a link's content is its target. Empty directories do not count. Raises ArenaError for a link that
    leaves the directory, a device, socket or pipe, an unreadable file, and a bundle that is too large.
    """
    entries = []
    size = 0
    for entry in _entries(directory, Path(os.path.realpath(directory))):
        entries.append(entry)
        size += entry.size
        if len(entries) > max_files:
            raise ArenaError(
                f"bot `{directory}`: more than {max_files} files",
                hint="leave out what it does not need to run",
            )
        if size > max_bytes:
            raise ArenaError(
                f"bot `{directory}`: larger than {max_bytes >> 20} MiB (at `{os.fsdecode(entry.name)}`)",
                hint="leave out what it does not need to run",
            )
    digest = hashlib.sha256(_SEPARATOR)
    for entry in sorted(entries, key=lambda entry: entry.name):
        digest.update(entry.kind + len(entry.name).to_bytes(8, "big") + entry.size.to_bytes(8, "big"))
        digest.update(entry.name)
        _feed(digest, entry, directory)
    return Bundle(digest.hexdigest(), len(entries), size)


def _entries(folder: Path, root: Path, prefix: bytes = b"") -> Iterator[_Entry]:
    stack = [(folder, prefix)]
    while stack:
        folder, prefix = stack.pop()
        try:
            listed = list(os.scandir(folder))
        except OSError as error:
            raise ArenaError(f"bot `{folder}`: cannot be read: {error.strerror}") from None
        for item in listed:
            if item.name in IGNORED:
                continue
            name, path = prefix + os.fsencode(item.name), Path(item.path)
            info = item.stat(follow_symlinks=False)
            if stat.S_ISLNK(info.st_mode):
                _check_link(path, root)
                yield _Entry(name, path, b"l", len(os.fsencode(os.readlink(path))))
            elif stat.S_ISDIR(info.st_mode):
                stack.append((path, name + b"/"))
            elif stat.S_ISREG(info.st_mode):
                yield _Entry(name, path, b"x" if info.st_mode & stat.S_IXUSR else b"f", info.st_size)
            else:
                raise ArenaError(
                    f"{path}: a device, socket or pipe cannot be part of a bot", hint="remove it"
                )


def _check_link(path: Path, root: Path) -> None:
    target = os.readlink(path)
    real = Path(os.path.realpath(path))
    if os.path.isabs(target) or not real.is_relative_to(root):
        raise ArenaError(
            f"{path}: a link to `{target}`, outside the bot's directory",
            hint="copy what it needs into the directory: nothing else can be seen when it runs",
        )


def _feed(digest: hashlib._Hash, entry: _Entry, directory: Path) -> None:
    if entry.kind == b"l":
        digest.update(os.fsencode(os.readlink(entry.path)))
        return
    left = entry.size
    try:
        with entry.path.open("rb", buffering=0) as file:
            while data := file.read(_CHUNK):
                digest.update(data)
                left -= len(data)
    except OSError as error:
        raise ArenaError(f"{entry.path}: cannot be read: {error.strerror}") from None
    if left:
        raise ArenaError(f"bot `{directory}`: `{os.fsdecode(entry.name)}` changed while it was read")
