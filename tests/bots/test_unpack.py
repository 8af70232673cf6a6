"""Strangers' archives: what is in them comes out, nothing comes out elsewhere, and never too much."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.bots.bundle import bundle
from arena.bots.unpack import copy_folder, unpack
from arena.errors import ArenaError

MANIFEST = b'name = "x"\nversion = "1"\ncommand = ["./run"]\n'


def member(name: str, data: bytes = b"", **more: object) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for key, value in more.items():
        setattr(info, key, value)
    return info, data


def tar(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    with tarfile.open(path, "w") as archive:
        for info, data in members:
            archive.addfile(info, io.BytesIO(data) if data else None)
    return path


def zipped(path: Path, *members: tuple[str, bytes, int]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data, mode in members:
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
    return path


def fresh(folder: Path) -> Path:
    target = folder / "target"
    target.mkdir()
    return target


GOOD = (
    member("./bot.toml", MANIFEST),
    member("src/", type=tarfile.DIRTYPE, mode=0o755),
    member("run", b"#!/bin/sh\n", mode=0o4777),
    member("src/link", type=tarfile.SYMTYPE, linkname="../run"),
    member("twin", type=tarfile.LNKTYPE, linkname="run"),
    member(".git/config", b"secret"),
)


def expect_good(target: Path) -> None:
    assert (target / "bot.toml").read_bytes() == MANIFEST
    assert stat.S_IMODE((target / "run").stat().st_mode) == 0o755
    assert stat.S_IMODE((target / "bot.toml").stat().st_mode) == 0o644
    assert os.readlink(target / "src" / "link") == "../run"
    assert (target / "twin").read_bytes() == b"#!/bin/sh\n"
    assert not (target / ".git").exists()


@pytest.mark.parametrize(
    "compress", [bytes, gzip.compress, bz2.compress, lzma.compress], ids=["plain", "gzip", "bzip2", "xz"]
)
def test_tar_files_of_every_kind(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    plain = tar(tmp_path / "plain", *GOOD).read_bytes()
    archive = tmp_path / "bot.archive"
    archive.write_bytes(compress(plain))
    target = fresh(tmp_path)
    unpack(archive, target)
    expect_good(target)


def test_a_zip_file(tmp_path: Path) -> None:
    archive = zipped(
        tmp_path / "bot.zip",
        ("bot.toml", MANIFEST, 0o100644),
        ("src/", b"", 0o40755),
        ("run", b"#!/bin/sh\n", 0o100755),
        ("twin", b"#!/bin/sh\n", 0),
        ("src/link", b"../run", 0o120777),
        ("__MACOSX/._run", b"junk", 0o100644),
    )
    target = fresh(tmp_path)
    unpack(archive, target)
    expect_good(target)
    assert not (target / "__MACOSX").exists()


@pytest.mark.parametrize(
    "name",
    ["../evil", "a/../../evil", "/etc/evil", "a/b/../../../evil", "C:evil", "a\\..\\evil", "d/" * 50 + "x"],
)
def test_a_way_out_is_refused(tmp_path: Path, name: str) -> None:
    for number, archive in enumerate(
        (tar(tmp_path / "t.tar", member(name, b"x")), zipped(tmp_path / "t.zip", (name, b"x", 0o100644)))
    ):
        target = tmp_path / f"target{number}"
        target.mkdir()
        with pytest.raises(ArenaError):
            unpack(archive, target)
        assert list(target.rglob("*")) == []
    assert list(tmp_path.rglob("evil")) == []
    assert not Path("/etc/evil").exists()


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    link = member("way", type=tarfile.SYMTYPE, linkname=str(outside))
    for number, members in enumerate(
        (
            (link, member("way/evil", b"x")),
            (link, member("way", b"x")),
            (link, member("way/in", type=tarfile.SYMTYPE, linkname="x")),
            (member("way/evil", b"x"), link),
        )
    ):
        target = tmp_path / f"target{number}"
        target.mkdir()
        with pytest.raises(ArenaError):
            unpack(tar(tmp_path / "t.tar", *members), target)
    assert list(outside.iterdir()) == []


def test_a_link_that_leads_outside_is_found_by_the_bundle(tmp_path: Path) -> None:
    target = fresh(tmp_path)
    unpack(tar(tmp_path / "t.tar", member("way", type=tarfile.SYMTYPE, linkname="../../etc/passwd")), target)
    with pytest.raises(ArenaError, match="outside"):
        bundle(target)


@pytest.mark.parametrize("kind", [tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE], ids=["c", "b", "p"])
def test_devices_and_pipes_are_refused(tmp_path: Path, kind: bytes) -> None:
    with pytest.raises(ArenaError, match="device or a pipe"):
        unpack(tar(tmp_path / "t.tar", member("thing", type=kind)), fresh(tmp_path))


def test_a_device_in_a_zip_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="device or a pipe"):
        unpack(zipped(tmp_path / "t.zip", ("thing", b"", 0o020666)), fresh(tmp_path))


def test_a_hard_link_to_something_else_is_refused(tmp_path: Path) -> None:
    for name in ("/etc/passwd", "../x", "later"):
        with pytest.raises(ArenaError):
            unpack(
                tar(tmp_path / "t.tar", member("twin", type=tarfile.LNKTYPE, linkname=name)),
                _target(tmp_path, name),
            )


def _target(tmp_path: Path, name: str) -> Path:
    target = tmp_path / name.replace("/", "-").replace(".", "-")
    target.mkdir()
    return target


def test_bombs_stay_small(tmp_path: Path) -> None:
    zeros = bytes(30 << 20)
    big = tmp_path / "big.tar"
    big.write_bytes(gzip.compress(tar(tmp_path / "p.tar", member("big", zeros)).read_bytes()))
    many = tar(tmp_path / "many.tar", *(member(f"f{i}") for i in range(200)))
    cases = (
        (big, "10 MiB"),
        (zipped(tmp_path / "big.zip", ("big", zeros, 0o100644)), "10 MiB"),
        (many, "100 files"),
        (zipped(tmp_path / "many.zip", *((f"f{i}", b"", 0o100644) for i in range(200))), "100 files"),
    )
    for number, (archive, words) in enumerate(cases):
        target = _target(tmp_path, f"t{number}")
        with pytest.raises(ArenaError, match=words):
            unpack(archive, target, max_files=100, max_bytes=10 << 20)
        assert sum(path.stat().st_size for path in target.rglob("*")) <= 11 << 20


def test_a_header_cannot_ask_for_memory(tmp_path: Path) -> None:
    """A tar file's own headers are read into memory whole, so their size is bounded too."""
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.XHDTYPE, 64 << 20
    archive = tmp_path / "t.tar.xz"
    archive.write_bytes(lzma.compress(info.tobuf() + bytes(64 << 20) + bytes(1024), preset=0))
    with pytest.raises(ArenaError, match="far too long"):
        unpack(archive, fresh(tmp_path))


CUT_OFF = {
    "empty": b"",
    "text": b"hello, I am no archive",
    "zip": b"PK\x03\x04" + bytes(50),
    "gzip": b"\x1f\x8b" + bytes(50),
    "bzip2": b"BZh9" + bytes(50),
    "xz": b"\xfd7zXZ\0" + bytes(50),
    "cut off gzip": gzip.compress(bytes(700), mtime=0)[:-9],
    "cut off xz": lzma.compress(bytes(700))[:-9],
}


@pytest.mark.parametrize("data", CUT_OFF.values(), ids=CUT_OFF)
def test_what_is_no_archive_or_is_cut_off_is_one_line(tmp_path: Path, data: bytes) -> None:
    archive = tmp_path / "thing"
    archive.write_bytes(data)
    target = fresh(tmp_path)
    with pytest.raises(ArenaError, match="thing: cannot be unpacked"):
        unpack(archive, target)
    assert list(target.rglob("*")) == []


def test_an_encrypted_zip_file(tmp_path: Path) -> None:
    archive = zipped(tmp_path / "t.zip", ("x", b"secret", 0o100644))
    data = bytearray(archive.read_bytes())
    for sign in (b"PK\x03\x04", b"PK\x01\x02"):
        at = data.index(sign) + (6 if sign.endswith(b"\x04") else 8)
        data[at] |= 1
    archive.write_bytes(data)
    with pytest.raises(ArenaError, match="cannot be unpacked"):
        unpack(archive, fresh(tmp_path))


def test_twice_the_same_name(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="comes twice"):
        unpack(tar(tmp_path / "t.tar", member("a", b"1"), member("./a", b"2")), fresh(tmp_path))
    with pytest.raises(ArenaError, match="a file and a folder"):
        unpack(tar(tmp_path / "u.tar", member("a", b"1"), member("a/b", b"2")), _target(tmp_path, "u"))


def test_a_folder_is_copied_as_it_is(tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "lib" / "deep").mkdir(parents=True)
    (source / "bot.toml").write_bytes(MANIFEST)
    (source / "run").write_text("#!/bin/sh\n")
    (source / "run").chmod(0o700)
    (source / "lib" / "deep" / "x").write_text("x")
    (source / "lib" / "link").symlink_to("deep/x")
    (source / "__pycache__").mkdir()
    (source / "__pycache__" / "junk").write_text("junk")
    target = fresh(tmp_path)
    copy_folder(source, target)
    assert bundle(target).digest == bundle(source).digest
    assert not (target / "__pycache__").exists()
    os.mkfifo(source / "pipe")
    with pytest.raises(ArenaError, match="pipe"):
        copy_folder(source, _target(tmp_path, "again"))
