"""Whom an examination is about, and under which limits."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from arena.bots.levels import Level
from arena.bots.limits import Limits
from arena.bots.resolve import Bot


@dataclass(frozen=True, slots=True)
class Subject:
    """A bot that is ready to be started."""

    bot: Bot
    directory: Path
    """Where it runs: its own folder, or that of its build."""
    level: Level
    limits: Limits

    @property
    def encoding(self) -> str:
        return self.bot.manifest.encoding.value

    @property
    def language(self) -> str:
        """As its manifest says, "" where it does not."""
        return self.bot.manifest.language or ""
