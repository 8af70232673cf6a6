"""From a BOT argument to a bot: a path, a registered bot, or one of the sample bots."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from arena.bots.bundle import bundle
from arena.bots.manifest import MANIFEST, Manifest, read_manifest
from arena.errors import ArenaError

BUNDLES = "bundles"
"""The folder, under the arena's home, of registered bots by digest."""

Registered = Callable[[str], Path | None]
"""The directory of a registered bot (`name`, or `name@version`), None for one that is not there."""


@dataclass(frozen=True, slots=True)
class Bot:
    """A bot found: where it lies, what it says of itself, and who it is."""

    directory: Path
    manifest: Manifest
    digest: str
    """Hex SHA-256 of its files (`bundle.py`)."""

    @property
    def name(self) -> str:
        return self.manifest.name


def resolve(argument: str, *, home: Path | None = None, registered: Registered | None = None) -> Bot:
    """The bot that a BOT argument means. Raises ArenaError, with a suggestion, when there is none.

    An argument with a slash, or the name of an existing folder, is a path; else a registered bot under
    `home`; else a sample bot. `registered` replaces the look-up under `home`.
    """
    return load(find(argument, home=home, registered=registered))


def load(directory: Path) -> Bot:
    """The bot in a directory. Raises ArenaError for a registered one that is not what it was."""
    bot = Bot(directory, read_manifest(directory), bundle(directory).digest)
    kept_as = directory.name if directory.parent.name == BUNDLES else bot.digest
    if len(kept_as) == len(bot.digest) and kept_as != bot.digest:
        raise ArenaError(
            f"registered bot `{bot.name}`: its files were changed where they are kept ({directory})",
            hint="arena bot remove it, and add it again",
        )
    return bot


def find(argument: str, *, home: Path | None = None, registered: Registered | None = None) -> Path:
    """The directory that a BOT argument means, not yet read."""
    path = Path(argument).expanduser()
    if not argument:
        raise ArenaError("a bot's name is empty")
    if os.sep in argument or path.is_dir():
        if not path.is_dir():
            raise ArenaError(
                f"bot `{argument}`: "
                + ("it is not a directory" if path.exists() else "there is no such directory"),
                hint=f"a bot is a directory that holds a `{MANIFEST}`",
            )
        return path.absolute()
    found = registered(argument) if registered is not None else find_registered(argument, home)
    if found is not None:
        return found
    samples = sample_bots()
    if argument in samples:
        return samples[argument]
    raise ArenaError(f"unknown bot `{argument}`", hint=_meant(argument, path, home))


def _meant(argument: str, path: Path, home: Path | None) -> str:
    """What may have been meant by the name of no bot."""
    if path.suffix == ".toml":
        return f"a file of options is given by --config {argument}" if path.is_file() else "no such file"
    if path.is_file():
        return f"a bot is a folder; a zip or tar file of one is registered first: arena bot add ./{argument}"
    name = argument.partition("@")[0]
    if name != argument and (versions := registered_versions(name, home)):
        return f"of `{name}` there are {', '.join(f'{name}@{version}' for version in versions)}"
    samples = sorted(sample_bots())
    close = difflib.get_close_matches(name, [*samples, *registered_names(home), *_folders_here()], n=1)
    if close and close[0] == name:
        return f"`{name}` has no versions to choose from here: it is a sample bot, or a folder"
    if close:
        return f"did you mean `{close[0]}`?"
    return f"a path (./{argument}), a registered bot, or a sample bot: {', '.join(samples)}"


def overshadowed(argument: str, bot: Bot, *, home: Path | None = None) -> str:
    """One line on which bot plays, where a name means more than one; else nothing.

    `bot` is what `resolve` found for it. The same files under two names are not worth a word.
    """
    if os.sep in argument or "@" in argument:
        return ""
    here = Path(argument).expanduser().is_dir()
    registered = find_registered(argument, home)
    if here:
        other, what = registered or sample_bots().get(argument), "registered" if registered else "sample"
    else:
        other, what = sample_bots().get(argument) if registered else None, "sample"
    if other is None or bundle(other).digest == bot.digest:
        return ""
    if not here:
        return f"`{argument}` is the registered bot here, not the sample bot of that name"
    label = f"{argument}@{read_manifest(other).version}" if registered else ""
    remedy = f" ({label} plays that one)" if label else ""
    return f"`{argument}` is the folder ./{argument} here, not the {what} bot of that name{remedy}"


def arena_home(environment: Mapping[str, str] = os.environ) -> Path:
    """Where bots are registered and built: ARENA_HOME, or `euchre-arena` among the user's data."""
    chosen = environment.get("ARENA_HOME")
    if chosen:
        return Path(chosen).expanduser().absolute()
    data = environment.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "euchre-arena"


def find_registered(argument: str, home: Path | None = None) -> Path | None:
    """`name` or `name@version` in `home/bots/<name>/<version>`; without a version the one named `current`,
    else the latest by time."""
    name, _, version = argument.partition("@")
    folder = (home or arena_home()) / "bots" / name
    if not name or not folder.is_dir():
        return None
    if version:
        chosen = folder / version
        return chosen.resolve() if (chosen / MANIFEST).is_file() else None
    current = folder / "current"
    if (current / MANIFEST).is_file():
        return current.resolve()
    versions = [path for path in folder.iterdir() if (path / MANIFEST).is_file()]
    newest = max(versions, key=lambda path: (path.stat().st_mtime_ns, path.name), default=None)
    return newest.resolve() if newest is not None else None


def registered_versions(name: str, home: Path | None = None) -> list[str]:
    """Versions of a registered bot."""
    folder = (home or arena_home()) / "bots" / name
    return [version for version in _names(folder) if version != "current"] if name else []


def registered_names(home: Path | None = None) -> list[str]:
    """Names of all registered bots."""
    return _names((home or arena_home()) / "bots")


def sample_bots() -> dict[str, Path]:
    """The sample bots by name, in order: of this checkout, or of the installed wheel."""
    spec = find_spec("sample_bots")
    places: Iterable[str] = (spec and spec.submodule_search_locations) or ()
    found: dict[str, Path] = {}
    for place in places:
        for path in sorted(Path(place).iterdir()):
            if (path / MANIFEST).is_file():
                found.setdefault(path.name, path)
    return found


def _names(folder: Path) -> list[str]:
    try:
        return sorted(path.name for path in folder.iterdir() if path.is_dir())
    except OSError:
        return []


def _folders_here() -> list[str]:
    return [name for name in _names(Path.cwd()) if (Path(name) / MANIFEST).is_file()]
