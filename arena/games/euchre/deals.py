"""Deals made to order: a pack in which given seats hold given cards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from arena.cards.notation import pack_from_words
from arena.games.base import Game


def pack_for(
    game: Game,
    dealer: int,
    hands: Mapping[int, Iterable[str]],
    upcard: str | None = None,
    *,
    unseen: Iterable[str] = (),
) -> list[int]:
    """A pack for `State.deal` in which `dealer` deals each seat its cards of `hands` and turns `upcard`.

    `hands` may leave out seats and cards; what is not told is filled up in canonical order, with the cards of
    `unseen` kept out of all hands. Raises ValueError for more than five cards of a hand, for an unknown card,
    for one that is there twice, or if there is no room for `unseen`.
    """
    told = {seat: list(cards) for seat, cards in hands.items()}
    for seat, cards in told.items():
        if len(cards) > 5:
            raise ValueError(f"seat {seat} has {len(cards)} cards: expected at most 5")
    hidden = list(unseen)
    turned = [] if upcard is None else [upcard]
    fixed = {card for cards in told.values() for card in cards} | set(hidden) | set(turned)
    filler = [card for card in game.pack if card not in fixed]
    words: list[str] = []
    for i in range(1, 5):
        hand = told.get((dealer + i) % 4, [])
        missing = 5 - len(hand)
        words += [*hand, *filler[:missing]]
        del filler[:missing]
    if not turned:
        turned, filler = filler[:1], filler[1:]
    return pack_from_words([*words, *turned, *hidden, *filler], game.pack)
