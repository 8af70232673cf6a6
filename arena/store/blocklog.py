"""Appending to block logs: whole lines, on the disk before the database says that they count."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from arena.store.folder import environment


class LogWriter:
    """Appends to the logs of one tournament. Nothing appended counts until it is synced and committed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._committed: dict[str, int] = {}
        """By log touched since the last commit: its size then."""
        self._new: set[Path] = set()
        """Folders with files whose names are not yet on the disk."""

    def append(self, log: str, size: int, lines: Sequence[str]) -> int:
        """Write `lines` at `size`, the bytes of `log` that count so far (more is cut off); the new size.

        Raises ArenaError (ENVIRONMENT) where the disk refuses.
        """
        path = self._folder / log
        data = "".join(f"{line}\n" for line in lines).encode()
        with environment(path):
            if size == 0:
                if not path.parent.is_dir():
                    path.parent.mkdir(parents=True)
                    self._new.add(path.parent.parent)
                self._new.add(path.parent)
            self._committed.setdefault(log, size)
            fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                os.ftruncate(fd, size)
                done = 0
                while done < len(data):
                    done += os.pwrite(fd, data[done:], size + done)
            finally:
                os.close(fd)
        return size + len(data)

    def sync(self) -> None:
        """Put everything appended on the disk."""
        for log in self._committed:
            _sync(self._folder / log)
        for folder in self._new:
            _sync(folder)
        self._new.clear()

    def committed(self) -> None:
        """The database now says that what was appended counts."""
        self._committed.clear()

    def undo(self) -> None:
        """Cut off what was appended since the last commit."""
        for log, size in self._committed.items():
            cut(self._folder / log, size)
        self._committed.clear()


def cut(path: Path, size: int) -> int:
    """Cut a log down to the `size` bytes that count; how many bytes were beyond.

    A log of which nothing counts is removed. Raises ArenaError (ENVIRONMENT).
    """
    with environment(path):
        try:
            beyond = path.stat().st_size - size
        except FileNotFoundError:
            return 0
        if size == 0:
            path.unlink()
        elif beyond > 0:
            os.truncate(path, size)
    return max(beyond, 0)


def _sync(path: Path) -> None:
    with environment(path):
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
