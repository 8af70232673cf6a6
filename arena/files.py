"""Files that a user names, read with care: never one that has no end, never more of one than is wanted.

A device, a pipe or a socket where a file is expected would be read for ever, or waited for.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import IO

from arena.errors import ArenaError


class NotAFile(OSError):
    """A device, pipe, socket or directory where a file is expected."""


def open_file(path: Path) -> IO[bytes]:
    """A regular file opened to be read, in bytes. Raises OSError, NotAFile for anything else; never waits."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    mode = os.fstat(fd).st_mode
    if not stat.S_ISREG(mode):
        os.close(fd)
        what = "a directory" if stat.S_ISDIR(mode) else "a device or a pipe"
        raise NotAFile(0, f"{what}, not a file", str(path))
    return os.fdopen(fd, "rb")


def read_head(path: Path, most: int) -> bytes:
    """The first `most` bytes of a regular file. Raises OSError as `open_file` does."""
    with open_file(path) as file:
        return file.read(most)


def read_text(path: Path, most: int) -> str:
    """The whole text of a UTF-8 file of at most `most` bytes. Raises ArenaError that names it."""
    try:
        raw = read_head(path, most + 1)
    except OSError as error:
        raise ArenaError(f"{path}: cannot be read: {error.strerror or error}") from None
    if len(raw) > most:
        raise ArenaError(f"{path}: larger than {most // 1024} KiB")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ArenaError(f"{path}: not UTF-8 text (byte {error.start})") from None
