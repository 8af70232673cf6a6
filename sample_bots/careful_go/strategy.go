package main

import "sort"

// How a careful club player answers one euchre request. Everything is decided from the request
// alone. What a hand is worth is counted in hundredths of a trick: 250 is two and a half tricks.

// What a card is worth, by the number of higher cards of its suit that others may hold.
var (
	trumpTricks   = [...]int{100, 80, 65, 60, 60, 35, 30, 30}
	sideTricks    = [...]int{45, 15, 5, 0, 0, 0}
	noTrumpTricks = [...]int{90, 40, 15, 5, 0, 0}
)

// What one's own hand has to be worth to call, by place in the auction: dealer's left, dealer's
// partner, dealer's right, dealer. Partner is good for the rest.
var (
	round1Need = [...]int{265, 250, 265, 225}
	round2Need = [...]int{200, 215, 220, 210}
)

const (
	voidTricks    = 20  // a side suit that one holds no card of, with a trump to ruff it
	brink         = 15  // so much less will do when either side has one point to go
	aloneNeed     = 360 // to play alone; with the highest trump as well
	upcardTricks  = 40  // to a partner who deals; against us if an opponent deals
	upbowerTricks = 60
	nextTricks    = 40 // round 2: the dealer turned a suit down, so he is weak in its sister suit
)

func choose(message map[string]any) string {
	view := readView(message)
	switch view.phase {
	case "bid1":
		return orderUp(view)
	case "bid2":
		return nameTrumps(view)
	case "joker_name":
		// The joker is turned and the hand not yet seen: all suits are alike, and alone is a gamble.
		return "name:S"
	case "discard":
		return "discard:" + bestDiscard(view.hand, view.legalCards(), view.trump, view.pack).String()
	case "defend":
		return defend(view)
	case "play":
		return "play:" + play(view).String()
	}
	return ""
}

// What a hand is worth

// handValue is the hundredths of a trick that hand should take; pack holds every card that can be in play.
func handValue(hand []Card, trump Suit, pack []Card) int {
	hasTrump := len(ofSuit(hand, trump, trump)) > 0
	value := 0
	for suit := Suit(0); suit < 4; suit++ {
		cards := ofSuit(pack, suit, trump)
		sort.Slice(cards, func(i, j int) bool { return cards[i].strength(trump) > cards[j].strength(trump) })
		above, mine := 0, 0
		for _, card := range cards {
			switch {
			case !contains(hand, card):
				above++
				continue
			case suit == trump && above > mine:
				// Each higher trump of one's own draws one of theirs.
				value += trumpTricks[above-mine]
			case suit == trump:
				value += trumpTricks[0]
			case trump == noTrump:
				value += noTrumpTricks[above]
			default:
				value += sideTricks[above]
			}
			mine++
		}
		if mine == 0 && hasTrump {
			value += voidTricks
		}
	}
	return value
}

// bestDiscard is the card whose loss leaves the best five; among equals the lowest.
func bestDiscard(hand, choices []Card, trump Suit, pack []Card) Card {
	return maxBy(choices, func(card Card) int {
		// A value counts for more than any difference in strength.
		return 1000*handValue(without(hand, card), trump, pack) - card.strength(trump)
	})
}

// Calling

func strongAlone(view *View, hand []Card, trump Suit, value int) bool {
	highest := rightBower(trump)
	if contains(view.pack, joker) {
		highest = joker
	}
	return value >= aloneNeed && (trump == noTrump || contains(hand, highest))
}

// call is the word, alone or not, or a pass.
func call(view *View, word, loneWord string, value, need int, alone bool) string {
	if view.toGo == 1 || view.theirToGo == 1 {
		need -= brink
	}
	// With one or two points to go, a march together is enough.
	if alone && view.toGo > 2 && view.mayAnswer(loneWord) {
		return loneWord
	}
	if view.mayAnswer(word) && (value >= need || !view.mayAnswer("pass")) {
		return word
	}
	return "pass"
}

func orderUp(view *View) string {
	trump, hand := Suit(view.upcard/6), view.hand
	upcardHelps := upcardTricks
	if view.upcard == rightBower(trump) {
		upcardHelps = upbowerTricks
	}
	if view.seat == view.dealer {
		six := append([]Card{view.upcard}, hand...)
		hand = without(six, bestDiscard(six, six, trump, view.pack))
		upcardHelps = 0
	} else if view.partner != view.dealer {
		upcardHelps = -upcardHelps
	}
	value := handValue(hand, trump, view.pack)
	alone := strongAlone(view, hand, trump, value)
	return call(view, "order_up", "order_up_alone", value+upcardHelps, round1Need[view.place], alone)
}

func nameTrumps(view *View) string {
	pack := without(view.pack, view.upcard)
	bestWord, bestValue, alone := "", 0, false
	for trump, name := range []string{"C", "D", "H", "S", "NT"} {
		word, trump := "name:"+name, Suit(trump)
		if !view.mayAnswer(word) {
			continue
		}
		own := handValue(view.hand, trump, pack)
		value := own
		if trump == sister(Suit(view.upcard/6)) {
			if view.place%2 == 0 {
				value += nextTricks
			} else {
				value -= nextTricks
			}
		}
		if bestWord == "" || value > bestValue {
			bestWord, bestValue, alone = word, value, strongAlone(view, view.hand, trump, own)
		}
	}
	return call(view, bestWord, bestWord+":alone", bestValue, round2Need[view.place], alone)
}

func defend(view *View) string {
	if strongAlone(view, view.hand, view.trump, handValue(view.hand, view.trump, view.pack)) {
		return "defend_alone"
	}
	return "defend_together"
}

// Playing

// Table is what a player knows who has watched every card.
type Table struct {
	*View
	led         Suit
	unseen      []Card
	dealerHolds Card // the upcard, while the dealer has it in his hand
	voids       [4]map[Suit]bool
	foes        []int // the opponents that are in
	foesToPlay  []int // those who play to this trick after oneself
}

func setTable(view *View) *Table {
	t := &Table{View: view, led: noSuit, dealerHolds: noCard}
	seen := append([]Card{view.discard}, view.hand...)
	for seat := range t.voids {
		t.voids[seat] = map[Suit]bool{}
	}
	for _, trick := range view.tricks {
		led := t.suit(trick[0].card)
		for _, play := range trick {
			seen = append(seen, play.card)
			if t.suit(play.card) != led {
				t.voids[play.seat][led] = true
			}
		}
	}
	if !view.takenUp {
		seen = append(seen, view.upcard)
	} else if !contains(seen, view.upcard) {
		t.dealerHolds = view.upcard
	}
	t.unseen = filter(view.pack, func(card Card) bool { return !contains(seen, card) })

	var played [4]bool
	for _, play := range view.trick {
		played[play.seat] = true
	}
	if len(view.trick) > 0 {
		t.led = t.suit(view.trick[0].card)
	}
	for _, foe := range []int{(view.seat + 1) % 4, (view.seat + 3) % 4} {
		if view.out[foe] {
			continue
		}
		t.foes = append(t.foes, foe)
		if !played[foe] {
			t.foesToPlay = append(t.foesToPlay, foe)
		}
	}
	return t
}

func (t *Table) suit(card Card) Suit    { return card.suit(t.trump) }
func (t *Table) strength(card Card) int { return card.strength(t.trump) }
func (t *Table) isTrump(card Card) bool { return t.suit(card) == t.trump }

// mayHold tells whether the unseen card may be in the hand of seat.
func (t *Table) mayHold(seat int, card Card) bool {
	if card == t.dealerHolds {
		return seat == t.dealer
	}
	return !t.voids[seat][t.suit(card)]
}

func (t *Table) foesMayHold(card Card) bool {
	for _, foe := range t.foes {
		if t.mayHold(foe, card) {
			return true
		}
	}
	return false
}

func (t *Table) foesMayHaveTrumps() bool {
	for _, card := range t.unseen {
		if t.isTrump(card) && t.foesMayHold(card) {
			return true
		}
	}
	return false
}

// isHigh tells whether no opponent can hold a higher card of its suit.
func (t *Table) isHigh(card Card) bool {
	for _, other := range ofSuit(t.unseen, t.suit(card), t.trump) {
		if t.strength(other) > t.strength(card) && t.foesMayHold(other) {
			return false
		}
	}
	return true
}

// holdsUp tells whether card, winning now, is safe from the opponents still to play. A ruff is
// feared only from one who has shown that he is void of the suit led.
func (t *Table) holdsUp(card Card) bool {
	for _, other := range t.unseen {
		if !other.beats(card, t.trump) {
			continue
		}
		for _, foe := range t.foesToPlay {
			if t.mayHold(foe, other) && (t.suit(other) == t.led || t.voids[foe][t.led]) {
				return false
			}
		}
	}
	return true
}

// throwOff is the card that will be missed least: trumps and winners stay, a lone low card makes a void.
func (t *Table) throwOff(cards []Card) Card {
	hasTrump := len(ofSuit(t.hand, t.trump, t.trump)) > 0
	return minBy(cards, func(card Card) int {
		worth := 4 * t.strength(card)
		switch {
		case t.isTrump(card):
			return worth
		case t.isHigh(card):
			return worth + 50
		case hasTrump && len(ofSuit(t.hand, t.suit(card), t.trump)) == 1:
			return worth - 10
		}
		return worth
	})
}

func play(view *View) Card {
	t := setTable(view)
	if len(view.trick) > 0 {
		return t.follow(view.legalCards())
	}
	return t.lead(view.legalCards())
}

func (t *Table) lead(cards []Card) Card {
	trumps := filter(cards, t.isTrump)
	side := filter(cards, func(card Card) bool { return !t.isTrump(card) })
	ours := t.maker%2 == t.seat%2
	if ours && len(trumps) > 0 && t.foesMayHaveTrumps() {
		// Makers draw trumps: with the highest one, from length, or at once to the partner who called.
		best := maxBy(trumps, t.strength)
		iCalled := t.maker == t.seat
		if t.isHigh(best) || iCalled && len(trumps) >= 3 || !iCalled && len(t.hand) == 5 {
			return best
		}
	}
	if winners := filter(side, t.isHigh); len(winners) > 0 {
		// The more of its suit are out, the less likely is a ruff.
		return maxBy(winners, func(card Card) int { return len(ofSuit(t.unseen, t.suit(card), t.trump)) })
	}
	if len(side) > 0 {
		return t.throwOff(side)
	}
	if best := maxBy(trumps, t.strength); t.isHigh(best) {
		return best
	}
	return minBy(trumps, t.strength)
}

func (t *Table) follow(cards []Card) Card {
	best := t.trick[0]
	for _, play := range t.trick[1:] {
		if play.card.beats(best.card, t.trump) {
			best = play
		}
	}
	partnerWins := best.seat == t.partner
	if partnerWins && t.holdsUp(best.card) {
		return t.throwOff(cards)
	}
	winning := filter(cards, func(card Card) bool { return card.beats(best.card, t.trump) })
	if len(winning) == 0 {
		return t.throwOff(cards)
	}
	if safe := filter(winning, t.holdsUp); len(safe) > 0 {
		return minBy(safe, t.strength) // as cheaply as is safe
	}
	if partnerWins {
		return t.throwOff(cards)
	}
	if lowest := minBy(winning, t.strength); t.isTrump(lowest) {
		return lowest
	}
	return maxBy(winning, t.strength)
}
