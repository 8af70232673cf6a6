"""A bot's command made definite, and every way in which it cannot be."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.bots import host
from arena.bots.levels import Level
from arena.bots.limits import Limits
from arena.bots.process import SeatProcess, spawn, stop_all
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


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A folder with a program, a library and settings, which nobody has chosen for bots."""
    folder = tmp_path / "data"
    for name in ("bin", "lib", "etc"):
        (folder / name).mkdir(parents=True)
        (folder / name / "secret").write_text("secret")
    script(folder / "bin" / "x")
    return folder


def script(path: Path, first: str = "#!/bin/sh") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{first}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bot's."""
    (tmp_path / "bot").mkdir()
    return tmp_path / "bot"


@pytest.mark.parametrize("line", ["#!{}", "#!{} -u", "#!/usr/bin/env {}", "#!/usr/bin/env -S A=1 {}"])
def test_a_script_names_no_interpreter_of_its_own_choice(line: str, folder: Path, elsewhere: Path) -> None:
    script(folder / "bot", line.format(elsewhere / "bin" / "x"))
    with pytest.raises(StartError, match="not chosen") as caught:
        find_program(folder, ["./bot"])
    assert caught.value.hint == "write `x` alone, with its folder on PATH where the arena runs"


def test_a_command_names_no_program_of_its_own_choice(
    folder: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = elsewhere / "bin" / "x"
    around = f"{Path(sys.executable).parent}/../../..{program}"
    for command in (str(program), f"/usr/bin/../..{program}", around, f"{{python}}/../../../..{program}"):
        with pytest.raises(StartError, match="not chosen"):
            find_program(folder, [command])
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    assert find_program(folder, ["x"]).tools[0] == program
    assert find_program(folder, [str(program)]).tools[0] == program


def test_a_link_into_a_chosen_folder_is_taken_by_the_folders_own_name(
    folder: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The prefix that is shown is then that of PATH, not one beside the link."""
    monkeypatch.setenv("PATH", str(elsewhere / "bin"))
    (folder / "bin").symlink_to(elsewhere / "bin")
    assert find_program(folder, [str(folder / "bin" / "x")]).tools[0] == elsewhere / "bin" / "x"


def test_a_system_link_that_leads_out_of_the_system_is_nobodys_choice(
    folder: Path, elsewhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = tmp_path / "usr"
    (system / "share").mkdir(parents=True)
    (system / "share" / "data").symlink_to(elsewhere)
    script(system / "share" / "y")
    monkeypatch.setattr(host, "SYSTEM_DIRS", (system,))
    assert find_program(folder, [str(system / "share" / "y")]).argv[0] == str(system / "share" / "y")
    with pytest.raises(StartError, match="not chosen"):
        find_program(folder, [str(system / "share" / "data" / "bin" / "x")])


@pytest.mark.parametrize(
    ("variable", "place"),
    [
        ("PYENV_ROOT", "versions/3.1/bin/x"),
        ("RBENV_ROOT", "versions/3.1/bin/x"),
        ("NVM_DIR", "versions/node/v20/bin/x"),
        ("RUSTUP_HOME", "toolchains/stable/bin/x"),
    ],
)
def test_a_version_managers_store_may_be_named(
    variable: str, place: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = script(tmp_path / "manager" / place)
    monkeypatch.setenv(variable, str(tmp_path / "manager"))
    assert find_program(folder, [str(program)]).tools[0] == program
    with pytest.raises(StartError, match="not chosen"):
        find_program(folder, [str(script(tmp_path / "manager" / "bin" / "x"))])


@pytest.mark.parametrize("version", ["../../data", "x/../../../data", "/data", "..", "a/b", ".hidden"])
def test_a_version_file_holds_a_plain_name(
    version: str, folder: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = elsewhere.parent / "manager"
    script(root / "shims" / "x")
    script(root / "versions" / "1.0" / "bin" / "x")
    script(root / "versions" / "a" / "b" / "bin" / "x")
    script(root / "versions" / ".hidden" / "bin" / "x")
    (root / "version").write_text("1.0\n")
    monkeypatch.setenv("PATH", str(root / "shims"))
    (folder / ".x-version").write_text(version.replace("/data", str(elsewhere), 1))
    assert find_program(folder, ["x"]).tools[0] == root / "versions" / "1.0" / "bin" / "x"
    (folder / ".x-version").write_text(version)
    assert find_program(folder, ["x"]).tools[0] == root / "versions" / "1.0" / "bin" / "x"


def test_a_version_file_without_an_end_is_passed_over(
    folder: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(elsewhere / "shims" / "x")
    script(elsewhere / "versions" / "1.0" / "bin" / "x")
    (elsewhere / "version").write_text("1.0\n")
    monkeypatch.setenv("PATH", str(elsewhere / "shims"))
    os.mkfifo(folder / ".x-version")
    assert "1.0" in find_program(folder, ["x"]).argv[0]


def test_an_interpreter_of_the_bots_own_is_no_tool(folder: Path) -> None:
    """It would have been looked for from where the arena was started."""
    script(folder / "own" / "bin" / "x")
    script(folder / "bot", "#!own/bin/x")
    assert find_program(folder, ["./bot"]).tools == ()
    script(folder / "bot", "#!../data/bin/x")
    with pytest.raises(StartError, match="outside its directory"):
        find_program(folder, ["./bot"])


def test_a_program_of_the_bot_is_named_from_its_folder(folder: Path) -> None:
    script(folder / "sub" / "x")
    with pytest.raises(StartError) as caught:
        find_program(folder, [str(folder / "sub" / "x")])
    assert caught.value.hint == "name it from the bot's folder: ./sub/x"


def test_what_a_version_file_points_at_is_not_seen(
    folder: Path,
    elsewhere: Path,
    strong: Level,
    monkeypatch: pytest.MonkeyPatch,
    read_some: Callable[[SeatProcess], bytes],
) -> None:
    """The whole way, with a real process in its box."""
    look = f"#!/bin/sh\ncat {elsewhere}/etc/secret || echo unseen"
    manager = elsewhere.parent / "manager"
    for place in ("shims", "versions/1.0/bin"):
        script(manager / place / "x", look)
    script(elsewhere / "bin" / "x", look)
    (manager / "version").write_text("1.0\n")
    (folder / ".x-version").write_text("../../data\n")
    monkeypatch.setenv("PATH", f"{manager / 'shims'}:/usr/bin:/bin")
    seat = spawn(folder, ["x"], Limits(), strong)
    try:
        assert read_some(seat) == b"unseen\n"
    finally:
        stop_all([seat], 0)
