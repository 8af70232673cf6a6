"""protocol/languages: the code on each page is that of a bot which the tests build and run.

The templates of `arena bot new` are built and asked what is recorded in tests/bots/test_new.py; Python's page
shows the second bot of PROTOCOL.md, which tests/protocol/test_protocol_md.py runs.
"""

from __future__ import annotations

import re
import textwrap
import tomllib
from pathlib import Path

import pytest

import protocol
from arena.bots.manifest import parse_manifest
from arena.bots.new import TEMPLATES, Language, languages
from arena.examine import mistakes

ROOM = Path(protocol.__file__).parent
PAGES = ROOM / "languages"
PROTOCOL = (ROOM / "PROTOCOL.md").read_text(encoding="utf-8")

each = pytest.mark.parametrize("language", languages(), ids=lambda language: language.id)


def page(language: Language) -> str:
    return (PAGES / f"{language.id}.md").read_text(encoding="utf-8")


def blocks(text: str) -> list[tuple[str, str]]:
    """(tag, code) of each fenced block."""
    return re.findall(r"^```([^\n]*)\n(.*?)^```$", text, re.M | re.S)


def flat(text: str) -> str:
    """Without indentation, which a page may have less of."""
    return "\n".join(line.strip() for line in text.strip().splitlines())


def test_there_is_a_page_for_each_language_and_protocol_md_names_it() -> None:
    assert {path.name for path in PAGES.iterdir()} == {f"{language.id}.md" for language in languages()}
    for language in languages():
        assert f"(languages/{language.id}.md)" in PROTOCOL


@each
def test_its_code_is_that_of_a_bot_that_is_run(language: Language) -> None:
    manifest, *code = blocks(page(language))
    assert manifest[0] == "toml"
    read = parse_manifest(tomllib.loads(manifest[1]), Path("bot.toml"))
    assert read.language == language.id
    template = (TEMPLATES / language.id / "bot.toml").read_text().replace("@NAME@", "mybot")
    assert manifest[1] == template
    assert [tag for tag, _ in code] == ([language.id] if language.id == "python" else [language.id] * 2)
    if language.id == "python":
        assert f"```python bot\n{code[0][1]}```" in PROTOCOL
        return
    source = flat((TEMPLATES / language.id / language.source).read_text())
    for _, text in code:
        assert flat(text) in source
        assert textwrap.dedent(text) == text
    # Nothing of the wire is left out: what follows the mark is codec, frames and loop, and the class's end.
    wire = source[source.index("The wire: 4 bytes of length") :].partition("\n")[2]
    for _, text in code:
        wire = wire.replace(flat(text), "")
    assert wire.strip() in ("", "}")


@each
def test_it_says_what_the_examination_says(language: Language) -> None:
    text = page(language).replace("\\|", "|")
    for words in (
        mistakes.FLUSH[language.id],
        mistakes.READ[language.id],
        mistakes.BIN.get(language.id, ""),
        language.stderr,
        language.install,
    ):
        assert words in " ".join(text.split())
    source = Path(mistakes.__file__).read_text(encoding="utf-8")
    for words in ("stdout is not flushed. Flush after each message", "stdin was read as text: read bytes"):
        assert words in source
        assert words in text or f"{words} " in text
    for words in (
        "stdout is for messages alone: print to stderr",
        "a read is not a message",
        "cut to 32 bits",
    ):
        assert words in source
        assert words in text


@each
def test_links_lead_somewhere(language: Language) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page(language)):
        assert (PAGES / target).is_file(), target
