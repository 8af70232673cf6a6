// careful, in C++: the conversation with the arena. The thinking is in strategy.cpp.

#include <cstdint>
#include <exception>
#include <iostream>
#include <string>

#include "msgpack.hpp"
#include "strategy.hpp"

namespace {

// The next frame, or false at the end of standard input.
bool read_frame(std::istream& in, std::string& frame) {
    unsigned char header[4];
    if (!in.read(reinterpret_cast<char*>(header), 4)) return false;
    frame.resize(std::size_t{header[0]} << 24 | header[1] << 16 | header[2] << 8 | header[3]);
    return static_cast<bool>(in.read(frame.data(), static_cast<std::streamsize>(frame.size())));
}

void write_frame(std::ostream& out, const std::string& frame) {
    for (int shift = 24; shift >= 0; shift -= 8) out.put(static_cast<char>(frame.size() >> shift & 255));
    out.write(frame.data(), static_cast<std::streamsize>(frame.size()));
    out.flush();
}

}  // namespace

int main() try {
    std::ios::sync_with_stdio(false);
    for (std::string frame; read_frame(std::cin, frame);) {
        const msgpack::Value message = msgpack::Reader{frame}.value();
        const auto type = message["type"].text();
        if (type == "hello") {
            msgpack::Writer ready{3};
            ready.add("type", "ready").add("name", "careful_cpp").add("version", "1.0");
            write_frame(std::cout, ready.bytes());
        } else if (type == "act") {
            msgpack::Writer action{3};
            action.add("type", "action").add("id", message["id"].number()).add("action", choose(message));
            write_frame(std::cout, action.bytes());
        } else if (type == "bye") {
            break;
        }
    }
} catch (const std::exception& error) {
    std::cerr << "careful_cpp: " << error.what() << '\n';
    return 1;
}
