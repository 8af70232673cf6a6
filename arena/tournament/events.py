"""What a running tournament tells whoever watches it, and the report that it ends with.

The command line calls `arena.tournament.run.run_tournament(config: RunConfig, observer: Observer)
-> RunReport`, which returns when the tournament is complete, its time is used up, or it was
interrupted. The observer is called in the caller's own thread, must not block, and gets the events
below in the order in which they happened.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from arena.errors import Exit
from arena.ratings.sprt import SprtReport
from arena.store.rows import MachineCount


@dataclass(frozen=True, slots=True)
class Started:
    """The tournament's directory is open, its bots are ready, and play is about to begin."""

    out: str
    game: str
    rules: Mapping[str, bool | int | str]
    """The options that differ from the game's own."""
    bots: tuple[str, ...]
    """Names as they stand in the tables, in the order in which they were given."""
    games_total: int
    """Games of the whole plan, those already stored included."""
    games_stored: int
    """Games that an earlier run of the same tournament left behind."""
    slots: int
    isolation: str
    commitment: str
    """Hex SHA-256 that the tournament's seed is bound to."""
    guessable: bool
    """The seed was chosen with `--seed`, so that a bot could search for it."""
    open_ended: bool = False
    """Results decide how many games are played: `games_total` is the most."""


@dataclass(frozen=True, slots=True)
class GameEnded:
    """One game is stored and counts."""

    a: str
    b: str
    pair: int
    leg: int
    score_a: float
    points_a: int
    points_b: int
    reason: str
    """`target`, `hand_limit` or `forfeit`."""
    fault_code: str | None
    fault_bot: str | None
    """The name of the bot at fault."""
    fault_text: str
    hands: int
    decisions: int
    seconds: float
    log: str
    """The block's log file, relative to the tournament's directory."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Where the run stands; comes at most four times a second."""

    games_done: int
    """Of the whole plan, those stored before this run included."""
    games_total: int
    """Falls when a bot that cannot start drops out."""
    games_played: int
    """By this run."""
    games_per_second: float
    seconds: float
    """Since play began."""
    seconds_left: float | None
    """None while nothing can be said."""
    faults: Mapping[str, int]
    """Games by fault code, this run's alone."""
    running: tuple[str, ...] = ()
    """What the slots play now, as `a - b, pairs 10-19`."""
    open_ended: bool = False
    """`games_total` is the most that may be played."""


@dataclass(frozen=True, slots=True)
class Notice:
    """One line for a person: something is unusual, and the run goes on."""

    text: str


@dataclass(frozen=True, slots=True)
class Stopping:
    """No further block is handed out."""

    why: str
    """`interrupted`; `time`, and the blocks that were begun are played to their end; or `decided`."""


@dataclass(frozen=True, slots=True)
class Tested:
    """Where a sequential test stands, after every pair that it has taken in."""

    report: SprtReport


RunEvent = Started | GameEnded | Progress | Notice | Stopping | Tested
Observer = Callable[[RunEvent], None]


@dataclass(frozen=True, slots=True)
class BotFailure:
    """A bot that never started in this tournament: none of its games are played or rated."""

    name: str
    text: str
    """What happened, with what its stderr said."""


@dataclass(frozen=True, slots=True)
class SetAside:
    """A block that was given up after repeated losses: its unplayed games are missing from the table."""

    a: str
    b: str
    block: int
    games: int
    why: str


@dataclass(frozen=True, slots=True)
class Estimate:
    """What `--dry-run` says."""

    games: int
    games_stored: int
    seconds_low: float
    """If the bots answer as fast as a pipe carries it (or, with games stored, as fast as so far)."""
    seconds_high: float | None
    """If every decision takes its whole time; None without a move limit."""
    slots: int
    bots: tuple[str, ...]
    open_ended: bool = False
    """`games` is the most that may be played."""


@dataclass(frozen=True, slots=True)
class RunReport:
    """How a run ended."""

    out: str
    complete: bool
    """Every planned game of every bot that starts is stored."""
    stopped: str | None
    """`interrupted`, `time`, `decided`, or `incomplete` (a test that a gap keeps from going on); or None."""
    games_played: int
    games_done: int
    games_total: int
    seconds: float
    failed: tuple[BotFailure, ...] = ()
    set_aside: tuple[SetAside, ...] = ()
    head: str = ""
    """Hex SHA-256 over the heads of all logs: the anchor that `verify --anchor` takes."""
    machines: tuple[MachineCount, ...] = ()
    """Where the games were played, of a run on a cluster."""
    estimate: Estimate | None = None
    """With `dry_run` alone; nothing was played or written then."""
    notices: tuple[str, ...] = field(default=())
    ended: str = ""
    """Why the plan ended, in words, where it is not simply that all is played."""
    games_beside: int = 0
    """Games that the table counts and this plan does not ask for: of an earlier run in the same folder."""
    bots_beside: tuple[str, ...] = ()
    """Bots of the table that this plan does not name."""
    games_further: int = 0
    """Of `games_beside`, those between bots that it names."""

    @property
    def exit_code(self) -> Exit:
        """The exit code of the command that ran it."""
        if self.stopped == "interrupted":
            return Exit.INTERRUPTED
        if self.failed or self.set_aside:
            return Exit.FAILED
        return Exit.OK
