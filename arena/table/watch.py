"""What the seats of a set use and when: CPU while asked and while not, and how late the host itself is.

CPU clocks are read only when an exchange took long enough to matter, and at each game's end. Between two
readings a seat's own time is what its own exchanges took; what it used beyond that it used unasked.

Who kept a late seat from its core is measured where Linux tells for how long each of its threads stood
ready to run (/proc/PID/task/TID/schedstat); elsewhere it is inferred from who used the core, and for how
long it was idle.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Protocol

BACKGROUND_S = 0.25
"""CPU seconds that a runtime may use unasked (a JVM's compiler at its start) before it counts as thinking."""
BACKGROUND_SHARE = 0.10
"""And beyond that, this share of the time in which the seat is not asked (a garbage collector)."""
BURN_S = 0.05
"""Unasked CPU within one decision of another seat from which on it may be to blame for a loss on time,"""
BURN_SHARE = 0.25
"""and the share of that decision's limit, whichever is more."""
CROWDED_S = 0.005
"""Lateness through the seats' own work that one busy thread a core does not explain."""
HOST_SHARE = 3.0
"""So many times a decision's limit is what others than this game may add to it at most."""


class Measured(Protocol):
    """What is measured of a seat's processes."""

    def cpu_seconds(self) -> float | None:
        """CPU that the whole seat has used, None where it cannot be known."""

    def processes(self) -> list[int]:
        """The seat's process ids."""


Threads = dict[int, tuple[float, float, bool]]
"""By thread id: seconds on a core, seconds ready to run but without one, and whether it is ready (or runs)
now. The system adds a wait to the second when it ends, so that one which lasts is not in there."""


def threads_of(process: Measured) -> Threads:
    """What the system knows of a seat's threads; empty where it does not say."""
    found: Threads = {}
    for pid in process.processes():
        try:
            for tid in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{tid}/schedstat", "rb") as file:
                    ran, waited, _ = file.read().split()
                with open(f"/proc/{pid}/task/{tid}/stat", "rb") as file:
                    ready = file.read().rpartition(b") ")[2][:1] == b"R"
                found[int(tid)] = (int(ran) / 1e9, int(waited) / 1e9, ready)
        except (OSError, ValueError):  # one that has just ended, or a system without /proc
            continue
    return found


class Watch:
    """The accounts of one set of seats. `busy[seat]` is for the seats to add to: seconds since the last
    reading for which it was asked."""

    __slots__ = (
        "_began",
        "_carry",
        "_cores",
        "_cpu",
        "_early",
        "_known",
        "_marks",
        "_now_cpu",
        "_passed",
        "_processes",
        "_seen",
        "_since",
        "_teams",
        "_threads",
        "_threads_of",
        "_work",
        "_worked",
        "_worked_since",
        "asked",
        "busy",
        "crowded",
        "excused",
        "late_by_seats",
        "late_max",
        "late_total",
        "own_wall",
        "unasked",
    )

    def __init__(
        self,
        processes: Sequence[Measured],
        teams: Sequence[int],
        cores: int,
        threads: Callable[[Measured], Threads] = threads_of,
        work: Callable[[], float] = float,
    ) -> None:
        """`teams` by seat; `cores`: how many cores the seats share; `work`: CPU seconds that the referee
        itself has used."""
        seats = len(processes)
        self._processes = processes
        self._teams = tuple(teams)
        self._cores = cores
        self._seen = [0.0] * seats
        self._known = [True] * seats
        self._cpu = [0.0] * seats
        self._now_cpu = [0.0] * seats
        self._carry = 0.0
        self._threads_of = threads
        self._work = work
        self._worked = self._worked_since = 0.0
        self._threads: Threads = {}
        self._marks: dict[int, tuple[float, float, float]] = {}
        """By thread that was ready: since when surely, and what it had run and waited for then."""
        self._since = 0.0
        self._began = 0.0
        self._early = 0.0
        """Seconds before `begin` for which the other team may have kept the seat from its core."""
        self._passed = 0.0
        self.busy = [0.0] * seats
        self.asked = [0.0] * seats
        self.unasked = [0.0] * seats
        self.own_wall = [0.0] * seats
        self.excused = 0.0
        """Seconds of this exchange for which the host was late through nothing that a seat did."""
        self.late_max = 0.0
        self.late_total = 0.0
        self.late_by_seats = 0.0
        self.crowded = 0
        """How often the seats' own work made the referee markedly late."""

    def reset(self, now: float) -> None:
        """Count from here on: what the seats used to start is theirs."""
        self._read()
        for account in (self.busy, self.asked, self.unasked, self.own_wall):
            account[:] = [0.0] * len(account)
        self._since = now

    def _read(self, asked: int | None = None) -> list[float]:
        """Read all clocks and book them; the CPU used since the last reading, by seat.

        What the seat that is `asked` has not used of its own time yet, it may still use.
        """
        used = self._now_cpu
        for seat, process in enumerate(self._processes):
            cpu = process.cpu_seconds()
            if cpu is None:
                self._known[seat] = False
                delta = 0.0
            else:
                delta = max(0.0, cpu - self._seen[seat])
                self._seen[seat] = max(cpu, self._seen[seat])
            busy = self.busy[seat]
            room = busy * self._cores + (self._carry if seat == asked else 0.0)
            own = min(delta, room)
            if seat == asked:
                self._carry = room - own
            self.asked[seat] += own
            self.unasked[seat] += delta - own
            self.own_wall[seat] += busy
            self.busy[seat] = 0.0
            used[seat] = delta
        return used

    def waited(self, seat: int) -> float:
        """Seconds for which others may have kept `seat` from the core since its start.

        What its thread that was kept most was kept; or, since the waits of processes that have ended are in
        no account, what the other seats have used meanwhile, whichever is more.
        """
        threads = self._threads_of(self._processes[seat])
        kept = max((waited for _, waited, _ in threads.values()), default=0.0)
        used = (process.cpu_seconds() or 0.0 for process in self._processes)
        return max(kept, sum(cpu for other, cpu in enumerate(used) if other != seat))

    def settle(self) -> None:
        """Bring the accounts up to date (at a game's end)."""
        self._read()

    # One long exchange: `begin` when it has turned out long, `tick` now and then, then `credit` and the rest.

    def begin(self, seat: int, now: float, elapsed: float, late: float, *, closely: bool = False) -> None:
        """The exchange of `seat` has lasted `elapsed` seconds by `now`; the host was `late` meanwhile.

        `closely`: its threads are looked at from now on, not from the first tick on, which costs more; for
        limits so short that the time between the two counts.
        """
        self.busy[seat] += elapsed
        self._carry = 0.0
        self._threads = self._threads_of(self._processes[seat]) if closely else {}
        self._marks = {}
        self._mark(self._threads, now)
        before = self.unasked.copy()
        used = self._read(seat)
        burned = sum(
            self.unasked[other] - before[other]
            for other, team in enumerate(self._teams)
            if team != self._teams[seat]
        )
        self._early = max(0.0, min(elapsed - used[seat], burned))
        self.excused = 0.0
        self._book_lateness(late, sum(used))
        self._cpu[:] = [0.0] * len(used)
        self._began = now
        self._passed = 0.0
        self._worked = self._worked_since = self._work()

    def tick(self, seat: int, elapsed: float, late: float) -> None:
        """`elapsed` more seconds of the exchange have passed; the host woke up `late` seconds late."""
        self.busy[seat] += elapsed
        self._passed += elapsed
        used = self._read(seat)
        cpu = self._cpu
        if not self._threads:
            self._threads = self._threads_of(self._processes[seat])
            self._mark(self._threads, self._began + self._passed)
        for other, delta in enumerate(used):
            cpu[other] += delta
        before, self._worked = self._worked, self._work()
        self._book_lateness(late, sum(used) + self._worked - before)

    def _book_lateness(self, late: float, used: float) -> None:
        if late <= 0.0:
            return
        self.late_total += late
        self.late_max = max(self.late_max, late)
        # All that the seats used may have been used while the referee waited to run, and what it worked
        # itself may be their doing (a flood that it has to read): only what is left is surely the host's own.
        # A seat that cannot be measured excuses nothing.
        excused = max(0.0, late - used) if all(self._known) else 0.0
        self.excused += excused
        self.late_by_seats += late - excused
        self.crowded += late - excused > CROWDED_S

    def credit(self, seat: int, now: float) -> float:
        """Seconds of this exchange for which the other team's burning kept `seat` from the core, inferred.

        At most what they used, and what it did not run for; less the time for which a core was idle, which
        it could have had: a seat that sleeps cannot blame a moment's work of another.
        """
        wall = now - self._began
        own = self._cpu[seat]
        idle = max(0.0, self._cores * wall - sum(self._cpu))
        return max(0.0, min(self._stolen(seat), wall - own) - idle)

    def overtime(self, seat: int, now: float, limit: float) -> tuple[float, float]:
        """Its time is up: the seconds by which its clock is to be put back, and those for which the host may
        be to blame if it is late even so.

        Its clock leaves out what the other team used of its core, and, where that can be measured, what
        others than this game did, up to a bound: only what the host took beyond that is still to blame, and
        none of what the referee itself worked, which a bot can bring about. For the moment before `begin` the
        doubt is in its favour.
        """
        kept = self._kept(seat, now)
        if kept is None:
            return self._early + self.credit(seat, now), self.excused
        ran, waited = kept
        by_host = max(0.0, waited - max(0.0, sum(self._cpu) - ran))
        given = min(by_host, HOST_SHARE * limit)
        credit = min(self._stolen(seat), waited) + given
        return self._early + credit, max(self.excused, by_host - given - (self._work() - self._worked_since))

    def _stolen(self, seat: int) -> float:
        return sum(cpu for other, cpu in enumerate(self._cpu) if self._teams[other] != self._teams[seat])

    def _mark(self, threads: Threads, now: float) -> dict[int, float]:
        """For how long each thread that is ready has been so without being in the system's account yet."""
        lasting: dict[int, float] = {}
        marks: dict[int, tuple[float, float, float]] = {}
        for tid, (ran, waited, ready) in threads.items():
            if not ready:
                continue
            since, ran_then, waited_then = self._marks.get(tid, (now, ran, waited))
            lasting[tid] = max(0.0, now - since - (ran - ran_then) - (waited - waited_then))
            marks[tid] = (now - lasting[tid], ran, waited)
        self._marks = marks
        return lasting

    def _kept(self, seat: int, now: float) -> tuple[float, float] | None:
        """Of the thread of `seat` that was kept waiting most: seconds that it ran, and that it waited."""
        if not self._threads:
            return None
        after = self._threads_of(self._processes[seat])
        if not any(waited for _, waited, _ in after.values()):
            return None
        lasting = self._mark(after, now)
        before = {tid: self._threads.get(tid, (0.0, 0.0, False)) for tid in after}
        return max(
            ((ran - before[tid][0], waited - before[tid][1] + lasting.get(tid, 0.0))
             for tid, (ran, waited, _) in after.items()),
            key=lambda thread: thread[1],
        )  # fmt: skip

    def used(self, seat: int) -> float:
        """CPU seconds that `seat` has used during this exchange."""
        return self._cpu[seat]

    def burner(self, seat: int, limit: float) -> tuple[int, float] | None:
        """The opponent to blame if `seat` needed that credit: who burned most, and how many seconds.

        None where nobody used more than a runtime's background work.
        """
        opponents = [other for other, team in enumerate(self._teams) if team != self._teams[seat]]
        if not opponents:
            return None
        worst = max(opponents, key=lambda other: self._cpu[other])
        burned = self._cpu[worst]
        return (worst, burned) if burned >= max(BURN_S, BURN_SHARE * limit) else None

    def ponders(self, seat: int, now: float) -> bool:
        """Whether `seat` has used more CPU unasked than background work explains."""
        unasked_wall = max(0.0, now - self._since - self.own_wall[seat] - self.busy[seat])
        return self.unasked[seat] > BACKGROUND_S + BACKGROUND_SHARE * unasked_wall
