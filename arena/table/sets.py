"""A set of processes with its life: started together, asked through its seats, ended whole."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Protocol

from arena.bots import process as bots
from arena.bots.limits import Limits
from arena.bots.program import StartError
from arena.games.base import Game
from arena.table import referee
from arena.table.clock import Clock
from arena.table.explain import STDERR_TAIL, fault_text
from arena.table.job import BotRef
from arena.table.pipes import Poller, Process, new_poller
from arena.table.processes import ProcessSet
from arena.table.referee import Foul
from arena.table.verdict import Fault, FaultRecord

STDERR_KEPT = 8192
"""Characters of a seat's stderr that a finished block tells of."""
LAST_WORDS_S = 0.05
"""How long a seat whose pipe has ended is given to be gone, so that its exit code can be told."""

Wake = tuple[int, Callable[[], object]]
"""A descriptor to watch, and what to call when it is readable (it may raise `Cancelled`)."""


class SeatProcess(Process, Protocol):
    """A process as a set needs it from its start to its end."""

    @property
    def returncode(self) -> int | None: ...
    def oom_killed(self) -> bool: ...


class System(Protocol):
    """How processes are started and ended: `arena.bots.process`, or a fake."""

    def spawn(
        self,
        directory: str,
        command: Sequence[str],
        limits: Limits,
        level: str,
        *,
        cpus: Sequence[int] = (),
        name: str = "",
    ) -> Any: ...
    def stop_all(self, processes: Iterable[Any], grace_ms: int) -> None: ...
    def poller(self) -> Poller: ...


class RealSystem:
    """Real processes."""

    spawn = staticmethod(bots.spawn)
    stop_all = staticmethod(bots.stop_all)
    poller = staticmethod(new_poller)


class LiveSet:
    """The processes of all seats of one leg.

    `fouls` holds, by seat, why it did not start; a set with one is of no use but to be ended.
    """

    def __init__(
        self,
        game: Game,
        by_seat: Sequence[BotRef],
        *,
        limits: Limits,
        isolation: str,
        clock: Clock,
        cpus: Sequence[int] = (),
        ponder: str = "watch",
        wake: Wake | None = None,
        crowded: Callable[[], object] | None = None,
        system: System | None = None,
        seats: Sequence[int] | None = None,
    ) -> None:
        """Start a process for each seat and wait until all are ready. `seats`: which seats `by_seat` are for,
        where others are not played by processes.

        Raises `Cancelled`, and ArenaError where it is the machine that refuses; nothing is left then.
        """
        self._system: System = system or RealSystem()
        self._limits = limits
        self._seats = tuple(range(game.seats) if seats is None else seats)
        self._by_seat = dict(zip(self._seats, by_seat, strict=True))
        self._processes: list[SeatProcess] = []
        self.table: ProcessSet | None = None
        self.fouls: list[Foul | None] = [None] * len(self._seats)
        since = clock.now()
        try:
            for place, bot in enumerate(self._by_seat.values()):
                try:
                    process = self._system.spawn(
                        bot.directory, bot.command, limits, isolation, cpus=cpus, name=bot.name
                    )
                except StartError as error:
                    self.fouls[place] = Foul(Fault.START_FAILED, str(error))
                    return
                self._processes.append(process)
            cores = len(cpus) or (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1)
            self.table = ProcessSet(
                self._processes, [bot.encoding for bot in self._by_seat.values()],
                [game.team_of(seat) for seat in self._seats],
                limits=limits, clock=clock, ponder=ponder, cores=cores, wake=wake, crowded=crowded,
                poller=self._system.poller(), numbers=self._seats,
            )  # fmt: skip
            ready = self.table.start(referee.hello(game, limits), since)
            self.fouls = [answer if isinstance(answer, Foul) else None for answer in ready]
        except BaseException:
            self.kill()
            raise

    def fault(
        self, foul: Foul, seat: int, *, team: int, game: str, hand_number: int | None, answered: bool
    ) -> FaultRecord:
        """The verdict for the record. `game` names the game; the seat's last words are gathered."""
        tail = ""
        process = self._process(seat)
        if process is not None:
            if foul.code is Fault.CRASHED and process.oom_killed():
                most = f"at most {self._limits.memory_mb} MiB"
                foul = Foul(Fault.OVER_MEMORY, "the system killed it for its memory", most)
            if foul.code in (Fault.CRASHED, Fault.START_FAILED):
                foul = replace(foul, detail=", ".join(filter(None, (foul.detail, _ending(process)))))
            process.drain_stderr()
            tail = process.stderr.tail(STDERR_TAIL)
        text = fault_text(
            foul, bot=self._by_seat[seat].name, seat=seat, game=game, hand_number=hand_number,
            limits=self._limits, answered=answered, stderr=tail,
        )  # fmt: skip
        return FaultRecord(foul.code, seat, team, hand_number, text, tail)

    def end(self, head: str = "", *, broken: int | None = None) -> None:
        """`bye`, the grace, and the end of every process with all that it started. The seat `broken` is
        ended at once. `head` is the log's hash so far."""
        process = None if broken is None else self._process(broken)
        if process is not None:
            process.kill()
        if self.table is not None:
            self.table.say(referee.bye(head))
            self.table.close()
        self._system.stop_all(self._processes, self._limits.grace_ms)

    def _process(self, seat: int) -> SeatProcess | None:
        place = self._seats.index(seat) if seat in self._seats else len(self._processes)
        return self._processes[place] if place < len(self._processes) else None

    def kill(self) -> None:
        """The end of every process at once."""
        for process in self._processes:
            process.kill()
        if self.table is not None:
            self.table.close()
        self._system.stop_all(self._processes, 0)

    def stderr(self) -> list[str]:
        """What is kept of each seat's stderr, bounded."""
        return [_middle_cut(process.stderr.text()) for process in self._processes]


def _middle_cut(text: str) -> str:
    if len(text) <= STDERR_KEPT:
        return text
    return f"{text[: STDERR_KEPT // 2]}\n[...]\n{text[-STDERR_KEPT // 2 :]}"


def _ending(process: SeatProcess) -> str:
    """How a process ended, in words; "" where it has not."""
    for _ in range(10):
        code = process.returncode
        if code is not None:
            break
        time.sleep(LAST_WORDS_S / 10)
    else:
        return ""
    number = -code if code < 0 else code - 128 if 128 < code < 160 else 0
    if not number:
        return f"exit code {code}"
    try:
        return f"killed by {signal.Signals(number).name}"
    except ValueError:
        return f"killed by signal {number}"
