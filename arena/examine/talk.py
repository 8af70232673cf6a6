"""A conversation with one process of a bot, in which any bytes can be sent in any pieces.

The referee's seats (arena/table) are made for speed; this one is made for trying things: it writes frames
whole, in pieces or one by one, freezes the bot in between, and remembers what was said last.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from collections import deque
from collections.abc import Sequence

from arena.bots.process import SeatProcess, spawn, stop_all
from arena.examine.subject import Subject
from arena.table.referee import Came, Foul, Map, NoFrame, Why, judge_ready
from protocol import RemoteProtocolError, codec

READ = 65536
KEPT = 6
"""So many messages that were sent last are kept for a report."""
PIECE_PAUSE_S = 0.004
LAST_WORDS_S = 0.1
"""How long a bot whose stdout has ended is given to be gone, so that its exit code can be told."""
_TICK_S = 0.05


class Talk:
    """One process of a bot, started. Use it as a context: nothing of it is left at the end."""

    def __init__(self, subject: Subject) -> None:
        """Raises StartError (an ArenaError) when it cannot be started as it stands."""
        self.subject = subject
        manifest = subject.bot.manifest
        self.codec = codec(subject.encoding)
        self.began = time.monotonic()
        self.process: SeatProcess = spawn(
            subject.directory, manifest.command, subject.limits, subject.level, name=manifest.name
        )
        self._decoder = self.codec.decoder()
        self._fed = b""
        self._ended = False
        self.sent: deque[Map] = deque(maxlen=KEPT)
        """The messages that were sent last."""
        self.answered = 0
        self.peak = 0
        """The most memory seen, in bytes."""

    def __enter__(self) -> Talk:
        return self

    def __exit__(self, *exc: object) -> None:
        self.process.kill()
        stop_all([self.process], 0)

    # --- writing

    def send(self, message: Map, seconds: float | None = None) -> NoFrame | None:
        """Send one message in the usual form."""
        return self.write(self.codec.encode(message), [message], seconds)

    def write(
        self, data: bytes, messages: Sequence[Map] = (), seconds: float | None = None
    ) -> NoFrame | None:
        """Write all of `data`, which stands for `messages`; what went wrong, None if nothing did.

        What the bot writes meanwhile is taken in, so that neither side can block the other.
        """
        self.sent.extend(messages)
        deadline = time.monotonic() + (self._move_s if seconds is None else seconds)
        while data:
            try:
                data = data[os.write(self.process.stdin_fd, data) :]
            except BlockingIOError:
                left = deadline - time.monotonic()
                if left <= 0:
                    return NoFrame(Why.BLOCKED, f"{len(data)} bytes could not be written")
                self._poll(left, writing=True)
            except OSError:
                return NoFrame(Why.EOF, self._decoder.hint() or "it closed its stdin")
        return None

    def write_pieces(self, data: bytes, messages: Sequence[Map] = ()) -> NoFrame | None:
        """Write `data` in pieces with short pauses, the first of them in the middle of the length."""
        cuts = [1, 3, 4, 5, len(data) // 2, len(data) - 1]
        start = 0
        for cut in sorted(cut for cut in set(cuts) if 0 < cut < len(data)):
            trouble = self.write(data[start:cut], messages if start == 0 else ())
            if trouble is not None:
                return trouble
            start = cut
            time.sleep(PIECE_PAUSE_S)
        return self.write(data[start:])

    # --- reading

    def receive(self, seconds: float | None = None) -> Came:
        """The next frame, within `seconds` (the limit of a move if left out)."""
        deadline = time.monotonic() + (self._move_s if seconds is None else seconds)
        while True:
            try:
                payload = self._decoder.next_frame()
            except RemoteProtocolError as error:
                return NoFrame(Why.BAD_BYTES, error.text)
            if payload is not None:
                self.answered += 1
                return payload
            if self._ended:
                return NoFrame(Why.EOF, self._decoder.hint() or "its stdout ended")
            left = deadline - time.monotonic()
            if left <= 0:
                return NoFrame(Why.LATE, self._decoder.hint())
            self._poll(left)
            if self.memory() > self.subject.limits.memory_mb << 20:
                self.process.kill()
                return NoFrame(Why.MEMORY, f"it used {self.peak >> 20} MiB")

    def wait(self, seconds: float) -> None:
        """Take in what comes on stdout and stderr for `seconds`."""
        deadline = time.monotonic() + seconds
        while not self._ended:
            self._poll(max(0.0, deadline - time.monotonic()))
            if time.monotonic() >= deadline:
                break

    def stray(self, seconds: float = 0.0) -> bytes:
        """What has come on stdout though nothing was asked, or comes within `seconds`; taken away."""
        self.wait(seconds)
        pending = self._fed[max(0, len(self._fed) - self._decoder.pending) :]
        self._decoder = self.codec.decoder()
        return pending

    def _poll(self, seconds: float, *, writing: bool = False) -> None:
        """Take in what comes within `seconds`; returns as soon as something has."""
        poll = select.poll()
        process = self.process
        if not self._ended:
            poll.register(process.stdout_fd, select.POLLIN)
        if process.flowing()[1] >= 0:
            poll.register(process.stderr_fd, select.POLLIN)
        if writing:
            poll.register(process.stdin_fd, select.POLLOUT)
        for fd, _ in poll.poll(min(max(seconds, 0.0), _TICK_S) * 1000):
            if fd == process.stderr_fd:
                process.drain_stderr()
            elif fd == process.stdout_fd:
                data = os.read(fd, READ)
                self._ended = not data
                self._decoder.feed(data)
                self._fed = (self._fed + data)[-READ:]

    # --- the usual steps

    def greet(self, hello: Map, data: bytes | None = None) -> tuple[tuple[str, str] | Foul, float]:
        """Say hello (as `data`, if it is not to be in the usual form); name and version, or the foul, and the
        seconds from the start of the process."""
        limit = self.subject.limits.start_ms / 1000
        trouble = self.write(self.codec.encode(hello) if data is None else data, [hello], limit)
        came = trouble or self.receive(max(0.0, self.began + limit - time.monotonic()))
        return judge_ready(came, self.codec.decode), time.monotonic() - self.began

    def memory(self) -> int:
        """Bytes that the whole seat holds now."""
        used = self.process.memory_bytes() or 0
        self.peak = max(self.peak, used)
        return used

    def wait_end(self, seconds: float) -> float | None:
        """Wait until the process has ended; the seconds that it took, None if it still runs."""
        began = time.monotonic()
        while self.process.returncode is None:
            if time.monotonic() - began > seconds:
                return None
            self._poll(0.005)
            if self._ended:
                time.sleep(0.002)
        return time.monotonic() - began

    def ending(self) -> str:
        """How it ended, in words; "" where it still runs."""
        self.wait_end(LAST_WORDS_S)
        code = self.process.returncode
        if code is None:
            return ""
        number = -code if code < 0 else code - 128 if 128 < code < 160 else 0
        if not number:
            return f"exit code {code}"
        with contextlib.suppress(ValueError):
            return f"killed by {signal.Signals(number).name}"
        return f"killed by signal {number}"

    def stderr(self) -> str:
        """What is kept of its stderr."""
        self.process.drain_stderr()
        return self.process.stderr.text()

    @property
    def _move_s(self) -> float:
        limit = self.subject.limits.move_ms
        return 60.0 if limit is None else limit / 1000
