"""What an examination finds: one entry for each thing tried, and the line to paste."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from arena.version import __version__


class Status(StrEnum):
    """How one thing went."""

    OK = "ok"
    WARNING = "warn"
    """It may play, but should be looked at."""
    FAILED = "FAIL"
    SKIPPED = "skip"
    """Not tried, because of something before."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing tried."""

    id: str
    status: Status
    said: str
    """One line: what was tried and how it went."""
    sent: str = ""
    """Where it did not go well: what was sent,"""
    came: str = ""
    """what came,"""
    change: str = ""
    """and what to change."""
    stderr: str = ""
    """The end of what the bot wrote to stderr, where that tells more."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured; None where it did not come so far."""

    build_s: float | None = None
    start_ms: float | None = None
    median_ms: float | None = None
    worst_ms: float | None = None
    memory_mb: float | None = None
    games: int = 0
    answers: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """One examination of one bot."""

    name: str
    version: str
    digest: str
    language: str
    level: str
    games: tuple[str, ...]
    checks: tuple[Check, ...]
    figures: Figures = field(default_factory=Figures)

    @property
    def ok(self) -> bool:
        """Whether the bot may play: nothing failed."""
        return all(check.status is not Status.FAILED for check in self.checks)

    def summary(self) -> str:
        """One line to paste."""
        count = {status: sum(check.status is status for check in self.checks) for status in Status}
        who = f"{self.name}@{self.version}" if self.version else self.name
        about = ", ".join(filter(None, (self.language, self.digest[:12])))
        verdict = "passed" if self.ok else "FAILED"
        parts = [f"{count[Status.OK]} ok"]
        parts += [f"{count[s]} {word}" for s, word in _WORDS if count[s]]
        f = self.figures
        figures = []
        if f.start_ms is not None:
            figures.append(f"start {f.start_ms:.0f} ms")
        if f.median_ms is not None and f.worst_ms is not None:
            figures.append(f"move {f.median_ms:.2f} ms, worst {f.worst_ms:.1f}")
        if f.memory_mb is not None:
            figures.append(memory_words(f.memory_mb))
        if f.answers:
            figures.append(f"{f.answers} answers in {f.games} games")
        line = f"{who} ({about}) {verdict}: {', '.join(parts)}"
        if figures:
            line += f"; {', '.join(figures)}"
        return f"{line}; {self.level}, arena {__version__}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for `--json`."""
        return {
            "bot": self.name,
            "version": self.version,
            "digest": self.digest,
            "language": self.language,
            "isolation": self.level,
            "games": list(self.games),
            "ok": self.ok,
            "summary": self.summary(),
            "checks": [asdict(check) | {"status": check.status.value.lower()} for check in self.checks],
            "figures": asdict(self.figures),
        }


_WORDS = ((Status.WARNING, "warned"), (Status.FAILED, "failed"), (Status.SKIPPED, "not tried"))


def memory_words(mb: float) -> str:
    """`14 MiB`, and for a small program not 0."""
    return f"{mb:.0f} MiB" if mb >= 1 else "below 1 MiB"
