"""From a BOT argument to a bot."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.bots.resolve import (
    arena_home,
    find,
    find_registered,
    overshadowed,
    registered_names,
    resolve,
    sample_bots,
)
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


def told(argument: str, home: Path) -> str:
    return overshadowed(argument, resolve(argument, home=home), home=home)


def test_a_name_that_means_two_bots_is_told(home: Path) -> None:
    here = home.parent / "here"
    make(home / "bots" / "mybot" / "0.1", version="0.1")
    assert told("mybot", home) == ""
    make(here / "mybot", version="0.2")
    assert told("mybot", home) == (
        "`mybot` is the folder ./mybot here, not the registered bot of that name (mybot@0.1 plays that one)"
    )
    assert told("./mybot", home) == ""
    assert told("mybot@0.1", home) == ""
    make(here / "careful", "careful")
    assert told("careful", home) == "`careful` is the folder ./careful here, not the sample bot of that name"
    make(home / "bots" / "greedy" / "1")
    assert told("greedy", home) == "`greedy` is the registered bot here, not the sample bot of that name"


def test_the_same_files_under_two_names_are_not_worth_a_word(home: Path) -> None:
    make(home / "bots" / "mybot" / "0.1")
    make(home.parent / "here" / "mybot")
    assert told("mybot", home) == ""


def test_what_may_have_been_meant(home: Path) -> None:
    here = home.parent / "here"
    for version in ("0.1", "0.2"):
        make(home / "bots" / "mybot" / version, version=version)
    (here / "t.toml").write_text("pairs = 3\n")
    (here / "mybot.zip").write_text("")
    for argument, hint in (
        ("mybot@9", "of `mybot` there are mybot@0.1, mybot@0.2"),
        ("careful@9", "`careful` has no versions"),
        ("t.toml", "--config t.toml"),
        ("mybot.zip", "arena bot add ./mybot.zip"),
        ("mybt@0.1", "did you mean `mybot`?"),
        ("zzz", "a path (./zzz), a registered bot, or a sample bot: careful,"),
    ):
        with pytest.raises(ArenaError, match="unknown bot") as caught:
            find(argument, home=home)
        assert hint in caught.value.hint, argument
