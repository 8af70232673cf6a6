"""A stranger's files put into a fresh directory: from an archive or a folder, never outside, never too many.

Nothing is written through a link: links are made last, and only below real directories. Whether they stay
inside is `bundle.py`'s to say, which reads the result once it stands.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import os
import stat
import struct
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Protocol

from arena.bots.bundle import IGNORED, MAX_BYTES, MAX_FILES
from arena.errors import ArenaError

MAX_ARCHIVE_BYTES = 256 << 20
MAX_DEPTH = 40
"""Folders inside each other."""
_CHUNK = 1 << 16
_HEADER_BYTES = 1 << 20
"""What one header of a tar file may hold: it is read into memory whole."""
_INDEX_BYTES = 8 << 20
"""The same for a zip file's list of contents."""
_HEADERS_BYTES = 64 << 20
_XZ_MEMORY = 128 << 20
_LINK_BYTES = 4096
_DAMAGED = (
    zipfile.BadZipFile, tarfile.TarError, lzma.LZMAError, zlib.error, EOFError, struct.error,
    NotImplementedError, RuntimeError, ValueError, KeyError, IndexError,
)  # fmt: skip
"""What the standard library raises on archives that are cut off, encrypted or made up."""


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class Unpacker:
    """Writes files below `target`, an empty directory, within bounds; `source` is named in errors."""

    def __init__(self, target: Path, source: str, *, max_files: int = MAX_FILES, max_bytes: int = MAX_BYTES):
        self._target = target
        self._source = source
        self._max_files = max_files
        self._max_bytes = max_bytes
        self._entries = 0
        self._bytes = 0
        self._links: list[tuple[Path, str]] = []

    def folder(self, name: str) -> None:
        """A directory, with those above it."""
        path = self._path(name)
        if path is not None:
            self._count()
            self._mkdir(path)

    def file(self, name: str, content: _Readable, *, executable: bool) -> None:
        """A file with all that `content` gives."""
        path = self._path(name)
        if path is None:
            return
        self._count()
        self._mkdir(path.parent)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
        try:
            fd = os.open(path, flags, 0o755 if executable else 0o644)
        except FileExistsError:
            raise self.bad(f"`{name}` comes twice") from None
        with os.fdopen(fd, "wb") as file:
            os.fchmod(fd, 0o755 if executable else 0o644)  # whatever the umask says
            while data := content.read(_CHUNK):
                self._bytes += len(data)
                if self._bytes > self._max_bytes:
                    raise self.bad(f"more than {self._max_bytes >> 20} MiB when it is unpacked (at `{name}`)")
                file.write(data)

    def again(self, name: str, original: str) -> None:
        """A hard link: the same content as a file that has come already."""
        first = self._path(original)
        if first is None or first.is_symlink() or not first.is_file():
            raise self.bad(f"`{name}` is a link to `{original}`, which is no file of it")
        with first.open("rb") as content:
            self.file(name, content, executable=bool(first.stat().st_mode & stat.S_IXUSR))

    def link(self, name: str, target: str) -> None:
        """A symbolic link; made by `finish`."""
        path = self._path(name)
        if path is not None:
            self._count()
            self._mkdir(path.parent)
            self._links.append((path, target))

    def finish(self) -> None:
        """Make the links."""
        for path, target in self._links:
            try:
                os.symlink(target, path)
            except OSError as error:
                raise self.bad(f"the link `{path.name}` cannot be made: {error.strerror}") from None

    def _path(self, name: str) -> Path | None:
        """Where an entry goes; None for what is no part of a bot. Raises ArenaError for a way out."""
        if name.startswith("/") or "\0" in name or "\\" in name or name[1:2] == ":":
            raise self.bad(f"`{name}` is not a path inside it")
        parts = [part for part in name.split("/") if part not in ("", ".")]
        if ".." in parts:
            raise self.bad(f"`{name}` leads outside")
        if len(parts) > MAX_DEPTH:
            raise self.bad(f"folders more than {MAX_DEPTH} deep")
        if IGNORED.intersection(parts) or not parts or parts[0] == "__MACOSX":
            return None
        return self._target.joinpath(*parts)

    def _mkdir(self, path: Path) -> None:
        try:
            path.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise self.bad(f"`{path.relative_to(self._target)}` is a file and a folder") from None
        except OSError as error:
            raise self.bad(f"a folder cannot be made: {error.strerror}") from None

    def _count(self) -> None:
        self._entries += 1
        if self._entries > self._max_files:
            raise self.bad(f"more than {self._max_files} files and folders")

    def bad(self, what: str) -> ArenaError:
        return ArenaError(f"{self._source}: {what}", hint="leave out what the bot does not need to run")


def unpack(archive: Path, target: Path, *, max_files: int = MAX_FILES, max_bytes: int = MAX_BYTES) -> None:
    """Unpack a zip or tar file (plain, gzip, bzip2, xz) into `target`, an empty directory.

    Raises ArenaError for what is no such file or is damaged, for a path that leads outside, a device, and for
    more than `max_files` or `max_bytes`, however small the archive is. `target` may then hold a part.
    """
    unpacker = Unpacker(target, str(archive), max_files=max_files, max_bytes=max_bytes)
    try:
        with archive.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > MAX_ARCHIVE_BYTES:
                raise ArenaError(f"{archive}: larger than {MAX_ARCHIVE_BYTES >> 20} MiB")
            head = file.read(6)
            file.seek(0)
            if head[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
                _unzip(file, unpacker)
            else:
                with _tar(file, head, str(archive), max_bytes + _HEADERS_BYTES) as plain:
                    untar(plain, unpacker)
        unpacker.finish()
    except (OSError, *_DAMAGED) as error:
        if isinstance(error, OSError) and error.errno is not None:  # without one it is bz2's or gzip's
            raise ArenaError(f"{archive}: {error.strerror}") from None
        raise ArenaError(
            f"{archive}: cannot be unpacked: {error}",
            hint="expected a zip file or a tar file (.tar, .tar.gz)",
        ) from None


def untar(file: IO[bytes], unpacker: Unpacker) -> None:
    """Unpack an uncompressed tar file that can be sought in. Raises as `tarfile` does, and ArenaError."""
    with tarfile.open(fileobj=_Capped(file, _HEADER_BYTES), mode="r:") as tar:  # type: ignore[call-overload]
        for member in tar:
            if member.isdir():
                unpacker.folder(member.name)
            elif member.isreg():
                content = tar.extractfile(member)
                assert content is not None
                unpacker.file(member.name, content, executable=bool(member.mode & stat.S_IXUSR))
            elif member.islnk():
                unpacker.again(member.name, member.linkname)
            elif member.issym():
                unpacker.link(member.name, member.linkname)
            else:
                raise unpacker.bad(f"`{member.name}` is a device or a pipe")


def copy_folder(source: Path, target: Path) -> None:
    """Copy a bot's folder into `target`, an empty directory, within the bounds of `bundle.py`."""
    unpacker = Unpacker(target, f"bot `{source}`")
    stack = [(source, "")]
    while stack:
        folder, prefix = stack.pop()
        for item in sorted(os.scandir(folder), key=lambda item: item.name):
            name = prefix + item.name
            if item.is_symlink():
                unpacker.link(name, os.readlink(item.path))
            elif item.is_dir(follow_symlinks=False):
                if item.name not in IGNORED:
                    unpacker.folder(name)
                    stack.append((Path(item.path), name + "/"))
            elif item.is_file(follow_symlinks=False):
                fd = os.open(item.path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
                with os.fdopen(fd, "rb", buffering=0) as content:
                    executable = bool(os.fstat(fd).st_mode & stat.S_IXUSR)
                    unpacker.file(name, content, executable=executable)
            else:
                raise ArenaError(f"{item.path}: a device, socket or pipe cannot be part of a bot")
    unpacker.finish()


class _Capped:
    """A file whose reader cannot be made to ask for much at once: archives say themselves how long their
    headers are."""

    def __init__(self, file: IO[bytes], most: int) -> None:
        self._file = file
        self._most = most
        self.tell = file.tell
        self.seek = file.seek
        self.seekable = file.seekable

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(self._most + 1 if size < 0 else min(size, self._most + 1))
        if len(data) > self._most:
            raise ValueError("a header that is far too long")
        return data


@contextlib.contextmanager
def _tar(file: IO[bytes], head: bytes, name: str, bound: int) -> Iterator[IO[bytes]]:
    """The tar file inside a compressed one, in a temporary file of at most `bound` bytes."""
    if head[:2] == b"\x1f\x8b":
        parts = _chunks(gzip.GzipFile(fileobj=file))
    elif head[:3] == b"BZh":
        parts = _chunks(bz2.BZ2File(file))
    elif head == b"\xfd7zXZ\0":
        parts = _unxz(file)
    else:
        yield file
        return
    size = 0
    with tempfile.TemporaryFile() as plain:
        for part in parts:
            size += len(part)
            if size > bound:
                raise ArenaError(f"{name}: more than {bound >> 20} MiB when it is unpacked")
            plain.write(part)
        plain.seek(0)
        yield plain


def _chunks(file: _Readable) -> Iterator[bytes]:
    while data := file.read(_CHUNK):
        yield data


def _unxz(file: IO[bytes]) -> Iterator[bytes]:
    """An xz file asks for as much memory as its header says, so that is bounded too."""
    decompressor = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)
    while not decompressor.eof:
        data = file.read(_CHUNK) if decompressor.needs_input else b""
        if decompressor.needs_input and not data:
            raise EOFError("it ends too early")
        yield decompressor.decompress(data, _CHUNK)


def _unzip(file: IO[bytes], unpacker: Unpacker) -> None:
    with zipfile.ZipFile(_Capped(file, _INDEX_BYTES)) as archive:
        for info in archive.infolist():
            mode = info.external_attr >> 16
            if info.is_dir():
                unpacker.folder(info.filename)
                continue
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise zipfile.BadZipFile("a way of compression other than stored and deflated")
            with archive.open(info) as content:
                if stat.S_ISLNK(mode):
                    unpacker.link(info.filename, os.fsdecode(content.read(_LINK_BYTES)))
                elif stat.S_IFMT(mode) in (0, stat.S_IFREG):
                    unpacker.file(info.filename, content, executable=bool(mode & stat.S_IXUSR))
                else:
                    raise unpacker.bad(f"`{info.filename}` is a device or a pipe")
