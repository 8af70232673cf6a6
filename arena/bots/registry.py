"""Registered bots: submissions kept under the arena's home, by content, as `name@version`.

    home/bundles/<digest>/            the files, as they came
    home/bots/<name>/<version>        a link to them
    home/records/<name>@<version>.json

A version, once registered, stays what it is; a changed bot needs a new one.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path

from arena.bots.build import build_place
from arena.bots.bundle import bundle
from arena.bots.manifest import MANIFEST, NAME, read_manifest
from arena.bots.resolve import Bot, arena_home, load
from arena.bots.unpack import copy_folder, unpack
from arena.errors import ArenaError, Exit

SHOWN_CHANGES = 5
_RESERVED = ("current",)


@dataclass(frozen=True, slots=True)
class Registered:
    """One registered version of a bot."""

    name: str
    version: str
    digest: str
    language: str
    owner: str
    games: tuple[str, ...]
    files: int
    size: int
    """Bytes."""
    added: str
    """When, in UTC: `2026-03-01T12:00:00Z`."""
    source: str
    """Where it came from."""
    check: str
    """The last line of its examination, "" if there was none."""

    @property
    def label(self) -> str:
        return f"{self.name}@{self.version}"


class Registry:
    """The registered bots under `home`."""

    def __init__(self, home: Path | None = None) -> None:
        self.home = (home or arena_home()).absolute()

    # --- adding

    @contextlib.contextmanager
    def staged(self, source: Path) -> Iterator[Bot]:
        """A copy of a submission (a folder, a zip or a tar file) in a place of its own, gone at the end.

        Raises ArenaError for what is no bot, is damaged, too large, or leads outside.
        """
        with self._refusals():
            staging = self.home / "staging"
            staging.mkdir(parents=True, exist_ok=True)
            room = Path(tempfile.mkdtemp(dir=staging))
        try:
            os.chmod(room, 0o755)
            place = room / "bot"
            place.mkdir(mode=0o755)
            if source.is_dir():
                read_manifest(source)  # what is no bot is not copied
                copy_folder(source, place)
                if bundle(place).digest != bundle(source).digest:
                    raise ArenaError(f"bot `{source}`: it changed while it was copied", hint="try again")
            elif source.is_file():
                unpack(source, place)
                place = _inner(place, source)
            else:
                raise ArenaError(
                    f"{source}: there is no such folder or file",
                    hint="a submission is a folder with a bot.toml, or a zip or tar file of one",
                )
            yield load(place)
        finally:
            shutil.rmtree(room, ignore_errors=True)

    def admissible(self, bot: Bot) -> Registered | None:
        """The record of this very bot if it is registered already, None if it may be.

        Raises ArenaError for a version that is taken by other files, or that cannot be a version here.
        """
        name, version = bot.manifest.name, bot.manifest.version
        if not NAME.fullmatch(version) or version in _RESERVED:
            raise ArenaError(
                f"bot `{name}`: it cannot be registered as version `{version}`",
                hint=f"letters, digits and `. _ + -`, beginning with a letter or digit, in {MANIFEST}",
            )
        known = self._read(name, version)
        if known is None or known.digest == bot.digest:
            return known
        raise ArenaError(
            f"{known.label} is registered with other files: {self._difference(known, bot)}",
            hint=f"games were played by that version: give this one another `version` in {MANIFEST}",
        )

    def register(self, bot: Bot, *, source: str, check: str = "") -> Registered:
        """Keep a staged bot as `name@version`. Raises ArenaError as `admissible` does."""
        known = self.admissible(bot)
        if known is not None:
            return known
        manifest, packed = bot.manifest, bundle(bot.directory)
        record = Registered(
            manifest.name, manifest.version, bot.digest, manifest.language or "", manifest.owner or "",
            manifest.games, packed.files, packed.size, datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            source, check,
        )  # fmt: skip
        kept = self.home / "bundles" / bot.digest
        link = self.home / "bots" / manifest.name / manifest.version
        with self._refusals():
            kept.parent.mkdir(exist_ok=True)
            if not kept.is_dir():
                bot.directory.rename(kept)
            os.utime(kept)
            link.parent.mkdir(parents=True, exist_ok=True)
            try:
                link.symlink_to(os.path.relpath(kept, link.parent))
            except FileExistsError:  # somebody else was quicker
                return self.admissible(bot) or record
            self._record(record).parent.mkdir(exist_ok=True)
            self._record(record).write_text(json.dumps(asdict(record), indent=2) + "\n", "utf-8")
        return record

    # --- looking

    def all(self) -> list[Registered]:
        """Every registered version, by name, the newest first."""
        found = []
        for name in sorted(path.name for path in self._folders(self.home / "bots")):
            found += self.versions(name)
        return found

    def versions(self, name: str) -> list[Registered]:
        """The versions of a bot, the newest first."""
        folders = [path for path in self._folders(self.home / "bots" / name) if (path / MANIFEST).is_file()]
        folders.sort(key=lambda path: (path.stat().st_mtime_ns, path.name), reverse=True)
        return [record for path in folders if (record := self._read(name, path.name)) is not None]

    def find(self, argument: str) -> list[Registered]:
        """The versions that `name` or `name@version` means. Raises ArenaError where there is none."""
        name, _, version = argument.partition("@")
        found = [record for record in self.versions(name) if version in ("", record.version)]
        if found:
            return found
        if there := self.versions(name):
            labels = ", ".join(record.label for record in there)
            raise ArenaError(f"no registered bot `{argument}`", hint=f"of `{name}` there are {labels}")
        known = self.all()
        names = [record.label for record in known] + [record.name for record in known]
        close = get_close_matches(argument, names, 1)
        raise ArenaError(
            f"no registered bot `{argument}`",
            hint=f"did you mean `{close[0]}`?" if close else "`arena bot list` lists them",
        )

    def directory(self, record: Registered) -> Path:
        """Where its files are kept."""
        return self.home / "bundles" / record.digest

    # --- removing

    def remove(self, record: Registered) -> None:
        """Forget one version, and its files and build; games that it has played stand."""
        with self._refusals():
            (self.home / "bots" / record.name / record.version).unlink(missing_ok=True)
            self._record(record).unlink(missing_ok=True)
            with contextlib.suppress(OSError):
                (self.home / "bots" / record.name).rmdir()
        for folder in (self.directory(record), build_place(record.digest, self.home)):
            shutil.rmtree(folder, ignore_errors=True)

    # --- inside

    def _record(self, record: Registered) -> Path:
        return self.home / "records" / f"{record.label}.json"

    def _read(self, name: str, version: str) -> Registered | None:
        """The record of a version; made up from its files where it is lost."""
        folder = self.home / "bots" / name / version
        if not (folder / MANIFEST).is_file():
            return None
        try:
            data = json.loads((self.home / "records" / f"{name}@{version}.json").read_text("utf-8"))
            values = {field.name: data[field.name] for field in fields(Registered)}
            return Registered(**values | {"games": tuple(values["games"])})
        except (OSError, ValueError, KeyError, TypeError):
            manifest, packed = read_manifest(folder), bundle(folder.resolve())
            return Registered(
                name, version, packed.digest, manifest.language or "", manifest.owner or "", manifest.games,
                packed.files, packed.size, "", "", "",
            )  # fmt: skip

    def _difference(self, known: Registered, bot: Bot) -> str:
        """The files in which a bot differs from the registered one, in words."""
        old, new = _contents(self.directory(known)), _contents(bot.directory)
        changed = [f"{name} changed" for name in sorted(old.keys() & new.keys()) if old[name] != new[name]]
        changed += [f"{name} is new" for name in sorted(new.keys() - old.keys())]
        changed += [f"{name} is gone" for name in sorted(old.keys() - new.keys())]
        more = len(changed) - SHOWN_CHANGES
        return ", ".join(changed[:SHOWN_CHANGES]) + (f" and {more} more" if more > 0 else "")

    @staticmethod
    def _folders(folder: Path) -> list[Path]:
        try:
            return [path for path in folder.iterdir() if path.is_dir()]
        except OSError:
            return []

    @contextlib.contextmanager
    def _refusals(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise ArenaError(
                f"{error.filename or self.home}: {error.strerror}",
                hint="name another folder by --home or ARENA_HOME",
                exit_code=Exit.ENVIRONMENT,
            ) from None


def _inner(place: Path, source: Path) -> Path:
    """The bot's folder in an unpacked archive: the top, or the only folder there."""
    if (place / MANIFEST).is_file():
        return place
    entries = list(place.iterdir())
    only = entries[0] if len(entries) == 1 else place
    if not only.is_symlink() and (only / MANIFEST).is_file():
        return only
    raise ArenaError(
        f"{source}: it holds no `{MANIFEST}`, neither at its top nor in a single folder there",
        hint="pack the bot's folder: tar czf mybot.tar.gz mybot",
    )


def _contents(folder: Path) -> dict[str, tuple[bool, bytes]]:
    """By name, whether a file is executable and what it holds (a link's target)."""
    found = {}
    for path in folder.rglob("*"):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = (False, b"->" + os.fsencode(os.readlink(path)))
        elif path.is_file():
            found[name] = (os.access(path, os.X_OK), path.read_bytes())
    return found
