"""The seats of one leg as processes: watched together, started together, measured.

One epoll object serves a whole set: every seat's stdout and stderr and the slot's wake-up descriptor.
"""

from __future__ import annotations

import contextlib
import select
from collections.abc import Callable, Sequence
from typing import Any

from arena.bots.limits import Limits
from arena.table.clock import Clock
from arena.table.pipes import MAX_EVENTS, TICK_S, Cancelled, Events, Poller, Process, new_poller
from arena.table.process_seat import ProcessSeat
from arena.table.referee import Foul, Map, NoFrame, Why, judge_ready
from arena.table.verdict import Fault
from arena.table.watch import BACKGROUND_SHARE, Watch

__all__ = ["Cancelled", "ProcessSet"]

AGAIN_S = 0.001
"""Who was kept from the core for less than this at its start is not given it again."""
CROWDED_TIMES = 3
"""When the seats' own work has made the referee markedly late so often, the slot should leave their core."""


class ProcessSet:
    """The processes of one set, by seat: they live for the games of one leg of a block."""

    def __init__(
        self,
        processes: Sequence[Process],
        encodings: Sequence[str],
        teams: Sequence[int],
        *,
        limits: Limits,
        clock: Clock,
        ponder: str = "watch",
        cores: int = 1,
        wake: tuple[int, Callable[[], object]] | None = None,
        crowded: Callable[[], object] | None = None,
        poller: Poller | None = None,
        numbers: Sequence[int] | None = None,
    ) -> None:
        """`teams` by process; `numbers`: their seats, where these are not 0, 1, 2...

        `wake`: a descriptor, and what to call when it is readable (it may raise `Cancelled`). `crowded` is
        called once, when the seats' own work makes the referee late.
        """
        self.clock = clock
        self.watch = Watch(processes, teams, cores, work=clock.used)
        self.processes = tuple(processes)
        self.numbers = tuple(range(len(processes)) if numbers is None else numbers)
        self.limits = limits
        self._ponder = ponder
        self.allows_pondering = ponder == "allow"
        self._wake = wake
        self._crowded = crowded
        self._poller: Poller = poller or new_poller()
        self._watched: set[int] = set()
        self._next_memory = clock.now() + TICK_S
        self._last: tuple[Any, Any, bytes] | None = None
        self.seats = tuple(
            ProcessSeat(self, i, process, encoding, self._poller)
            for i, (process, encoding) in enumerate(zip(processes, encodings, strict=True))
        )
        self._by_stdout = {seat.process.stdout_fd: seat for seat in self.seats}
        self._by_stderr = {seat.process.stderr_fd: seat for seat in self.seats}
        for fd in (*self._by_stdout, *self._by_stderr, *([wake[0]] if wake else [])):
            self._poller.register(fd, select.POLLIN)
            self._watched.add(fd)

    # --- descriptors

    def watch_writable(self, fd: int) -> None:
        # A user has so many watches, which bots can use up: then it is tried again at every tick.
        with contextlib.suppress(OSError):
            self._poller.register(fd, select.POLLOUT)
            self._watched.add(fd)

    def unwatch(self, fd: int) -> None:
        if fd in self._watched:
            self._watched.discard(fd)
            with contextlib.suppress(OSError, KeyError):  # closed already: then it is forgotten already
                self._poller.unregister(fd)

    def handle(self, events: Events, asked: ProcessSeat | None) -> bytes | None:
        """Deal with what happened; what the asked seat's stdout gave (b"" at its end), None if nothing."""
        data: bytes | None = None
        for fd, _ in events:
            seat = self._by_stdout.get(fd)
            if seat is not None:
                if seat is asked:
                    data = seat.read()
                else:
                    seat.unasked(seat.read())
                continue
            seat = self._by_stderr.get(fd)
            if seat is not None:
                if not seat.process.drain_stderr():
                    self.unwatch(fd)
            elif self._wake is not None and fd == self._wake[0]:
                self._wake[1]()
        return data

    def encoded(self, message: Map, encode: Callable[[Map], bytes]) -> bytes:
        """A frame; a message told to several seats in a row is packed once."""
        last = self._last
        if last is None or last[0] is not message or last[1] is not encode:
            self._last = last = (message, encode, encode(message))
        return last[2]

    # --- the life of a set

    def start(self, hello: Map, since: float) -> list[tuple[str, str] | Foul]:
        """Say `hello` to all and wait for their `ready`: by seat, name and version, or the foul.

        `since`: when they were spawned; the start limit counts from there. Who is ready is frozen until all
        are, so that nobody burns the others' time. Who is late although others kept it from the core gets
        that time again, with everybody else frozen, up to another start limit.
        """
        limit = self.limits.start_ms / 1000
        answers: dict[ProcessSeat, tuple[str, str] | Foul] = {}
        for seat in self.seats:
            seat.tell(hello, now=True)
        self._await_ready(self.seats, since + limit, answers)
        late = [seat for seat in self.seats if seat not in answers]
        for seat in late:
            seat.process.freeze()
        for seat in late:
            more = min(limit, self.watch.waited(self.seats.index(seat)))
            if more >= AGAIN_S:
                seat.process.thaw()
                self._await_ready([seat], self.clock.now() + more, answers)
            if seat not in answers:
                answers[seat] = judge_ready(NoFrame(Why.LATE, seat.hint()), seat.decode)
        for seat in self.seats:
            seat.process.thaw()
        self.watch.reset(self.clock.now())
        if self._ponder == "freeze":
            for seat in self.seats:
                seat.chill()
        return [answers[seat] for seat in self.seats]

    def _await_ready(
        self,
        seats: Sequence[ProcessSeat],
        deadline: float,
        answers: dict[ProcessSeat, tuple[str, str] | Foul],
    ) -> None:
        """Fill `answers` for `seats` until `deadline`."""
        last_look = False
        while not last_look and any(seat not in answers for seat in seats):
            t = self.clock.now()
            last_look = t >= deadline
            timeout = 0.0 if last_look else min(deadline - t, TICK_S)
            for fd, event in self._poller.poll(timeout, MAX_EVENTS):
                waiting = self._by_stdout.get(fd)
                if waiting is None or waiting in answers:
                    self.handle([(fd, event)], None)
                    continue
                data = waiting.read()
                came = None if data is None else waiting.take(data)
                if came is not None:
                    answers[waiting] = judge_ready(came, waiting.decode)
                    if len(answers) < len(self.seats):
                        waiting.process.freeze()
            self._look_at_memory(self.clock.now())
            for seat in self.seats:
                if seat.foul is not None:
                    answers.setdefault(seat, seat.foul)

    def pause(self, until: float) -> None:
        """Wait, keeping an eye on everybody (for `--tempo fixed`)."""
        while (t := self.clock.now()) < until:
            self.handle(self._poller.poll(min(until - t, TICK_S), MAX_EVENTS), None)
            self.hand_over()

    def say(self, message: Map) -> None:
        """Tell all seats now, and let those run that were frozen."""
        for seat in self.seats:
            if seat.chilled:
                seat.process.thaw()
                seat.chilled = False
            seat.tell(message, now=True)

    def close(self) -> None:
        """Free what the set itself holds; the processes' descriptors are their own."""
        self._poller.close()

    # --- what is measured

    def hand_over(self) -> None:
        """Between hands: look at what was used, if it is time."""
        t = self.clock.now()
        if t >= self._next_memory:
            self.watch.settle()
            self.tick(t, None)

    def tick(self, t: float, asked: ProcessSeat | None) -> None:
        """Look at everybody's memory (at most every TICK_S), at who thinks in another's time, at the core."""
        self._look_at_memory(t)
        if self._ponder == "watch":
            for i, seat in enumerate(self.seats):
                if not seat.chilled and seat is not asked and self.watch.ponders(i, t):
                    seat.chill()
        if self._crowded is not None and self.watch.crowded >= CROWDED_TIMES:
            self._crowded()
            self._crowded = None

    def _look_at_memory(self, t: float) -> None:
        if t < self._next_memory:
            return
        self._next_memory = t + TICK_S
        limit = self.limits.memory_mb * 1024 * 1024
        for seat in self.seats:
            if seat.foul is not None:
                continue
            used = seat.process.memory_bytes()
            if used is not None and used > limit:
                seat.note(Foul(Fault.OVER_MEMORY, f"it used {used >> 20} MiB", f"at most {limit >> 20} MiB"))
                seat.process.kill()

    def chill_burners(self, asked: int, elapsed: float) -> None:
        """Freeze whoever burned while `asked` took `elapsed` seconds, more than background work does."""
        if self.allows_pondering:
            return
        for i, seat in enumerate(self.seats):
            if i != asked and self.watch.used(i) >= BACKGROUND_SHARE * elapsed:
                seat.chill()
