// A simple euchre bot in C# (Mono or .NET, no package): it calls on three trumps, plays its highest card
// and discards its lowest. It prints with Console.Error: stdout is for frames.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;

public static class Bot
{
    const int TrumpsToCall = 3;

    /// <summary>The answer to one request: a word out of "legal".</summary>
    public static string Choose(Dictionary<string, object> act)
    {
        List<string> legal = Texts(act["legal"]);
        string phase = (string)act["phase"];
        string best = legal[0];
        foreach (string word in legal)
        {
            if (phase == "play" || phase == "discard")
            {
                var trump = (string)act["trump"];
                int more = Strength(LastTwo(word), trump) - Strength(LastTwo(best), trump);
                if (phase == "play" ? more > 0 : more < 0) best = word;
                continue;
            }
            string suit = SuitCalled(word, act);
            if (suit != null && Texts(act["hand"]).Count(card => Strength(card, suit) > 100) >= TrumpsToCall) return word;
        }
        return best;
    }

    /// <summary>The suit that a call makes trumps, null for other words.</summary>
    static string SuitCalled(string word, Dictionary<string, object> act)
    {
        if (word == "order_up") return ((string)act["upcard"]).Substring(1);
        return word.Length == 6 && word.StartsWith("name:", StringComparison.Ordinal) ? word.Substring(5) : null;
    }

    static string LastTwo(string word) { return word.Substring(word.Length - 2); }

    /// <summary>How high a card stands: trumps above 100, the joker and the two bowers on top.</summary>
    static int Strength(string card, string trump)
    {
        if (card == "JK") return 110;
        string rank = card.Substring(0, 1), suit = card.Substring(1);
        string sister = "CDHS".Substring(3 - "CDHS".IndexOf(suit, StringComparison.Ordinal), 1);
        if (rank == "J" && suit == trump) return 109;
        if (rank == "J" && sister == trump) return 108;
        return (suit == trump ? 101 : 1) + "9TJQKA".IndexOf(rank, StringComparison.Ordinal);
    }

    public static List<string> Texts(object list) { return ((List<object>)list).Cast<string>().ToList(); }

    // --- The wire: 4 bytes of length, then one msgpack map.

    /// <summary>Reads the value in a frame: all of msgpack but its extension types. Whole numbers become long.</summary>
    sealed class Reader
    {
        readonly byte[] data;
        int at;

        public Reader(byte[] data) { this.data = data; }

        public object Value()
        {
            int type = (int)Uint(1);
            if (type < 0x80) return (long)type;
            if (type < 0x90) return Map(type & 15);
            if (type < 0xa0) return List(type & 15);
            if (type < 0xc0) return Text(type & 31);
            if (type >= 0xe0) return (long)(type - 256);
            switch (type)
            {
                case 0xc0: return null;
                case 0xc2: case 0xc3: return type == 0xc3;
                case 0xc4: case 0xd9: return Text((int)Uint(1));
                case 0xc5: case 0xda: return Text((int)Uint(2));
                case 0xc6: case 0xdb: return Text((int)Uint(4));
                case 0xca: return (long)BitConverter.ToSingle(BitConverter.GetBytes((uint)Uint(4)), 0);
                case 0xcb: return (long)BitConverter.Int64BitsToDouble((long)Uint(8));
                case 0xcc: case 0xcd: case 0xce: case 0xcf: return (long)Uint(1 << (type - 0xcc));
                case 0xd0: return (long)(sbyte)Uint(1);
                case 0xd1: return (long)(short)Uint(2);
                case 0xd2: return (long)(int)Uint(4);
                case 0xd3: return (long)Uint(8);
                case 0xdc: case 0xdd: return List((int)Uint(2 << (type - 0xdc)));
                case 0xde: case 0xdf: return Map((int)Uint(2 << (type - 0xde)));
                default: throw new InvalidDataException("a msgpack type that this bot does not read: " + type);
            }
        }

        ulong Uint(int size)
        {
            ulong n = 0;
            while (size-- > 0) n = n << 8 | data[at++];
            return n;
        }

        string Text(int size)
        {
            at += size;
            return Encoding.UTF8.GetString(data, at - size, size);
        }

        List<object> List(int size)
        {
            var list = new List<object>();
            while (size-- > 0) list.Add(Value());
            return list;
        }

        Dictionary<string, object> Map(int size)
        {
            var map = new Dictionary<string, object>();
            while (size-- > 0)
            {
                string key = (string)Value();
                map[key] = Value();
            }
            return map;
        }
    }

    static void BigEndian(Stream stream, long number, int bytes)
    {
        for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) stream.WriteByte((byte)(number >> shift));
    }

    /// <summary>Sends a map of at most 15 pairs, given as key, value, key, value ...: texts and longs.</summary>
    static void Send(Stream stdout, params object[] pairs)
    {
        var payload = new MemoryStream();
        payload.WriteByte((byte)(0x80 | pairs.Length / 2));
        foreach (object item in pairs)
        {
            if (item is long)
            {
                payload.WriteByte(0xd3);
                BigEndian(payload, (long)item, 8);
                continue;
            }
            byte[] text = Encoding.UTF8.GetBytes((string)item);
            payload.WriteByte(0xda);
            BigEndian(payload, text.Length, 2);
            payload.Write(text, 0, text.Length);
        }
        BigEndian(stdout, payload.Length, 4);
        payload.WriteTo(stdout);
        stdout.Flush();
    }

    /// <summary>Exactly so many bytes, null at the end of the stream: Read alone may give less.</summary>
    static byte[] ReadAll(Stream stream, int size)
    {
        var data = new byte[size];
        for (int have = 0; have < size;)
        {
            int more = stream.Read(data, have, size - have);
            if (more <= 0) return null;
            have += more;
        }
        return data;
    }

    /// <summary>The next message, null at the end of the stream.</summary>
    public static Dictionary<string, object> Receive(Stream stream)
    {
        byte[] header = ReadAll(stream, 4);
        if (header == null) return null;
        byte[] frame = ReadAll(stream, header[0] << 24 | header[1] << 16 | header[2] << 8 | header[3]);
        return frame == null ? null : (Dictionary<string, object>)new Reader(frame).Value();
    }

    public static void Main()
    {
        Stream stdin = Console.OpenStandardInput(), stdout = new BufferedStream(Console.OpenStandardOutput());
        Console.SetOut(Console.Error); // nothing but frames may reach stdout
        Dictionary<string, object> message;
        while ((message = Receive(stdin)) != null)
        {
            string type = (string)message["type"];
            if (type == "hello") Send(stdout, "type", "ready", "name", "simple_csharp", "version", "1.0");
            else if (type == "act") Send(stdout, "type", "action", "id", message["id"], "action", Choose(message));
            else if (type == "bye") break;
        }
    }
}
