"""Whom a late seat's lost time is put down to."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from arena.table.watch import Threads, Watch


@dataclass
class Seat:
    """A seat whose clocks are set by hand."""

    cpu: float = 0.0
    threads: Threads = field(default_factory=dict)

    def cpu_seconds(self) -> float:
        return self.cpu

    def processes(self) -> list[int]:
        return []


@pytest.fixture
def seats() -> list[Seat]:
    return [Seat() for _ in range(4)]


@pytest.fixture
def watch(seats: list[Seat]) -> Watch:
    found = Watch(seats, (0, 1, 0, 1), 1, lambda seat: seat.threads)  # type: ignore[attr-defined]
    found.reset(0.0)
    return found


def test_what_opponents_burned_before_an_exchange_was_watched_is_left_out(
    watch: Watch, seats: list[Seat]
) -> None:
    seats[1].cpu = 0.03
    seats[0].cpu = 0.01
    watch.begin(0, 0.04, 0.04, 0.0)
    assert watch.overtime(0, 0.04, 0.1)[0] == pytest.approx(0.03)


def test_of_that_no_more_than_it_did_not_run_itself(watch: Watch, seats: list[Seat]) -> None:
    seats[1].cpu = 5.0
    seats[0].cpu = 0.03
    watch.begin(0, 0.04, 0.04, 0.0)
    assert watch.overtime(0, 0.04, 0.1)[0] == pytest.approx(0.01)


def test_what_opponents_used_while_they_were_asked_is_no_burning(watch: Watch, seats: list[Seat]) -> None:
    watch.busy[1] += 0.03
    seats[1].cpu = 0.03
    watch.begin(0, 0.04, 0.04, 0.0)
    assert watch.overtime(0, 0.04, 0.1)[0] == 0.0


def test_a_partner_burns_at_its_own_cost(watch: Watch, seats: list[Seat]) -> None:
    seats[2].cpu = 0.03
    watch.begin(0, 0.04, 0.04, 0.0)
    assert watch.overtime(0, 0.04, 0.1)[0] == 0.0


@pytest.mark.parametrize(("closely", "credit"), [(True, 0.02), (False, 0.0)])
def test_a_wait_before_the_first_tick_counts_if_it_is_looked_at_closely(
    watch: Watch, seats: list[Seat], closely: bool, credit: float
) -> None:
    seats[0].threads = {7: (0.01, 0.01, True)}
    watch.begin(0, 0.0, 0.0, 0.0, closely=closely)
    seats[0].threads = {7: (0.01, 0.03, True)}
    seats[1].cpu = 0.02
    watch.tick(0, 0.02, 0.0)
    assert watch.overtime(0, 0.02, 0.1)[0] == pytest.approx(credit, abs=1e-9)
