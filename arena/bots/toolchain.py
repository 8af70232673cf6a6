"""What of the machine a bot's program needs to see: interpreters outside the system's directories."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path

from arena.bots.program import Program

SYSTEM = tuple(map(Path, ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")))
_PARTS = (
    "bin", "lib", "lib32", "lib64", "libexec", "include", "share", "conf", "jmods", "jre", "etc", "release",
    "pyvenv.cfg",
)  # fmt: skip
"""What a toolchain's prefix is made of. Anything else there, such as the project around a virtual
environment, is none of a bot's business."""


@dataclass(frozen=True, slots=True)
class Needs:
    """Beside the system's own directories."""

    shown: tuple[Path, ...] = ()
    """Real files and directories, seen at their own paths."""
    links: tuple[tuple[Path, Path], ...] = ()
    """(path, target): names under which they are called."""
    hidden: tuple[Path, ...] = ()
    """Directories inside what is seen that must not be: the arena itself, the sample bots."""


def needs(program: Program) -> Needs:
    """What `program` needs to run: for each tool its prefix; for a virtual environment that and its base."""
    return _needs(program.tools)


@lru_cache(maxsize=64)  # the seats of a match ask for the same, and a look at the disk costs milliseconds
def _needs(tools: tuple[Path, ...]) -> Needs:
    shown: list[Path] = []
    links: list[tuple[Path, Path]] = []
    for tool in tools:
        real, prefix = Path(os.path.realpath(tool)), tool.parent.parent
        if _in_system(tool) and _in_system(real):
            continue
        if (prefix / "pyvenv.cfg").is_file():
            venv = Path(os.path.realpath(prefix))
            _add_parts(venv, shown, links)
            base = _base_of(venv)
            if base is not None:
                _add_parts(base, shown, links)
            if venv != prefix:
                links.append((prefix, venv))
        elif tool != real and not _in_system(tool):
            links.append((tool, real))
        if real.parent.name in ("bin", "sbin"):
            _add_parts(real.parent.parent, shown, links)
        else:
            shown.append(real)
    kept = _outermost(shown)
    return Needs(
        tuple(kept),
        tuple(link for link in dict.fromkeys(links) if not _within(link[0], kept)),
        tuple(path for path in _ours() if _within(path, [*kept, *SYSTEM])),
    )


def python_packages() -> dict[str, Path]:
    """What a Python bot may import of the arena's installation: the protocol, and msgpack, which it needs."""
    return {name: path for name in ("protocol", "msgpack") if (path := _package(name)) is not None}


def _ours() -> list[Path]:
    return [path for name in ("arena", "sample_bots") if (path := _package(name)) is not None]


@cache
def _package(name: str) -> Path | None:
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(os.path.realpath(next(iter(spec.submodule_search_locations))))


def _add_parts(prefix: Path, shown: list[Path], links: list[tuple[Path, Path]]) -> None:
    """Add the parts of a toolchain's prefix; of a home directory (`~`, `~/.local`) just these two."""
    if _in_system(prefix):
        return
    home = Path(os.path.realpath(Path.home()))
    for name in ("bin", "lib") if prefix in (Path("/"), home, home / ".local") else _PARTS:
        part = prefix / name
        if part.is_symlink():
            links.append((part, Path(os.path.realpath(part))))
        if part.exists():
            shown.append(Path(os.path.realpath(part)))


def _base_of(venv: Path) -> Path | None:
    """The installation that a virtual environment was made from: `home` in its pyvenv.cfg."""
    for line in (venv / "pyvenv.cfg").read_text("utf-8", "replace").splitlines():
        key, _, value = line.partition("=")
        if key.strip() == "home" and os.path.isabs(value.strip()):
            return Path(os.path.realpath(value.strip())).parent
    return None


def _outermost(paths: Iterable[Path]) -> list[Path]:
    kept: list[Path] = []
    for path in sorted(set(paths)):
        if not _within(path, kept) and not _in_system(path):
            kept.append(path)
    return kept


def _within(path: Path, roots: Iterable[Path]) -> bool:
    return any(path.is_relative_to(root) for root in roots)


def _in_system(path: Path) -> bool:
    return _within(path, SYSTEM)
