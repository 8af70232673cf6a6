"""Text that a bot chose, made safe to show: it cannot move a cursor, colour a line or turn it round."""

from __future__ import annotations

import unicodedata

MAX_SHOWN = 200
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_MARKS = frozenset({"Mn", "Me"})


def plain(text: str, limit: int | None = MAX_SHOWN) -> str:
    """One line of harmless text: what is not a printable character is written as an escape.

    Control characters, bidirectional and other invisible format characters, line separators, lone
    surrogates and stacks of more than two combining marks become `\\x1b`, `\\u202e` and so on. At most
    `limit` characters of the text are shown.
    """
    if text.isascii() and text.isprintable():
        return _cut(text, limit)
    shown: list[str] = []
    marks = 0
    for char in text if limit is None else text[: limit + 1]:
        category = unicodedata.category(char)
        marks = marks + 1 if category in _MARKS else 0
        if category in _HIDDEN or marks > 2:
            shown.append(_escape(char))
        else:
            shown.append(char)
    return _cut("".join(shown), limit)


def columns(text: str) -> int:
    """How many columns of a terminal a harmless text takes: wide characters two, combining marks none."""
    return sum(
        0 if unicodedata.category(char) in _MARKS else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def padded(text: str, width: int) -> str:
    """`text` filled with spaces up to `width` columns."""
    return text + " " * (width - columns(text))


def plain_lines(text: str, limit: int = 20, width: int | None = MAX_SHOWN) -> list[str]:
    """The last `limit` lines of a text, each as `plain` shows it with `width`; tabs become spaces."""
    lines = text.replace("\r\n", "\n").expandtabs(4).split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    return [plain(line, width) for line in lines[-limit:]]


def head_and_tail(text: str, head: int, tail: int) -> list[str]:
    """The first and last lines of a text, as `plain_lines` shows them: causes stand at either end."""
    lines = plain_lines(text, len(text))
    if len(lines) <= head + tail:
        return lines
    return [*lines[:head], f"... ({len(lines) - head - tail} lines)", *lines[-tail:]]


def _escape(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _cut(text: str, limit: int | None) -> str:
    if limit is None or len(text) <= limit:
        return text
    return text[: max(limit - 3, 0)] + "..."
