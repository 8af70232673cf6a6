"""A bot-battle arena for the euchre card family.

From Python: `play_hand`, `play_game`, `play_pairs` (arena/api.py), loaded when first used.
"""

from typing import TYPE_CHECKING, Any

from arena.version import __version__

if TYPE_CHECKING:
    from arena.api import play_game, play_hand, play_pairs

__all__ = ["__version__", "play_game", "play_hand", "play_pairs"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import arena.api

    return getattr(arena.api, name)
