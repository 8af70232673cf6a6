/* The fastest bot there is: answers each `act` with one of its `legal` words, chosen by the request's id.
   Its own msgpack, as much of it as the wire uses. cc -O2 -o floor_bot floor_bot.c */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static uint8_t in[1 << 18];
static const uint8_t *at;

static uint64_t be(int bytes) {
    uint64_t value = 0;
    while (bytes--) value = value << 8 | *at++;
    return value;
}

/* The length of the string at `at`, which is moved to its first byte; -1 if it is no string. */
static int text(void) {
    uint8_t tag = *at;
    if ((tag & 0xe0) == 0xa0) { at++; return tag & 31; }
    if (tag < 0xd9 || tag > 0xdb) return -1;
    at++;
    return (int)be(1 << (tag - 0xd9));
}

static int items(void) { /* of the list or map at `at` */
    uint8_t tag = *at++;
    if (tag < 0xa0) return tag & 15;
    return (int)be(tag & 1 ? 4 : 2);
}

static int64_t number(void) {
    uint8_t tag = *at++;
    if (tag < 0x80) return tag;
    if (tag >= 0xe0) return (int8_t)tag;
    return (int64_t)be(1 << (tag & 3));
}

static void skip(void) {
    uint8_t tag = *at;
    int length = text(), count;
    if (length >= 0) { at += length; return; }
    if ((tag & 0xe0) == 0x80 || (tag >= 0xdc && tag <= 0xdf)) {
        int map = (tag & 0xf0) == 0x80 || tag >= 0xde;
        for (count = items() * (map ? 2 : 1); count > 0; count--) skip();
    } else if (tag == 0xca || tag == 0xcb) {
        at += tag == 0xca ? 5 : 9;
    } else if (tag >= 0xc0 && tag <= 0xc3) {
        at++;
    } else {
        number();
    }
}

static int is(const uint8_t *key, int length, const char *name) {
    return length == (int)strlen(name) && memcmp(key, name, (size_t)length) == 0;
}

static void put(const uint8_t *data, int length) {
    uint8_t out[256] = {0, 0, 0, (uint8_t)length};
    memcpy(out + 4, data, (size_t)length);
    if (write(1, out, (size_t)length + 4) != length + 4) _exit(1);
}

static void answer(uint64_t id, const uint8_t *legal) {
    uint8_t out[128], *end = out;
    int n, length;
    at = legal;
    for (n = (int)(id % (uint64_t)items()); n > 0; n--) skip();
    length = text();
    end += sprintf((char *)end, "\x83\xa4type\xa6" "action\xa2id\xcf");
    for (n = 56; n >= 0; n -= 8) *end++ = (uint8_t)(id >> n);
    end += sprintf((char *)end, "\xa6" "action%c", 0xa0 | length);
    memcpy(end, at, (size_t)length);
    put(out, (int)(end - out) + length);
}

static void message(const uint8_t *payload) {
    uint64_t id = 0;
    const uint8_t *legal = NULL;
    int act = 0, hello = 0;
    at = payload;
    for (int pairs = items(); pairs > 0; pairs--) {
        int length = text();
        const uint8_t *key = at;
        at += length;
        if (is(key, length, "id")) id = (uint64_t)number();
        else if (is(key, length, "legal")) { legal = at; skip(); }
        else if (is(key, length, "type")) {
            int kind = text();
            act = is(at, kind, "act");
            hello = is(at, kind, "hello");
            at += kind;
        } else skip();
    }
    if (act && legal) answer(id, legal);
    if (hello) put((const uint8_t *)"\x81\xa4type\xa5ready", 12);
}

int main(void) {
    int have = 0;
    for (;;) {
        ssize_t got = read(0, in + have, sizeof in - (size_t)have);
        if (got <= 0) return 0;
        have += (int)got;
        int done = 0;
        while (have - done >= 4) {
            at = in + done;
            int length = (int)be(4);
            if (have - done - 4 < length) break;
            message(in + done + 4);
            done += 4 + length;
        }
        memmove(in, in + done, (size_t)(have - done));
        have -= done;
    }
}
