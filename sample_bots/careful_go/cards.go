package main

import "strings"

// Suit is a number in the order of `suits`; noTrump stands for trumps that are none.
type Suit int

// Card is suit*6 + rank, which is the pack's order.
type Card int

const (
	suits = "CDHS"
	ranks = "9TJQKA"

	noSuit  Suit = -1
	noTrump Suit = 4

	jack        = 2
	noCard Card = -1
	joker  Card = 24
)

func sister(suit Suit) Suit { return 3 - suit } // clubs and spades, diamonds and hearts

func rightBower(trump Suit) Card { return Card(trump)*6 + jack }

func parseSuit(word string) Suit {
	if word == "NT" {
		return noTrump
	}
	if len(word) != 1 {
		return noSuit
	}
	return Suit(strings.Index(suits, word))
}

func parseCard(word string) Card {
	if word == "JK" {
		return joker
	}
	if len(word) != 2 {
		return noCard
	}
	return Card(6*strings.IndexByte(suits, word[1]) + strings.IndexByte(ranks, word[0]))
}

func (c Card) String() string {
	if c == joker {
		return "JK"
	}
	return ranks[c%6:c%6+1] + suits[c/6:c/6+1]
}

func fullPack(withJoker bool) []Card {
	pack := make([]Card, 0, 25)
	for card := Card(0); card < joker; card++ {
		pack = append(pack, card)
	}
	if withJoker {
		pack = append(pack, joker)
	}
	return pack
}

// suit is the one that a card counts as: the joker and the left bower are trumps.
func (c Card) suit(trump Suit) Suit {
	if c == joker {
		return trump
	}
	if trump != noTrump && c == rightBower(sister(trump)) {
		return trump
	}
	return Suit(c / 6)
}

// strength is 1 to 6 in a side suit, above 100 for a trump.
func (c Card) strength(trump Suit) int {
	rank := int(c % 6)
	switch {
	case c == joker:
		return 110
	case c.suit(trump) != trump:
		return 1 + rank
	case c == rightBower(trump):
		return 109
	case rank == jack:
		return 108
	}
	return 101 + rank
}

// beats tells whether c, played after other, which wins the trick so far, takes it.
func (c Card) beats(other Card, trump Suit) bool {
	if c.suit(trump) != other.suit(trump) {
		return c.suit(trump) == trump
	}
	return c.strength(trump) > other.strength(trump)
}

func filter(cards []Card, keep func(Card) bool) []Card {
	var kept []Card
	for _, card := range cards {
		if keep(card) {
			kept = append(kept, card)
		}
	}
	return kept
}

func contains(cards []Card, wanted Card) bool {
	for _, card := range cards {
		if card == wanted {
			return true
		}
	}
	return false
}

func without(cards []Card, unwanted Card) []Card {
	return filter(cards, func(card Card) bool { return card != unwanted })
}

func ofSuit(cards []Card, suit, trump Suit) []Card {
	return filter(cards, func(card Card) bool { return card.suit(trump) == suit })
}

// maxBy is the card with the largest value, the first among equals.
func maxBy(cards []Card, value func(Card) int) Card {
	best := cards[0]
	for _, card := range cards[1:] {
		if value(card) > value(best) {
			best = card
		}
	}
	return best
}

func minBy(cards []Card, value func(Card) int) Card {
	return maxBy(cards, func(card Card) int { return -value(card) })
}
