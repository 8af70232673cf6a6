// Asks the bot what is recorded in frames.bin, without the arena: every answer must be legal.

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;

final class BotTest {
    public static void main(String[] args) throws IOException {
        int asked = 0;
        try (InputStream frames = new FileInputStream("frames.bin")) {
            Map<String, Object> message;
            while ((message = Bot.receive(frames)) != null) {
                if (!message.get("type").equals("act")) continue;
                String word = Bot.choose(message);
                if (!Bot.texts(message.get("legal")).contains(word))
                    throw new AssertionError(message.get("phase") + ": " + word + " is not in " + message.get("legal"));
                asked++;
            }
        }
        if (asked == 0) throw new AssertionError("frames.bin holds no request");
        System.out.println(asked + " requests, every answer legal");
    }
}
