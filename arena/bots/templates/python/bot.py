"""A euchre bot in Python. `choose` is the place for your own thinking; it may return any word of `legal`.

`View` has every key of the request as an attribute, and what one reads off the table: view.beats(card),
view.unseen(), view.voids() and more. print() goes to stderr here, so it does no harm.
"""

from protocol import View, is_trump, run, strength

TRUMPS_TO_CALL = 3


def choose(view: View) -> str:
    """The answer to one request."""
    if view.phase == "play":
        return "play:" + max(view.cards, key=lambda card: strength(card, view.trump))
    if view.phase == "discard":
        return "discard:" + min(view.cards, key=lambda card: strength(card, view.trump))
    for word in view.legal:
        suit = suit_called(word, view.upcard)
        if suit and sum(is_trump(card, suit) for card in view.hand) >= TRUMPS_TO_CALL:
            return word
    return view.legal[0]


def suit_called(word: str, upcard: str) -> str | None:
    """The suit that a call makes trumps, None for other words."""
    if word == "order_up":
        return upcard[1]
    if word in ("name:C", "name:D", "name:H", "name:S"):
        return word[5]
    return None


if __name__ == "__main__":
    run(choose)
