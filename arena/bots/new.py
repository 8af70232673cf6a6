"""`arena bot new`: a complete small bot in any of the arena's languages, from `templates/`."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from arena.bots.manifest import NAME, read_manifest
from arena.bots.program import StartError, find_program
from arena.errors import ArenaError, Exit, suggestion

TEMPLATES = Path(__file__).parent / "templates"
FRAMES = "frames.bin"
"""Recorded requests of every phase, for the bot's own test."""


@dataclass(frozen=True, slots=True)
class Language:
    """What an author of this language has to know."""

    id: str
    title: str
    source: str
    """The file that holds `choose`."""
    tools: tuple[str, ...]
    """Programs that it needs."""
    test: str
    """The command that runs the bot's own test, without the arena."""
    install: str
    """Where the tools come from, Debian's names."""
    stderr: str
    """How to print without disturbing the frames."""


_LIST = (
    Language(
        "python", "Python", "bot.py", (), "python3 test_bot.py",
        "pip install ./protocol from the arena's repository gives your own Python the package `protocol`",
        "print(..., file=sys.stderr)",
    ),
    Language(
        "javascript", "JavaScript", "bot.js", ("node",), "node --test",
        "apt install nodejs (18 or newer)", "console.error(...)",
    ),
    Language(
        "typescript", "TypeScript", "bot.ts", ("node",), "node build.mjs && node --test",
        "apt install nodejs; before Node 22.13 also npm install -g typescript", "console.error(...)",
    ),
    Language(
        "c", "C", "bot.c", ("cc",), "cc -o test test.c && ./test", "apt install gcc libc6-dev",
        "fprintf(stderr, ...)",
    ),
    Language(
        "cpp", "C++", "bot.cpp", ("c++",), "c++ -std=c++17 -o test test.cpp && ./test", "apt install g++",
        "std::cerr << ...",
    ),
    Language(
        "rust", "Rust", "bot.rs", ("rustc",), "rustc --edition 2021 --test -o test bot.rs && ./test",
        "apt install rustc, or rustup", "eprintln!(...)",
    ),
    Language(
        "java", "Java", "Bot.java", ("javac", "java"), "javac Bot.java BotTest.java && java BotTest",
        "apt install openjdk-17-jdk-headless", "System.err.println(...)",
    ),
    Language("go", "Go", "bot.go", ("go",), "go test", "apt install golang-go", "log.Println(...)"),
    Language(
        "lua", "Lua", "bot.lua", ("lua5.4",), "lua5.4 test_bot.lua", "apt install lua5.4",
        "io.stderr:write(...)",
    ),
    Language("ruby", "Ruby", "bot.rb", ("ruby",), "ruby test_bot.rb", "apt install ruby", "warn ..."),
    Language("perl", "Perl", "bot.pl", ("perl",), "perl test_bot.pl", "apt install perl", "warn ..."),
    Language(
        "php", "PHP", "bot.php", ("php",), "php test_bot.php", "apt install php-cli",
        "fwrite(STDERR, ...)",
    ),
    Language(
        "csharp", "C#", "Bot.cs", ("mcs", "mono"),
        "mcs -main:BotTest -out:test.exe Bot.cs BotTest.cs && mono test.exe",
        "apt install mono-mcs mono-runtime", "Console.Error.WriteLine(...)",
    ),
)  # fmt: skip

_README = """\
# {name}

A euchre bot in {title}. `choose` in `{source}` is the place for your own thinking: it gets one request
(`hand`, `upcard`, `trump`, `tricks`, ... as PROTOCOL.md explains them) and gives one word out of `legal`.
As it stands it calls on three trumps, plays its highest card and discards its lowest.

{build}Its own test, without the arena:

    {test}

It asks the bot what is recorded in `{frames}`, requests of every phase, and looks whether each answer
is legal. Then, with the arena:

    arena bot check .                  is everything right?
    arena bot probe .                  each message of a hand, as it goes
    arena run . careful greedy --out ../results        a rated tournament
    arena bot add .                    keep this version, to play others against it

Print to stderr, never to stdout, which is for messages: `{stderr}`.
Needs: {install}.
"""
_SHORT = {
    "c++": "cpp", "c#": "csharp", "cs": "csharp", "js": "javascript", "node": "javascript",
    "ts": "typescript", "py": "python", "rs": "rust", "rb": "ruby", "golang": "go",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class NewBot:
    """What was written."""

    directory: Path
    name: str
    language: Language
    missing: tuple[str, ...]
    """Of the programs that it needs, those that cannot be used: `tool_trouble` says why."""


def languages() -> tuple[Language, ...]:
    """Every language that has a template."""
    return _LIST


def find_language(text: str) -> Language:
    """The language of a name. Raises ArenaError, with a suggestion, for an unknown one."""
    known = {language.id: language for language in _LIST}
    word = _SHORT.get(text.lower(), text.lower())
    if word in known:
        return known[word]
    raise ArenaError(
        f"unknown language `{text}`",
        hint=f"{suggestion(word, known)}; a bot may be in any other too, by PROTOCOL.md",
        exit_code=Exit.USAGE,
    )


def new_bot(directory: Path, language: Language, name: str | None = None) -> NewBot:
    """Write a bot of that language into `directory`, which must not be there, or be empty.

    `name` is the directory's own name if it is left out. Raises ArenaError.
    """
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise ArenaError(f"{directory}: is there already, and not empty", hint="name a new folder")
    called = name or re.sub(r"[^A-Za-z0-9._+-]+", "-", directory.absolute().name).strip("-._+")
    if not NAME.fullmatch(called):
        raise ArenaError(
            f"a bot cannot be called `{called}`",
            hint="--name: letters, digits and `. _ + -`, beginning with a letter or digit",
            exit_code=Exit.USAGE,
        )
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for source in sorted((TEMPLATES / language.id).iterdir()):
            if source.is_file():
                target = directory / source.name
                target.write_text(source.read_text("utf-8").replace("@NAME@", called), "utf-8")
                shutil.copymode(source, target)
        shutil.copyfile(TEMPLATES / FRAMES, directory / FRAMES)
        (directory / "README.md").write_text(_readme(directory, called, language), "utf-8")
    except OSError as error:
        raise ArenaError(
            f"{directory}: cannot be written: {error.strerror}", exit_code=Exit.ENVIRONMENT
        ) from None
    return NewBot(directory, called, language, missing_tools(language))


def missing_tools(language: Language) -> tuple[str, ...]:
    """Of the programs that a language needs, those that cannot be used."""
    missing = [tool for tool in language.tools if tool_trouble(tool)]
    if language.id == "typescript" and not missing and shutil.which("tsc") is None and not _strips_types():
        missing.append("tsc")
    return tuple(missing)


def tool_trouble(tool: str) -> str:
    """Why a program cannot be used, with the remedy where it is there and not ready; nothing if it can be."""
    if shutil.which(tool) is None:
        return "is not installed here"
    try:
        find_program(Path("/"), [tool])
    except StartError as error:
        return f"{error.message.partition(f'`{tool}` ')[2] or error.message}: {error.hint}"
    return ""


def _strips_types() -> bool:
    """Whether this Node makes JavaScript of TypeScript by itself (22.13 and newer)."""
    asks = "process.exit(require('module').stripTypeScriptTypes ? 0 : 1)"
    return subprocess.run(["node", "-e", asks], capture_output=True, check=False).returncode == 0


def _readme(directory: Path, name: str, language: Language) -> str:
    build = " && ".join(map(shlex.join, read_manifest(directory).build))
    return _README.format(
        name=name,
        title=language.title,
        source=language.source,
        build=f"The arena builds it by itself; by hand it is\n\n    {build}\n\n" if build else "",
        test=language.test,
        frames=FRAMES,
        stderr=language.stderr,
        install=language.install,
    )
