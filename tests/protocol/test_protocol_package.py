"""The package alone: what it imports, what it exports, and that it builds."""

from __future__ import annotations

import ast
import importlib.util
import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import protocol

ROOM = Path(protocol.__file__).parent


def test_it_imports_the_standard_library_and_msgpack_alone() -> None:
    allowed = set(sys.stdlib_module_names) | {"msgpack", "protocol"}
    for file in ROOM.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert {alias.name.split(".")[0] for alias in node.names} <= allowed, file
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0
                assert (node.module or "").split(".")[0] in allowed, file


def test_every_exported_name_is_there() -> None:
    assert len(set(protocol.__all__)) == len(protocol.__all__)
    for name in protocol.__all__:
        assert getattr(protocol, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        protocol.nothing  # noqa: B018


def test_a_bot_that_starts_does_not_load_what_it_does_not_need() -> None:
    program = "import sys, protocol; print(*sorted(m for m in sys.modules if m.startswith('protocol')))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(ROOM.parent), "PATH": os.environ["PATH"]},
    )
    assert not {"protocol.messages", "protocol.session"} & set(done.stdout.split())


def test_its_version_of_msgpack_is_the_arena_s() -> None:
    own = tomllib.loads((ROOM / "pyproject.toml").read_text(encoding="utf-8"))
    arena = tomllib.loads((ROOM.parent / "pyproject.toml").read_text(encoding="utf-8"))
    assert set(own["project"]["dependencies"]) <= set(arena["project"]["dependencies"])
    assert own["project"]["requires-python"] == arena["project"]["requires-python"]
    assert (ROOM / "LICENSE").read_text() == (ROOM.parent / "LICENSE").read_text()


def test_it_builds_alone(tmp_path: Path) -> None:
    if importlib.util.find_spec("hatchling") is None:
        assert os.environ.get("CI") != "true", "CI installs hatchling"
        pytest.skip("hatchling is not installed")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOM,
        check=True,
        capture_output=True,
    )
    [wheel] = tmp_path.glob("arena_protocol-*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    expected = {
        f"protocol/{path.relative_to(ROOM)}"
        for path in ROOM.rglob("*")
        if path.suffix in (".py", ".json", ".md")
    }
    assert expected | {"protocol/py.typed", "protocol/PROTOCOL.md"} <= names
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    program = "import protocol; from protocol import Act, run; print(protocol.__file__)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={"PYTHONPATH": str(site), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(done.stdout.strip()) == site / "protocol" / "__init__.py"
