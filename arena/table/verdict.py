"""Verdicts: how a decision, and how a game, may end. Closed sets, written into records by value."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Fault(StrEnum):
    """What a bot did wrong. One code a fault; the faulting team forfeits the game."""

    START_FAILED = "start_failed"
    """Did not start, or exited before `ready`, after an earlier good start in this tournament."""
    START_TIMEOUT = "start_timeout"
    BAD_READY = "bad_ready"
    CRASHED = "crashed"
    """End of file before a whole frame."""
    TIMEOUT = "timeout"
    """A poll with no time left found no whole frame."""
    NOT_READING = "not_reading"
    """The request could not be written in time: the bot does not read its stdin."""
    MALFORMED = "malformed"
    """Not a frame, or not a well-formed message."""
    WRONG_ID = "wrong_id"
    ILLEGAL = "illegal"
    """A well-formed answer whose action is not in `legal`."""
    UNSOLICITED = "unsolicited"
    """A frame that came while no request was open."""
    OVER_MEMORY = "over_memory"
    BURNED = "burned"
    """Its work between its own turns made another seat late."""
    KILLED_SLOT = "killed_slot"
    """It brought the referee's own process down."""


class EndReason(StrEnum):
    """How a game ended: exactly one a game; the reasons add up to the games."""

    TARGET = "target"
    HAND_LIMIT = "hand_limit"
    FORFEIT = "forfeit"


@dataclass(frozen=True, slots=True)
class FaultRecord:
    """One fault as data: who, when, what came, what was expected, what to do."""

    code: Fault
    seat: int
    team: int
    hand_number: int | None
    text: str
    """One line for a person: what came, what was expected, the likely mistake."""
    stderr_tail: str = ""
