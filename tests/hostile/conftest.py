"""Referees in processes of their own, one a user and test process; levels to be had here."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.audit.selftest import Referee, User, users
from arena.bots.levels import Level
from arena.bots.probe import probe
from arena.errors import ArenaError

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def referees() -> Iterator[Callable[[User], Referee]]:
    """The referee of a user; skipped where only root can have it."""
    made: dict[User, Referee] = {}

    def referee(user: User) -> Referee:
        if user not in users():
            pytest.skip(f"only root can try it as {user}")
        return made.setdefault(user, Referee(user))

    yield referee
    for each in made.values():
        each.end()


@pytest.fixture(scope="session")
def offered() -> Callable[[Level], Level]:
    """The level, if this machine offers it; else the test is skipped, or fails under CI."""
    known: dict[Level, ArenaError | None] = {}

    def offer(level: Level) -> Level:
        if level not in known:
            try:
                probe(level)
                known[level] = None
            except ArenaError as error:
                known[level] = error
        missing = known[level]
        if missing is None:
            return level
        if os.environ.get("CI") == "true" and sys.platform == "linux":
            raise missing
        pytest.skip(str(missing))

    return offer


@pytest.fixture(scope="session")
def strongest(offered: Callable[[Level], Level]) -> Level:
    """The strongest level here."""
    return probe().level


@pytest.fixture(scope="session")
def root() -> Path:
    """The source folder."""
    return ROOT
