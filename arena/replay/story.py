"""A logged game put through the rules again, hand by hand: who did what, with what cards on the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from arena.cards.notation import pack_from_words
from arena.games.base import Game, HandResult, IllegalAction, RuleError
from arena.games.registry import get_game
from arena.replay.escape import plain
from arena.replay.log import LoggedGame
from arena.replay.records import HandRecord
from protocol.cards import trick_winner


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
class Trick:
    """Cards played in turn, the leader's first; `winner` is None while the trick is not complete."""

    plays: tuple[tuple[int, str], ...]
    """(seat, card)."""
    winner: int | None


@dataclass(frozen=True, slots=True)
class HandStory:
    """One hand laid open."""

    record: HandRecord
    scores_before: tuple[int, ...]
    hands: tuple[tuple[str, ...], ...]
    """By seat, the cards as dealt."""
    upcard: str
    decisions: tuple[Decision, ...]
    trump: str | None
    maker: int | None
    alone: tuple[int, ...]
    """The seats that play without their partners."""
    tricks: tuple[Trick, ...]
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
    """The hands of a logged game, in order. Raises StoryError at the first that breaks the rules.

    The error counts hands from 1, as people do.
    """
    game = game or game_of(logged)
    state = game.new_state(dealer=logged.start.dealer)
    for record in logged.hands:
        before = tuple(state.scores)
        try:
            if not state.needs_deal:
                raise StoryError(f"hand {record.number + 1}: the game was over")
            state.deal(pack_from_words(record.pack, game.pack))
            decisions: list[Decision] = []
            view: dict[str, Any] = {}
            for word, micros in zip(record.acts, record.micros, strict=True):
                seat, action = state.to_act, game.action(word)
                if seat is None or action is None:
                    raise IllegalAction(f"`{plain(word, 40)}` is no action here")
                view = state.view(seat)
                decisions.append(Decision(seat, word, micros, str(view["phase"])))
                state.apply(action)
            if state.to_act is not None:
                view = state.view(state.to_act)
        except (ValueError, IllegalAction) as error:
            raise StoryError(f"hand {record.number + 1}: {error}") from None
        opened = state.reveal()
        yield HandStory(
            record=record,
            scores_before=before,
            hands=tuple(tuple(cards) for cards in opened["hands"]),
            upcard=opened["upcard"],
            decisions=tuple(decisions),
            trump=view.get("trump"),
            maker=view.get("maker"),
            alone=tuple(view.get("alone", ())),
            tricks=_tricks(decisions, game.seats - len(view.get("alone", ())), view.get("trump")),
            result=state.last_hand if state.to_act is None else None,
            asked=state.to_act,
        )


def _tricks(decisions: Sequence[Decision], players: int, trump: str | None) -> tuple[Trick, ...]:
    """The plays cut into tricks; whoever wins one leads to the next."""
    plays = [(d.seat, d.word.split(":")[1]) for d in decisions if d.phase == "play"]
    cut = [tuple(plays[i : i + players]) for i in range(0, len(plays), players)]
    tricks = []
    for place, trick in enumerate(cut):
        winner: int | None = None
        if place + 1 < len(cut):
            winner = cut[place + 1][0][0]
        elif len(trick) == players:
            best = trick_winner(trick, trump)
            winner = best[0] if best is not None else None
        tricks.append(Trick(trick, winner))
    return tuple(tricks)
