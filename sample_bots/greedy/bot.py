"""Calls on three trumps, wins each trick with its highest card when it can, else throws its lowest.

It minds neither its partner nor the score. A bot that does should beat it.
"""

from protocol import Bot, View, effective_suit, is_trump, strength, trump_order

TRUMPS_TO_CALL = 3
TRUMPS_TO_GO_ALONE = 4


class Greedy(Bot):
    name = "greedy"
    version = "1.0"

    def choose(self, view: View) -> str:
        if view.phase == "play":
            return f"play:{self.card_to_play(view)}"
        if view.phase == "discard":
            return f"discard:{min(view.cards, key=lambda card: self.worth(card, view.trump))}"
        if view.phase == "bid1":
            return self.call(view, {view.upcard[1]: "order_up"}, alone="order_up_alone")
        if view.phase in ("bid2", "joker_name"):
            suits = {word.split(":")[1]: word for word in view.legal if word.count(":") == 1}
            suits.pop("NT", None)
            return self.call(view, suits, alone="{}:alone")
        if "defend_together" in view.legal:
            return "defend_together"
        return view.legal[0]

    def call(self, view: View, suits: dict[str, str], alone: str) -> str:
        """The call for the suit with most trumps if there are enough of them (or no way to pass)."""
        if not suits:
            return view.legal[0]

        def trumps(suit: str) -> list[str]:
            cards = list(view.hand)
            if view.phase == "bid1" and view.seat == view.dealer:
                cards.append(view.upcard)
            return [card for card in cards if is_trump(card, suit)]

        suit = max(suits, key=lambda suit: (len(trumps(suit)), sum(strength(c, suit) for c in trumps(suit))))
        word = suits[suit]
        if len(trumps(suit)) < TRUMPS_TO_CALL and "pass" in view.legal:
            return "pass"
        top_two = set(trump_order(suit, view.joker)[:2])
        if len(trumps(suit)) >= TRUMPS_TO_GO_ALONE and top_two <= set(trumps(suit)):
            word = alone.format(word) if alone.format(word) in view.legal else word
        return word if word in view.legal else view.legal[0]

    def card_to_play(self, view: View) -> str:
        winners = [card for card in view.cards if view.beats(card)]
        if winners:
            return max(winners, key=lambda card: self.worth(card, view.trump))
        return min(view.cards, key=lambda card: self.worth(card, view.trump))

    def worth(self, card: str, trump: str | None) -> tuple[int, str]:
        """How much it would hurt to lose this card; the suit breaks a tie."""
        return strength(card, trump), effective_suit(card, trump)


if __name__ == "__main__":
    Greedy().run()
