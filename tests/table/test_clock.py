import pytest

from arena.table.clock import FakeClock, RealClock


def test_the_fake_clock_moves_only_when_told() -> None:
    clock = FakeClock(5.0)
    assert clock.now() == clock.now() == 5.0
    clock.advance(0.25)
    assert clock.now() == 5.25
    with pytest.raises(ValueError, match="cannot go back"):
        clock.advance(-1)


def test_the_real_clock_never_goes_back() -> None:
    clock = RealClock()
    readings = [clock.now() for _ in range(1000)]
    assert readings == sorted(readings)
