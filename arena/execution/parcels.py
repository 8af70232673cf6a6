"""Bots on their way to other machines: packed once, sent by digest, checked and built where they run."""

from __future__ import annotations

import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

from arena.bots.build import build
from arena.bots.bundle import IGNORED
from arena.bots.levels import Level
from arena.bots.resolve import Bot, arena_home, load
from arena.bots.unpack import unpack
from arena.errors import ArenaError, Exit

PART_BYTES = 4 << 20
"""A parcel travels in parts of this size."""


def pack(directory: Path, target: Path) -> None:
    """Pack a bot's folder into a compressed tar file; what is no part of its digest is left out."""

    def kept(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
        return None if IGNORED.intersection(Path(member.name).parts) else member

    with tarfile.open(target, "w:gz", compresslevel=1, dereference=False) as tar:
        for entry in sorted(os.scandir(directory), key=lambda entry: entry.name):
            tar.add(entry.path, entry.name, filter=kept)


def parts(parcel: Path) -> Iterator[bytes]:
    """The bytes of a parcel in parts; at least one."""
    with parcel.open("rb") as file:
        yield file.read(PART_BYTES)
        while data := file.read(PART_BYTES):
            yield data


class Shelf:
    """The bots of a machine by digest, under ARENA_HOME; shared by all its slots."""

    def __init__(self, home: Path | None = None) -> None:
        self.home = home or arena_home()
        self._folder = self.home / "parcels"

    def find(self, digest: str) -> Bot | None:
        """The bot with this digest, if it is here and whole."""
        place = self._folder / digest
        if not place.is_dir():
            return None
        try:
            bot = load(place)
        except ArenaError:
            bot = None
        if bot is None or bot.digest != digest:
            shutil.rmtree(place, ignore_errors=True)  # somebody has changed it: it comes again
            return None
        return bot

    def add(self, digest: str, parcel: Path) -> Bot:
        """Unpack a parcel. Raises ArenaError where it is not what its digest says, or the disk refuses."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            room = Path(tempfile.mkdtemp(prefix=".coming-", dir=self._folder))
        except OSError as error:
            raise ArenaError(
                f"{self._folder}: cannot be written to: {error.strerror}",
                hint="name another folder by --home or ARENA_HOME",
                exit_code=Exit.ENVIRONMENT,
            ) from None
        try:
            made = room / "bot"
            made.mkdir(mode=0o755)
            os.chmod(room, 0o755)
            unpack(parcel, made)
            found = load(made).digest
            if found != digest:
                raise ArenaError(f"bot {digest[:12]}: what came has the digest {found[:12]}")
            place = self._folder / digest
            try:
                made.rename(place)
            except OSError:
                if not place.is_dir():  # else another slot was quicker
                    raise
        finally:
            shutil.rmtree(room, ignore_errors=True)
        return load(place)

    def ready(self, digest: str, level: str) -> Path | None:
        """The folder to start a bot in, built for this machine; None if it has not come yet.

        Raises ArenaError where it cannot be built here.
        """
        bot = self.find(digest)
        return None if bot is None else build(bot, Level(level), home=self.home).directory
