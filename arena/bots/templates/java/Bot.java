// A euchre bot in Java (17 or newer, no library). choose() is the place for your own thinking; it may
// return any word of "legal". Print with System.err: stdout is for frames.

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

public final class Bot {
    private static final int TRUMPS_TO_CALL = 3;

    /** The answer to one request: a word out of "legal". */
    static String choose(Map<String, Object> act) {
        List<String> legal = texts(act.get("legal"));
        String phase = (String) act.get("phase");
        String trump = (String) act.get("trump");
        String best = legal.get(0);
        for (String word : legal) {
            if (phase.equals("play") || phase.equals("discard")) {
                int more = strength(lastTwo(word), trump) - strength(lastTwo(best), trump);
                if (phase.equals("play") ? more > 0 : more < 0) best = word;
            } else {
                String suit = suitCalled(word, (String) act.get("upcard"));
                if (suit == null) continue;
                long trumps = texts(act.get("hand")).stream().filter(card -> strength(card, suit) > 100).count();
                if (trumps >= TRUMPS_TO_CALL) return word;
            }
        }
        return best;
    }

    /** The suit that a call makes trumps, null for other words. */
    private static String suitCalled(String word, String upcard) {
        if (word.equals("order_up")) return upcard.substring(1);
        return word.matches("name:[CDHS]") ? word.substring(5) : null;
    }

    private static String lastTwo(String word) {
        return word.substring(word.length() - 2);
    }

    /** How high a card stands: trumps above 100, the joker and the two bowers on top. */
    static int strength(String card, String trump) {
        if (card.equals("JK")) return 110;
        String rank = card.substring(0, 1), suit = card.substring(1);
        String sister = "" + "CDHS".charAt(3 - "CDHS".indexOf(suit));
        if (rank.equals("J") && suit.equals(trump)) return 109;
        if (rank.equals("J") && sister.equals(trump)) return 108;
        return (suit.equals(trump) ? 101 : 1) + "9TJQKA".indexOf(rank);
    }

    @SuppressWarnings("unchecked")
    static List<String> texts(Object list) {
        return (List<String>) list;
    }

    // --- The wire: 4 bytes of length, then one msgpack map. Nothing from here on needs a change.

    /** The next value: all of msgpack but its extension types. Whole numbers become Long. */
    static Object decode(DataInputStream in) throws IOException {
        int type = in.readUnsignedByte();
        if (type < 0x80) return (long) type;
        if (type < 0x90) return map(in, type & 15);
        if (type < 0xa0) return list(in, type & 15);
        if (type < 0xc0) return text(in, type & 31);
        if (type >= 0xe0) return (long) (type - 256);
        switch (type) {
            case 0xc0: return null;
            case 0xc2: case 0xc3: return type == 0xc3;
            case 0xc4: case 0xd9: return text(in, in.readUnsignedByte());
            case 0xc5: case 0xda: return text(in, in.readUnsignedShort());
            case 0xc6: case 0xdb: return text(in, in.readInt());
            case 0xca: return (double) in.readFloat();
            case 0xcb: return in.readDouble();
            case 0xcc: return (long) in.readUnsignedByte();
            case 0xcd: return (long) in.readUnsignedShort();
            case 0xce: return in.readInt() & 0xffffffffL;
            case 0xd0: return (long) in.readByte();
            case 0xd1: return (long) in.readShort();
            case 0xd2: return (long) in.readInt();
            case 0xcf: case 0xd3: return in.readLong();
            case 0xdc: return list(in, in.readUnsignedShort());
            case 0xdd: return list(in, in.readInt());
            case 0xde: return map(in, in.readUnsignedShort());
            case 0xdf: return map(in, in.readInt());
            default: throw new IOException("a msgpack type that this bot does not read: " + type);
        }
    }

    private static String text(DataInputStream in, int size) throws IOException {
        byte[] bytes = new byte[size];
        in.readFully(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static List<Object> list(DataInputStream in, int size) throws IOException {
        List<Object> list = new ArrayList<>();
        for (int i = 0; i < size; i++) list.add(decode(in));
        return list;
    }

    private static Map<String, Object> map(DataInputStream in, int size) throws IOException {
        Map<String, Object> map = new HashMap<>();
        for (int i = 0; i < size; i++) {
            String key = (String) decode(in);
            map.put(key, decode(in));
        }
        return map;
    }

    /** A map of at most 15 pairs, given as key, value, key, value ...: texts and Longs. */
    static byte[] encode(Object... pairs) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeByte(0x80 | pairs.length / 2);
        for (Object item : pairs) {
            if (item instanceof String) {
                byte[] text = ((String) item).getBytes(StandardCharsets.UTF_8);
                out.writeByte(0xda);
                out.writeShort(text.length);
                out.write(text);
            } else {
                out.writeByte(0xd3);
                out.writeLong(((Number) item).longValue());
            }
        }
        return bytes.toByteArray();
    }

    /** The next message, null at the end of the stream. */
    @SuppressWarnings("unchecked")
    static Map<String, Object> receive(InputStream stream) throws IOException {
        DataInputStream in = new DataInputStream(stream);
        try {
            byte[] frame = new byte[in.readInt()];
            in.readFully(frame);
            return (Map<String, Object>) decode(new DataInputStream(new ByteArrayInputStream(frame)));
        } catch (EOFException end) {
            return null;
        }
    }

    private static void send(DataOutputStream out, byte[] payload) throws IOException {
        out.writeInt(payload.length);
        out.write(payload);
        out.flush();
    }

    public static void main(String[] args) throws IOException {
        InputStream in = new BufferedInputStream(System.in);
        DataOutputStream out = new DataOutputStream(new BufferedOutputStream(System.out));
        System.setOut(System.err); // nothing but frames may reach stdout
        Map<String, Object> message;
        while ((message = receive(in)) != null) {
            String type = (String) message.get("type");
            if (type.equals("hello")) send(out, encode("type", "ready"));
            else if (type.equals("act")) send(out, encode("type", "action", "id", message.get("id"), "action", choose(message)));
            else if (type.equals("bye")) break;
        }
    }
}
