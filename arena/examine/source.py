"""A look into a bot's source for the lines that usually make the mistake that was seen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

MAX_FILES = 200
MAX_BYTES = 512 * 1024
MOST_LINES = 3


class Mistake(StrEnum):
    """What a line may do wrong."""

    PRINTS = "prints"
    """Text on stdout."""
    READS_TEXT = "reads text"
    """stdin taken for text."""
    READS_CHUNKS = "reads chunks"
    """What one read gives taken for a frame, or a whole buffer waited for."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a bot's source."""

    file: str
    number: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.number}: {self.text}"


_ENDINGS = {
    "python": (".py",), "javascript": (".js", ".mjs", ".cjs"), "typescript": (".ts", ".mts"),
    "c": (".c", ".h"), "cpp": (".cpp", ".cc", ".cxx", ".hpp", ".h"), "rust": (".rs",), "java": (".java",),
    "go": (".go",), "lua": (".lua",), "ruby": (".rb",), "perl": (".pl", ".pm"), "php": (".php",),
    "csharp": (".cs",),
}  # fmt: skip
_JS = {
    Mistake.PRINTS: r"console\.(log|info|debug)\(",
    Mistake.READS_TEXT: r"setEncoding\(|readline|readFileSync\(.*(utf|latin)",
    Mistake.READS_CHUNKS: r"on\(['\"]data['\"]|for await|readSync\(",
}
_C = {
    Mistake.PRINTS: r"\b(printf|puts|putchar)\s*\(|cout\s*<<\s*\"",
    Mistake.READS_TEXT: r"\b(scanf|fgets|gets|getline)\s*\(|cin\s*>>",
    Mistake.READS_CHUNKS: r"\b(fread|read)\s*\(|readsome\(",
}
_LINES: dict[str, dict[Mistake, str]] = {
    "python": {
        Mistake.PRINTS: r"(^|[^.\w])print\((?!.*file=)|sys\.stdout\.write\(",
        Mistake.READS_TEXT: r"sys\.stdin\.read|in sys\.stdin\b(?!\.buffer)|(^|[^.\w])input\(|open\(0\)",
        Mistake.READS_CHUNKS: r"os\.read\(|\.read1\(|\.read\(\)|buffer\.read\(\d{2,}\)",
    },
    "javascript": _JS,
    "typescript": _JS,
    "c": _C,
    "cpp": _C,
    "rust": {
        Mistake.PRINTS: r"(^|[^e])print(ln)?!\(",
        Mistake.READS_TEXT: r"read_line\(|read_to_string\(|\.lines\(\)",
        Mistake.READS_CHUNKS: r"\.read\(|read_to_end\(",
    },
    "java": {
        Mistake.PRINTS: r"System\.out\.print",
        Mistake.READS_TEXT: r"InputStreamReader|Scanner\(|readLine\(",
        Mistake.READS_CHUNKS: r"\.read\(|readAllBytes\(",
    },
    "go": {
        Mistake.PRINTS: r"fmt\.Print",
        Mistake.READS_TEXT: r"bufio\.NewScanner|ReadString\(|fmt\.Scan",
        Mistake.READS_CHUNKS: r"\.Read\(|ReadAll\(",
    },
    "lua": {
        Mistake.PRINTS: r"(^|[^.\w])print\(",
        Mistake.READS_TEXT: r"read\(['\"]\*?[lLn]|lines\(",
        Mistake.READS_CHUNKS: r"read\(['\"]\*?a|read\(\d{2,}\)",
    },
    "ruby": {
        Mistake.PRINTS: r"(^|[^.\w$])(puts|p|print|printf)\b",
        Mistake.READS_TEXT: r"\bgets\b|readline|each_line",
        Mistake.READS_CHUNKS: r"readpartial|\.read\b\s*$|\.read\(\d{2,}\)|sysread",
    },
    "perl": {
        Mistake.PRINTS: r"(^|[^\w{])(print|printf|say)\s+[\"']",
        Mistake.READS_TEXT: r":utf8|:encoding|<STDIN>|<>",
        Mistake.READS_CHUNKS: r"sysread",
    },
    "php": {
        Mistake.PRINTS: r"(^|\W)(echo|print|var_dump|print_r)\b",
        Mistake.READS_TEXT: r"fgets\(|readline\(",
        Mistake.READS_CHUNKS: r"fread\(|stream_get_contents",
    },
    "csharp": {
        Mistake.PRINTS: r"Console\.(Write|Out)",
        Mistake.READS_TEXT: r"Console\.(In|ReadLine|Read)\b|StreamReader",
        Mistake.READS_CHUNKS: r"\.Read\(",
    },
}


def suspicious(directory: Path, language: str, mistake: Mistake) -> list[Line]:
    """The first lines that may be to blame; none where the language is not known."""
    pattern = _LINES.get(language, {}).get(mistake)
    if pattern is None:
        return []
    found = []
    for file in _sources(directory, language):
        for number, text in enumerate(_text(file).splitlines(), 1):
            code = text.strip()
            if re.search(pattern, code) and not code.startswith(("#", "//", "--", "*", "/*")):
                found.append(Line(str(file.relative_to(directory)), number, code[:120]))
                if len(found) == MOST_LINES:
                    return found
    return found


def flushes(directory: Path, language: str) -> bool | None:
    """Whether anything in the source flushes at all; None where that cannot be told."""
    sources = list(_sources(directory, language))
    if not sources:
        return None
    return any(
        re.search(r"flush|autoflush|\$\|\s*=\s*1|sync\s*=\s*true", _text(file), re.I) for file in sources
    )


def _sources(directory: Path, language: str) -> Iterator[Path]:
    endings = _ENDINGS.get(language, ())
    for seen, file in enumerate(sorted(directory.rglob("*"))):
        if seen > MAX_FILES:
            return
        if file.suffix in endings and file.is_file() and not file.is_symlink() and "test" not in file.stem:
            yield file


def _text(file: Path) -> str:
    with file.open("rb") as opened:
        return opened.read(MAX_BYTES).decode("utf-8", "replace")
