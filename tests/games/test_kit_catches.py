"""The conformance kit finds what it is there to find: broken games fail it."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from arena.games import conformance as kit
from arena.games.base import IllegalAction
from arena.games.euchre.game import EuchreGame
from arena.games.euchre.state import EuchreState
from arena.games.registry import get_game

SPADES_TO_HEARTS = {"C": "D", "D": "C", "S": "H", "H": "S"}


class Broken(EuchreState):
    __slots__ = ()

    def copy(self) -> EuchreState:
        twin = super().copy()
        twin.__class__ = type(self)
        return twin


class ShowsPartner(Broken):
    __slots__ = ()

    def view(self, seat: int) -> dict[str, Any]:
        return super().view(seat) | {"rules": {"partner": self.hands[seat ^ 2]}}


class TellsByLegal(Broken):
    """A seat may not play its last card while its partner holds the ace of spades."""

    __slots__ = ()

    def legal(self) -> list[int]:
        legal = super().legal()
        if self.phase == "play" and len(legal) > 1 and self.to_act is not None:
            return legal[:-1] if self.hands[self.to_act ^ 2] >> 23 & 1 else legal
        return legal


class Unsorted(Broken):
    __slots__ = ()

    def legal(self) -> list[int]:
        return super().legal()[::-1]


class TakesAnything(Broken):
    __slots__ = ()

    def apply(self, action: int) -> None:
        super().apply(action if action in self.legal() else self.legal()[0])


class ChangesBeforeItRefuses(Broken):
    __slots__ = ()

    def apply(self, action: int) -> None:
        try:
            super().apply(action)
        except IllegalAction:
            self.scores = (self.scores[0] + 1, self.scores[1])
            raise


class SharesItsLists(Broken):
    __slots__ = ()

    def view(self, seat: int) -> dict[str, Any]:
        return super().view(seat) | {"calls": self.calls}


class PacksAnother(Broken):
    """What is packed once a call does not show that a seat plays alone."""

    __slots__ = ()

    def _ask_defence(self) -> None:
        super()._ask_defence()
        if not self.alone:
            self.packed_view(0)
            self.alone = [0]


class CopiesTooLittle(Broken):
    __slots__ = ()

    def copy(self) -> EuchreState:
        twin = super().copy()
        twin.hands = self.hands
        return twin


class LovesHearts(Broken):
    __slots__ = ()

    def legal(self) -> list[int]:
        legal = super().legal()
        hearts = [action for action in legal if 12 <= action < 18]
        return hearts or legal


class NeverEnds(Broken):
    __slots__ = ()

    def outcome(self) -> None:
        if super().outcome() is not None:
            self.needs_deal = True


class Miscounts(Broken):
    __slots__ = ()

    def apply(self, action: int) -> None:
        before = self.last_hand
        super().apply(action)
        if self.last_hand != before:
            self.scores = (self.scores[0], self.scores[1] + 1)


def broken(kind: type[Broken]) -> EuchreGame:
    """North American euchre whose states are of that kind."""

    class Game(EuchreGame):
        def new_state(self, **start: Any) -> EuchreState:
            state = super().new_state(**start)
            state.__class__ = kind
            return state

    return Game("north-american", get_game().rules)


def actions(game: Any, draw: kit.Draw) -> None:
    kit.check_actions(game, draw, hands=2)


def relabelling(game: Any, draw: kit.Draw) -> None:
    kit.check_relabelling(game, draw, SPADES_TO_HEARTS)


@pytest.mark.parametrize(
    ("kind", "check"),
    [
        (ShowsPartner, kit.check_secrets),
        (TellsByLegal, kit.check_secrets),
        (Unsorted, actions),
        (TakesAnything, actions),
        (ChangesBeforeItRefuses, actions),
        (SharesItsLists, kit.check_copies),
        (PacksAnother, kit.check_packed),
        (CopiesTooLittle, kit.check_copies),
        (LovesHearts, relabelling),
        (NeverEnds, kit.check_ending),
        (Miscounts, kit.check_ending),
    ],
)
def test_broken_game_is_found(kind: type[Broken], check: Callable[[Any, kit.Draw], object]) -> None:
    def search() -> None:
        for seed in range(200):
            check(broken(kind), random.Random(seed).randrange)

    with pytest.raises(AssertionError):
        search()


@pytest.mark.parametrize(
    "check", [actions, kit.check_copies, kit.check_packed, kit.check_ending, relabelling]
)
def test_whole_game_is_not(check: Callable[[Any, kit.Draw], object]) -> None:
    check(broken(Broken), random.Random(1).randrange)
