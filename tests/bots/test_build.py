"""Builds: sealed, once a digest, in a copy, and an error that shows the compiler's words when they fail."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.bots.build import BUILD_LIMITS, BuildError, build, build_place
from arena.bots.levels import Level
from arena.bots.limits import Limits
from arena.bots.resolve import Bot, load
from arena.errors import ArenaError, Exit

MAKE = "import pathlib; pathlib.Path('made').write_text('#!/bin/sh' + pathlib.Path('source').read_text() * 2)"
CHMOD = '["chmod", "+x", "made"]'


def bot(folder: Path, steps: str, name: str = "smith") -> Bot:
    directory = folder / name
    directory.mkdir()
    (directory / "bot.toml").write_text(
        f'name = "{name}"\nversion = "1"\ncommand = ["./made"]\nbuild = {steps}\n'
    )
    (directory / "source").write_text("\nab")
    (directory / "__pycache__").mkdir()
    return load(directory)


def python(program: str) -> str:
    return f'["{{python}}", "-c", "{program}"]'


def builds(home: Path) -> list[str]:
    return [path.name for path in build_place("x", home).parent.iterdir()]


def test_a_bot_without_a_build_runs_where_it_lies(tmp_path: Path) -> None:
    smith = bot(tmp_path, "[]")
    assert build(smith, Level.BASIC, home=tmp_path / "home").directory == smith.directory
    assert not (tmp_path / "home").exists()


def test_a_build_is_made_in_a_copy(tmp_path: Path, level: Level) -> None:
    smith = bot(tmp_path, f"[{python(MAKE)}, {CHMOD}]")
    before = sorted(path.name for path in smith.directory.iterdir())
    done = build(smith, level, home=tmp_path / "home")
    assert (done.directory / "made").read_text() == "#!/bin/sh\nab\nab"
    assert os.access(done.directory / "made", os.X_OK)
    assert done.directory == build_place(smith.digest, tmp_path / "home")
    assert sorted(path.name for path in smith.directory.iterdir()) == before
    assert not (done.directory / "__pycache__").exists()
    assert "+ chmod +x made" in done.output
    assert builds(tmp_path / "home") == [smith.digest]


def test_a_build_is_made_once_a_digest(tmp_path: Path) -> None:
    home = tmp_path / "home"
    smith = bot(tmp_path, f"[{python(MAKE)}, {CHMOD}]")
    done = build(smith, Level.BASIC, home=home)
    assert done.seconds is not None
    (done.directory / "made").write_text("kept")
    kept = build(smith, Level.BASIC, home=home)
    assert (kept.seconds, (kept.directory / "made").read_text()) == (None, "kept")
    again = build(smith, Level.BASIC, home=home, again=True)
    assert (again.directory / "made").read_text() == "#!/bin/sh\nab\nab"
    (smith.directory / "source").write_text("\ncd")
    changed = build(load(smith.directory), Level.BASIC, home=home)
    assert (changed.directory / "made").read_text() == "#!/bin/sh\ncd\ncd"


def test_a_sealed_build_sees_no_network_and_cannot_touch_its_source(tmp_path: Path, strong: Level) -> None:
    connect = "import socket; socket.create_connection(('127.0.0.1', 9), 5)"
    with pytest.raises(BuildError) as caught:
        build(bot(tmp_path, python(connect)), strong, home=tmp_path / "home")
    assert "Error" in caught.value.output
    write = "import os; open('/bot/mine', 'w')"
    with pytest.raises(BuildError) as caught:
        build(bot(tmp_path, python(write), "writer"), strong, home=tmp_path / "home")
    assert "Read-only" in caught.value.output


def test_a_build_may_lock_files(tmp_path: Path, strong: Level) -> None:
    """Go's and Rust's own tools do; a seat may not."""
    lock = "import fcntl; f = open('lock', 'w'); fcntl.flock(f, 2); fcntl.lockf(f, 2)"
    build(bot(tmp_path, f"[{python(lock)}, {python(MAKE)}, {CHMOD}]"), strong, home=tmp_path / "home")


@pytest.mark.parametrize(
    ("steps", "said", "output"),
    [
        (python("import sys; print('line 3: oops'); sys.exit(4)"), "build failed at: ", "oops\nexit code 4"),
        (f"[{CHMOD}, {CHMOD}]", "build failed at: chmod", "cannot access 'made'"),
        ('["true"]', "`./made` is missing after its build", "+ true"),
        (python("import time; time.sleep(60)"), "took longer than 0 s", ""),
        (python("open('made', 'wb').write(bytes(3 << 20))"), "build failed at", "File too large"),
        (python("x = bytearray(200 << 20); input()"), "build failed at", "MemoryError"),
    ],
)
def test_a_build_that_fails_shows_its_words_and_leaves_nothing(
    tmp_path: Path, steps: str, said: str, output: str
) -> None:
    limits = Limits(**BUILD_LIMITS.to_dict() | {"file_bytes": 2 << 20, "memory_mb": 100})
    seconds = 0.3 if "sleep" in steps else 60
    with pytest.raises(BuildError) as caught:
        build(bot(tmp_path, steps), Level.BASIC, home=tmp_path / "home", limits=limits, seconds=seconds)
    assert said in caught.value.message
    assert "smith" in caught.value.message
    assert output in caught.value.output
    assert caught.value.exit_code == Exit.BAD_INPUT
    assert builds(tmp_path / "home") == []


def test_a_compiler_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="no program `no-such-compiler`"):
        build(bot(tmp_path, '["no-such-compiler", "x"]'), Level.BASIC, home=tmp_path / "home")


def test_what_a_build_makes_may_not_lead_outside(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="outside the bot's directory"):
        build(bot(tmp_path, '["ln", "-s", "/etc/passwd", "made"]'), Level.BASIC, home=tmp_path / "home")
    assert builds(tmp_path / "home") == []


def test_a_home_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")
    with pytest.raises(ArenaError, match="cannot be written to") as caught:
        build(bot(tmp_path, python(MAKE)), Level.BASIC, home=tmp_path / "home")
    assert caught.value.exit_code == Exit.ENVIRONMENT
