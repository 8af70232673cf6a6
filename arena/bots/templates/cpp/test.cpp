// Asks the bot what is recorded in frames.bin, without the arena: every answer must be legal.

#define NO_MAIN
#include "bot.cpp"

#include <fstream>

int main() {
    std::ifstream frames("frames.bin", std::ios::binary);
    Value message;
    int asked = 0;
    while (receive(frames, message)) {
        if (message["type"].text != "act") continue;
        std::string word = choose(message);
        bool found = false;
        for (const Value &legal : message["legal"].list) found |= legal.text == word;
        if (!found) {
            std::cerr << message["phase"].text << ": " << word << " is not legal\n";
            return 1;
        }
        asked++;
    }
    if (asked == 0) return 1;
    std::cout << asked << " requests, every answer legal\n";
}
