/* A euchre bot in C (C99, no library). choose() is the place for your own thinking; it gives one of
 * the texts in `legal`. Print with fprintf(stderr, ...): stdout is for frames. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRUMPS_TO_CALL = 3 };

/* A msgpack value. Texts point into the frame and end at `size`, not with a zero byte. */
typedef enum { NIL, NUMBER, TEXT, LIST, MAP } Kind;
typedef struct Value {
    Kind kind;
    int64_t number; /* 0 or 1 for a boolean */
    const char *text;
    uint32_t size;             /* bytes of a text, items of a list, pairs of a map */
    const struct Value *items; /* of a map: key, value, key, value ... */
} Value;

static const Value *get(const Value *map, const char *key);
static bool is(const Value *value, const char *text);

/* How high a card stands: trumps above 100, the joker and the two bowers on top. `trump` may be 0. */
static int strength(const char *card, char trump) {
    static const char ranks[] = "9TJQKA", suits[] = "CDHS";
    if (!memcmp(card, "JK", 2)) return 110;
    if (card[0] == 'J' && card[1] == trump) return 109;
    if (card[0] == 'J' && trump && suits[3 - (strchr(suits, card[1]) - suits)] == trump) return 108;
    return (card[1] == trump ? 101 : 1) + (int)(strchr(ranks, card[0]) - ranks);
}

/* The suit that a call makes trumps, 0 for other words. */
static char suit_called(const Value *word, const Value *upcard) {
    if (is(word, "order_up")) return upcard->text[1];
    if (word->size == 6 && !memcmp(word->text, "name:", 5)) return word->text[5];
    return 0;
}

/* The answer to one request: one of the items of `legal`. */
static const Value *choose(const Value *act) {
    const Value *legal = get(act, "legal"), *hand = get(act, "hand"), *trump = get(act, "trump");
    char suit = trump->kind == TEXT && trump->size == 1 ? trump->text[0] : 0;
    bool play = is(get(act, "phase"), "play"), discard = is(get(act, "phase"), "discard");
    const Value *best = &legal->items[0];
    for (uint32_t i = 0; i < legal->size; i++) {
        const Value *word = &legal->items[i];
        if (play || discard) {
            int more = strength(word->text + word->size - 2, suit) - strength(best->text + best->size - 2, suit);
            if (play ? more > 0 : more < 0) best = word;
        } else if ((suit = suit_called(word, get(act, "upcard")))) {
            int trumps = 0;
            for (uint32_t j = 0; j < hand->size; j++) trumps += strength(hand->items[j].text, suit) > 100;
            if (trumps >= TRUMPS_TO_CALL) return word;
        }
    }
    return best;
}

/* --- The wire: 4 bytes of length, then one msgpack map. Nothing from here on needs a change. */

enum { MAX_FRAME = 65536 };
static unsigned char frame[MAX_FRAME], *at, *end;
static Value values[MAX_FRAME]; /* a value takes a byte at least */
static uint32_t values_used;

static void die(const char *what) {
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static uint64_t big_endian(int bytes) {
    uint64_t n = 0;
    if (end - at < bytes) die("a frame ends too early");
    while (bytes-- > 0) n = n << 8 | *at++;
    return n;
}

static void read_text(Value *value, uint64_t size) {
    if ((uint64_t)(end - at) < size) die("a text ends too early");
    *value = (Value){.kind = TEXT, .text = (const char *)at, .size = (uint32_t)size};
    at += size;
}

static void read_value(Value *value);

static void read_items(Value *value, Kind kind, uint64_t size) {
    uint64_t count = kind == MAP ? 2 * size : size;
    if (count > MAX_FRAME - values_used) die("a frame with too many values");
    Value *items = values + values_used;
    values_used += (uint32_t)count;
    *value = (Value){.kind = kind, .size = (uint32_t)size, .items = items};
    for (uint64_t i = 0; i < count; i++) read_value(&items[i]);
}

/* All of msgpack but its extension types. */
static void read_value(Value *value) {
    int type = (int)big_endian(1);
    float narrow;
    double wide;
    uint64_t bits;
    *value = (Value){.kind = NUMBER};
    if (type < 0x80) value->number = type;
    else if (type < 0x90) read_items(value, MAP, type & 15);
    else if (type < 0xa0) read_items(value, LIST, type & 15);
    else if (type < 0xc0) read_text(value, type & 31);
    else if (type >= 0xe0) value->number = type - 256;
    else switch (type) {
        case 0xc0: value->kind = NIL; break;
        case 0xc2: case 0xc3: value->number = type == 0xc3; break;
        case 0xc4: case 0xd9: read_text(value, big_endian(1)); break;
        case 0xc5: case 0xda: read_text(value, big_endian(2)); break;
        case 0xc6: case 0xdb: read_text(value, big_endian(4)); break;
        case 0xca: { uint32_t half = (uint32_t)big_endian(4); memcpy(&narrow, &half, 4); value->number = (int64_t)narrow; break; }
        case 0xcb: bits = big_endian(8); memcpy(&wide, &bits, 8); value->number = (int64_t)wide; break;
        case 0xcc: case 0xcd: case 0xce: case 0xcf: value->number = (int64_t)big_endian(1 << (type - 0xcc)); break;
        case 0xd0: value->number = (int8_t)big_endian(1); break;
        case 0xd1: value->number = (int16_t)big_endian(2); break;
        case 0xd2: value->number = (int32_t)big_endian(4); break;
        case 0xd3: value->number = (int64_t)big_endian(8); break;
        case 0xdc: case 0xdd: read_items(value, LIST, big_endian(2 << (type - 0xdc))); break;
        case 0xde: case 0xdf: read_items(value, MAP, big_endian(2 << (type - 0xde))); break;
        default: die("a msgpack type that this bot does not read");
    }
}

static bool is(const Value *value, const char *text) {
    return value->kind == TEXT && value->size == strlen(text) && !memcmp(value->text, text, value->size);
}

/* The value under a key; an empty one where the key is missing. */
static const Value *get(const Value *map, const char *key) {
    static const Value nothing = {.kind = NIL};
    for (uint32_t i = 0; map->kind == MAP && i < map->size; i++)
        if (is(&map->items[2 * i], key)) return &map->items[2 * i + 1];
    return &nothing;
}

/* The next message of a file, false at its end. It stands until the next call. */
static bool receive(FILE *file, Value *message) {
    if (fread(frame, 1, 4, file) < 4) return false;
    at = frame, end = frame + 4;
    uint64_t size = big_endian(4);
    if (size > MAX_FRAME || fread(frame, 1, size, file) < size) die("a frame that is not whole");
    at = frame, end = frame + size, values_used = 0;
    read_value(message);
    return true;
}

static unsigned char reply[256];
static size_t reply_size;

static void put_text(const char *text, size_t size) {
    if (size > 64) die("a word too long");
    reply[reply_size++] = 0xd9;
    reply[reply_size++] = (unsigned char)size;
    memcpy(reply + reply_size, text, size);
    reply_size += size;
}

static void put_number(int64_t number) {
    reply[reply_size++] = 0xd3;
    for (int shift = 56; shift >= 0; shift -= 8) reply[reply_size++] = (unsigned char)((uint64_t)number >> shift);
}

static void send_reply(void) {
    unsigned char header[4] = {0, 0, (unsigned char)(reply_size >> 8), (unsigned char)reply_size};
    fwrite(header, 1, 4, stdout);
    fwrite(reply, 1, reply_size, stdout);
    fflush(stdout);
}

int main(void) {
    Value message;
    while (receive(stdin, &message)) {
        const Value *type = get(&message, "type");
        reply_size = 0;
        if (is(type, "hello")) {
            reply[reply_size++] = 0x81; /* a map of one pair */
            put_text("type", 4), put_text("ready", 5);
            send_reply();
        } else if (is(type, "act")) {
            const Value *word = choose(&message);
            reply[reply_size++] = 0x83; /* of three */
            put_text("type", 4), put_text("action", 6);
            put_text("id", 2), put_number(get(&message, "id")->number);
            put_text("action", 6), put_text(word->text, word->size);
            send_reply();
        } else if (is(type, "bye")) break;
    }
    return 0;
}
