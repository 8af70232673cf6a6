"""The one error that reaches a user: what is wrong, with what, and how to put it right."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from enum import IntEnum
from re import search


class Exit(IntEnum):
    """Exit codes, documented in README.md."""

    OK = 0
    FAILED = 1
    """The command ran and found something wrong: a log that does not verify, a bot that fails its check."""
    USAGE = 2
    """The command line itself is wrong: an unknown command, option or value."""
    BAD_INPUT = 3
    """A bot, manifest, file or directory that cannot be used."""
    ENVIRONMENT = 4
    """This machine refuses: disk full, not writable, isolation not to be had, directory in use, a package
    missing."""
    INTERNAL = 5
    """Our own bug; a report is written."""
    INTERRUPTED = 130


class ArenaError(Exception):
    """Shown to the user as one line, never as a traceback."""

    def __init__(self, message: str, *, hint: str = "", exit_code: Exit = Exit.BAD_INPUT) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.exit_code = exit_code

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


def suggestion(word: str, known: Iterable[str]) -> str:
    """A hint for an unknown name: the one that is near it, else all that there are."""
    names = list(known)
    near = get_close_matches(word, names, 1)
    return f"did you mean `{near[0]}`?" if near else f"one of {', '.join(names)}"


def toml_hint(text: str, error: ValueError) -> str:
    """A hint for TOML that cannot be read: the line that `error` names, and how values are written."""
    forms = 'text stands in quotes, lists in brackets: bots = ["careful", "./mybot"], pairs = 20, pin = true'
    found = search(r"at line (\d+)", str(error))
    lines = text.splitlines()
    number = int(found[1]) if found else len(lines)
    if not 1 <= number <= len(lines):
        return forms
    return f"line {number} is `{lines[number - 1].strip()[:60]}`; {forms}"
