// How a careful club player answers one euchre request; `choose` is the way in.
//
// Everything is decided from the request alone. Cards are the wire's words ("JS"). What a hand is
// worth is counted in whole hundredths of a trick: 250 is two and a half tricks.

const SUITS = [..."CDHS"];
const RANKS = "9TJQKA";
const SISTER = { C: "S", S: "C", D: "H", H: "D" };
const TARGETS = { "north-american": 10, british: 11 };
const PACK = SUITS.flatMap((suit) => [...RANKS].map((rank) => rank + suit));

// What a card is worth, by the number of higher cards of its suit that others may hold.
const TRUMP_TRICKS = [100, 80, 65, 60, 60, 35, 30, 30];
const SIDE_TRICKS = [45, 15, 5, 0, 0, 0];
const NO_TRUMP_TRICKS = [90, 40, 15, 5, 0, 0];
const VOID_TRICKS = 20; // a side suit that one holds no card of, with a trump to ruff it

// What one's own hand has to be worth to call, by place in the auction: dealer's left, dealer's
// partner, dealer's right, dealer. Partner is good for the rest.
const ROUND_1_NEED = [265, 250, 265, 225];
const ROUND_2_NEED = [200, 215, 220, 210];
const BRINK = 15; // so much less will do when either side has one point to go
const ALONE_NEED = 360; // to play alone; with the highest trump as well
const UPCARD_TRICKS = 40; // to a partner who deals; against us if an opponent deals
const UPBOWER_TRICKS = 60;
const NEXT_TRICKS = 40; // round 2: the dealer turned a suit down, so he is weak in its sister suit

/** The answer to a request: a word out of `view.legal`. */
export function choose(view) {
  const think = {
    bid1: orderUp,
    bid2: nameTrumps,
    // The joker is turned and the hand not yet seen: all suits are alike, and alone is a gamble.
    joker_name: () => "name:S",
    discard,
    defend,
    play,
  }[view.phase];
  const word = view.legal.length > 1 && think ? think(view) : "";
  return view.legal.includes(word) ? word : view.legal[0];
}

// --- Cards

function suitOf(card, trump) {
  if (card === "JK") return trump;
  const suit = card[1];
  return card[0] === "J" && suit === SISTER[trump] ? trump : suit;
}

/** 1 to 6 in a side suit, above 100 for a trump. */
function strength(card, trump) {
  if (card === "JK") return 110;
  const rank = RANKS.indexOf(card[0]);
  if (suitOf(card, trump) !== trump) return 1 + rank;
  if (card[0] === "J") return card[1] === trump ? 109 : 108;
  return 101 + rank;
}

/** Whether `card`, played after `other`, which wins the trick so far, takes it. */
function beats(card, other, trump) {
  const suit = suitOf(card, trump);
  if (suit !== suitOf(other, trump)) return suit === trump;
  return strength(card, trump) > strength(other, trump);
}

/** The item with the largest value; the first among equals. */
function maxBy(items, value) {
  return items.reduce((best, item) => (value(item) > value(best) ? item : best));
}

const minBy = (items, value) => maxBy(items, (item) => -value(item));
const hasJoker = (view) => view.rules.joker ?? view.game === "british";
const fullPack = (view) => (hasJoker(view) ? [...PACK, "JK"] : PACK);
const legalCards = (view) => view.legal.map((word) => word.split(":")[1]);

// --- What a hand is worth

/** Hundredths of a trick that `hand` should take; `pack` holds every card that can be in play. */
function handValue(hand, trump, pack) {
  const hasTrump = hand.some((card) => suitOf(card, trump) === trump);
  let value = 0;
  for (const suit of SUITS) {
    const cards = pack.filter((card) => suitOf(card, trump) === suit);
    cards.sort((a, b) => strength(b, trump) - strength(a, trump));
    let above = 0;
    let mine = 0;
    for (const card of cards) {
      if (!hand.includes(card)) {
        above++;
        continue;
      }
      // Each higher trump of one's own draws one of theirs.
      if (suit === trump) value += TRUMP_TRICKS[Math.max(0, above - mine)];
      else value += (trump === "NT" ? NO_TRUMP_TRICKS : SIDE_TRICKS)[above];
      mine++;
    }
    if (mine === 0 && hasTrump) value += VOID_TRICKS;
  }
  return value;
}

/** The card whose loss leaves the best five; among equals the lowest. */
function bestDiscard(hand, choices, trump, pack) {
  // A value counts for more than any difference in strength.
  return maxBy(choices, (card) => {
    const rest = hand.filter((other) => other !== card);
    return 1000 * handValue(rest, trump, pack) - strength(card, trump);
  });
}

// --- Calling

/** The place in the auction: 0 for dealer's left ... 3 for the dealer. */
const place = (view) => (view.seat - view.dealer + 3) % 4;

function strongAlone(view, hand, trump, value) {
  const highest = hasJoker(view) ? "JK" : "J" + trump;
  return value >= ALONE_NEED && (hand.includes(highest) || trump === "NT");
}

/** `word`, alone or not, or a pass. */
function call(view, word, value, need, alone) {
  const target = view.rules.target ?? TARGETS[view.game];
  const [ours, theirs] = [0, 1].map((side) => target - view.scores[(view.seat + side) % 2]);
  if (ours === 1 || theirs === 1) need -= BRINK;
  const loneWord = word + (word === "order_up" ? "_alone" : ":alone");
  // With one or two points to go, a march together is enough.
  if (alone && ours > 2 && view.legal.includes(loneWord)) return loneWord;
  if (view.legal.includes(word) && (value >= need || !view.legal.includes("pass"))) return word;
  return "pass";
}

function orderUp(view) {
  const trump = view.upcard[1];
  const pack = fullPack(view);
  let hand = view.hand;
  let upcardHelps = view.upcard[0] === "J" ? UPBOWER_TRICKS : UPCARD_TRICKS;
  if (view.seat === view.dealer) {
    const six = [...hand, view.upcard];
    const buried = bestDiscard(six, six, trump, pack);
    hand = six.filter((card) => card !== buried);
    upcardHelps = 0;
  } else if ((view.seat + 2) % 4 !== view.dealer) {
    upcardHelps = -upcardHelps;
  }
  const value = handValue(hand, trump, pack);
  const alone = strongAlone(view, hand, trump, value);
  return call(view, "order_up", value + upcardHelps, ROUND_1_NEED[place(view)], alone);
}

function nameTrumps(view) {
  const pack = fullPack(view).filter((card) => card !== view.upcard);
  const nextHelps = place(view) % 2 === 0 ? NEXT_TRICKS : -NEXT_TRICKS;
  const ownValue = (trump) => handValue(view.hand, trump, pack);
  const value = (trump) => ownValue(trump) + (trump === SISTER[view.upcard[1]] ? nextHelps : 0);
  const trumps = [...SUITS, "NT"].filter((trump) => view.legal.includes(`name:${trump}`));
  const trump = maxBy(trumps, value);
  const alone = strongAlone(view, view.hand, trump, ownValue(trump));
  return call(view, `name:${trump}`, value(trump), ROUND_2_NEED[place(view)], alone);
}

function discard(view) {
  return "discard:" + bestDiscard(view.hand, legalCards(view), view.trump, fullPack(view));
}

function defend(view) {
  const value = handValue(view.hand, view.trump, fullPack(view));
  return strongAlone(view, view.hand, view.trump, value) ? "defend_alone" : "defend_together";
}

// --- Playing

/** What a player knows who has watched every card. */
class Table {
  constructor(view) {
    this.view = view;
    this.trump = view.trump;
    this.hand = view.hand;
    const players = 4 - view.alone.length;
    const last = view.tricks.at(-1) ?? [];
    this.trick = last.length < players ? last : [];
    this.led = this.trick.length ? this.suit(this.trick[0][1]) : null;
    this.makers = view.maker % 2 === view.seat % 2;

    this.voids = [new Set(), new Set(), new Set(), new Set()];
    for (const trick of view.tricks) {
      const led = this.suit(trick[0][1]);
      for (const [seat, card] of trick) {
        if (this.suit(card) !== led) this.voids[seat].add(led);
      }
    }

    const out = view.alone.map((seat) => (seat + 2) % 4);
    const played = this.trick.map(([seat]) => seat);
    this.foes = [(view.seat + 1) % 4, (view.seat + 3) % 4].filter((seat) => !out.includes(seat));
    this.foesToPlay = this.foes.filter((seat) => !played.includes(seat));

    const seen = new Set([...this.hand, ...view.tricks.flat().map(([, card]) => card), view.discard]);
    const takenUp = view.upcard === "JK" || view.calls.some((word) => word.startsWith("order_up"));
    this.dealerHolds = takenUp && !seen.has(view.upcard) ? view.upcard : null;
    if (!takenUp) seen.add(view.upcard);
    this.unseen = fullPack(view).filter((card) => !seen.has(card));
  }

  suit(card) {
    return suitOf(card, this.trump);
  }

  strength(card) {
    return strength(card, this.trump);
  }

  isTrump(card) {
    return this.suit(card) === this.trump;
  }

  /** Whether the unseen `card` may be in the hand of `seat`. */
  mayHold(seat, card) {
    if (card === this.dealerHolds) return seat === this.view.dealer;
    return !this.voids[seat].has(this.suit(card));
  }

  foesMayHold(card) {
    return this.foes.some((foe) => this.mayHold(foe, card));
  }

  foesMayHaveTrumps() {
    return this.unseen.some((card) => this.isTrump(card) && this.foesMayHold(card));
  }

  /** Whether no opponent can hold a higher card of its suit. */
  isHigh(card) {
    const higher = (other) =>
      this.suit(other) === this.suit(card) && this.strength(other) > this.strength(card);
    return !this.unseen.some((other) => higher(other) && this.foesMayHold(other));
  }

  /**
   * Whether `card`, winning now, is safe from the opponents still to play. A ruff is feared only
   * from one who has shown that he is void of the suit led.
   */
  holdsUp(card) {
    const canBeat = (foe, other) =>
      this.mayHold(foe, other) && (this.suit(other) === this.led || this.voids[foe].has(this.led));
    return !this.unseen.some(
      (other) => beats(other, card, this.trump) && this.foesToPlay.some((foe) => canBeat(foe, other)),
    );
  }
}

function play(view) {
  const table = new Table(view);
  const cards = legalCards(view);
  return "play:" + (table.led ? follow(table, cards) : lead(table, cards));
}

function lead(table, cards) {
  const { view } = table;
  const power = (card) => table.strength(card);
  const trumps = cards.filter((card) => table.isTrump(card));
  const side = cards.filter((card) => !table.isTrump(card));
  if (table.makers && trumps.length && table.foesMayHaveTrumps()) {
    // Makers draw trumps: with the highest one, from length, or at once to the partner who called.
    const best = maxBy(trumps, power);
    const iCalled = view.maker === view.seat;
    if (table.isHigh(best) || (iCalled ? trumps.length >= 3 : table.hand.length === 5)) return best;
  }
  const winners = side.filter((card) => table.isHigh(card));
  if (winners.length) {
    // The more of its suit are out, the less likely is a ruff.
    const unseen = (card) => table.unseen.filter((other) => table.suit(other) === table.suit(card));
    return maxBy(winners, (card) => unseen(card).length);
  }
  if (side.length) return throwOff(table, side);
  const best = maxBy(trumps, power);
  return table.isHigh(best) ? best : minBy(trumps, power);
}

function follow(table, cards) {
  let [winner, best] = table.trick[0];
  for (const [seat, card] of table.trick.slice(1)) {
    if (beats(card, best, table.trump)) [winner, best] = [seat, card];
  }
  const partnerWins = winner === (table.view.seat + 2) % 4;
  if (partnerWins && table.holdsUp(best)) return throwOff(table, cards);
  const winning = cards.filter((card) => beats(card, best, table.trump));
  winning.sort((a, b) => table.strength(a) - table.strength(b));
  if (!winning.length) return throwOff(table, cards);
  const safe = winning.find((card) => table.holdsUp(card)); // as cheaply as is safe
  if (safe) return safe;
  if (partnerWins) return throwOff(table, cards);
  return table.isTrump(winning[0]) ? winning[0] : winning.at(-1);
}

/** The card that will be missed least: trumps and winners stay, a lone low card makes a void. */
function throwOff(table, cards) {
  const hasTrump = table.hand.some((card) => table.isTrump(card));
  const length = (suit) => table.hand.filter((card) => table.suit(card) === suit).length;
  return minBy(cards, (card) => {
    const worth = 4 * table.strength(card);
    if (table.isTrump(card)) return worth;
    if (table.isHigh(card)) return worth + 50;
    return hasTrump && length(table.suit(card)) === 1 ? worth - 10 : worth;
  });
}
