"""A tournament's folder: where things lie in it, who may write to it, and what its failures mean."""

from __future__ import annotations

import errno
import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.errors import ArenaError, Exit

DATABASE = "tournament.db"
LOCK = "tournament.lock"
LOGS = "logs"
STDERR = "stderr"


def log_path(match_id: str, block: int, attempt: int) -> str:
    """A block's log, relative to the tournament's folder."""
    return f"{LOGS}/{match_id[:8]}/{block}-{attempt}.jsonl"


def holds_tournament(folder: Path) -> bool:
    """Whether a tournament was begun in `folder`."""
    return (folder / DATABASE).is_file()


def no_tournament(folder: Path) -> ArenaError:
    """The error where a tournament's folder was asked for, and `folder` is none."""
    what = "holds no tournament" if folder.exists() else "holds no tournament, there is no such folder"
    return ArenaError(f"{folder}: {what}", hint="give the --out of an `arena run`, with its " + DATABASE)


def no_log(path: Path) -> ArenaError:
    """The error where a log or a tournament's folder was asked for, and nothing is there."""
    return ArenaError(
        f"{path}: there is no such file or folder",
        hint="give a tournament's folder (the --out of an `arena run`), or a .jsonl log in it",
    )


def make_folder(folder: Path) -> None:
    """Make `folder` if there is none; one that exists must be empty or hold a tournament.

    Raises ArenaError where it cannot be made or written to, or holds something else.
    """
    with environment(folder):
        folder.mkdir(parents=True, exist_ok=True)
        others = {entry.name for entry in folder.iterdir()} - {LOCK, DATABASE, DATABASE + "-journal"}
    if others and not holds_tournament(folder):
        raise ArenaError(
            f"{folder}: is not empty and holds no tournament",
            hint="give another --out",
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ArenaError(
            f"{folder}: cannot be written to", hint="give another --out", exit_code=Exit.ENVIRONMENT
        )


class Lock:
    """The right to write to a tournament's folder; the system takes it back when its holder dies."""

    def __init__(self, folder: Path) -> None:
        """Take the lock. Raises ArenaError (ENVIRONMENT) if another process has it."""
        path = folder / LOCK
        with environment(path):
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.read(self._fd, 32).decode("ascii", "replace").strip()
            who = f"another arena process ({holder})" if holder else "another arena process"
            os.close(self._fd)
            if error.errno not in (errno.EAGAIN, errno.EACCES):
                raise ArenaError(
                    f"{path}: cannot be locked: {error.strerror}",
                    hint="keep the tournament on a local disk",
                    exit_code=Exit.ENVIRONMENT,
                ) from None
            raise ArenaError(
                f"{folder}: {who} is running this tournament",
                hint="wait for it, stop it, or give another --out",
                exit_code=Exit.ENVIRONMENT,
            ) from None
        try:
            with environment(path):
                os.ftruncate(self._fd, 0)
                os.pwrite(self._fd, f"pid {os.getpid()}\n".encode(), 0)
        except ArenaError:
            self.release()
            raise

    def release(self) -> None:
        """Give the lock back; idempotent."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


@contextmanager
def environment(path: Path) -> Iterator[None]:
    """Turn what a disk or a database refuses into one ArenaError (ENVIRONMENT) that names `path`."""
    try:
        yield
    except OSError as error:
        raise ArenaError(
            f"{path}: {_plain(error.strerror or str(error))}",
            hint=_hint(error.errno),
            exit_code=Exit.BAD_INPUT if error.errno in IN_THE_WAY else Exit.ENVIRONMENT,
        ) from error
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorname", "")
        known = _SQLITE.get("_".join(code.split("_")[:2]))
        if known is None:
            raise
        text, hint = known
        raise ArenaError(f"{path}: {text}", hint=hint, exit_code=Exit.ENVIRONMENT) from error


IN_THE_WAY = (errno.ENOTDIR, errno.EEXIST, errno.EISDIR)
_SQLITE = {
    "SQLITE_FULL": ("the disk is full", "free some space; the same command then goes on where it stopped"),
    "SQLITE_READONLY": ("cannot be written to", "check the permissions, or give another --out"),
    "SQLITE_CANTOPEN": ("cannot be opened", "check the path and its permissions"),
    "SQLITE_IOERR": ("the disk fails to read or write", "check the disk's space and health"),
    "SQLITE_BUSY": ("is in use by another program", "close it and try again"),
    "SQLITE_ERROR": ("has not the tables that this version reads", "restore it, or give another --out"),
    "SQLITE_NOTADB": ("is not a database", "restore it from a copy, or give another --out"),
    "SQLITE_CORRUPT": ("is corrupt", "restore it from a copy, or give another --out"),
}


def _plain(text: str) -> str:
    return text[:1].lower() + text[1:]


def _hint(code: int | None) -> str:
    if code in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return "free some space; the same command then goes on where it stopped"
    if code in (errno.EACCES, errno.EPERM, errno.EROFS):
        return "check the permissions, or give another --out"
    if code in IN_THE_WAY:
        return "a file is in the way; give another --out"
    return ""
