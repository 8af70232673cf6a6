package main

import "strings"

// View is a request, as the strategy reads it.
type View struct {
	phase                        string
	legal                        []string
	seat, partner, dealer, maker int
	place                        int // in the auction: 0 dealer's left ... 3 the dealer
	toGo, theirToGo              int // points that each side still needs
	hand, pack                   []Card
	upcard, discard              Card
	takenUp                      bool // the dealer took the upcard
	trump                        Suit
	out                          [4]bool // who sits out
	tricks                       [][]Play
	trick                        []Play // the current one, empty for the leader
}

// Play is one card of a trick.
type Play struct {
	seat int
	card Card
}

// whole is a number of the wire, 0 for anything else.
func whole(value any) int64 {
	switch value := value.(type) {
	case int64:
		return value
	case float64:
		return int64(value)
	}
	return 0
}

func text(value any) string {
	word, _ := value.(string)
	return word
}

func texts(value any) []string {
	list, _ := value.([]any)
	words := make([]string, len(list))
	for i, item := range list {
		words[i] = text(item)
	}
	return words
}

func parseCards(value any) []Card {
	var cards []Card
	for _, word := range texts(value) {
		cards = append(cards, parseCard(word))
	}
	return cards
}

func readView(message map[string]any) *View {
	number := func(key string) int { return int(whole(message[key])) }
	seat, dealer := number("seat"), number("dealer")
	view := &View{
		phase: text(message["phase"]), legal: texts(message["legal"]),
		seat: seat, partner: (seat + 2) % 4, dealer: dealer, maker: number("maker"),
		place: (seat - dealer + 3) % 4,
		hand:  parseCards(message["hand"]), upcard: parseCard(text(message["upcard"])),
		discard: parseCard(text(message["discard"])), trump: parseSuit(text(message["trump"])),
	}
	view.takenUp = view.upcard == joker
	for _, word := range texts(message["calls"]) {
		view.takenUp = view.takenUp || strings.HasPrefix(word, "order_up")
	}

	target, withJoker := 10, false
	if text(message["game"]) == "british" {
		target, withJoker = 11, true
	}
	rules, _ := message["rules"].(map[string]any)
	if value, ok := rules["target"]; ok {
		target = int(whole(value))
	}
	if value, ok := rules["joker"].(bool); ok {
		withJoker = value
	}
	view.pack = fullPack(withJoker)
	if scores, ok := message["scores"].([]any); ok && len(scores) == 2 {
		view.toGo = target - int(whole(scores[seat%2]))
		view.theirToGo = target - int(whole(scores[1-seat%2]))
	}

	players := 4
	alone, _ := message["alone"].([]any)
	for _, seat := range alone {
		view.out[(whole(seat)+2)%4] = true
		players--
	}
	tricks, _ := message["tricks"].([]any)
	for _, item := range tricks {
		var trick []Play
		for _, play := range item.([]any) {
			pair := play.([]any)
			trick = append(trick, Play{int(whole(pair[0])), parseCard(text(pair[1]))})
		}
		view.tricks = append(view.tricks, trick)
		if len(trick) < players {
			view.trick = trick
		}
	}
	return view
}

func (v *View) mayAnswer(word string) bool {
	for _, other := range v.legal {
		if other == word {
			return true
		}
	}
	return false
}

// legalCards are the cards in `legal`, behind "discard:" or "play:".
func (v *View) legalCards() []Card {
	var cards []Card
	for _, word := range v.legal {
		_, card, _ := strings.Cut(word, ":")
		cards = append(cards, parseCard(card))
	}
	return cards
}
