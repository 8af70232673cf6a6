"""Programs outside a bot's folder: only those that this machine's user has chosen, never ones a bot names.

Whatever a program needs (its whole prefix: `bin`, `lib`, `etc`, ...) is shown in the bot's box. So a bot's
words, its command, a `#!` line or a version file, may pick among what stands on PATH, in the system's
directories, beside this interpreter or in a version manager's store, and may name no other directory.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from arena.files import read_head

SYSTEM_PATH = ("/usr/local/bin", "/usr/bin", "/bin")
SYSTEM_DIRS = tuple(map(Path, ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/etc/alternatives")))
_STORES = (
    ("PYENV_ROOT", ".pyenv", "versions"),
    ("RBENV_ROOT", ".rbenv", "versions"),
    ("NVM_DIR", ".nvm", "versions/node"),
    ("RUSTUP_HOME", ".rustup", "toolchains"),
)
"""Of version managers: the variable that says where it is, its place at home, and what holds the versions."""
_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_+-]*(\.[A-Za-z0-9_+-]+)*", re.ASCII)
_VERSION_FILE_BYTES = 4096


def search_path() -> list[str]:
    """PATH of the arena's user, then the system's; absolute folders, each once."""
    searched = os.environ.get("PATH", "").split(os.pathsep) + list(SYSTEM_PATH)
    return list(dict.fromkeys(part for part in searched if os.path.isabs(part)))


def offered(path: Path) -> Path | None:
    """A program given by its absolute path, as this machine's user has it; None for one from elsewhere.

    Where its folder is one of PATH under another name, it is given by PATH's own.
    """
    if ".." in path.parts:
        return None
    if _in_system(path) and _in_system(Path(os.path.realpath(path))):
        return path
    real = os.path.realpath(path.parent)
    for folder in (os.path.dirname(sys.executable), *search_path()):
        if os.path.realpath(folder) == real:
            return Path(folder, path.name)
    stored = any(path.is_relative_to(store) and path.parent.name == "bin" for store in _stores())
    return path if stored else None


def _in_system(path: Path) -> bool:
    return any(path.is_relative_to(folder) for folder in SYSTEM_DIRS)


def _stores() -> Iterator[Path]:
    for variable, place, versions in _STORES:
        root = Path(os.environ.get(variable) or Path.home() / place)
        if root.is_absolute():
            yield root / versions


def behind_shim(directory: Path, file: Path) -> Path | None:
    """The program behind a version manager's shim script, or the file itself; None to look further.

    A shim asks its manager, which a sealed bot cannot reach, and which costs 90 ms a start. The bot in
    `directory` may choose a version by its name.
    """
    if Path(os.path.realpath(file)).name == "rustup" and file.name != "rustup":
        return _rust_tool(file.name)
    if file.parent.name != "shims":
        return file
    root = file.parent.parent
    chosen: list[str] = []
    for place in (directory / f".{file.name.rstrip('0123456789.')}-version", root / "version"):
        try:
            chosen += read_head(place, _VERSION_FILE_BYTES).decode("utf-8", "replace").split()
        except OSError:
            continue
    for version in filter(_VERSION.fullmatch, chosen):
        real = root / "versions" / version / "bin" / file.name
        if real.is_file() and os.access(real, os.X_OK):
            return real
    return None


def _rust_tool(name: str) -> Path | None:
    """rustc or cargo itself, of rustup's default toolchain, which keeps all of them under one link."""
    home = Path(os.environ.get("RUSTUP_HOME") or Path.home() / ".rustup")
    try:
        chosen = tomllib.loads((home / "settings.toml").read_text("utf-8")).get("default_toolchain")
    except (OSError, ValueError):
        return None
    real = home / "toolchains" / str(chosen) / "bin" / name
    return real if os.access(real, os.X_OK) else None


def which(name: str, folder: str) -> Path | None:
    """The program of that name in one folder."""
    found = shutil.which(name, path=folder)
    return None if found is None else Path(found)
