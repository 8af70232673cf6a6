"""A block of games as a job: what is handed to a slot, and what comes back, each once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from arena.bots.limits import Limits


@dataclass(frozen=True, slots=True)
class BotRef:
    """A bot as a job needs it: where its files are, how to start it, and who it is."""

    name: str
    """Unique in the tournament: `name`, or `name@digest` where names collide."""
    version: str
    digest: str
    """Hex SHA-256 of the bundle."""
    directory: str
    command: tuple[str, ...]
    encoding: str = "msgpack"


@dataclass(frozen=True, slots=True)
class BlockJob:
    """A block of one pairing: all that a slot needs to play it. Block = life of a set = job = log file."""

    match_id: str
    block: int
    attempt: int
    game: str
    rules: dict[str, Any]
    """Non-default rules only."""
    bots: tuple[BotRef, BotRef]
    """Team A and team B. Leg 0: A sits on team 0. Leg 1: the teams' seats are swapped."""
    games: tuple[tuple[int, int], ...]
    """(pair, leg) to be played, pairs by index in the match; all legs 0 first, then all legs 1."""
    block_seed: bytes
    limits: Limits
    isolation: str
    """`strong`, `namespaces` or `basic`."""
    started_before: tuple[bool, bool] = (False, False)
    """Whether each bot has had a good start in this tournament: then a failed start is a forfeit."""
    cpus: tuple[int, ...] = ()
    """Cores to pin the slot and its bots to; empty: not pinned."""
    ponder: str = "watch"
    tempo_ms: int | None = None
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GameDone:
    """One finished game. `row` goes to the store, `lines` to the block's log."""

    pair: int
    leg: int
    row: dict[str, Any]
    """Columns of the `game` table (store/schema.sql): score_a, points_a, points_b, hands, reason, fault..."""
    lines: tuple[str, ...]
    """The chained log lines of this game, without newlines; the block's first game brings the header too."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The block was played to its end."""

    job: BlockJob
    lines: tuple[str, ...]
    """The log's footer."""
    facts: dict[str, Any]
    """Host lateness, CPU asked and unasked by seat, stderr kept by seat."""


@dataclass(frozen=True, slots=True)
class Lost:
    """The block ended early: its finished games stand, the others are still to play."""

    job: BlockJob
    why: str
    """`start_failed`, `slot_died`, `cancelled`, `worker_lost`, `error`."""
    bot: str | None = None
    """The bot that caused it, where one did."""
    text: str = ""


Event = tuple[BlockJob, GameDone] | Finished | Lost
