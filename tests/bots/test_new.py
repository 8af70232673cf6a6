"""`arena bot new`: every template is a whole bot that passes its own test and answers as all others do."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.bots.build import build
from arena.bots.levels import Level
from arena.bots.manifest import LANGUAGES, read_manifest
from arena.bots.new import (
    FRAMES,
    TEMPLATES,
    Language,
    find_language,
    languages,
    missing_tools,
    new_bot,
    tool_trouble,
)
from arena.bots.resolve import load
from arena.errors import ArenaError, Exit
from protocol import FrameDecoder, decode_payload

ROOT = Path(__file__).parents[2]
SECONDS = 240
ENVIRONMENT = {
    "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    "PYTHONPATH": str(ROOT),
    "PYTHONDONTWRITEBYTECODE": "1",
    "LANG": "C.UTF-8",
}


def needs(language: Language, need_tool: Callable[[str], str]) -> None:
    """Skip without the toolchain; fail under CI=true."""
    for tool in missing_tools(language):
        need_tool(tool)
        if os.environ.get("CI") == "true":
            pytest.fail(f"`{tool}` {tool_trouble(tool)}")
        pytest.skip(f"`{tool}` {tool_trouble(tool)}")


@pytest.fixture
def made(tmp_path: Path, language: Language) -> Path:
    return new_bot(tmp_path / language.id, language).directory


def unframe(data: bytes) -> list[dict[str, Any]]:
    decoder = FrameDecoder()
    decoder.feed(data)
    messages = []
    while (payload := decoder.next_frame()) is not None:
        messages.append(decode_payload(payload))
    assert decoder.pending == 0
    return messages


each = pytest.mark.parametrize("language", languages(), ids=lambda language: language.id)


def test_every_language_has_a_template() -> None:
    assert tuple(language.id for language in languages()) == LANGUAGES
    assert {path.name for path in TEMPLATES.iterdir() if path.is_dir()} == set(LANGUAGES)


def test_the_recorded_frames_hold_every_phase() -> None:
    messages = unframe((TEMPLATES / FRAMES).read_bytes())
    acts = [message for message in messages if message["type"] == "act"]
    phases = {"bid1", "bid2", "joker_name", "discard", "defend", "play"}
    assert {act["phase"] for act in acts} == phases
    assert {"NT", None} <= {act["trump"] for act in acts}
    assert any(act["alone"] for act in acts)
    assert any("play:JK" in act["legal"] for act in acts)
    assert messages[0]["type"] == "hello"
    assert messages[-1]["type"] == "bye"


@each
def test_a_template_is_a_whole_bot(made: Path, language: Language) -> None:
    manifest = read_manifest(made)
    assert (manifest.name, manifest.version, manifest.language) == (language.id, "0.1", language.id)
    assert manifest.games == ("north-american", "british")
    assert bool(manifest.build) == (language.id in ("typescript", "c", "cpp", "rust", "java", "go", "csharp"))
    files = {path.name for path in made.iterdir()}
    assert {"bot.toml", "README.md", FRAMES, language.source} <= files
    readme = (made / "README.md").read_text()
    assert language.test in readme
    assert all(" ".join(step) in readme for step in manifest.build)
    for path in made.iterdir():
        assert b"@NAME@" not in path.read_bytes(), path
    assert "choose" in (made / language.source).read_text().lower()


@pytest.mark.slow
@each
def test_a_template_passes_its_own_test(
    made: Path, language: Language, need_tool: Callable[[str], str]
) -> None:
    needs(language, need_tool)
    environment = ENVIRONMENT | {"HOME": str(made.parent / "home")}
    if "RUSTUP_HOME" in os.environ or (Path.home() / ".rustup").is_dir():
        environment["RUSTUP_HOME"] = os.environ.get("RUSTUP_HOME", str(Path.home() / ".rustup"))
    done = subprocess.run(
        ["sh", "-c", language.test],
        cwd=made,
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@each
def test_all_languages_answer_alike(
    made: Path, language: Language, tmp_path: Path, need_tool: Callable[[str], str]
) -> None:
    needs(language, need_tool)
    frames = (TEMPLATES / FRAMES).read_bytes()
    acts = [message for message in unframe(frames) if message["type"] == "act"]
    directory = build(load(made), Level.BASIC, home=tmp_path / "home").directory
    command = [word.replace("{python}", sys.executable) for word in read_manifest(directory).command]
    done = subprocess.run(
        command,
        cwd=directory,
        env=ENVIRONMENT,
        input=frames,
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    assert (done.returncode, done.stderr.decode()) == (0, "")
    answers = unframe(done.stdout)
    assert answers[0] == {"type": "ready"}
    assert [answer["id"] for answer in answers[1:]] == [act["id"] for act in acts]
    assert [answer["action"] for answer in answers[1:]] == expected(acts)


def expected(acts: list[dict[str, Any]]) -> list[str]:
    """What the Python template answers."""
    space: dict[str, Any] = {"__name__": "template"}
    exec((TEMPLATES / "python" / "bot.py").read_text(), space)
    from protocol import View

    return [space["choose"](View(act)) for act in acts]


def test_names(tmp_path: Path) -> None:
    python = find_language("python")
    assert new_bot(tmp_path / "My first bot!", python).name == "My-first-bot"
    assert new_bot(tmp_path / "x", python, name="thinker").name == "thinker"
    assert tomllib.loads((tmp_path / "x" / "bot.toml").read_text())["name"] == "thinker"
    for bad in ("a b", "../x", "", "-x", "x" * 70):
        with pytest.raises(ArenaError) as caught:
            new_bot(tmp_path / "y", python, name=bad) if bad else new_bot(tmp_path / "...", python)
        assert caught.value.exit_code == Exit.USAGE
    assert not (tmp_path / "y").exists()


def test_a_folder_that_is_not_empty_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ArenaError, match="not empty"):
        new_bot(tmp_path, find_language("c"))
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    (tmp_path / "empty").mkdir()
    assert (new_bot(tmp_path / "empty", find_language("c")).directory / "bot.c").is_file()


@pytest.mark.parametrize(
    ("text", "found"), [("C++", "cpp"), ("c#", "csharp"), ("js", "javascript"), ("TypeScript", "typescript")]
)
def test_languages_by_other_names(text: str, found: str) -> None:
    assert find_language(text).id == found


def test_an_unknown_language_gets_a_suggestion() -> None:
    with pytest.raises(ArenaError, match="unknown language `rubby`") as caught:
        find_language("rubby")
    assert "`ruby`" in caught.value.hint


def test_the_python_bots_own_test_says_what_it_lacks(tmp_path: Path) -> None:
    made = new_bot(tmp_path / "x", find_language("python")).directory
    done = subprocess.run(
        [sys.executable, "-S", "-E", "test_bot.py"],
        cwd=made, capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "this Python has no package `protocol`" in done.stderr
    assert "pip install ./protocol" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_tool_that_is_there_and_not_ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rustup = tmp_path / "bin" / "rustup"
    rustup.parent.mkdir()
    rustup.write_text("#!/bin/sh\nexit 1\n")
    rustup.chmod(0o755)
    (tmp_path / "bin" / "rustc").symlink_to("rustup")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("RUSTUP_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("arena.bots.program.SYSTEM_PATH", ())
    trouble = tool_trouble("rustc")
    assert "rustup has no default toolchain" in trouble
    assert "rustup default stable" in trouble
    assert tool_trouble("go") == "is not installed here"
    assert new_bot(tmp_path / "x", find_language("rust")).missing == ("rustc",)
    tool = tmp_path / "home" / "toolchains" / "stable" / "bin" / "rustc"
    tool.parent.mkdir(parents=True)
    tool.write_text("#!/bin/sh\nexit 1\n")
    tool.chmod(0o755)
    (tmp_path / "home" / "settings.toml").write_text('default_toolchain = "stable"\n')
    assert tool_trouble("rustc") == ""
