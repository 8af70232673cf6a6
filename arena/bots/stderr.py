"""What is kept of a seat's stderr: its beginning and its end, in bounded memory."""

from __future__ import annotations


class StderrBuffer:
    """Half of the bound holds the first bytes, half the last; what lies between is counted only."""

    __slots__ = ("_head", "_head_bound", "_tail", "_tail_bound", "total")

    def __init__(self, bound: int) -> None:
        self._head_bound = bound // 2
        self._tail_bound = bound - self._head_bound
        self._head = bytearray()
        self._tail = bytearray()
        self.total = 0
        """Bytes that the seat wrote."""

    def feed(self, data: bytes) -> None:
        self.total += len(data)
        room = self._head_bound - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        if len(self._tail) > self._tail_bound:
            del self._tail[: len(self._tail) - self._tail_bound]

    @property
    def left_out(self) -> int:
        """Bytes that were not kept."""
        return self.total - len(self._head) - len(self._tail)

    def text(self) -> str:
        """As text, safe for a terminal: other control characters than newline and tab are replaced."""
        gap = f"\n... {self.left_out} bytes left out ...\n" if self.left_out else ""
        return _printable(self._head) + gap + _printable(self._tail)

    def tail(self, characters: int = 2000) -> str:
        """The last characters of `text()`."""
        return self.text()[-characters:]


def _printable(data: bytearray) -> str:
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text)
