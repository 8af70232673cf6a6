"""bot.toml: what is read from it, and what is said of each mistake."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.bots.manifest import Encoding, Manifest, read_manifest
from arena.errors import ArenaError, Exit

GOOD = 'name = "mybot"\nversion = "1.0"\ncommand = ["./mybot"]\n'


def write(directory: Path, text: str | bytes) -> Path:
    directory.mkdir(exist_ok=True)
    (directory / "bot.toml").write_bytes(text.encode() if isinstance(text, str) else text)
    return directory


def test_the_least(tmp_path: Path) -> None:
    assert read_manifest(write(tmp_path, GOOD)) == Manifest("mybot", "1.0", ("./mybot",))


def test_everything(tmp_path: Path) -> None:
    text = (
        'name = "My-Bot_1.x+y"\nversion = "2026 beta"\ncommand = ["{python}", "bot.py"]\n'
        'build = [["make", "clean"], ["make"]]\ngames = ["british"]\nencoding = "json"\n'
        'language = "python"\nowner = "Zoë"\n'
    )
    assert read_manifest(write(tmp_path, text)) == Manifest(
        "My-Bot_1.x+y",
        "2026 beta",
        ("{python}", "bot.py"),
        build=(("make", "clean"), ("make",)),
        games=("british",),
        encoding=Encoding.JSON,
        language="python",
        owner="Zoë",
    )


def test_one_build_command(tmp_path: Path) -> None:
    assert read_manifest(write(tmp_path, GOOD + 'build = ["make", "all"]\n')).build == (("make", "all"),)
    assert read_manifest(write(tmp_path, GOOD + "build = []\n")).build == ()


BAD = {
    "not TOML": ("name = mybot", "not valid TOML", "quotes"),
    "not UTF-8": (b'name = "\xff"', "not UTF-8", ""),
    "too large": (GOOD + "#" * 70_000, "larger than 64 KiB", ""),
    "unknown key": (GOOD + 'langauge = "c"', "unknown key `langauge`", "`language`"),
    "quite unknown key": (GOOD + "zzz = 1", "unknown key `zzz`", "known keys: name"),
    "a table": (GOOD + "[limits]\nmove_ms = 1", "unknown key `limits`", ""),
    "no name": ('version = "1"\ncommand = ["./b"]', "`name` is missing", 'name = "mybot"'),
    "no version": ('name = "b"\ncommand = ["./b"]', "`version` is missing", ""),
    "no command": ('name = "b"\nversion = "1"', "`command` is missing", '["./mybot"]'),
    "number as version": (
        'name = "b"\nversion = 1.0\ncommand = ["./b"]',
        "`version` must be text in quotes",
        "",
    ),
    "empty name": ('name = ""\nversion = "1"\ncommand = ["./b"]', "`name` must be", ""),
    "path as name": ('name = "../b"\nversion = "1"\ncommand = ["./b"]', "`name` must be letters", ""),
    "hidden name": ('name = ".b"\nversion = "1"\ncommand = ["./b"]', "`name` must be letters", ""),
    "escape as name": ('name = "b\\u001b[2J"\nversion = "1"\ncommand = ["./b"]', "`name` must be", ""),
    "markup as name": ('name = "[red]b"\nversion = "1"\ncommand = ["./b"]', "`name` must be letters", ""),
    "emoji as name": ('name = "🃏"\nversion = "1"\ncommand = ["./b"]', "`name` must be letters", ""),
    "long name": (f'name = "{"b" * 65}"\nversion = "1"\ncommand = ["./b"]', "`name` must be 1 to 64", ""),
    "newline in version": ('name = "b"\nversion = "1\\n2"\ncommand = ["./b"]', "`version` must be", ""),
    "text as command": ('name = "b"\nversion = "1"\ncommand = "python3 b.py"', '["python3", "b.py"]', ""),
    "empty command": ('name = "b"\nversion = "1"\ncommand = []', "`command` must be a list", ""),
    "numbers in command": (
        'name = "b"\nversion = "1"\ncommand = ["nice", 5]',
        "`command` must be a list",
        "",
    ),
    "zero byte": ('name = "b"\nversion = "1"\ncommand = ["a\\u0000"]', "zero byte", ""),
    "build as text": (GOOD + 'build = "make"', "`build` must be a list", ""),
    "games as text": (GOOD + 'games = "british"', "`games` must be a list", ""),
    "encoding": (GOOD + 'encoding = "xml"', '`encoding` must be "msgpack" or "json"', ""),
    "language": (GOOD + "language = 3", "`language` must be text", ""),
    "build for a shell": (GOOD + 'build = "ls && make"', '["sh", "-c", "ls && make"]', ""),
    "owner": (GOOD + "owner = true", "`owner` must be text", ""),
}


@pytest.mark.parametrize("case", BAD)
def test_bad(case: str, tmp_path: Path) -> None:
    text, expected, hint = BAD[case]
    with pytest.raises(ArenaError) as caught:
        read_manifest(write(tmp_path / "b", text))
    error = caught.value
    assert expected in error.message
    assert hint in error.hint
    assert str(tmp_path / "b" / "bot.toml") in error.message
    assert error.exit_code is Exit.BAD_INPUT
    assert "\x1b" not in str(error)
    assert "\n" not in str(error)


@pytest.mark.parametrize(("given", "kept"), [("Python", "python"), ("Haskell", "Haskell"), ("C++", "C++")])
def test_any_language_may_be_named(given: str, kept: str, tmp_path: Path) -> None:
    assert read_manifest(write(tmp_path, f'{GOOD}language = "{given}"')).language == kept


def test_no_manifest_and_no_directory(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match=r"has no `bot\.toml`"):
        read_manifest(tmp_path)
    with pytest.raises(ArenaError, match="no such directory"):
        read_manifest(tmp_path / "nowhere")
    (tmp_path / "file").write_text("")
    with pytest.raises(ArenaError, match="is not a directory"):
        read_manifest(tmp_path / "file")


def test_a_link_out_of_the_directory_is_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("root:x:0")
    for target in (str(secret), "../secret", "/etc/passwd", "inside"):
        bot = tmp_path / f"bot{len(target)}"
        bot.mkdir()
        (bot / "inside").symlink_to(secret)
        (bot / "bot.toml").symlink_to(target)
        with pytest.raises(ArenaError, match=r"bot\.toml: a link to `.*`, outside") as caught:
            read_manifest(bot)
        assert caught.value.exit_code is Exit.BAD_INPUT
        assert "root:x" not in str(caught.value)


def test_a_link_within_the_directory_may_stay(tmp_path: Path) -> None:
    bot = write(tmp_path / "bot", GOOD)
    (bot / "bot.toml").rename(bot / "real.toml")
    (bot / "bot.toml").symlink_to("real.toml")
    (tmp_path / "version").symlink_to(bot)
    assert read_manifest(tmp_path / "version").name == "mybot"


@pytest.mark.parametrize("kind", ["directory", "pipe"])
def test_what_is_no_file_is_refused_at_once(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "bot.toml"
    if kind == "directory":
        path.mkdir()
    else:
        os.mkfifo(path)
    with pytest.raises(ArenaError, match=r"bot\.toml: (not a file|cannot be read)"):
        read_manifest(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable(tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    (tmp_path / "bot.toml").chmod(0)
    with pytest.raises(ArenaError, match="cannot be read"):
        read_manifest(tmp_path)
