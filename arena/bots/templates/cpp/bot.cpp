// A euchre bot in C++ (C++17, no library). choose() is the place for your own thinking; it may return
// any word of `legal`. Print with std::cerr: stdout is for frames.

#include <cstdint>
#include <cstring>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

// A msgpack value: what of it is meant, its kind says.
struct Value {
    enum Kind { Nil, Number, Text, List, Map } kind = Nil;
    std::int64_t number = 0;  // 0 or 1 for a boolean
    std::string text;         // empty for nil, so that `trump` can be read as a text
    std::vector<Value> list;
    std::map<std::string, Value> map;

    const Value &operator[](const std::string &key) const {
        static const Value nothing;
        auto found = map.find(key);
        return found == map.end() ? nothing : found->second;
    }
};

constexpr int trumps_to_call = 3;

// How high a card stands: trumps above 100, the joker and the two bowers on top. `trump` may be empty.
int strength(const std::string &card, const std::string &trump) {
    static const std::string ranks = "9TJQKA", suits = "CDHS";
    if (card == "JK") return 110;
    char suit = card[1], sister = suits[3 - suits.find(suit)];
    if (card[0] == 'J' && trump == std::string(1, suit)) return 109;
    if (card[0] == 'J' && trump == std::string(1, sister)) return 108;
    return (trump == std::string(1, suit) ? 101 : 1) + static_cast<int>(ranks.find(card[0]));
}

// The suit that a call makes trumps, empty for other words.
std::string suit_called(const std::string &word, const std::string &upcard) {
    if (word == "order_up") return upcard.substr(1);
    return word.size() == 6 && word.rfind("name:", 0) == 0 ? word.substr(5) : "";
}

// The answer to one request: a word out of `legal`.
std::string choose(const Value &act) {
    const std::string &phase = act["phase"].text, &trump = act["trump"].text;
    const std::vector<Value> &legal = act["legal"].list;
    auto worth = [&](const std::string &word) { return strength(word.substr(word.size() - 2), trump); };
    std::string best = legal.at(0).text;
    for (const Value &item : legal) {
        const std::string &word = item.text;
        if (phase == "play" || phase == "discard") {
            if (phase == "play" ? worth(word) > worth(best) : worth(word) < worth(best)) best = word;
            continue;
        }
        std::string suit = suit_called(word, act["upcard"].text);
        if (suit.empty()) continue;
        int trumps = 0;
        for (const Value &card : act["hand"].list) trumps += strength(card.text, suit) > 100;
        if (trumps >= trumps_to_call) return word;
    }
    return best;
}

// --- The wire: 4 bytes of length, then one msgpack map. Nothing from here on needs a change.

// Reads the value in a frame: all of msgpack but its extension types.
class Reader {
public:
    explicit Reader(const std::string &data) : data(data) {}

    Value value() {
        Value v;
        int type = static_cast<int>(uint(1));
        if (type < 0x80) return number(type);
        if (type < 0x90) return map(type & 15);
        if (type < 0xa0) return list(type & 15);
        if (type < 0xc0) return text(type & 31);
        if (type >= 0xe0) return number(type - 256);
        switch (type) {
            case 0xc0: return v;
            case 0xc2: case 0xc3: return number(type == 0xc3);
            case 0xc4: case 0xd9: return text(uint(1));
            case 0xc5: case 0xda: return text(uint(2));
            case 0xc6: case 0xdb: return text(uint(4));
            case 0xca: return number(static_cast<std::int64_t>(real<float, std::uint32_t>()));
            case 0xcb: return number(static_cast<std::int64_t>(real<double, std::uint64_t>()));
            case 0xcc: case 0xcd: case 0xce: case 0xcf: return number(static_cast<std::int64_t>(uint(1 << (type - 0xcc))));
            case 0xd0: return number(static_cast<std::int8_t>(uint(1)));
            case 0xd1: return number(static_cast<std::int16_t>(uint(2)));
            case 0xd2: return number(static_cast<std::int32_t>(uint(4)));
            case 0xd3: return number(static_cast<std::int64_t>(uint(8)));
            case 0xdc: case 0xdd: return list(uint(2 << (type - 0xdc)));
            case 0xde: case 0xdf: return map(uint(2 << (type - 0xde)));
            default: throw std::runtime_error("a msgpack type that this bot does not read");
        }
    }

private:
    const std::string &data;
    std::size_t at = 0;

    std::string take(std::uint64_t size) {
        if (data.size() - at < size) throw std::runtime_error("a frame ends too early");
        at += size;
        return data.substr(at - size, size);
    }
    std::uint64_t uint(int size) {
        std::uint64_t n = 0;
        for (unsigned char byte : take(size)) n = n << 8 | byte;
        return n;
    }
    template <class Real, class Bits> Real real() {
        Bits bits = static_cast<Bits>(uint(sizeof(Bits)));
        Real result;
        std::memcpy(&result, &bits, sizeof result);
        return result;
    }
    static Value number(std::int64_t n) {
        Value v;
        v.kind = Value::Number, v.number = n;
        return v;
    }
    Value text(std::uint64_t size) {
        Value v;
        v.kind = Value::Text, v.text = take(size);
        return v;
    }
    Value list(std::uint64_t size) {
        Value v;
        for (v.kind = Value::List; size > 0; size--) v.list.push_back(value());
        return v;
    }
    Value map(std::uint64_t size) {
        Value v;
        for (v.kind = Value::Map; size > 0; size--) {
            std::string key = value().text;
            v.map[key] = value();
        }
        return v;
    }
};

std::string big_endian(std::uint64_t n, int bytes) {
    std::string out;
    while (bytes-- > 0) out += static_cast<char>(n >> 8 * bytes);
    return out;
}
std::string pack(const std::string &text) { return "\xda" + big_endian(text.size(), 2) + text; }
std::string pack(std::int64_t n) { return "\xd3" + big_endian(static_cast<std::uint64_t>(n), 8); }

// The next message of a stream, false at its end.
bool receive(std::istream &in, Value &message) {
    std::uint32_t size = 0;
    for (int i = 0; i < 4; i++) {
        int byte = in.get();
        if (byte < 0) return false;
        size = size << 8 | static_cast<std::uint32_t>(byte);
    }
    std::string frame(size, '\0');
    if (!in.read(&frame[0], size)) return false;
    message = Reader(frame).value();
    return true;
}

// Sends a map of at most 15 pairs, given as its packed keys and values.
void send(const std::vector<std::string> &packed) {
    std::string payload(1, static_cast<char>(0x80 | packed.size() / 2));
    for (const std::string &part : packed) payload += part;
    std::cout << big_endian(payload.size(), 4) << payload << std::flush;
}

#ifndef NO_MAIN
int main() {
    std::ios::sync_with_stdio(false);
    Value message;
    while (receive(std::cin, message)) {
        const std::string &type = message["type"].text;
        if (type == "hello") send({pack("type"), pack("ready")});
        else if (type == "act") send({pack("type"), pack("action"), pack("id"), pack(message["id"].number), pack("action"), pack(choose(message))});
        else if (type == "bye") break;
    }
}
#endif
