/* careful, in C: the strategy of sample_bots/careful with a msgpack reader of its own.
 *
 * Standard C, no library. The order of this file: msgpack, cards, the request, what a hand is
 * worth, calling, playing, main. Sets of cards are bit masks: bit n stands for card number n. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- msgpack: a frame becomes a tree of values, whose texts point into the frame */

enum { MAX_FRAME = 65536, MAX_VALUES = 2 * MAX_FRAME };

typedef enum { NIL, NUMBER, TEXT, LIST, MAP } Kind;

typedef struct Value {
    Kind kind;
    int64_t number; /* also 0 or 1 for a boolean */
    const char *text;
    uint32_t size;             /* bytes of a text, items of a list, pairs of a map */
    const struct Value *items; /* of a map: key, value, key, value ... */
} Value;

static unsigned char frame[MAX_FRAME];
static const unsigned char *at, *end;
static Value values[MAX_VALUES];
static uint32_t values_used;

static void die(const char *what) {
    fprintf(stderr, "careful_c: %s\n", what);
    exit(1);
}

static uint64_t big_endian(int bytes) {
    uint64_t n = 0;
    if (end - at < bytes) die("a frame ends too early");
    while (bytes-- > 0) n = n << 8 | *at++;
    return n;
}

static void read_value(Value *value);

static void read_text(Value *value, uint64_t size) {
    if ((uint64_t)(end - at) < size) die("a text ends too early");
    value->kind = TEXT;
    value->text = (const char *)at;
    value->size = (uint32_t)size;
    at += size;
}

static void read_items(Value *value, Kind kind, uint64_t size) {
    uint64_t count = kind == MAP ? 2 * size : size;
    if (count > MAX_VALUES - values_used) die("a frame with too many values");
    Value *items = values + values_used;
    values_used += (uint32_t)count;
    value->kind = kind;
    value->size = (uint32_t)size;
    value->items = items;
    for (uint64_t i = 0; i < count; i++) read_value(&items[i]);
}

static void read_value(Value *value) {
    int type = (int)big_endian(1);
    *value = (Value){.kind = NUMBER};
    if (type < 0x80) value->number = type;
    else if (type < 0x90) read_items(value, MAP, type & 15);
    else if (type < 0xa0) read_items(value, LIST, type & 15);
    else if (type < 0xc0) read_text(value, type & 31);
    else if (type >= 0xe0) value->number = type - 256;
    else switch (type) {
        case 0xc0: value->kind = NIL; break;
        case 0xc2: value->number = 0; break;
        case 0xc3: value->number = 1; break;
        case 0xc4: case 0xd9: read_text(value, big_endian(1)); break;
        case 0xc5: case 0xda: read_text(value, big_endian(2)); break;
        case 0xc6: case 0xdb: read_text(value, big_endian(4)); break;
        case 0xca: { uint32_t bits = (uint32_t)big_endian(4); float f; memcpy(&f, &bits, 4); value->number = (int64_t)f; break; }
        case 0xcb: { uint64_t bits = big_endian(8); double d; memcpy(&d, &bits, 8); value->number = (int64_t)d; break; }
        case 0xcc: value->number = (int64_t)big_endian(1); break;
        case 0xcd: value->number = (int64_t)big_endian(2); break;
        case 0xce: value->number = (int64_t)big_endian(4); break;
        case 0xcf: case 0xd3: value->number = (int64_t)big_endian(8); break;
        case 0xd0: value->number = (int8_t)big_endian(1); break;
        case 0xd1: value->number = (int16_t)big_endian(2); break;
        case 0xd2: value->number = (int32_t)big_endian(4); break;
        case 0xdc: read_items(value, LIST, big_endian(2)); break;
        case 0xdd: read_items(value, LIST, big_endian(4)); break;
        case 0xde: read_items(value, MAP, big_endian(2)); break;
        case 0xdf: read_items(value, MAP, big_endian(4)); break;
        default: die("a msgpack type that this bot does not read");
    }
}

static bool is(const Value *value, const char *text) {
    return value->kind == TEXT && value->size == strlen(text) && !memcmp(value->text, text, value->size);
}

static bool starts(const Value *value, const char *text) {
    return value->kind == TEXT && value->size >= strlen(text) && !memcmp(value->text, text, strlen(text));
}

/* The value under a key; an empty one where the key is missing. */
static const Value *get(const Value *map, const char *key) {
    static const Value nothing = {.kind = NIL};
    for (uint32_t i = 0; map->kind == MAP && i < map->size; i++)
        if (is(&map->items[2 * i], key)) return &map->items[2 * i + 1];
    return &nothing;
}

static unsigned char reply[256];
static size_t reply_size;

static void put_byte(int byte) { reply[reply_size++] = (unsigned char)byte; }

static void put_text(const char *text, size_t size) {
    if (size > 64) die("a word too long");
    put_byte(0xd9);
    put_byte((int)size);
    memcpy(reply + reply_size, text, size);
    reply_size += size;
}

static void put_number(int64_t number) {
    put_byte(0xd3);
    for (int shift = 56; shift >= 0; shift -= 8) put_byte((int)(number >> shift & 255));
}

static void send_reply(void) {
    unsigned char head[4] = {0, 0, (unsigned char)(reply_size >> 8), (unsigned char)reply_size};
    fwrite(head, 1, 4, stdout);
    fwrite(reply, 1, reply_size, stdout);
    fflush(stdout);
    reply_size = 0;
}

/* --- Cards: suit * 6 + rank, in the pack's order; the joker is 24 */

enum { NO_SUIT = -1, NO_TRUMP = 4, JACK = 2, JOKER = 24, NO_CARD = -1 };
static const char RANKS[] = "9TJQKA", SUITS[] = "CDHS";

typedef uint32_t Cards;

static Cards bit(int card) { return card < 0 ? 0 : 1u << card; }

static int sister(int suit) { return 3 - suit; } /* clubs and spades, diamonds and hearts */

static int suit_of(int card, int trump) {
    if (card == JOKER) return trump;
    if (card % 6 == JACK && trump != NO_TRUMP && card / 6 == sister(trump)) return trump;
    return card / 6;
}

/* 1 to 6 in a side suit, above 100 for a trump. */
static int strength(int card, int trump) {
    if (card == JOKER) return 110;
    if (suit_of(card, trump) != trump) return 1 + card % 6;
    if (card % 6 == JACK) return card / 6 == trump ? 109 : 108;
    return 101 + card % 6;
}

/* Whether `card`, played after `other`, which wins the trick so far, takes it. */
static bool beats(int card, int other, int trump) {
    int suit = suit_of(card, trump);
    if (suit != suit_of(other, trump)) return suit == trump;
    return strength(card, trump) > strength(other, trump);
}

static int count(Cards cards) {
    int n = 0;
    for (; cards; cards &= cards - 1) n++;
    return n;
}

static Cards of_suit(Cards cards, int suit, int trump) {
    Cards found = 0;
    for (int card = 0; card <= JOKER; card++)
        if (cards & bit(card) && suit_of(card, trump) == suit) found |= bit(card);
    return found;
}

/* The strongest or the weakest card of a set; the first in the pack's order among equals. */
static int strongest(Cards cards, int trump) {
    int best = NO_CARD;
    for (int card = 0; card <= JOKER; card++)
        if (cards & bit(card) && (best < 0 || strength(card, trump) > strength(best, trump))) best = card;
    return best;
}

static int weakest(Cards cards, int trump) {
    int best = NO_CARD;
    for (int card = 0; card <= JOKER; card++)
        if (cards & bit(card) && (best < 0 || strength(card, trump) < strength(best, trump))) best = card;
    return best;
}

static int index_of(const char *letters, char letter) {
    const char *found = letter ? strchr(letters, letter) : NULL;
    return found ? (int)(found - letters) : -1;
}

static int parse_suit(const char *text) { return text[0] == 'N' ? NO_TRUMP : index_of(SUITS, text[0]); }

static int parse_card(const char *text) {
    return text[0] == 'J' && text[1] == 'K' ? JOKER : 6 * index_of(SUITS, text[1]) + index_of(RANKS, text[0]);
}

/* --- The request */

typedef struct {
    const Value *legal;
    int seat, partner, dealer, place; /* place in the auction: 0 dealer's left ... 3 the dealer */
    int to_go[2];                     /* points that one's own side and the other still need */
    Cards hand, pack;
    int upcard, trump, maker, discard;
    bool taken_up;       /* the upcard was taken by the dealer */
    bool out[4];         /* who sits out */
    Cards played;        /* in all tricks */
    unsigned voids[4];   /* by seat: bit s where it did not follow suit s */
    int trick[4], seats[4], trick_size; /* the current trick */
} View;

static bool legal(const View *view, const char *word) {
    for (uint32_t i = 0; i < view->legal->size; i++)
        if (is(&view->legal->items[i], word)) return true;
    return false;
}

/* The cards in `legal`, behind `discard:` or `play:`. */
static Cards legal_cards(const View *view) {
    Cards cards = 0;
    for (uint32_t i = 0; i < view->legal->size; i++) {
        const Value *word = &view->legal->items[i];
        const char *colon = memchr(word->text, ':', word->size);
        if (colon && colon + 2 < word->text + word->size) cards |= bit(parse_card(colon + 1));
    }
    return cards;
}

static void read_tricks(View *view, const Value *tricks) {
    int players = 4;
    for (int seat = 0; seat < 4; seat++) players -= view->out[seat];
    for (uint32_t t = 0; t < tricks->size; t++) {
        const Value *trick = &tricks->items[t];
        int led = NO_SUIT;
        view->trick_size = (int)trick->size % players; /* a full one is not the current trick */
        for (uint32_t i = 0; i < trick->size && i < 4; i++) {
            int seat = (int)trick->items[i].items[0].number & 3;
            int card = parse_card(trick->items[i].items[1].text);
            view->seats[i] = seat;
            view->trick[i] = card;
            view->played |= bit(card);
            if (i == 0) led = suit_of(card, view->trump);
            else if (suit_of(card, view->trump) != led) view->voids[seat] |= 1u << led;
        }
    }
}

static View read_view(const Value *act) {
    View view = {.legal = get(act, "legal"), .trump = NO_SUIT, .maker = -1, .upcard = NO_CARD, .discard = NO_CARD};
    bool british = is(get(act, "game"), "british");
    const Value *rules = get(act, "rules"), *joker = get(rules, "joker"), *target = get(rules, "target");
    bool with_joker = joker->kind == NUMBER ? joker->number : british;
    view.pack = with_joker ? 0x1ffffff : 0xffffff;
    view.seat = (int)get(act, "seat")->number & 3;
    view.partner = (view.seat + 2) % 4;
    view.dealer = (int)get(act, "dealer")->number & 3;
    view.place = (view.seat - view.dealer + 3) % 4;
    const Value *scores = get(act, "scores");
    for (uint32_t side = 0; side < 2 && side < scores->size; side++)
        view.to_go[side] = (target->kind == NUMBER ? (int)target->number : british ? 11 : 10) -
                           (int)scores->items[(view.seat + side) % 2].number;
    const Value *hand = get(act, "hand"), *calls = get(act, "calls"), *alone = get(act, "alone");
    for (uint32_t i = 0; i < hand->size; i++) view.hand |= bit(parse_card(hand->items[i].text));
    if (get(act, "upcard")->kind == TEXT) view.upcard = parse_card(get(act, "upcard")->text);
    if (get(act, "discard")->kind == TEXT) view.discard = parse_card(get(act, "discard")->text);
    if (get(act, "trump")->kind == TEXT) view.trump = parse_suit(get(act, "trump")->text);
    if (get(act, "maker")->kind == NUMBER) view.maker = (int)get(act, "maker")->number;
    view.taken_up = view.upcard == JOKER;
    for (uint32_t i = 0; i < calls->size; i++)
        if (starts(&calls->items[i], "order_up")) view.taken_up = true;
    for (uint32_t i = 0; i < alone->size; i++) view.out[(alone->items[i].number + 2) & 3] = true;
    if (view.trump != NO_SUIT) read_tricks(&view, get(act, "tricks"));
    return view;
}

/* --- What a hand is worth, in hundredths of a trick */

/* What a card is worth, by the number of higher cards of its suit that others may hold. */
static const int TRUMP_TRICKS[] = {100, 80, 65, 60, 60, 35, 30, 30};
static const int SIDE_TRICKS[] = {45, 15, 5, 0, 0, 0};
static const int NO_TRUMP_TRICKS[] = {90, 40, 15, 5, 0, 0};
static const int VOID_TRICKS = 20; /* a side suit one holds no card of, with a trump to ruff it */

static int hand_value(Cards hand, int trump, Cards pack) {
    int value = 0;
    bool has_trump = of_suit(hand, trump, trump) != 0;
    for (int suit = 0; suit < 4; suit++) {
        int above = 0, mine = 0;
        for (Cards rest = of_suit(pack, suit, trump); rest;) {
            int card = strongest(rest, trump);
            rest &= ~bit(card);
            if (!(hand & bit(card))) {
                above++;
                continue;
            }
            if (suit == trump) /* each higher trump of one's own draws one of theirs */
                value += TRUMP_TRICKS[above > mine ? above - mine : 0];
            else
                value += (trump == NO_TRUMP ? NO_TRUMP_TRICKS : SIDE_TRICKS)[above];
            mine++;
        }
        if (mine == 0 && has_trump) value += VOID_TRICKS;
    }
    return value;
}

/* The card whose loss leaves the best five; among equals the lowest. */
static int best_discard(Cards hand, Cards choices, int trump, Cards pack) {
    int best = NO_CARD, best_value = 0;
    for (int card = 0; card <= JOKER; card++) {
        if (!(choices & bit(card))) continue;
        int value = hand_value(hand & ~bit(card), trump, pack);
        if (best < 0 || value > best_value ||
            (value == best_value && strength(card, trump) < strength(best, trump))) {
            best = card;
            best_value = value;
        }
    }
    return best;
}

/* --- Calling. What one's own hand has to be worth, by place in the auction; partner is good for the rest */

static const int ROUND_1_NEED[] = {265, 250, 265, 225}, ROUND_2_NEED[] = {200, 215, 220, 210};
static const int BRINK = 15; /* so much less will do when either side has one point to go */
static const int ALONE_NEED = 360; /* to play alone; with the highest trump as well */
static const int UPCARD_TRICKS = 40, UPBOWER_TRICKS = 60; /* to the dealer's side, or against it */
static const int NEXT_TRICKS = 40; /* the dealer turned a suit down: he is weak in its sister suit */

static char answer[32];

static bool strong_alone(const View *view, Cards hand, int trump, int value) {
    int highest = view->pack & bit(JOKER) ? JOKER : trump * 6 + JACK;
    return value >= ALONE_NEED && (trump == NO_TRUMP || hand & bit(highest));
}

static const char *call(const View *view, const char *word, const char *lone_word, int value, int need,
                        bool alone) {
    if (view->to_go[0] == 1 || view->to_go[1] == 1) need -= BRINK;
    /* With one or two points to go, a march together is enough. */
    if (alone && view->to_go[0] > 2 && legal(view, lone_word)) return lone_word;
    if (legal(view, word) && (value >= need || !legal(view, "pass"))) return word;
    return "pass";
}

static const char *order_up(const View *view) {
    int trump = view->upcard / 6;
    Cards hand = view->hand;
    int help = view->upcard % 6 == JACK ? UPBOWER_TRICKS : UPCARD_TRICKS;
    if (view->seat == view->dealer) {
        hand |= bit(view->upcard);
        hand &= ~bit(best_discard(hand, hand, trump, view->pack));
        help = 0;
    } else if (view->partner != view->dealer) {
        help = -help;
    }
    int value = hand_value(hand, trump, view->pack);
    bool alone = strong_alone(view, hand, trump, value);
    return call(view, "order_up", "order_up_alone", value + help, ROUND_1_NEED[view->place], alone);
}

static const char *name_trumps(const View *view) {
    static const char *const NAMES[] = {"name:C", "name:D", "name:H", "name:S", "name:NT"};
    static const char *const LONE_NAMES[] = {"name:C:alone", "name:D:alone", "name:H:alone", "name:S:alone",
                                             "name:NT:alone"};
    Cards pack = view->pack & ~bit(view->upcard);
    int best = -1, best_value = 0;
    for (int trump = 0; trump <= NO_TRUMP; trump++) {
        if (!legal(view, NAMES[trump])) continue;
        int value = hand_value(view->hand, trump, pack);
        if (trump == sister(view->upcard / 6)) value += view->place % 2 == 0 ? NEXT_TRICKS : -NEXT_TRICKS;
        if (best < 0 || value > best_value) {
            best = trump;
            best_value = value;
        }
    }
    if (best < 0) return "pass";
    bool alone = strong_alone(view, view->hand, best, hand_value(view->hand, best, pack));
    return call(view, NAMES[best], LONE_NAMES[best], best_value, ROUND_2_NEED[view->place], alone);
}

static const char *answer_card(const char *verb, int card) {
    if (card == JOKER) sprintf(answer, "%s:JK", verb);
    else sprintf(answer, "%s:%c%c", verb, RANKS[card % 6], SUITS[card / 6]);
    return answer;
}

static const char *discard(const View *view) {
    return answer_card("discard", best_discard(view->hand, legal_cards(view), view->trump, view->pack));
}

static const char *defend(const View *view) {
    int value = hand_value(view->hand, view->trump, view->pack);
    return strong_alone(view, view->hand, view->trump, value) ? "defend_alone" : "defend_together";
}

/* --- Playing */

/* What a player knows who has watched every card. */
typedef struct {
    const View *view;
    int trump;
    Cards unseen;
    int dealer_holds;   /* the upcard, while the dealer has it in his hand */
    bool foe[4];        /* the opponents that are in */
    bool foe_to_play[4]; /* those who play to this trick after oneself */
} Table;

static Table set_table(const View *view) {
    Table table = {.view = view, .trump = view->trump, .dealer_holds = NO_CARD};
    Cards seen = view->hand | view->played | bit(view->discard);
    if (view->taken_up && !(seen & bit(view->upcard))) table.dealer_holds = view->upcard;
    if (!view->taken_up) seen |= bit(view->upcard);
    table.unseen = view->pack & ~seen;
    for (int seat = 0; seat < 4; seat++)
        table.foe[seat] = table.foe_to_play[seat] = seat % 2 != view->seat % 2 && !view->out[seat];
    for (int i = 0; i < view->trick_size; i++) table.foe_to_play[view->seats[i]] = false;
    return table;
}

static bool may_hold(const Table *table, int seat, int card) {
    if (card == table->dealer_holds) return seat == table->view->dealer;
    return !(table->view->voids[seat] >> suit_of(card, table->trump) & 1);
}

static bool foes_may_hold(const Table *table, int card) {
    for (int seat = 0; seat < 4; seat++)
        if (table->foe[seat] && may_hold(table, seat, card)) return true;
    return false;
}

/* Whether no opponent can hold a higher card of its suit. */
static bool is_high(const Table *table, int card) {
    Cards suit = of_suit(table->unseen, suit_of(card, table->trump), table->trump);
    for (int other = 0; other <= JOKER; other++)
        if (suit & bit(other) && strength(other, table->trump) > strength(card, table->trump) &&
            foes_may_hold(table, other))
            return false;
    return true;
}

static bool foes_may_have_trumps(const Table *table) {
    Cards trumps = of_suit(table->unseen, table->trump, table->trump);
    for (int card = 0; card <= JOKER; card++)
        if (trumps & bit(card) && foes_may_hold(table, card)) return true;
    return false;
}

/* Whether `card`, winning now, is safe from the opponents still to play. A ruff is feared only from
 * one who has shown that he is void of the suit led. */
static bool holds_up(const Table *table, int card) {
    int led = suit_of(table->view->trick[0], table->trump);
    for (int other = 0; other <= JOKER; other++) {
        if (!(table->unseen & bit(other)) || !beats(other, card, table->trump)) continue;
        for (int foe = 0; foe < 4; foe++)
            if (table->foe_to_play[foe] && may_hold(table, foe, other) &&
                (suit_of(other, table->trump) == led || table->view->voids[foe] >> led & 1))
                return false;
    }
    return true;
}

/* The card that will be missed least: trumps and winners stay, a lone low card makes a void. */
static int throw_off(const Table *table, Cards cards) {
    Cards hand = table->view->hand, trumps = of_suit(hand, table->trump, table->trump);
    int best = NO_CARD, least = 0;
    for (int card = 0; card <= JOKER; card++) {
        if (!(cards & bit(card))) continue;
        int worth = 4 * strength(card, table->trump);
        if (!(trumps & bit(card))) {
            if (is_high(table, card)) worth += 50;
            else if (trumps && count(of_suit(hand, suit_of(card, table->trump), table->trump)) == 1) worth -= 10;
        }
        if (best < 0 || worth < least) {
            best = card;
            least = worth;
        }
    }
    return best;
}

static int lead(const Table *table, Cards cards) {
    const View *view = table->view;
    Cards trumps = of_suit(cards, table->trump, table->trump), side = cards & ~trumps;
    int best = strongest(trumps, table->trump);
    if (trumps && view->maker % 2 == view->seat % 2 && foes_may_have_trumps(table)) {
        /* Makers draw trumps: with the highest one, from length, or at once to the partner who called. */
        if (is_high(table, best)) return best;
        if (view->maker == view->seat ? count(trumps) >= 3 : count(view->hand) == 5) return best;
    }
    int winner = NO_CARD, most = -1;
    for (int card = 0; card <= JOKER; card++) {
        if (!(side & bit(card)) || !is_high(table, card)) continue;
        /* The more of its suit are out, the less likely is a ruff. */
        int unseen = count(of_suit(table->unseen, suit_of(card, table->trump), table->trump));
        if (unseen > most) {
            winner = card;
            most = unseen;
        }
    }
    if (winner != NO_CARD) return winner;
    if (side) return throw_off(table, side);
    return is_high(table, best) ? best : weakest(trumps, table->trump);
}

static int follow(const Table *table, Cards cards) {
    const View *view = table->view;
    int best = view->trick[0], winner = view->seats[0];
    for (int i = 1; i < view->trick_size; i++)
        if (beats(view->trick[i], best, table->trump)) {
            best = view->trick[i];
            winner = view->seats[i];
        }
    if (winner == view->partner && holds_up(table, best)) return throw_off(table, cards);
    Cards winning = 0;
    for (int card = 0; card <= JOKER; card++)
        if (cards & bit(card) && beats(card, best, table->trump)) winning |= bit(card);
    if (!winning) return throw_off(table, cards);
    for (Cards rest = winning; rest;) { /* as cheaply as is safe */
        int card = weakest(rest, table->trump);
        if (holds_up(table, card)) return card;
        rest &= ~bit(card);
    }
    if (winner == view->partner) return throw_off(table, cards);
    int lowest = weakest(winning, table->trump);
    return suit_of(lowest, table->trump) == table->trump ? lowest : strongest(winning, table->trump);
}

static const char *play(const View *view) {
    Table table = set_table(view);
    Cards cards = legal_cards(view);
    return answer_card("play", view->trick_size ? follow(&table, cards) : lead(&table, cards));
}

/* --- The conversation */

static void answer_act(const Value *act) {
    const Value *words = get(act, "legal"), *phase = get(act, "phase");
    if (words->kind != LIST || words->size == 0) die("a request without `legal`");
    const char *word = "";
    if (words->size > 1) {
        View view = read_view(act);
        if (is(phase, "bid1")) word = order_up(&view);
        else if (is(phase, "bid2")) word = name_trumps(&view);
        else if (is(phase, "joker_name")) word = "name:S"; /* unseen: all suits are alike */
        else if (is(phase, "discard")) word = discard(&view);
        else if (is(phase, "defend")) word = defend(&view);
        else if (is(phase, "play")) word = play(&view);
    }
    const Value *chosen = &words->items[0];
    for (uint32_t i = 0; i < words->size; i++)
        if (is(&words->items[i], word)) chosen = &words->items[i];
    put_byte(0x83);
    put_text("type", 4);
    put_text("action", 6);
    put_text("id", 2);
    put_number(get(act, "id")->number);
    put_text("action", 6);
    put_text(chosen->text, chosen->size);
    send_reply();
}

static void answer_hello(void) {
    put_byte(0x83);
    put_text("type", 4);
    put_text("ready", 5);
    put_text("name", 4);
    put_text("careful_c", 9);
    put_text("version", 7);
    put_text("1.0", 3);
    send_reply();
}

int main(void) {
    unsigned char head[4];
    while (fread(head, 1, 4, stdin) == 4) {
        uint32_t size = (uint32_t)head[0] << 24 | (uint32_t)head[1] << 16 | (uint32_t)head[2] << 8 | head[3];
        if (size > MAX_FRAME || fread(frame, 1, size, stdin) != size) die("a frame too long or cut short");
        at = frame;
        end = frame + size;
        values_used = 1;
        read_value(&values[0]);
        const Value *type = get(&values[0], "type");
        if (is(type, "hello")) answer_hello();
        else if (is(type, "act")) answer_act(&values[0]);
        else if (is(type, "bye")) break;
    }
    return 0;
}
