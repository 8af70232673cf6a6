//! careful, in Rust: one file, no crate. The modules below are msgpack, cards, the view, the
//! strategy; `main` is the conversation with the arena.

use std::io::{self, Read, Write};

mod msgpack {
    //! As much of msgpack as the arena's messages need: reads all but extension types.

    #[derive(Debug, Clone, PartialEq)]
    pub enum Value {
        Nil,
        Bool(bool),
        Int(i64),
        Float(f64),
        Text(String),
        List(Vec<Value>),
        Map(Vec<(String, Value)>),
    }

    static NIL: Value = Value::Nil;

    impl Value {
        /// The value under a key, nil where it is missing.
        pub fn get(&self, key: &str) -> &Value {
            match self {
                Value::Map(pairs) => pairs.iter().find(|(k, _)| k == key).map_or(&NIL, |(_, v)| v),
                _ => &NIL,
            }
        }

        pub fn int(&self) -> Option<i64> {
            match *self {
                Value::Int(number) => Some(number),
                Value::Float(number) => Some(number as i64),
                _ => None,
            }
        }

        pub fn text(&self) -> &str {
            match self {
                Value::Text(text) => text,
                _ => "",
            }
        }

        pub fn list(&self) -> &[Value] {
            match self {
                Value::List(items) => items,
                _ => &[],
            }
        }
    }

    /// Reads one value from the front of a frame. None: the frame ends too early, or it holds
    /// something that is not read here.
    pub fn read(frame: &mut &[u8]) -> Option<Value> {
        let kind = uint(frame, 1)? as u8;
        Some(match kind {
            0x00..=0x7f => Value::Int(kind.into()),
            0x80..=0x8f => map(frame, (kind & 15).into())?,
            0x90..=0x9f => list(frame, (kind & 15).into())?,
            0xa0..=0xbf => text(frame, (kind & 31).into())?,
            0xe0..=0xff => Value::Int((kind as i8).into()),
            0xc0 => Value::Nil,
            0xc2 | 0xc3 => Value::Bool(kind == 0xc3),
            0xca => Value::Float(f32::from_bits(uint(frame, 4)? as u32).into()),
            0xcb => Value::Float(f64::from_bits(uint(frame, 8)?)),
            0xcc..=0xcf => Value::Int(uint(frame, 1 << (kind - 0xcc))? as i64),
            0xd0 => Value::Int((uint(frame, 1)? as i8).into()),
            0xd1 => Value::Int((uint(frame, 2)? as i16).into()),
            0xd2 => Value::Int((uint(frame, 4)? as i32).into()),
            0xd3 => Value::Int(uint(frame, 8)? as i64),
            0xc4..=0xc6 => sized(frame, 1 << (kind - 0xc4), text)?,
            0xd9..=0xdb => sized(frame, 1 << (kind - 0xd9), text)?,
            0xdc | 0xdd => sized(frame, 2 << (kind - 0xdc), list)?,
            0xde | 0xdf => sized(frame, 2 << (kind - 0xde), map)?,
            _ => return None,
        })
    }

    fn take<'a>(frame: &mut &'a [u8], size: usize) -> Option<&'a [u8]> {
        let bytes = frame.get(..size)?;
        *frame = &frame[size..];
        Some(bytes)
    }

    fn uint(frame: &mut &[u8], size: usize) -> Option<u64> {
        let bytes = take(frame, size)?;
        Some(bytes.iter().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    type Reader = fn(&mut &[u8], usize) -> Option<Value>;

    fn sized(frame: &mut &[u8], size_bytes: usize, read: Reader) -> Option<Value> {
        let size = uint(frame, size_bytes)? as usize;
        read(frame, size)
    }

    fn text(frame: &mut &[u8], size: usize) -> Option<Value> {
        let bytes = take(frame, size)?;
        Some(Value::Text(String::from_utf8_lossy(bytes).into_owned()))
    }

    fn list(frame: &mut &[u8], size: usize) -> Option<Value> {
        (0..size).map(|_| read(frame)).collect::<Option<_>>().map(Value::List)
    }

    fn map(frame: &mut &[u8], size: usize) -> Option<Value> {
        let pair = |_| match read(frame)? {
            Value::Text(key) => Some((key, read(frame)?)),
            _ => None,
        };
        (0..size).map(pair).collect::<Option<_>>().map(Value::Map)
    }

    /// A map of at most 15 pairs of a key and a text or whole number.
    pub fn write(pairs: &[(&str, Value)]) -> Vec<u8> {
        let mut out = vec![0x80 | pairs.len() as u8];
        for (key, value) in pairs {
            write_text(&mut out, key);
            match value {
                Value::Int(number) => {
                    out.push(0xd3);
                    out.extend(number.to_be_bytes());
                }
                other => write_text(&mut out, other.text()),
            }
        }
        out
    }

    fn write_text(out: &mut Vec<u8>, text: &str) {
        out.push(0xda);
        out.extend((text.len() as u16).to_be_bytes());
        out.extend(text.bytes());
    }
}

mod cards {
    use std::fmt;

    const RANKS: &str = "9TJQKA";
    const SUITS: &str = "CDHS";
    const JACK: usize = 2;

    /// A suit, in the order of `SUITS`; `NO_TRUMP` stands for trumps that are none.
    pub type Suit = usize;
    pub const NO_TRUMP: Suit = 4;

    pub fn parse_suit(word: &str) -> Option<Suit> {
        if word == "NT" {
            return Some(NO_TRUMP);
        }
        SUITS.find(word.chars().next()?)
    }

    /// The other suit of the same colour: clubs and spades, diamonds and hearts.
    pub fn sister(suit: Suit) -> Suit {
        3 - suit
    }

    /// A card: suit * 6 + rank, which is the pack's order, or `JOKER`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub struct Card(usize);

    pub const JOKER: Card = Card(24);

    pub fn right_bower(trump: Suit) -> Card {
        Card(trump * 6 + JACK)
    }

    pub fn full_pack(joker: bool) -> Vec<Card> {
        (0..if joker { 25 } else { 24 }).map(Card).collect()
    }

    impl Card {
        pub fn parse(word: &str) -> Option<Card> {
            if word == "JK" {
                return Some(JOKER);
            }
            let mut letters = word.chars();
            let rank = RANKS.find(letters.next()?)?;
            let suit = SUITS.find(letters.next()?)?;
            Some(Card(suit * 6 + rank))
        }

        pub fn printed_suit(self) -> Suit {
            self.0 / 6
        }

        pub fn is_jack(self) -> bool {
            self != JOKER && self.0 % 6 == JACK
        }

        /// The suit that it counts as: the joker and the left bower are trumps.
        pub fn suit(self, trump: Suit) -> Suit {
            let left_bower = trump != NO_TRUMP && self == right_bower(sister(trump));
            if self == JOKER || left_bower {
                trump
            } else {
                self.printed_suit()
            }
        }

        /// 1 to 6 in a side suit, above 100 for a trump.
        pub fn strength(self, trump: Suit) -> i32 {
            let rank = (self.0 % 6) as i32;
            if self == JOKER {
                110
            } else if self.suit(trump) != trump {
                1 + rank
            } else if self == right_bower(trump) {
                109
            } else if self.is_jack() {
                108
            } else {
                101 + rank
            }
        }

        /// Whether it takes a trick that `other` is winning.
        pub fn beats(self, other: Card, trump: Suit) -> bool {
            if self.suit(trump) == other.suit(trump) {
                self.strength(trump) > other.strength(trump)
            } else {
                self.suit(trump) == trump
            }
        }
    }

    impl fmt::Display for Card {
        fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
            if *self == JOKER {
                return write!(out, "JK");
            }
            let (suit, rank) = (self.0 / 6, self.0 % 6);
            write!(out, "{}{}", &RANKS[rank..=rank], &SUITS[suit..=suit])
        }
    }
}

mod view {
    use super::cards::{full_pack, parse_suit, Card, Suit, JOKER, NO_TRUMP};
    use super::msgpack::Value;

    /// A request, as the strategy reads it.
    pub struct View<'a> {
        pub legal: Vec<&'a str>,
        pub seat: usize,
        pub partner: usize,
        pub dealer: usize,
        /// In the auction: 0 for dealer's left ... 3 for the dealer.
        pub place: usize,
        /// Points that one's own side and the other still need.
        pub to_go: [i64; 2],
        pub hand: Vec<Card>,
        pub pack: Vec<Card>,
        pub upcard: Option<Card>,
        pub discard: Option<Card>,
        pub taken_up: bool,
        pub trump: Suit,
        pub maker: usize,
        pub sitting_out: Vec<usize>,
        pub tricks: Vec<Vec<(usize, Card)>>,
        /// The current trick; empty for the leader.
        pub trick: Vec<(usize, Card)>,
    }

    impl<'a> View<'a> {
        pub fn new(act: &'a Value) -> View<'a> {
            let number = |key| act.get(key).int().unwrap_or(0) as usize;
            let texts = |key| act.get(key).list().iter().map(Value::text);
            let british = act.get("game").text() == "british";
            let rules = act.get("rules");
            let target = rules.get("target").int().unwrap_or(if british { 11 } else { 10 });
            let joker = match rules.get("joker") {
                Value::Bool(joker) => *joker,
                _ => british,
            };
            let (seat, dealer) = (number("seat"), number("dealer"));
            let to_go = |team: usize| {
                let score = act.get("scores").list().get(team).and_then(Value::int);
                target - score.unwrap_or(0)
            };
            let upcard = Card::parse(act.get("upcard").text());
            let alone = act.get("alone").list().iter().filter_map(Value::int);
            let sitting_out: Vec<usize> = alone.map(|seat| (seat as usize + 2) % 4).collect();
            let play = |pair: &Value| match pair.list() {
                [seat, card] => Some((seat.int()? as usize, Card::parse(card.text())?)),
                _ => None,
            };
            let tricks: Vec<Vec<(usize, Card)>> = act
                .get("tricks")
                .list()
                .iter()
                .map(|trick| trick.list().iter().filter_map(play).collect())
                .collect();
            let players = 4 - sitting_out.len();
            let trick = tricks.last().filter(|trick| trick.len() < players).cloned();
            View {
                legal: texts("legal").collect(),
                seat,
                partner: (seat + 2) % 4,
                dealer,
                place: (seat + 3 - dealer) % 4,
                to_go: [to_go(seat % 2), to_go(1 - seat % 2)],
                hand: texts("hand").filter_map(Card::parse).collect(),
                pack: full_pack(joker),
                upcard,
                discard: Card::parse(act.get("discard").text()),
                taken_up: upcard == Some(JOKER) || texts("calls").any(|call| call.starts_with("order_up")),
                trump: parse_suit(act.get("trump").text()).unwrap_or(NO_TRUMP),
                maker: number("maker"),
                sitting_out,
                tricks,
                trick: trick.unwrap_or_default(),
            }
        }

        pub fn may_answer(&self, word: &str) -> bool {
            self.legal.contains(&word)
        }

        /// The cards in `legal`, behind `discard:` or `play:`.
        pub fn legal_cards(&self) -> Vec<Card> {
            let card = |word: &&str| Card::parse(word.split_once(':')?.1);
            self.legal.iter().filter_map(card).collect()
        }
    }
}

mod strategy {
    //! How a careful club player answers one request. Everything is decided from the request alone.
    //! What a hand is worth is counted in hundredths of a trick: 250 is two and a half tricks.

    use super::cards::{right_bower, sister, Card, Suit, JOKER, NO_TRUMP};
    use super::view::View;
    use std::cmp::Reverse;

    // What a card is worth, by the number of higher cards of its suit that others may hold.
    const TRUMP_TRICKS: [i32; 8] = [100, 80, 65, 60, 60, 35, 30, 30];
    const SIDE_TRICKS: [i32; 6] = [45, 15, 5, 0, 0, 0];
    const NO_TRUMP_TRICKS: [i32; 6] = [90, 40, 15, 5, 0, 0];
    /// A side suit that one holds no card of, with a trump to ruff it.
    const VOID_TRICKS: i32 = 20;

    // What one's own hand has to be worth to call, by place in the auction: dealer's left, dealer's
    // partner, dealer's right, dealer. Partner is good for the rest.
    const ROUND_1_NEED: [i32; 4] = [265, 250, 265, 225];
    const ROUND_2_NEED: [i32; 4] = [200, 215, 220, 210];
    /// So much less will do when either side has one point to go.
    const BRINK: i32 = 15;
    /// To play alone; with the highest trump as well.
    const ALONE_NEED: i32 = 360;
    /// What the upcard is worth to a partner who deals; it counts against us if an opponent deals.
    const UPCARD_TRICKS: i32 = 40;
    const UPBOWER_TRICKS: i32 = 60;
    /// Round 2: the dealer turned a suit down, so he is weak in its sister suit.
    const NEXT_TRICKS: i32 = 40;

    /// A word out of `view.legal`, or one to fall back from.
    pub fn choose(phase: &str, view: &View) -> Option<String> {
        Some(match phase {
            "bid1" => order_up(view)?,
            "bid2" => name_trumps(view)?,
            // The joker is turned and the hand not yet seen: all suits are alike, and alone is a gamble.
            "joker_name" => "name:S".into(),
            "discard" => {
                let card = best_discard(&view.hand, &view.legal_cards(), view.trump, &view.pack)?;
                format!("discard:{card}")
            }
            "defend" => defend(view),
            "play" => format!("play:{}", play(view)?),
            _ => return None,
        })
    }

    fn without(cards: &[Card], unwanted: Card) -> Vec<Card> {
        cards.iter().copied().filter(|&card| card != unwanted).collect()
    }

    /// The card with the largest value; the first among equals.
    fn max_by(cards: &[Card], value: impl Fn(Card) -> i32) -> Option<Card> {
        cards.iter().copied().min_by_key(|&card| Reverse(value(card)))
    }

    // --- What a hand is worth

    /// Hundredths of a trick that `hand` should take; `pack` holds every card that can be in play.
    fn hand_value(hand: &[Card], trump: Suit, pack: &[Card]) -> i32 {
        let has_trump = hand.iter().any(|card| card.suit(trump) == trump);
        let mut value = 0;
        for suit in 0..4 {
            let mut cards: Vec<Card> = pack.iter().copied().filter(|card| card.suit(trump) == suit).collect();
            cards.sort_by_key(|card| Reverse(card.strength(trump)));
            let (mut above, mut mine) = (0_usize, 0);
            for card in cards {
                if !hand.contains(&card) {
                    above += 1;
                    continue;
                }
                value += if suit == trump {
                    // Each higher trump of one's own draws one of theirs.
                    TRUMP_TRICKS[above.saturating_sub(mine)]
                } else if trump == NO_TRUMP {
                    NO_TRUMP_TRICKS[above]
                } else {
                    SIDE_TRICKS[above]
                };
                mine += 1;
            }
            if mine == 0 && has_trump {
                value += VOID_TRICKS;
            }
        }
        value
    }

    /// The card whose loss leaves the best five; among equals the lowest.
    fn best_discard(hand: &[Card], choices: &[Card], trump: Suit, pack: &[Card]) -> Option<Card> {
        let left = |card| hand_value(&without(hand, card), trump, pack);
        // A value counts for more than any difference in strength.
        max_by(choices, |card| 1000 * left(card) - card.strength(trump))
    }

    // --- Calling

    fn strong_alone(view: &View, hand: &[Card], trump: Suit, value: i32) -> bool {
        let highest = if view.pack.contains(&JOKER) { JOKER } else { right_bower(trump) };
        value >= ALONE_NEED && (trump == NO_TRUMP || hand.contains(&highest))
    }

    /// `word`, alone or not, or a pass.
    fn call(view: &View, word: String, lone_word: String, value: i32, need: i32, alone: bool) -> String {
        let need = if view.to_go.contains(&1) { need - BRINK } else { need };
        // With one or two points to go, a march together is enough.
        if alone && view.to_go[0] > 2 && view.may_answer(&lone_word) {
            lone_word
        } else if view.may_answer(&word) && (value >= need || !view.may_answer("pass")) {
            word
        } else {
            "pass".into()
        }
    }

    fn order_up(view: &View) -> Option<String> {
        let upcard = view.upcard?;
        let trump = upcard.printed_suit();
        let mut hand = view.hand.clone();
        let mut upcard_helps = if upcard.is_jack() { UPBOWER_TRICKS } else { UPCARD_TRICKS };
        if view.seat == view.dealer {
            hand.push(upcard);
            hand = without(&hand, best_discard(&hand, &hand, trump, &view.pack)?);
            upcard_helps = 0;
        } else if view.partner != view.dealer {
            upcard_helps = -upcard_helps;
        }
        let value = hand_value(&hand, trump, &view.pack);
        let alone = strong_alone(view, &hand, trump, value);
        let (word, lone_word) = ("order_up".into(), "order_up_alone".into());
        Some(call(view, word, lone_word, value + upcard_helps, ROUND_1_NEED[view.place], alone))
    }

    fn name_trumps(view: &View) -> Option<String> {
        let turned_down = view.upcard?;
        let pack = without(&view.pack, turned_down);
        let next_helps = if view.place % 2 == 0 { NEXT_TRICKS } else { -NEXT_TRICKS };
        let own_value = |trump| hand_value(&view.hand, trump, &pack);
        let value = |trump| {
            let next = trump == sister(turned_down.printed_suit());
            own_value(trump) + if next { next_helps } else { 0 }
        };
        let (trump, word) = ["C", "D", "H", "S", "NT"]
            .iter()
            .map(|name| format!("name:{name}"))
            .enumerate()
            .filter(|(_, word)| view.may_answer(word))
            .min_by_key(|&(trump, _)| Reverse(value(trump)))?;
        let alone = strong_alone(view, &view.hand, trump, own_value(trump));
        let lone_word = format!("{word}:alone");
        Some(call(view, word, lone_word, value(trump), ROUND_2_NEED[view.place], alone))
    }

    fn defend(view: &View) -> String {
        let value = hand_value(&view.hand, view.trump, &view.pack);
        let alone = strong_alone(view, &view.hand, view.trump, value);
        if alone { "defend_alone" } else { "defend_together" }.into()
    }

    // --- Playing

    /// What a player knows who has watched every card.
    struct Table<'a> {
        view: &'a View<'a>,
        trump: Suit,
        led: Option<Suit>,
        unseen: Vec<Card>,
        /// The upcard, while the dealer has it in his hand.
        dealer_holds: Option<Card>,
        /// By seat and suit: whether it did not follow that suit.
        voids: [[bool; 4]; 4],
        /// The opponents that are in, and those of them who play to this trick after oneself.
        foes: Vec<usize>,
        foes_to_play: Vec<usize>,
    }

    impl<'a> Table<'a> {
        fn new(view: &'a View<'a>) -> Table<'a> {
            let trump = view.trump;
            let mut seen = view.hand.clone();
            seen.extend(view.discard);
            let mut voids = [[false; 4]; 4];
            for trick in &view.tricks {
                let led = trick[0].1.suit(trump);
                for &(seat, card) in trick {
                    seen.push(card);
                    voids[seat][led] |= card.suit(trump) != led;
                }
            }
            if !view.taken_up {
                seen.extend(view.upcard);
            }
            let foes = (0..4).filter(|seat| seat % 2 != view.seat % 2 && !view.sitting_out.contains(seat));
            let foes: Vec<usize> = foes.collect();
            let played = |foe: &usize| view.trick.iter().any(|(seat, _)| seat == foe);
            Table {
                view,
                trump,
                led: view.trick.first().map(|(_, card)| card.suit(trump)),
                unseen: view.pack.iter().copied().filter(|card| !seen.contains(card)).collect(),
                dealer_holds: view.upcard.filter(|card| !seen.contains(card)),
                voids,
                foes_to_play: foes.iter().copied().filter(|foe| !played(foe)).collect(),
                foes,
            }
        }

        fn suit(&self, card: Card) -> Suit {
            card.suit(self.trump)
        }

        fn strength(&self, card: Card) -> i32 {
            card.strength(self.trump)
        }

        fn is_trump(&self, card: Card) -> bool {
            self.suit(card) == self.trump
        }

        fn count(&self, cards: &[Card], suit: Suit) -> usize {
            cards.iter().filter(|&&card| self.suit(card) == suit).count()
        }

        /// Whether the unseen `card` may be in the hand of `seat`.
        fn may_hold(&self, seat: usize, card: Card) -> bool {
            if self.dealer_holds == Some(card) {
                seat == self.view.dealer
            } else {
                !self.voids[seat][self.suit(card)]
            }
        }

        fn foes_may_hold(&self, card: Card) -> bool {
            self.foes.iter().any(|&foe| self.may_hold(foe, card))
        }

        fn foes_may_have_trumps(&self) -> bool {
            self.unseen.iter().any(|&card| self.is_trump(card) && self.foes_may_hold(card))
        }

        /// Whether no opponent can hold a higher card of its suit.
        fn is_high(&self, card: Card) -> bool {
            !self.unseen.iter().any(|&other| {
                self.suit(other) == self.suit(card)
                    && self.strength(other) > self.strength(card)
                    && self.foes_may_hold(other)
            })
        }

        /// Whether `card`, winning now, is safe from the opponents still to play. A ruff is feared
        /// only from one who has shown that he is void of the suit led.
        fn holds_up(&self, card: Card) -> bool {
            let must_ruff = |foe: usize| self.led.map_or(false, |led| self.voids[foe][led]);
            let can_beat = |foe: usize, other: Card| {
                self.may_hold(foe, other) && (self.led == Some(self.suit(other)) || must_ruff(foe))
            };
            !self.unseen.iter().any(|&other| {
                other.beats(card, self.trump) && self.foes_to_play.iter().any(|&foe| can_beat(foe, other))
            })
        }

        /// The card that will be missed least: trumps and winners stay, a lone low card makes a void.
        fn throw_off(&self, cards: &[Card]) -> Option<Card> {
            let hand = &self.view.hand;
            let has_trump = self.count(hand, self.trump) > 0;
            let worth = |&card: &Card| {
                let worth = 4 * self.strength(card);
                if self.is_trump(card) {
                    worth
                } else if self.is_high(card) {
                    worth + 50
                } else if has_trump && self.count(hand, self.suit(card)) == 1 {
                    worth - 10
                } else {
                    worth
                }
            };
            cards.iter().copied().min_by_key(worth)
        }

        fn lead(&self, cards: &[Card]) -> Option<Card> {
            let view = self.view;
            let (trumps, side): (Vec<Card>, Vec<Card>) = cards.iter().partition(|&&card| self.is_trump(card));
            let best = max_by(&trumps, |card| self.strength(card));
            if let (Some(best), true) = (best, view.maker % 2 == view.seat % 2 && self.foes_may_have_trumps())
            {
                // Makers draw trumps: with the highest one, from length, or at once to the partner who called.
                let i_called = view.maker == view.seat;
                let draw = if i_called { trumps.len() >= 3 } else { view.hand.len() == 5 };
                if draw || self.is_high(best) {
                    return Some(best);
                }
            }
            let winners: Vec<Card> = side.iter().copied().filter(|&card| self.is_high(card)).collect();
            if !winners.is_empty() {
                // The more of its suit are out, the less likely is a ruff.
                return max_by(&winners, |card| self.count(&self.unseen, self.suit(card)) as i32);
            }
            if !side.is_empty() {
                return self.throw_off(&side);
            }
            best.filter(|&card| self.is_high(card)).or(max_by(&trumps, |card| -self.strength(card)))
        }

        fn follow(&self, cards: &[Card]) -> Option<Card> {
            let view = self.view;
            let better = |best, play: (usize, Card)| {
                let (_, card): (usize, Card) = best;
                if play.1.beats(card, self.trump) {
                    play
                } else {
                    best
                }
            };
            let (winner, best) = view.trick.iter().copied().reduce(better)?;
            let partner_wins = winner == view.partner;
            if partner_wins && self.holds_up(best) {
                return self.throw_off(cards);
            }
            let mut winning: Vec<Card> =
                cards.iter().copied().filter(|card| card.beats(best, self.trump)).collect();
            winning.sort_by_key(|&card| self.strength(card));
            let safe = winning.iter().copied().find(|&card| self.holds_up(card)); // as cheaply as is safe
            if safe.is_some() {
                return safe;
            }
            match winning.first() {
                Some(&lowest) if !partner_wins && self.is_trump(lowest) => Some(lowest),
                Some(_) if !partner_wins => winning.last().copied(),
                _ => self.throw_off(cards),
            }
        }
    }

    fn play(view: &View) -> Option<Card> {
        let table = Table::new(view);
        let cards = view.legal_cards();
        if view.trick.is_empty() {
            table.lead(&cards)
        } else {
            table.follow(&cards)
        }
    }
}

use msgpack::Value;

fn answer(message: &Value) -> Option<Vec<u8>> {
    let text = |word: &str| Value::Text(word.into());
    match message.get("type").text() {
        "hello" => Some(msgpack::write(&[
            ("type", text("ready")),
            ("name", text("careful_rust")),
            ("version", text("1.0")),
        ])),
        "act" => {
            let view = view::View::new(message);
            let thought = match view.legal.len() {
                1 => None,
                _ => strategy::choose(message.get("phase").text(), &view),
            };
            let word = thought.filter(|word| view.may_answer(word)).unwrap_or_else(|| view.legal[0].into());
            let id = Value::Int(message.get("id").int()?);
            Some(msgpack::write(&[("type", text("action")), ("id", id), ("action", Value::Text(word))]))
        }
        _ => None,
    }
}

fn main() -> io::Result<()> {
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut header = [0; 4];
    while input.read_exact(&mut header).is_ok() {
        let mut frame = vec![0; u32::from_be_bytes(header) as usize];
        input.read_exact(&mut frame)?;
        let message = msgpack::read(&mut frame.as_slice())
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "a frame that is not msgpack"))?;
        if message.get("type").text() == "bye" {
            break;
        }
        if let Some(reply) = answer(&message) {
            output.write_all(&(reply.len() as u32).to_be_bytes())?;
            output.write_all(&reply)?;
            output.flush()?;
        }
    }
    Ok(())
}
