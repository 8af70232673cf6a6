"""Seats: one interface for a process, a script, a Python callable and a person.

A seat of this process (a callable) cannot be stopped while it thinks: its time is measured, and it is
late when it comes back late. A person is a callable that asks at the terminal, with no time limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from arena.table.clock import Clock, FakeClock, RealClock
from arena.table.referee import Came, Map, NoFrame, Why
from protocol import RemoteProtocolError, View, codec

Choose = Callable[[View], str]
"""What a callable seat is: a view gives a word out of `view.legal`."""


class Seat(Protocol):
    """Whoever answers for one seat of a game."""

    def tell(self, message: Map, *, now: bool = False) -> None:
        """A message that is not answered. Never blocks, never fails: a seat that cannot be told anything is
        found out when it is asked. It may ride with the next request unless `now` is set."""

    def ask(self, request: Map, limit: float | None) -> tuple[Came, float]:
        """Put a request; what came, and the seconds charged for it. `limit` in seconds, None for none."""

    def decode(self, payload: bytes) -> Map:
        """A payload that `ask` gave as a map. Raises RemoteProtocolError."""


@runtime_checkable
class PackedSeat(Protocol):
    """What a `Seat` may offer besides: to be asked with a request that is packed already."""

    @property
    def ask_packed(self) -> Callable[[bytes, float | None], tuple[Came, float]] | None:
        """As `ask`, with the request's msgpack frame; None where the seat wants another encoding."""


class CallableSeat:
    """A Python callable as a seat. What it raises goes through to the caller: it is the caller's own bug."""

    __slots__ = ("_choose", "_clock", "_hear")

    def __init__(
        self, choose: Choose, *, hear: Callable[[Map], None] | None = None, clock: Clock | None = None
    ) -> None:
        """`hear` gets the messages that are not answered (`game_start`, `hand_end`, `game_end`)."""
        self._choose = choose
        self._hear = hear
        self._clock = clock or RealClock()

    def tell(self, message: Map, *, now: bool = False) -> None:
        if self._hear is not None:
            self._hear(message)

    def ask(self, request: Map, limit: float | None) -> tuple[Came, float]:
        start = self._clock.now()
        # Its own copy of `legal`: what it does to the view must not change what is judged.
        word: Any = self._choose(View({**request, "legal": list(request["legal"])}))
        seconds = self._clock.now() - start
        if limit is not None and seconds > limit:
            return NoFrame(Why.LATE, f"it took {seconds:.3f} s"), limit
        return {"type": "action", "id": request["id"], "action": word}, seconds

    def decode(self, payload: bytes) -> Map:
        raise AssertionError("a callable answers with a map")


@dataclass(frozen=True, slots=True)
class Step:
    """What a scripted seat does at one request."""

    answer: str | bytes | None
    """A word (put into a well-formed answer with the right id), raw bytes, or None: its stdout ends."""
    after_s: float = 0.0
    """Seconds after the request, or after the step before where that one is not the last of its request."""
    more: bool = False
    """Whether the next step belongs to the same request."""


class ScriptSeat:
    """A seat that follows a script in fake time: the ladder's every case, without a process."""

    __slots__ = ("_clock", "_codec", "_decoder", "_ended", "_steps", "requests", "told")

    def __init__(
        self, steps: Iterable[Step | str | bytes | None], clock: FakeClock, *, encoding: str = "msgpack"
    ) -> None:
        """A bare word, bytes or None in `steps` is a `Step` of its own without delay."""
        self._steps: Iterator[Step | str | bytes | None] = iter(steps)
        self._clock = clock
        self._codec = codec(encoding)
        self._decoder = self._codec.decoder()
        self._ended = False
        self.requests: list[Map] = []
        self.told: list[Map] = []

    def tell(self, message: Map, *, now: bool = False) -> None:
        self.told.append(message)

    def decode(self, payload: bytes) -> Map:
        return self._codec.decode(payload)

    def ask(self, request: Map, limit: float | None) -> tuple[Came, float]:
        self.requests.append(request)
        start = self._clock.now()
        more = not self._ended
        while True:
            try:
                payload = self._decoder.next_frame()
            except RemoteProtocolError as error:
                return NoFrame(Why.BAD_BYTES, error.text), self._clock.now() - start
            if payload is not None:
                return payload, self._clock.now() - start
            if self._ended:
                return NoFrame(Why.EOF, self._decoder.hint()), self._clock.now() - start
            step = next(self._steps, None) if more else Step(b"", float("inf"))
            if not isinstance(step, Step):
                step = Step(step)
            spent = self._clock.now() - start
            if limit is not None and spent + step.after_s > limit:
                self._clock.advance(limit - spent)
                return NoFrame(Why.LATE, self._decoder.hint()), limit
            if step.after_s == float("inf"):
                raise AssertionError("the script has no answer to a request without a limit")
            self._clock.advance(step.after_s)
            more = step.more
            if step.answer is None:
                self._ended = True
            elif isinstance(step.answer, bytes):
                self._decoder.feed(step.answer)
            else:
                answer = {"type": "action", "id": request["id"], "action": step.answer}
                self._decoder.feed(self._codec.encode(answer))
