"""A logged game put through the rules again, hand by hand: who did what, with what cards on the table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from arena.cards.notation import pack_from_words
from arena.games.base import Game, HandResult, IllegalAction, RuleError
from arena.games.registry import get_game
from arena.replay.escape import plain
from arena.replay.log import LoggedGame
from arena.replay.records import HandRecord


class StoryError(ValueError):
    """The record cannot be put through the rules; the text says where."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One request and its answer."""

    seat: int
    word: str
    micros: int
    """The time charged, in microseconds."""
    phase: str


@dataclass(frozen=True, slots=True)
class HandStory:
    """One hand laid open."""

    record: HandRecord
    scores_before: tuple[int, ...]
    hands: tuple[tuple[str, ...], ...]
    """By seat, the cards as dealt."""
    upcard: str
    decisions: tuple[Decision, ...]
    result: HandResult | None
    """None for a hand that was cut short."""
    asked: int | None
    """The seat that was to act when the hand was cut short."""


def game_of(logged: LoggedGame) -> Game:
    """The game of a log, with its rules. Raises StoryError where this arena does not know it."""
    try:
        return get_game(logged.header.game, logged.header.rules)
    except RuleError as error:
        raise StoryError(str(error)) from None


def hand_stories(logged: LoggedGame, game: Game | None = None) -> Iterator[HandStory]:
    """The hands of a logged game, in order. Raises StoryError at the first that breaks the rules."""
    game = game or game_of(logged)
    state = game.new_state(dealer=logged.start.dealer)
    for record in logged.hands:
        before = tuple(state.scores)
        try:
            if not state.needs_deal:
                raise StoryError(f"hand {record.number}: the game was over")
            state.deal(pack_from_words(record.pack, game.pack))
            decisions = []
            for word, micros in zip(record.acts, record.micros, strict=True):
                seat, action = state.to_act, game.action(word)
                if seat is None or action is None:
                    raise IllegalAction(f"`{plain(word, 40)}` is no action here")
                decisions.append(Decision(seat, word, micros, str(state.view(seat)["phase"])))
                state.apply(action)
        except (ValueError, IllegalAction) as error:
            raise StoryError(f"hand {record.number}: {error}") from None
        opened = state.reveal()
        yield HandStory(
            record=record,
            scores_before=before,
            hands=tuple(tuple(cards) for cards in opened["hands"]),
            upcard=opened["upcard"],
            decisions=tuple(decisions),
            result=state.last_hand if state.to_act is None else None,
            asked=state.to_act,
        )
