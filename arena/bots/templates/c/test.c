/* Asks the bot what is recorded in frames.bin, without the arena: every answer must be legal. */

#define main bot_main
#include "bot.c"
#undef main

int main(void) {
    FILE *frames = fopen("frames.bin", "rb");
    Value message;
    int asked = 0;
    if (!frames) die("frames.bin cannot be read");
    while (receive(frames, &message)) {
        const Value *legal = get(&message, "legal"), *word;
        bool found = false;
        if (!is(get(&message, "type"), "act")) continue;
        word = choose(&message);
        for (uint32_t i = 0; i < legal->size; i++)
            found |= word->size == legal->items[i].size && !memcmp(word->text, legal->items[i].text, word->size);
        if (!found) die("an answer that is not legal");
        asked++;
    }
    if (!asked) die("frames.bin holds no request");
    printf("%d requests, every answer legal\n", asked);
    (void)bot_main;
    return 0;
}
