"""The end of a tournament: its seed is revealed, and nothing can be added any more."""

from __future__ import annotations

from pathlib import Path

from arena.store.folder import holds_tournament, no_tournament
from arena.store.store import Store


def close_tournament(folder: Path) -> str:
    """Reveal the master seed of the tournament in `folder`; the seed in hex. May be called again.

    Raises ArenaError where there is none, or where it is being run.
    """
    if not holds_tournament(folder):
        raise no_tournament(folder)
    with Store(folder) as store, store.transaction():
        return store.close_tournament()
