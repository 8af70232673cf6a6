"""The phases of a euchre game, as the wire names them; `deal` and `over` ask no seat and are never sent."""

from __future__ import annotations

from typing import Final

DEAL: Final = "deal"
BID1: Final = "bid1"
BID2: Final = "bid2"
JOKER_NAME: Final = "joker_name"
DISCARD: Final = "discard"
DEFEND: Final = "defend"
PLAY: Final = "play"
OVER: Final = "over"
