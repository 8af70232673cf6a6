"""A bot's command made definite: which file runs, what it needs of the machine, and why it cannot run."""

from __future__ import annotations

import os
import platform
import re
import stat
import struct
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.bots.host import SYSTEM_PATH, behind_shim, offered, search_path, which
from arena.errors import ArenaError

__all__ = ["SYSTEM_PATH", "Program", "StartError", "find_program"]

_MACHINES = {
    3: "x86", 8: "MIPS", 20: "PowerPC", 21: "PowerPC 64", 22: "s390x", 40: "ARM", 62: "x86-64",
    183: "AArch64",
    243: "RISC-V", 258: "LoongArch",
}  # fmt: skip
_FOREIGN = {
    b"MZ": "a Windows program",
    b"\xcf\xfa\xed\xfe": "a macOS program",
    b"\xce\xfa\xed\xfe": "a macOS program",
    b"\xca\xfe\xba\xbe": "a Java class or a macOS program",
    b"\0asm": "a WebAssembly module",
}


class StartError(ArenaError):
    """The bot cannot be started as it stands: not a result, but something to put right first."""


@dataclass(frozen=True, slots=True)
class Program:
    """What is run for a seat."""

    argv: tuple[str, ...]
    """Complete; the first word is an absolute path, or relative to the bot's directory."""
    tools: tuple[Path, ...]
    """Programs outside the bot's directory that it needs: its interpreter, as found, links not followed."""


def find_program(directory: Path, command: Sequence[str]) -> Program:
    """The program that `command` means in `directory`. Raises StartError saying what is in the way.

    A first word with a slash is a file of the bot; one without is looked up on PATH, where a version
    manager's shims (pyenv, rbenv) are followed to the program itself. `{python}` is this interpreter. An
    absolute path, in the command or a `#!` line, must lead to what this machine's user has (`host.py`).
    """
    if not command:
        raise StartError(f"bot `{directory}`: its command is empty", hint='for example command = ["./mybot"]')
    if not directory.is_dir():
        raise StartError(f"bot `{directory}`: there is no such directory")
    argv = [word.replace("{python}", sys.executable) for word in command]
    if re.fullmatch(r"\{\w*\}", argv[0]):
        raise StartError(
            f"bot `{directory}`: `{argv[0]}` in its command stands for nothing",
            hint="{python} stands for this Python; any other program is named as it is",
        )
    own = "/" in argv[0] and not os.path.isabs(argv[0])
    if own:
        file = directory / argv[0]
        if not _inside(directory, file):
            raise StartError(
                f"bot `{directory}`: `{argv[0]}` is outside its directory",
                hint="put the program into the directory: nothing else beside it can be seen when it runs",
            )
    else:
        file = _offered(directory, argv[0]) if "/" in argv[0] else _on_path(directory, argv[0])
        argv[0] = str(file)
    tools = [] if own else [file]
    interpreter = _check(directory, file, argv[0])
    if interpreter is not None:
        tools.append(interpreter)
    return Program(tuple(argv), tuple(tools))


def _inside(directory: Path, file: Path) -> bool:
    return Path(os.path.normpath(file)).is_relative_to(os.path.normpath(directory))


def _offered(directory: Path, name: str, script: str = "") -> Path:
    """A program outside the directory by its absolute path: in its command, or in the #! line of `script`."""
    found = offered(Path(name))
    if found is not None:
        return found
    wants = f"`{script}` wants the interpreter `{name}`" if script else f"its program `{name}`"
    inside = _inside(directory, Path(name))
    raise StartError(
        f"bot `{directory}`: {wants}, in a folder that this machine's user has not chosen",
        hint=f"name it from the bot's folder: ./{os.path.relpath(name, directory)}"
        if inside
        else f"write `{Path(name).name}` alone, with its folder on PATH where the arena runs",
    )


def _on_path(directory: Path, name: str) -> Path:
    shim: Path | None = None
    for folder in search_path():
        found = which(name, folder)
        if found is None:
            continue
        real = behind_shim(directory, found)
        if real is not None:
            return real
        shim = shim or found
    if (directory / name).is_file():
        raise StartError(
            f"bot `{directory}`: there is no program `{name}` on PATH",
            hint=f'the bot has a file of that name: write "./{name}" in `command`',
        )
    if shim is not None and Path(os.path.realpath(shim)).name == "rustup":
        raise StartError(
            f"bot `{directory}`: `{name}` is rustup's ({shim}), and rustup has no default toolchain",
            hint="rustup default stable",
        )
    if shim is not None:
        raise StartError(
            f"bot `{directory}`: `{name}` is a version manager's ({shim}), and it has chosen no version",
            hint=f"choose one, such as: {shim.parent.parent.name.lstrip('.')} global VERSION",
        )
    raise StartError(
        f"bot `{directory}`: there is no program `{name}` on PATH",
        hint="install it, or give a file of the bot, such as ./mybot",
    )


def _check(directory: Path, file: Path, shown: str) -> Path | None:
    """Whether the file can be executed; the interpreter of its `#!` line, if it has one of the machine's."""
    who = f"bot `{directory}`"
    try:
        mode = file.stat().st_mode
        if not stat.S_ISREG(mode):
            raise StartError(f"{who}: its program `{shown}` is not a file")
        with file.open("rb") as opened:
            head = opened.read(4096)
    except FileNotFoundError:
        dangling = file.is_symlink()
        raise StartError(
            f"{who}: its program `{shown}` is missing"
            + (f" (a link to `{os.readlink(file)}`, which does not exist)" if dangling else ""),
            hint="build the bot, or correct `command` in bot.toml",
        ) from None
    except NotADirectoryError:
        raise StartError(f"{who}: its program `{shown}` is missing") from None
    except PermissionError:
        raise StartError(f"{who}: its program `{shown}` may not be read by this user") from None
    except OSError as error:
        raise StartError(f"{who}: its program `{shown}`: {error.strerror}") from None
    if not mode & 0o111 or not os.access(file, os.X_OK):
        raise StartError(f"{who}: its program `{shown}` is not executable", hint=f"chmod +x {file}")
    if head.startswith(b"#!"):
        return _interpreter(who, directory, head, shown)
    if head.startswith(b"\x7fELF"):
        _check_elf(who, head, shown)
    elif sys.platform == "linux":
        for magic, what in _FOREIGN.items():
            if head.startswith(magic):
                raise StartError(f"{who}: its program `{shown}` is {what}", hint="build it for this machine")
        what = "is empty" if not head else "is neither a program for this machine nor a script"
        raise StartError(
            f"{who}: its program `{shown}` {what}", hint="a script begins with #! and its interpreter"
        )
    return None


def _interpreter(who: str, directory: Path, head: bytes, shown: str) -> Path | None:
    line = head[2:].split(b"\n", 1)[0].decode("utf-8", "replace")
    if line.endswith("\r"):
        raise StartError(
            f"{who}: the first line of `{shown}` ends in a carriage return (Windows line ends)",
            hint=f"save it with Unix line ends: sed -i 's/\\r$//' {shown}",
        )
    words = line.split()
    if not words:
        raise StartError(f"{who}: the #! line of `{shown}` names no interpreter")
    path = Path(words[0])
    if words[0] in ("/usr/bin/env", "/bin/env"):
        names = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
        if names and "/" not in names[0]:
            return _on_path(directory, names[0])
        path = Path(names[0]) if names else path
    own = not path.is_absolute()  # a file of the bot, from its folder, in which it is started
    if own and not _inside(directory, directory / path):
        raise StartError(f"{who}: `{shown}` wants the interpreter `{path}`, outside its directory")
    if not (directory / path).is_file():
        raise StartError(
            f"{who}: `{shown}` wants the interpreter `{path}`, which this machine does not have",
            hint="correct its first line, or name the interpreter in `command`",
        )
    return None if own else _offered(directory, str(path), shown)


def _check_elf(who: str, head: bytes, shown: str) -> None:
    """Compare word size, byte order and machine with this interpreter's own; find the dynamic loader."""
    try:
        with open("/proc/self/exe", "rb") as file:
            own = file.read(20)
    except OSError:
        return
    if len(head) < 20 or head[4:6] != own[4:6] or head[18:20] != own[18:20]:
        code = int.from_bytes(head[18:20], "big" if head[5:6] == b"\2" else "little")
        built = _MACHINES.get(code, f"another machine ({code})")
        bits = " with 32 bits" if head[4:5] == b"\1" else ""
        raise StartError(
            f"{who}: its program `{shown}` is built for {built}{bits}, this machine is {platform.machine()}",
            hint="build it on this machine",
        )
    loader = _elf_loader(head)
    if loader and not os.path.exists(loader):
        raise StartError(
            f"{who}: its program `{shown}` wants the loader `{loader}`, which this machine does not have",
            hint="it was built against another C library: build it here, or link it statically",
        )


def _elf_loader(head: bytes) -> str:
    """The PT_INTERP path of a 64-bit little-endian ELF file, or nothing."""
    if head[4:6] != b"\2\1" or len(head) < 64:
        return ""
    offset, size, count = *struct.unpack_from("<Q", head, 32), *struct.unpack_from("<HH", head, 54)
    for index in range(count):
        at = offset + index * size
        if at + 40 > len(head):
            return ""
        kind, _, start, _, _, length = struct.unpack_from("<IIQQQQ", head, at)
        if kind == 3:
            return head[start : start + length].rstrip(b"\0").decode("utf-8", "replace")
    return ""
