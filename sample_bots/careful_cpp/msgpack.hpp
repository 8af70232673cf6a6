// As much of msgpack as the arena's messages need: reads all but extension types, writes maps of
// texts and whole numbers.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace msgpack {

struct Value;
using List = std::vector<Value>;
using Map = std::vector<std::pair<std::string, Value>>;

struct Value {
    std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Map> data;

    // The value under a key; an empty one where the key is missing.
    const Value& operator[](std::string_view key) const {
        static const Value nothing;
        if (auto map = std::get_if<Map>(&data))
            for (const auto& [name, value] : *map)
                if (name == key) return value;
        return nothing;
    }
    std::int64_t number(std::int64_t otherwise = 0) const {
        if (auto real = std::get_if<double>(&data)) return static_cast<std::int64_t>(*real);
        auto whole = std::get_if<std::int64_t>(&data);
        return whole ? *whole : otherwise;
    }
    bool truth(bool otherwise) const {
        auto flag = std::get_if<bool>(&data);
        return flag ? *flag : otherwise;
    }
    std::string_view text() const {
        auto text = std::get_if<std::string>(&data);
        return text ? std::string_view{*text} : std::string_view{};
    }
    const List& list() const {
        static const List empty;
        auto list = std::get_if<List>(&data);
        return list ? *list : empty;
    }
};

class Reader {
public:
    explicit Reader(std::string_view frame) : rest_{frame} {}

    Value value() {
        const auto kind = static_cast<unsigned>(number(1));
        if (kind < 0x80) return {std::int64_t{kind}};
        if (kind < 0x90) return map(kind & 15);
        if (kind < 0xa0) return list(kind & 15);
        if (kind < 0xc0) return text(kind & 31);
        if (kind >= 0xe0) return {std::int64_t{kind} - 256};
        switch (kind) {
            case 0xc0: return {};
            case 0xc2: case 0xc3: return {kind == 0xc3};
            case 0xc4: case 0xc5: case 0xc6: return text(number(1u << (kind - 0xc4)));
            case 0xca: return {double{bits<float>(static_cast<std::uint32_t>(number(4)))}};
            case 0xcb: return {bits<double>(number(8))};
            case 0xcc: case 0xcd: case 0xce: case 0xcf:
                return {static_cast<std::int64_t>(number(1u << (kind - 0xcc)))};
            case 0xd0: return {std::int64_t{static_cast<std::int8_t>(number(1))}};
            case 0xd1: return {std::int64_t{static_cast<std::int16_t>(number(2))}};
            case 0xd2: return {std::int64_t{static_cast<std::int32_t>(number(4))}};
            case 0xd3: return {static_cast<std::int64_t>(number(8))};
            case 0xd9: case 0xda: case 0xdb: return text(number(1u << (kind - 0xd9)));
            case 0xdc: case 0xdd: return list(number(2u << (kind - 0xdc)));
            case 0xde: case 0xdf: return map(number(2u << (kind - 0xde)));
            default: throw std::runtime_error("a msgpack type that this bot does not read");
        }
    }

private:
    std::string_view take(std::uint64_t size) {
        if (size > rest_.size()) throw std::runtime_error("a frame ends too early");
        const auto bytes = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return bytes;
    }

    std::uint64_t number(unsigned size) {
        std::uint64_t number = 0;
        for (const char byte : take(size)) number = number << 8 | static_cast<unsigned char>(byte);
        return number;
    }

    template <typename Real, typename Bits>
    static Real bits(Bits bits) {
        static_assert(sizeof(Real) == sizeof(Bits));
        Real real;
        std::memcpy(&real, &bits, sizeof real);
        return real;
    }

    Value text(std::uint64_t size) { return {std::string{take(size)}}; }

    Value list(std::uint64_t size) {
        List items;
        while (size-- > 0) items.push_back(value());
        return {std::move(items)};
    }

    Value map(std::uint64_t size) {
        Map pairs;
        while (size-- > 0) {
            std::string key{value().text()};
            pairs.emplace_back(std::move(key), value());
        }
        return {std::move(pairs)};
    }

    std::string_view rest_;
};

class Writer {
public:
    // A map of at most 15 pairs; add() each.
    explicit Writer(unsigned pairs) { put(0x80 | pairs, 1); }

    Writer& add(std::string_view key, std::string_view value) {
        put_text(key);
        put_text(value);
        return *this;
    }
    Writer& add(std::string_view key, std::int64_t value) {
        put_text(key);
        put(0xd3, 1);
        put(static_cast<std::uint64_t>(value), 8);
        return *this;
    }
    const std::string& bytes() const { return bytes_; }

private:
    void put(std::uint64_t number, int size) {
        while (size-- > 0) bytes_ += static_cast<char>(number >> 8 * size & 255);
    }
    void put_text(std::string_view text) {
        put(0xda, 1);
        put(text.size(), 2);
        bytes_ += text;
    }

    std::string bytes_;
};

}  // namespace msgpack
