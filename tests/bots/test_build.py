"""Builds: once a digest, in a copy, and an error in one piece when they fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.bots.build import built
from arena.bots.resolve import load
from arena.errors import ArenaError, Exit

MAKE = "import pathlib; pathlib.Path('made').write_text(pathlib.Path('source').read_text() * 2)"


def bot(folder: Path, build: str, name: str = "smith") -> Path:
    directory = folder / name
    directory.mkdir()
    (directory / "bot.toml").write_text(
        f'name = "{name}"\nversion = "1"\ncommand = ["./made"]\nbuild = {build}\n'
    )
    (directory / "source").write_text("ab")
    (directory / "__pycache__").mkdir()
    return directory


def python(program: str) -> str:
    return f'["{{python}}", "-c", "{program}"]'


def test_a_bot_without_a_build_runs_where_it_lies(tmp_path: Path) -> None:
    directory = bot(tmp_path, "[]")
    assert built(load(directory), tmp_path / "home") == directory
    assert not (tmp_path / "home").exists()


def test_a_build_is_made_in_a_copy(tmp_path: Path) -> None:
    directory = bot(tmp_path, python(MAKE))
    before = sorted(path.name for path in directory.iterdir())
    made = built(load(directory), tmp_path / "home")
    assert (made / "made").read_text() == "abab"
    assert made == tmp_path / "home" / "builds" / load(directory).digest
    assert sorted(path.name for path in directory.iterdir()) == before
    assert not (made / "__pycache__").exists()


def test_a_build_is_made_once_a_digest(tmp_path: Path) -> None:
    directory = bot(tmp_path, python(MAKE))
    made = built(load(directory), tmp_path / "home")
    (made / "made").write_text("kept")
    assert (built(load(directory), tmp_path / "home") / "made").read_text() == "kept"
    (directory / "source").write_text("cd")
    assert (built(load(directory), tmp_path / "home") / "made").read_text() == "cdcd"


def test_steps_run_in_order(tmp_path: Path) -> None:
    more = "import pathlib; p = pathlib.Path('made'); p.write_text(p.read_text().upper())"
    made = built(load(bot(tmp_path, f"[{python(MAKE)}, {python(more)}]")), tmp_path / "home")
    assert (made / "made").read_text() == "ABAB"


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (
            python("import sys; print('line 3: oops'); sys.exit(4)"),
            r"`smith`.*exit code 4\n(.|\n)*line 3: oops",
        ),
        ('["no-such-compiler", "x"]', "its build cannot run `no-such-compiler x`"),
        (python("import time; time.sleep(60)"), r"took longer than 0\.5 s"),
    ],
)
def test_a_build_that_fails_leaves_no_build(tmp_path: Path, build: str, said: str) -> None:
    directory = bot(tmp_path, build)
    with pytest.raises(ArenaError, match=said) as caught:
        built(load(directory), tmp_path / "home", limit_s=0.5 if "sleep" in build else 60)
    assert caught.value.exit_code == Exit.BAD_INPUT
    assert [path.suffix for path in (tmp_path / "home" / "builds").iterdir()] == [".log"]


def test_a_home_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")
    with pytest.raises(ArenaError, match="cannot be kept") as caught:
        built(load(bot(tmp_path, python(MAKE))), tmp_path / "home")
    assert caught.value.exit_code == Exit.ENVIRONMENT
