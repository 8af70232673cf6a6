"""Root's way of starting a bot as a user who owns nothing.

Root lets every seat run under a user id of its own. What the seat needs (its directory, its interpreter) may
lie below a directory that only root can enter, such as root's home. Then a mount namespace is made in which
just those things stand in their places and the rest of that directory is not there at all. A bot's directory
that only root can read stands there as a copy that others can. Nothing is left when the last process ends.
"""

from __future__ import annotations

import ctypes
import os
import secrets
import shutil
import stat
import threading
from collections.abc import Iterable
from pathlib import Path

NOBODY = 65534
_CLONE_NEWNS = 0x00020000
_MS_NOSUID_NODEV, _MS_BIND, _MS_REC, _MS_PRIVATE = 2 | 4, 0x1000, 0x4000, 1 << 18
_COPY_BYTES = 256 << 20
_FIRST, _COUNT = 1_900_000_000, 200_000_000
"""User ids that systems assign to nobody (systemd's UIDS-GIDS.md leaves this range unused)."""


def own_uid() -> int:
    """A user id for one seat: one that nobody has, or `nobody` in a container that maps only a few."""
    with open("/proc/self/uid_map", "rb") as file:
        for line in file:
            first, _, count = map(int, line.split())
            if first <= _FIRST and first + count >= _FIRST + _COUNT:
                return _FIRST + secrets.randbelow(_COUNT)
    return NOBODY


def closed_to_others(path: Path) -> Path | None:
    """The topmost directory above `path` that others may not enter."""
    for parent in reversed(path.parents):
        if not parent.stat().st_mode & stat.S_IXOTH:
            return parent
    return None


def _unreadable(directory: Path) -> bool:
    """Whether others cannot read a directory, or a file that lies right in it."""
    if directory.stat().st_mode & 0o005 != 0o005:
        return True
    with os.scandir(directory) as entries:
        modes = (entry.stat(follow_symlinks=False).st_mode for entry in entries)
        return any(stat.S_ISREG(m) and (m & 0o400) >> 6 & ~m | (m & 0o100) >> 6 & ~m for m in modes)


def open_way(own: Path, paths: Iterable[Path], links: Iterable[tuple[Path, Path]] = ()) -> int | None:
    """A mount namespace in which others can reach the bot's `own` directory, all `paths`, and links (name,
    target) to them.

    Gives its descriptor, to be closed; None when no such help is needed. Raises OSError where the system
    does not let us.
    """
    wanted = sorted({own, *(path for path in paths if path.exists())})
    closed = {barrier for path in wanted if (barrier := closed_to_others(path)) is not None}
    copied = _unreadable(own)
    if copied:
        closed.add(own)
    if not closed:
        return None
    result: list[int | Exception] = []

    def work() -> None:
        # unshare(CLONE_NEWNS) changes the calling thread alone, which ends right after.
        try:
            result.append(_make(wanted, sorted(closed), list(links), own if copied else None))
        except Exception as error:
            result.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    made = result[0]
    if isinstance(made, Exception):
        raise made
    return made


def _make(wanted: list[Path], closed: list[Path], links: list[tuple[Path, Path]], copied: Path | None) -> int:
    libc = ctypes.CDLL(None, use_errno=True)

    def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
        arguments = [text.encode() or None for text in (source, target, kind)]
        if libc.mount(*arguments, ctypes.c_ulong(flags), data.encode() or None) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), target)

    if libc.unshare(_CLONE_NEWNS) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    os.umask(0o022)  # this thread's own since unshare
    mount("", "/", "", _MS_REC | _MS_PRIVATE)
    hidden = [path for path in wanted if any(path.is_relative_to(barrier) for barrier in closed)]
    handles = {path: os.open(path, os.O_PATH) for path in hidden}
    try:
        folders = {path for path in hidden if path.is_dir()}
        for barrier in closed:
            if not any(barrier != above and barrier.is_relative_to(above) for above in closed):
                mount("tmpfs", str(barrier), "tmpfs", _MS_NOSUID_NODEV, f"mode=0755,size={_COPY_BYTES}")
        for path in hidden:
            if path.exists() and path != copied:  # inside one that stands already
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            if path == copied:
                _copy(f"/proc/thread-self/fd/{handles[path]}", path)
                continue
            if path in folders:
                path.mkdir(exist_ok=True)
            else:
                path.touch()
            mount(f"/proc/thread-self/fd/{handles[path]}", str(path), "", _MS_BIND | _MS_REC)
        for name, target in links:
            if any(name.is_relative_to(barrier) for barrier in closed) and not os.path.lexists(name):
                name.parent.mkdir(parents=True, exist_ok=True)
                name.symlink_to(target)
    finally:
        for handle in handles.values():
            os.close(handle)
    return os.open("/proc/thread-self/ns/mnt", os.O_RDONLY)


def _copy(source: str, target: Path) -> None:
    """Copy a directory; what its owner may read or run, all may."""
    shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)
    for folder, names, files in os.walk(target):
        for path in (folder, *(os.path.join(folder, name) for name in names + files)):
            mode = os.lstat(path).st_mode
            if not stat.S_ISLNK(mode):
                os.chmod(path, stat.S_IMODE(mode) | (mode & 0o500) >> 3 | (mode & 0o500) >> 6)
