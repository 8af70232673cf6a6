// Asks the bot what is recorded in frames.bin, without the arena: every answer must be legal.

using System;
using System.Collections.Generic;
using System.IO;

public static class BotTest
{
    public static int Main()
    {
        int asked = 0;
        using (Stream frames = File.OpenRead("frames.bin"))
        {
            Dictionary<string, object> message;
            while ((message = Bot.Receive(frames)) != null)
            {
                if ((string)message["type"] != "act") continue;
                string word = Bot.Choose(message);
                if (!Bot.Texts(message["legal"]).Contains(word))
                {
                    Console.Error.WriteLine(message["phase"] + ": " + word + " is not legal");
                    return 1;
                }
                asked++;
            }
        }
        Console.WriteLine(asked + " requests, every answer legal");
        return asked > 0 ? 0 : 1;
    }
}
