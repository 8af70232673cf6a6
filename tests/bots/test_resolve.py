"""From a BOT argument to a bot."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.bots.resolve import arena_home, find, find_registered, registered_names, resolve, sample_bots
from arena.errors import ArenaError


def make(directory: Path, name: str = "mybot", version: str = "1") -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "bot.toml").write_text(f'name = "{name}"\nversion = "{version}"\ncommand = ["./b"]\n')
    return directory


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory and an arena home of their own."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "home"


def test_a_path(home: Path) -> None:
    directory = make(home.parent / "here" / "bots" / "one")
    for argument in ("bots/one", "./bots/one", str(directory), "bots/one/"):
        assert find(argument, home=home) == directory
    bot = resolve("bots/one", home=home)
    assert (bot.name, bot.directory, len(bot.digest)) == ("mybot", directory, 64)


def test_a_folder_here_goes_before_all_else(home: Path) -> None:
    make(home / "bots" / "random" / "1")
    here = make(home.parent / "here" / "random")
    assert find("random", home=home) == here


def test_a_registered_bot_goes_before_a_sample(home: Path) -> None:
    directory = make(home / "bots" / "random" / "1")
    assert find("random", home=home) == directory
    assert registered_names(home) == ["random"]


def test_versions_of_a_registered_bot(home: Path) -> None:
    old, new = make(home / "bots" / "b" / "1.0"), make(home / "bots" / "b" / "2.0")
    os.utime(old, (1000, 1000))
    os.utime(new, (2000, 2000))
    assert find_registered("b", home) == new
    assert find_registered("b@1.0", home) == old
    assert find_registered("b@3.0", home) is None
    (home / "bots" / "b" / "current").symlink_to("1.0")
    assert find_registered("b", home) == old
    assert find_registered("c", home) is None


def test_another_registry(home: Path, tmp_path: Path) -> None:
    asked = []

    def registered(name: str) -> Path | None:
        asked.append(name)
        return tmp_path / "there"

    assert find("b", home=home, registered=registered) == tmp_path / "there"
    assert asked == ["b"]


def test_sample_bots_are_found_from_anywhere(home: Path) -> None:
    found = sample_bots()
    assert {"random", "greedy", "careful"} <= set(found)
    for name in ("random", "greedy", "careful"):
        assert resolve(name, home=home).name == name


@pytest.mark.parametrize(
    ("argument", "message", "hint"),
    [
        ("randon", "unknown bot `randon`", "`random`"),
        ("mybto", "unknown bot `mybto`", "`mybot`"),
        ("registerd", "unknown bot `registerd`", "`registered`"),
        ("zzzzzz", "unknown bot `zzzzzz`", "a sample bot: careful"),
        ("./nowhere", "bot `./nowhere`: there is no such directory", "bot.toml"),
        ("bots/file", "bot `bots/file`: it is not a directory", ""),
        ("", "empty", ""),
        ("..", "bot.toml", ""),
    ],
)
def test_bad(argument: str, message: str, hint: str, home: Path) -> None:
    make(home / "bots" / "registered" / "1")
    make(home.parent / "here" / "mybot")
    (home.parent / "here" / "bots").mkdir()
    (home.parent / "here" / "bots" / "file").write_text("")
    with pytest.raises(ArenaError) as caught:
        resolve(argument, home=home)
    assert message in caught.value.message
    assert hint in caught.value.hint


def test_arena_home() -> None:
    assert arena_home({"ARENA_HOME": "/somewhere/x"}) == Path("/somewhere/x")
    assert arena_home({"XDG_DATA_HOME": "/data"}) == Path("/data/euchre-arena")
    assert arena_home({}).name == "euchre-arena"
