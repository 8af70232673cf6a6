"""One seat played by a process: blocking write, poll with the time that remains, read.

What it does while it is not asked (ends, prints, floods) is noted and charged at its next request, so that
the outcome does not depend on timing.
"""

from __future__ import annotations

import os
import select
from collections.abc import Callable
from typing import TYPE_CHECKING

from arena.table.pipes import MAX_EVENTS, TICK_S, Poller, Process
from arena.table.referee import Burned, Came, Foul, Map, NoFrame, Why
from arena.table.verdict import Fault
from protocol import RemoteProtocolError, codec, encode_line

if TYPE_CHECKING:
    from arena.table.processes import ProcessSet

LONG_S = 0.002
"""An exchange that takes longer than this is long enough to look at the seats' CPU clocks."""
FIRST_S = 0.02
"""The first wait of an exchange, in the course of which nearly every answer comes. A timer beyond the
system's next tick (4 ms, 10 ms) costs nothing to set; one before it costs 3 us a decision."""
FIRST_SHARE = 8
"""But at most this part of the limit, so that who burns is seen from early on:"""
SHORT_S = FIRST_S * FIRST_SHARE
"""it matters below this limit."""
CREDIT_MIN_S = 0.001
"""A credit smaller than this is noise of the clocks."""
READ = 65536


def _type_first(message: Map) -> bytes:
    """A line of JSON that a person reads, too: it begins with what kind of message it is."""
    return encode_line({"type": message["type"], **message})


class ProcessSeat:
    """One seat of a `ProcessSet`; made by it."""

    __slots__ = (
        "_answered",
        "_backlog",
        "_busy",
        "_decoder",
        "_encode",
        "_index",
        "_msgpack",
        "_now",
        "_odd",
        "_poll",
        "_size",
        "_stdin",
        "_stdout",
        "_table",
        "chilled",
        "decode",
        "foul",
        "process",
    )

    def __init__(
        self, table: ProcessSet, index: int, process: Process, encoding: str, poller: Poller
    ) -> None:
        wire = codec(encoding)
        self._encode = wire.encode if encoding == "msgpack" else _type_first
        self.decode = wire.decode
        self._msgpack = encoding == "msgpack"
        self._decoder = wire.decoder()
        self._decoder.limit = table.limits.frame_bytes
        # A read that is one whole frame is then one within the limit.
        self._size = min(READ, table.limits.frame_bytes + 4)
        self._table = table
        self._index = index
        self._now = table.clock.now
        self._poll = poller.poll
        self._busy = table.watch.busy
        self._stdin = process.stdin_fd
        self._stdout = process.stdout_fd
        self._answered = [(process.stdout_fd, int(select.POLLIN))]
        """What the poll tells when all is well."""
        self._backlog = b""
        self._odd = False
        """Whether the next request takes the long way: something is known to be wrong, pending or frozen."""
        self.process = process
        self.foul: Foul | None = None
        """What it did while it was not asked; charged at its next request."""
        self.chilled = False
        """Frozen between its turns."""

    def tell(self, message: Map, *, now: bool = False) -> None:
        self._backlog += self._table.encoded(message, self._encode)
        if now:
            self._backlog = self._push(self._backlog) or b""

    def chill(self) -> None:
        """Freeze it between its turns from now on."""
        if not self.chilled:
            self.chilled = self._odd = True
            self.process.freeze()

    def note(self, foul: Foul) -> None:
        """It did something while it was not asked: the first such thing is charged at its next request."""
        if self.foul is None:
            self.foul = foul
            self._odd = True

    def ask(self, request: Map, limit: float | None) -> tuple[Came, float]:
        return self._ask(self._encode(request), limit)

    @property
    def ask_packed(self) -> Callable[[bytes, float | None], tuple[Came, float]] | None:
        """See `arena.table.seats.PackedSeat`."""
        return self._ask if self._msgpack else None

    def _ask(self, frame: bytes, limit: float | None) -> tuple[Came, float]:
        if self._backlog:
            frame = self._backlog + frame
            self._backlog = b""
        if self._odd:
            return self._ask_odd(frame, limit)
        now = self._now
        start = now()
        try:
            written = os.write(self._stdin, frame)
        except OSError:
            return self._wait(start, limit, frame, None)
        if written < len(frame):
            return self._wait(start, limit, frame[written:], None)
        first = FIRST_S
        if limit is not None and limit < SHORT_S:
            first = limit / FIRST_SHARE
        events = self._poll(first, MAX_EVENTS)
        if events == self._answered:
            data = os.read(self._stdout, self._size)
            seconds = now() - start
            if seconds < LONG_S:
                if self._msgpack:
                    if int.from_bytes(data[:4], "big") == len(data) - 4 > 0:  # one frame, the usual case
                        self._busy[self._index] += seconds
                        return data[4:], seconds
                elif data[:1] == b"{" and data.find(b"\n") == len(data) - 1:
                    self._busy[self._index] += seconds
                    return data, seconds  # one line; its newline, being blank, may stay
            return self._wait(start, limit, b"", data, start + first)
        return self._wait(start, limit, b"", self._table.handle(events, self), start + first)

    def _ask_odd(self, frame: bytes, limit: float | None) -> tuple[Came, float]:
        """The request of a seat that is frozen between its turns, or known to have failed."""
        if self.foul is not None:
            return NoFrame(Why.EARLIER, foul=self.foul), 0.0
        if self.chilled:
            self.process.thaw()
        try:
            return self._wait(self._now(), limit, frame, None)
        finally:
            if self.chilled:
                self.process.freeze()
            self._odd = self.chilled or self.foul is not None or self._decoder.pending > 0

    def _wait(
        self,
        start: float,
        limit: float | None,
        rest: bytes,
        data: bytes | None,
        planned: float = float("inf"),
    ) -> tuple[Came, float]:
        """The long way: what is left of the request, what has been read already, all the time that remains.

        `planned`: when the first wait should have been over at the latest, if it is.
        """
        table, watch, now = self._table, self._table.watch, self._now
        deadline = float("inf") if limit is None else start + limit
        mark = start
        began = last_look = False
        given = 0.0
        tick = TICK_S if limit is None else min(TICK_S, max(LONG_S, limit / FIRST_SHARE))
        came: Came | None = None
        out: bytes | None = self._push(rest) if rest else b""
        if out:
            table.watch_writable(self._stdin)
        try:
            while True:
                if data is not None:
                    came = self.take(data)
                if self.foul is not None and self.foul.code is Fault.OVER_MEMORY:
                    came = NoFrame(Why.MEMORY, self.foul.detail)
                t = now()
                late = max(0.0, t - planned)
                if not began:
                    if t - start >= 0.99 * LONG_S:
                        began = True
                        closely = limit is not None and limit < SHORT_S
                        watch.begin(self._index, t, t - start, late, closely=closely)
                        mark = t
                elif late > 0.0 or came is not None or last_look or t - mark >= 0.9 * tick:
                    watch.tick(self._index, t - mark, late)
                    table.tick(t, self)
                    mark = t
                if came is not None:
                    break
                if last_look:
                    credit = excused = 0.0
                    if began and out == b"":
                        credit, excused = watch.overtime(self._index, t, limit or 0.0)
                    if credit <= given + CREDIT_MIN_S:
                        came = self._nothing(out, excused)
                        break
                    # Others kept it from the core: its clock leaves that out. Opponents burn no longer.
                    given, deadline = credit, start + (limit or 0.0) + credit
                    table.chill_burners(self._index, t - start)
                last_look = t >= deadline or out is None
                timeout = 0.0 if last_look else min(deadline - t, tick)
                planned = t + timeout if timeout else float("inf")
                data = table.handle(self._poll(timeout, MAX_EVENTS), self)
                if out:
                    out = self._push(out)
                    if not out:
                        table.unwatch(self._stdin)
        finally:
            if out:
                table.unwatch(self._stdin)
        seconds = mark - start if began else now() - start
        if not began:
            self._busy[self._index] += seconds
        else:
            seconds -= max(given, watch.credit(self._index, mark)) + watch.excused
        if given and limit is not None and not isinstance(came, NoFrame) and not table.allows_pondering:
            burner = watch.burner(self._index, limit)
            if burner is not None:
                place, burned = burner
                came = Burned(table.numbers[place], burned)
        return came, max(0.0, seconds if limit is None else min(seconds, limit))

    def _nothing(self, out: bytes | None, excused: float) -> NoFrame:
        """Time is up, or it cannot be written to: why no frame is there. `out` is what is left to write."""
        hint = self._decoder.hint()
        if out is None:
            return NoFrame(Why.EOF, hint or "it closed its stdin")
        return NoFrame(Why.BLOCKED if out else Why.LATE, hint, excused_s=excused)

    def _push(self, data: bytes) -> bytes | None:
        """Write what can be written now; what is left, or None if its stdin is closed."""
        try:
            return data[os.write(self._stdin, data) :]
        except BlockingIOError:
            return data
        except OSError:
            return None

    def take(self, data: bytes) -> Came | None:
        """What the bytes just read amount to: a payload, a failure, or nothing yet."""
        if not data:
            self._table.unwatch(self._stdout)
            return NoFrame(Why.EOF, self._decoder.hint() or "its stdout ended")
        try:
            self._decoder.feed(data)
            payload = self._decoder.next_frame()
        except RemoteProtocolError as error:
            return NoFrame(Why.BAD_BYTES, error.text)
        if payload is not None and self._decoder.pending:
            self._look_at_rest()
        return payload

    def hint(self) -> str:
        """What an unfinished frame of it looks like."""
        return self._decoder.hint()

    def _look_at_rest(self) -> None:
        """More came than one answer: a frame, or no frame at all, while no request is open."""
        self._odd = True
        try:
            extra = self._decoder.next_frame()
        except RemoteProtocolError as error:
            self.note(Foul(Fault.MALFORMED, error.text))
            return
        if extra is not None:
            self.note(Foul(Fault.UNSOLICITED, "a message came that no request had asked for"))

    def unasked(self, data: bytes | None) -> None:
        """Its stdout had `data` (b"" at its end) while it was not asked."""
        if data is None:
            return
        if not data:
            self.note(Foul(Fault.CRASHED, "its stdout ended between its turns"))
        else:
            self._decoder.feed(data)
            self._look_at_rest()
        if self.foul is not None:
            self._table.unwatch(self._stdout)

    def read(self) -> bytes | None:
        """What its stdout holds: b"" at its end, None if nothing."""
        try:
            return os.read(self._stdout, READ)
        except BlockingIOError:
            return None
        except OSError:
            return b""
