"""Registered bots: kept by content, a version for ever, nothing of what was refused."""

from __future__ import annotations

import shutil
import tarfile
import time
import zipfile
from pathlib import Path

import pytest

from arena.bots.build import build, build_place
from arena.bots.levels import Level
from arena.bots.registry import Registered, Registry
from arena.bots.resolve import find, load, resolve
from arena.errors import ArenaError, Exit


def bot(folder: Path, name: str = "smith", version: str = "1.0", code: str = "one", more: str = "") -> Path:
    directory = folder / f"{name}-{version}-{code}"
    directory.mkdir(parents=True)
    (directory / "bot.toml").write_text(
        f'name = "{name}"\nversion = "{version}"\ncommand = ["./run"]\n{more}\n'
    )
    (directory / "run").write_text(f"#!/bin/sh\necho {code}\n")
    (directory / "run").chmod(0o755)
    return directory


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    return Registry(tmp_path / "home")


def add(registry: Registry, source: Path) -> Registered:
    with registry.staged(source) as staged:
        return registry.register(staged, source=str(source), check="passed")


def test_a_folder_is_kept_as_it_is_and_found_by_its_name(tmp_path: Path, registry: Registry) -> None:
    source = bot(tmp_path, more='language = "c"\nowner = "me"\ngames = ["british"]')
    record = add(registry, source)
    assert (record.name, record.version, record.language, record.owner) == ("smith", "1.0", "c", "me")
    assert (record.games, record.files, record.check) == (("british",), 2, "passed")
    shutil.rmtree(source)
    found = resolve("smith", home=registry.home)
    assert (found.digest, found.manifest.version) == (record.digest, "1.0")
    assert found.directory == registry.directory(record)
    assert resolve("smith@1.0", home=registry.home) == found
    assert registry.all() == [record]
    assert list((registry.home / "staging").iterdir()) == []


def test_the_same_bot_again_is_no_news(tmp_path: Path, registry: Registry) -> None:
    source = bot(tmp_path)
    record = add(registry, source)
    with registry.staged(source) as staged:
        assert registry.admissible(staged) == record
        assert registry.register(staged, source="elsewhere") == record
    assert registry.all() == [record]


def test_a_changed_bot_needs_a_new_version(tmp_path: Path, registry: Registry) -> None:
    add(registry, bot(tmp_path))
    changed = bot(tmp_path, code="two")
    (changed / "new file").write_text("x")
    with registry.staged(changed) as staged, pytest.raises(ArenaError, match="other files") as caught:
        registry.register(staged, source="x")
    assert "run changed" in caught.value.message
    assert "new file is new" in caught.value.message
    assert "version" in caught.value.hint
    assert (registry.home / "bots" / "smith" / "1.0" / "run").read_text() == "#!/bin/sh\necho one\n"


def test_old_versions_stay_and_the_newest_is_meant(tmp_path: Path, registry: Registry) -> None:
    old = add(registry, bot(tmp_path, version="2"))
    time.sleep(0.002)  # the order is that of adding, not of the numbers
    new = add(registry, bot(tmp_path, version="1.5", code="two"))
    assert [record.version for record in registry.versions("smith")] == ["1.5", "2"]
    assert resolve("smith", home=registry.home).digest == new.digest
    assert resolve("smith@2", home=registry.home).digest == old.digest
    assert registry.find("smith@2") == [old]


def test_archives(tmp_path: Path, registry: Registry) -> None:
    """With the bot at the top, or in one folder; the content counts, not the packing."""
    source = bot(tmp_path)
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as archive:
        archive.add(source, "smith")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        for path in source.iterdir():
            packed.write(path, path.name)
    digest = load(source).digest
    for name in ("a.tar.gz", "a.zip"):
        with registry.staged(tmp_path / name) as staged:
            assert staged.digest == digest
    assert add(registry, tmp_path / "a.tar.gz").digest == digest


def test_what_is_no_bot(tmp_path: Path, registry: Registry) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "two").mkdir()
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as packed:
        packed.writestr("a/bot.toml", "x")
        packed.writestr("b/bot.toml", "x")
    for source, words in (
        (tmp_path / "empty", "bot.toml"),
        (tmp_path / "two.zip", "bot.toml"),
        (tmp_path / "nothing", "no such folder or file"),
    ):
        with pytest.raises(ArenaError, match=words), registry.staged(source):
            raise AssertionError("staged")
    assert registry.all() == []
    assert list((registry.home / "staging").iterdir()) == []


@pytest.mark.parametrize("version", ["../2", "a/b", ".hidden", "current", "1 2"])
def test_versions_that_cannot_be_kept(tmp_path: Path, registry: Registry, version: str) -> None:
    source = bot(tmp_path)
    text = (source / "bot.toml").read_text().replace('"1.0"', f'"{version}"')
    (source / "bot.toml").write_text(text)
    with pytest.raises(ArenaError, match="cannot be registered as version"):
        add(registry, source)
    assert registry.all() == []


def test_a_folder_with_a_link_outside_is_refused(tmp_path: Path, registry: Registry) -> None:
    source = bot(tmp_path)
    (source / "way").symlink_to("/etc/passwd")
    with pytest.raises(ArenaError, match="outside"):
        add(registry, source)


def test_files_changed_where_they_are_kept(tmp_path: Path, registry: Registry) -> None:
    record = add(registry, bot(tmp_path))
    (registry.directory(record) / "run").write_text("#!/bin/sh\necho evil\n")
    with pytest.raises(ArenaError, match="changed where they are kept"):
        resolve("smith", home=registry.home)


def test_a_lost_record_is_made_up_from_the_files(tmp_path: Path, registry: Registry) -> None:
    record = add(registry, bot(tmp_path))
    shutil.rmtree(registry.home / "records")
    (again,) = registry.all()
    assert (again.label, again.digest, again.files) == (record.label, record.digest, record.files)


def test_removing(tmp_path: Path, registry: Registry) -> None:
    more = 'build = ["true"]'
    first = add(registry, bot(tmp_path, more=more))
    second = add(registry, bot(tmp_path, version="2", more=more))
    build(resolve("smith@2", home=registry.home), Level.BASIC, home=registry.home)
    assert build_place(second.digest, registry.home).is_dir()
    registry.remove(second)
    assert registry.all() == [first]
    assert not build_place(second.digest, registry.home).exists()
    assert not registry.directory(second).exists()
    registry.remove(first)
    assert registry.all() == []
    with pytest.raises(ArenaError, match="unknown bot"):
        find("smith", home=registry.home)
    assert add(registry, bot(tmp_path, code="other")).version == "1.0"


def test_unknown_names_get_a_suggestion(tmp_path: Path, registry: Registry) -> None:
    add(registry, bot(tmp_path))
    with pytest.raises(ArenaError, match="no registered bot") as caught:
        registry.find("smiht")
    assert "smith" in caught.value.hint


def test_a_home_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")
    registry = Registry(tmp_path / "home")
    assert registry.all() == []
    with pytest.raises(ArenaError) as caught, registry.staged(bot(tmp_path)):
        raise AssertionError("staged")
    assert caught.value.exit_code == Exit.ENVIRONMENT
