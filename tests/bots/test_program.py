"""A bot's command made definite, and every way in which it cannot be."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from arena.bots.limits import Limits
from arena.bots.process import spawn
from arena.bots.program import StartError, find_program
from arena.errors import Exit

OWN = Path(sys.executable).resolve().read_bytes()[:20]
FOREIGN_MACHINE = 183 if OWN[18] == 62 else 62


def _elf(machine: int = OWN[18], bits: int = 2, loader: bytes = b"") -> bytes:
    """The beginning of an ELF file with one program header, the loader's name."""
    head = bytearray(64)
    head[:8] = b"\x7fELF" + bytes([bits, 1, 1, 0])
    head[16:20] = bytes([2, 0, machine, 0])
    head[32:40] = (64).to_bytes(8, "little")
    head[54:58] = (56).to_bytes(2, "little") + (1 if loader else 0).to_bytes(2, "little")
    entry = bytearray(56)
    entry[0] = 3
    entry[8:16] = (120).to_bytes(8, "little")
    entry[32:40] = (len(loader) + 1).to_bytes(8, "little")
    return bytes(head + entry) + loader + b"\0"


CASES = {
    "missing file": (["./bot"], None, "missing", "build the bot"),
    "missing interpreter on PATH": (
        ["nosuchprogram", "bot.js"],
        None,
        "no program `nosuchprogram`",
        "install it",
    ),
    "a misspelled placeholder": (["{pyton}", "bot"], b"x", "`{pyton}` in its command", "{python} stands for"),
    "a file of the bot without ./": (["bot"], b"#!/bin/sh\n", "no program `bot` on PATH", 'write "./bot"'),
    "not executable": (["./plain"], None, "not executable", "chmod +x"),
    "a directory": (["./folder"], None, "not a file", ""),
    "outside": (["../bot"], None, "outside its directory", "put the program into"),
    "empty": (["./bot"], b"", "is empty", "#!"),
    "no #! line": (["./bot"], b"print('hello')\n", "neither a program", "#!"),
    "missing interpreter": (["./bot"], b"#!/usr/bin/nosuch\n", "wants the interpreter `/usr/bin/nosuch`", ""),
    "missing interpreter by env": (["./bot"], b"#!/usr/bin/env nosuch\n", "no program `nosuch`", "install"),
    "Windows line ends": (["./bot"], b"#!/bin/sh\r\necho\r\n", "carriage return", "sed -i"),
    "no interpreter named": (["./bot"], b"#!\n", "names no interpreter", ""),
    "a Windows program": (["./bot"], b"MZ\x90\0", "a Windows program", "build it for this machine"),
    "a macOS program": (["./bot"], b"\xcf\xfa\xed\xfe\x07", "a macOS program", ""),
    "another machine": (["./bot"], _elf(FOREIGN_MACHINE), "built for", "build it on this machine"),
    "32 bits": (["./bot"], _elf(3, bits=1), "x86 with 32 bits", "build it"),
    "another C library": (["./bot"], _elf(loader=b"/lib/nosuch.so.1"), "wants the loader", "statically"),
}


@pytest.mark.skipif(sys.platform != "linux", reason="the format of programs is Linux's")
@pytest.mark.parametrize("case", CASES)
def test_start_errors(case: str, tmp_path: Path) -> None:
    command, content, expected, hint = CASES[case]
    directory = tmp_path / "mybot"
    (directory / "folder").mkdir(parents=True)
    (directory / "plain").write_text("#!/bin/sh\n")
    if content is not None:
        (directory / "bot").write_bytes(content)
        (directory / "bot").chmod(0o755)
    with pytest.raises(StartError, match=re.escape(expected)) as caught:
        spawn(directory, command, Limits(), "basic")
    assert str(directory) in caught.value.message
    assert hint in caught.value.hint
    assert caught.value.exit_code is Exit.BAD_INPUT


def test_no_directory_and_no_command(tmp_path: Path) -> None:
    with pytest.raises(StartError, match="no such directory"):
        find_program(tmp_path / "nowhere", ["./bot"])
    with pytest.raises(StartError, match="empty"):
        find_program(tmp_path, [])


def test_dangling_link_is_named(tmp_path: Path) -> None:
    (tmp_path / "bot").symlink_to("build/bot")
    with pytest.raises(StartError, match="a link to `build/bot`"):
        find_program(tmp_path, ["./bot"])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_program(tmp_path: Path) -> None:
    (tmp_path / "bot").write_text("#!/bin/sh\n")
    (tmp_path / "bot").chmod(0)
    with pytest.raises(StartError, match="may not be read"):
        find_program(tmp_path, ["./bot"])


def test_python_is_this_interpreter(tmp_path: Path) -> None:
    program = find_program(tmp_path, ["{python}", "-u", "bot.py"])
    assert program.argv == (sys.executable, "-u", "bot.py")
    assert program.tools == (Path(sys.executable),)


def test_script_brings_its_interpreter(tmp_path: Path) -> None:
    for line in ("#!/bin/sh", "#!/usr/bin/env sh", "#!/usr/bin/env -S sh -e"):
        (tmp_path / "bot").write_text(f"{line}\n")
        (tmp_path / "bot").chmod(0o755)
        program = find_program(tmp_path, ["./bot"])
        assert program.argv == ("./bot",)
        assert [tool.name for tool in program.tools] == ["sh"]


def test_shims_are_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    true = shutil.which("true")
    assert true is not None
    root = tmp_path / "manager"
    (root / "shims").mkdir(parents=True)
    for version in ("1.0", "2.0"):
        (root / "versions" / version / "bin").mkdir(parents=True)
        (root / "versions" / version / "bin" / "python3").symlink_to(true)
    (root / "shims" / "python3").write_text("#!/bin/sh\nexit 1\n")
    (root / "shims" / "python3").chmod(0o755)
    (root / "version").write_text("1.0\n")
    monkeypatch.setenv("PATH", f"{root / 'shims'}:/usr/bin:/bin")
    bot = tmp_path / "bot"
    bot.mkdir()
    assert find_program(bot, ["python3"]).argv == (str(root / "versions/1.0/bin/python3"),)
    (bot / ".python-version").write_text("2.0\n")
    assert find_program(bot, ["python3"]).argv == (str(root / "versions/2.0/bin/python3"),)
    (bot / ".python-version").unlink()
    (root / "version").write_text("system\n")
    assert "shims" not in find_program(bot, ["python3"]).argv[0]


def test_a_shim_without_a_version_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shims = tmp_path / ".rbenv" / "shims"
    shims.mkdir(parents=True)
    (shims / "quiddity").write_text("#!/bin/sh\nexit 1\n")
    (shims / "quiddity").chmod(0o755)
    monkeypatch.setenv("PATH", str(shims))
    with pytest.raises(StartError, match="version manager's") as caught:
        find_program(tmp_path, ["quiddity"])
    assert caught.value.hint == "choose one, such as: rbenv global VERSION"
