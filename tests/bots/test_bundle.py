"""The canonical digest of a bot's directory."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import socket
from pathlib import Path

import pytest

from arena.bots.bundle import Bundle, bundle
from arena.errors import ArenaError


def make(directory: Path, files: dict[str, str], *, shuffled: int = 0) -> Path:
    names = list(files)
    random.Random(shuffled).shuffle(names)
    for name in names:
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files[name])
    return directory


FILES = {"bot.toml": "x", "bot.py": "print()", "lib/a.py": "a", "lib/b.py": "", "lib.txt": "t"}


def test_by_hand(tmp_path: Path) -> None:
    make(tmp_path, {"b": "two", "a/c": "one"})
    (tmp_path / "b").chmod(0o755)
    expected = hashlib.sha256(b"arena/bundle/1\n")
    for kind, name, content in ((b"f", b"a/c", b"one"), (b"x", b"b", b"two")):
        expected.update(
            kind + len(name).to_bytes(8, "big") + len(content).to_bytes(8, "big") + name + content
        )
    assert bundle(tmp_path) == Bundle(expected.hexdigest(), 2, 6)


def test_place_order_and_times_do_not_matter(tmp_path: Path) -> None:
    first = bundle(make(tmp_path / "one", FILES)).digest
    second = make(tmp_path / "deep" / "two", FILES, shuffled=5)
    os.utime(second / "bot.py", (1, 1))
    (second / "bot.py").chmod(0o600)
    assert bundle(second).digest == first
    shutil.copytree(second, tmp_path / "three")
    assert bundle(tmp_path / "three").digest == first


@pytest.mark.parametrize(
    "change",
    [
        lambda d: (d / "bot.py").write_text("print(1)"),
        lambda d: (d / "bot.py").rename(d / "bot2.py"),
        lambda d: (d / "bot.py").chmod(0o755),
        lambda d: (d / "new").write_text(""),
        lambda d: (d / "lib.txt").unlink(),
        lambda d: (d / "link").symlink_to("bot.py"),
    ],
    ids=["content", "name", "executable", "new", "gone", "link"],
)
def test_what_matters(change: object, tmp_path: Path) -> None:
    before = bundle(make(tmp_path, FILES)).digest
    change(tmp_path)  # type: ignore[operator]
    assert bundle(tmp_path).digest != before


def test_what_is_ignored(tmp_path: Path) -> None:
    before = bundle(make(tmp_path, FILES)).digest
    make(tmp_path, {"__pycache__/bot.pyc": "x", ".git/HEAD": "x", "lib/__pycache__/a.pyc": "y"})
    (tmp_path / "empty").mkdir()
    assert bundle(tmp_path).digest == before


def test_a_link_is_not_the_file_it_points_to(tmp_path: Path) -> None:
    one, two = make(tmp_path / "one", {"a": "b"}), make(tmp_path / "two", {"b": ""})
    (one / "l").symlink_to("a")
    (two / "a").write_text("b")
    (two / "b").unlink()
    (two / "l").write_text("a")
    assert bundle(one).digest != bundle(two).digest


@pytest.mark.parametrize("target", ["/etc/passwd", "../../secret", "..", "lib/../../x"])
def test_links_out_are_refused(target: str, tmp_path: Path) -> None:
    directory = make(tmp_path / "bots" / "mine", FILES)
    (directory / "out").symlink_to(target)
    with pytest.raises(ArenaError, match="outside the bot's directory"):
        bundle(directory)


def test_special_files_are_refused(tmp_path: Path) -> None:
    make(tmp_path, FILES)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ArenaError, match="pipe: a device, socket or pipe"):
        bundle(tmp_path)
    (tmp_path / "pipe").unlink()
    with socket.socket(socket.AF_UNIX) as listening:
        before = Path.cwd()
        os.chdir(tmp_path)
        try:
            listening.bind("s")
        finally:
            os.chdir(before)
        with pytest.raises(ArenaError, match="a device, socket or pipe"):
            bundle(tmp_path)


def test_bounds(tmp_path: Path) -> None:
    make(tmp_path, FILES)
    with pytest.raises(ArenaError, match="more than 4 files"):
        bundle(tmp_path, max_files=4)
    with (tmp_path / "big").open("wb") as file:
        file.truncate(3 << 20)
    with pytest.raises(ArenaError, match=r"larger than 2 MiB \(at `big`\)"):
        bundle(tmp_path, max_bytes=2 << 20)


def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    try:
        (tmp_path / os.fsdecode(b"\xff\xfe")).write_text("x")
    except OSError:
        pytest.skip("this file system takes only UTF-8 names")
    assert bundle(tmp_path).files == 1


def test_a_missing_directory(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="cannot be read"):
        bundle(tmp_path / "nowhere")
