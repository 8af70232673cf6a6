import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

/**
 * careful, in Java: the strategy of sample_bots/careful in one class, without a library.
 *
 * <p>The order of this file: the conversation with the arena, msgpack, cards, the request, what a hand is
 * worth, calling, playing. What a hand is worth is counted in hundredths of a trick: 250 is two and a half.
 */
public final class Careful {
    private Careful() {}

    // --- The conversation with the arena

    public static void main(String[] arguments) throws IOException {
        var in = new DataInputStream(new BufferedInputStream(System.in));
        var out = new DataOutputStream(new BufferedOutputStream(System.out));
        System.setOut(System.err); // nothing but frames may reach standard output
        while (true) {
            byte[] frame;
            try {
                frame = new byte[in.readInt()];
                in.readFully(frame);
            } catch (EOFException end) {
                return;
            }
            var message = (Map<?, ?>) decode(ByteBuffer.wrap(frame));
            switch (String.valueOf(message.get("type"))) {
                case "hello" -> send(out, "type", "ready", "name", "careful_java", "version", "1.0");
                case "act" -> send(out, "type", "action", "id", message.get("id"), "action", answer(message));
                case "bye" -> {
                    return;
                }
                default -> { } // needs no answer
            }
        }
    }

    private static void send(DataOutputStream out, Object... pairs) throws IOException {
        byte[] frame = encode(pairs);
        out.writeInt(frame.length);
        out.write(frame);
        out.flush();
    }

    /** A word out of the request's {@code legal}. */
    private static String answer(Map<?, ?> act) {
        List<String> legal = strings(act.get("legal"));
        if (legal.size() == 1) {
            return legal.get(0);
        }
        String word = switch (String.valueOf(act.get("phase"))) {
            case "bid1" -> orderUp(new View(act));
            case "bid2" -> nameTrumps(new View(act));
            // The joker is turned and the hand not yet seen: all suits are alike, and alone is a gamble.
            case "joker_name" -> "name:S";
            case "discard" -> discard(new View(act));
            case "defend" -> defend(new View(act));
            case "play" -> "play:" + new Table(new View(act)).play();
            default -> "";
        };
        return legal.contains(word) ? word : legal.get(0);
    }

    // --- msgpack: reads all but extension types; numbers are Long or Double

    private static Object decode(ByteBuffer in) {
        int kind = in.get() & 0xff;
        if (kind < 0x80) {
            return (long) kind;
        } else if (kind < 0x90) {
            return decodeMap(in, kind & 15);
        } else if (kind < 0xa0) {
            return decodeList(in, kind & 15);
        } else if (kind < 0xc0) {
            return decodeText(in, kind & 31);
        } else if (kind >= 0xe0) {
            return (long) (byte) kind;
        }
        return switch (kind) {
            case 0xc0 -> null;
            case 0xc2, 0xc3 -> kind == 0xc3;
            case 0xc4, 0xd9 -> decodeText(in, in.get() & 0xff);
            case 0xc5, 0xda -> decodeText(in, in.getShort() & 0xffff);
            case 0xc6, 0xdb -> decodeText(in, in.getInt());
            case 0xca -> (double) in.getFloat();
            case 0xcb -> in.getDouble();
            case 0xcc -> in.get() & 0xffL;
            case 0xcd -> in.getShort() & 0xffffL;
            case 0xce -> in.getInt() & 0xffffffffL;
            case 0xcf, 0xd3 -> in.getLong();
            case 0xd0 -> (long) in.get();
            case 0xd1 -> (long) in.getShort();
            case 0xd2 -> (long) in.getInt();
            case 0xdc -> decodeList(in, in.getShort() & 0xffff);
            case 0xdd -> decodeList(in, in.getInt());
            case 0xde -> decodeMap(in, in.getShort() & 0xffff);
            case 0xdf -> decodeMap(in, in.getInt());
            default -> throw new IllegalArgumentException("msgpack type " + kind + " is not read here");
        };
    }

    private static String decodeText(ByteBuffer in, int size) {
        byte[] bytes = new byte[size];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static List<Object> decodeList(ByteBuffer in, int size) {
        var list = new ArrayList<Object>();
        for (int i = 0; i < size; i++) {
            list.add(decode(in));
        }
        return list;
    }

    private static Map<Object, Object> decodeMap(ByteBuffer in, int size) {
        var map = new HashMap<Object, Object>();
        for (int i = 0; i < size; i++) {
            Object key = decode(in);
            map.put(key, decode(in));
        }
        return map;
    }

    /** A map of at most 15 pairs, given as key, value, key, value...: texts and numbers. */
    private static byte[] encode(Object... pairs) {
        var out = ByteBuffer.allocate(1024);
        out.put((byte) (0x80 | pairs.length / 2));
        for (Object item : pairs) {
            if (item instanceof Number number) {
                out.put((byte) 0xd3).putLong(number.longValue());
            } else {
                byte[] text = String.valueOf(item).getBytes(StandardCharsets.UTF_8);
                out.put((byte) 0xda).putShort((short) text.length).put(text);
            }
        }
        byte[] frame = new byte[out.position()];
        out.flip().get(frame);
        return frame;
    }

    private static int number(Object value) {
        return value instanceof Number number ? number.intValue() : 0;
    }

    private static List<?> list(Object value) {
        return value instanceof List<?> list ? list : List.of();
    }

    private static List<String> strings(Object value) {
        return list(value).stream().map(String::valueOf).toList();
    }

    // --- Cards

    /** {@code NT} stands for trumps that are none. */
    private enum Suit {
        C, D, H, S, NT;

        static final List<Suit> PLAIN = List.of(C, D, H, S);

        /** The other suit of the same colour. */
        Suit sister() {
            return switch (this) {
                case C -> S;
                case S -> C;
                case D -> H;
                case H -> D;
                case NT -> NT;
            };
        }
    }

    /** A card; the joker has rank 6 and no suit. */
    private record Card(int rank, Suit suit) {
        static final String RANKS = "9TJQKA";
        static final int JACK = 2;
        static final Card JOKER = new Card(6, null);

        /** The card of a word, null if it is none. */
        static Card of(String word) {
            if (word.equals("JK")) {
                return JOKER;
            }
            return word.length() == 2 && RANKS.indexOf(word.charAt(0)) >= 0
                ? new Card(RANKS.indexOf(word.charAt(0)), Suit.valueOf(word.substring(1)))
                : null;
        }

        static List<Card> pack(boolean joker) {
            var pack = new ArrayList<Card>();
            for (Suit suit : Suit.PLAIN) {
                for (int rank = 0; rank < RANKS.length(); rank++) {
                    pack.add(new Card(rank, suit));
                }
            }
            if (joker) {
                pack.add(JOKER);
            }
            return pack;
        }

        @Override
        public String toString() {
            return this.equals(JOKER) ? "JK" : "" + RANKS.charAt(rank) + suit;
        }

        /** The suit that it counts as: the joker and the left bower are trumps. */
        Suit suit(Suit trump) {
            boolean leftBower = rank == JACK && trump != Suit.NT && suit == trump.sister();
            return this.equals(JOKER) || leftBower ? trump : suit;
        }

        /** 1 to 6 in a side suit, above 100 for a trump. */
        int strength(Suit trump) {
            if (this.equals(JOKER)) {
                return 110;
            } else if (suit(trump) != trump) {
                return 1 + rank;
            } else if (rank == JACK) {
                return suit == trump ? 109 : 108;
            }
            return 101 + rank;
        }

        /** Whether it takes a trick that {@code other} is winning. */
        boolean beats(Card other, Suit trump) {
            return suit(trump) == other.suit(trump)
                ? strength(trump) > other.strength(trump)
                : suit(trump) == trump;
        }
    }

    private static List<Card> cards(List<String> words) {
        return words.stream().map(Card::of).toList();
    }

    private static List<Card> filter(List<Card> cards, Predicate<Card> keep) {
        return cards.stream().filter(keep).toList();
    }

    private static List<Card> without(List<Card> cards, Card unwanted) {
        return filter(cards, card -> !card.equals(unwanted));
    }

    private static List<Card> ofSuit(List<Card> cards, Suit suit, Suit trump) {
        return filter(cards, card -> card.suit(trump) == suit);
    }

    /** The card with the smallest value; the first among equals. */
    private static Card minBy(List<Card> cards, ToIntFunction<Card> value) {
        return cards.stream().min(Comparator.comparingInt(value)).orElseThrow();
    }

    private static Card maxBy(List<Card> cards, ToIntFunction<Card> value) {
        return minBy(cards, card -> -value.applyAsInt(card));
    }

    // --- The request

    private record Play(int seat, Card card) {}

    private static final class View {
        final List<String> legal;
        final int seat;
        final int partner;
        final int dealer;
        final int maker;
        /** In the auction: 0 for dealer's left ... 3 for the dealer. */
        final int place;
        /** Points that each side still needs. */
        final int toGo;
        final int theirToGo;
        final List<Card> hand;
        final List<Card> pack;
        final boolean joker;
        final Card upcard;
        /** Whether the dealer took the upcard. */
        final boolean takenUp;
        /** One's own discard, or null. */
        final Card discard;
        final Suit trump;
        final List<Integer> sittingOut;
        final List<List<Play>> tricks;
        /** The current trick; empty for the leader. */
        final List<Play> trick;

        View(Map<?, ?> act) {
            legal = strings(act.get("legal"));
            seat = number(act.get("seat"));
            partner = (seat + 2) % 4;
            dealer = number(act.get("dealer"));
            maker = number(act.get("maker"));
            place = (seat - dealer + 3) % 4;
            hand = cards(strings(act.get("hand")));

            boolean british = "british".equals(act.get("game"));
            Map<?, ?> rules = act.get("rules") instanceof Map<?, ?> map ? map : Map.of();
            joker = rules.get("joker") instanceof Boolean flag ? flag : british;
            pack = Card.pack(joker);
            int target = rules.containsKey("target") ? number(rules.get("target")) : british ? 11 : 10;
            List<?> scores = list(act.get("scores"));
            toGo = target - number(scores.get(seat % 2));
            theirToGo = target - number(scores.get(1 - seat % 2));

            upcard = Card.of(String.valueOf(act.get("upcard")));
            takenUp = Card.JOKER.equals(upcard)
                || strings(act.get("calls")).stream().anyMatch(call -> call.startsWith("order_up"));
            discard = Card.of(String.valueOf(act.get("discard")));
            trump = act.get("trump") instanceof String name ? Suit.valueOf(name) : null;

            sittingOut = list(act.get("alone")).stream().map(alone -> (number(alone) + 2) % 4).toList();
            tricks = list(act.get("tricks")).stream().map(View::plays).toList();
            List<Play> last = tricks.isEmpty() ? List.of() : tricks.get(tricks.size() - 1);
            trick = last.size() < 4 - sittingOut.size() ? last : List.of();
        }

        private static List<Play> plays(Object trick) {
            Stream<List<?>> pairs = list(trick).stream().map(Careful::list);
            return pairs.map(pair -> new Play(number(pair.get(0)), Card.of((String) pair.get(1)))).toList();
        }

        boolean mayAnswer(String word) {
            return legal.contains(word);
        }

        /** The cards in {@code legal}, behind {@code discard:} or {@code play:}. */
        List<Card> legalCards() {
            return legal.stream().map(word -> Card.of(word.substring(word.indexOf(':') + 1))).toList();
        }
    }

    // --- What a hand is worth

    // What a card is worth, by the number of higher cards of its suit that others may hold.
    private static final int[] TRUMP_TRICKS = {100, 80, 65, 60, 60, 35, 30, 30};
    private static final int[] SIDE_TRICKS = {45, 15, 5, 0, 0, 0};
    private static final int[] NO_TRUMP_TRICKS = {90, 40, 15, 5, 0, 0};
    /** A side suit that one holds no card of, with a trump to ruff it. */
    private static final int VOID_TRICKS = 20;

    /** Hundredths of a trick that {@code hand} should take; {@code pack} is all that can be in play. */
    private static int handValue(List<Card> hand, Suit trump, List<Card> pack) {
        boolean hasTrump = !ofSuit(hand, trump, trump).isEmpty();
        int value = 0;
        for (Suit suit : Suit.PLAIN) {
            var cards = new ArrayList<>(ofSuit(pack, suit, trump));
            cards.sort(Comparator.comparingInt(card -> -card.strength(trump)));
            int above = 0;
            int mine = 0;
            for (Card card : cards) {
                if (!hand.contains(card)) {
                    above++;
                    continue;
                }
                if (suit == trump) {
                    // Each higher trump of one's own draws one of theirs.
                    value += TRUMP_TRICKS[Math.max(0, above - mine)];
                } else {
                    value += (trump == Suit.NT ? NO_TRUMP_TRICKS : SIDE_TRICKS)[above];
                }
                mine++;
            }
            if (mine == 0 && hasTrump) {
                value += VOID_TRICKS;
            }
        }
        return value;
    }

    /** The card whose loss leaves the best five; among equals the lowest. */
    private static Card bestDiscard(List<Card> hand, List<Card> choices, Suit trump, List<Card> pack) {
        // A value counts for more than any difference in strength.
        return maxBy(choices, card -> 1000 * handValue(without(hand, card), trump, pack) - card.strength(trump));
    }

    // --- Calling

    // What one's own hand has to be worth to call, by place in the auction: dealer's left, dealer's
    // partner, dealer's right, dealer. Partner is good for the rest.
    private static final int[] ROUND_1_NEED = {265, 250, 265, 225};
    private static final int[] ROUND_2_NEED = {200, 215, 220, 210};
    /** So much less will do when either side has one point to go. */
    private static final int BRINK = 15;
    /** To play alone; with the highest trump as well. */
    private static final int ALONE_NEED = 360;
    /** What the upcard is worth to a partner who deals; it counts against us if an opponent deals. */
    private static final int UPCARD_TRICKS = 40;
    private static final int UPBOWER_TRICKS = 60;
    /** Round 2: the dealer turned a suit down, so he is weak in its sister suit. */
    private static final int NEXT_TRICKS = 40;

    private static boolean strongAlone(View view, List<Card> hand, Suit trump, int value) {
        Card highest = view.joker ? Card.JOKER : new Card(Card.JACK, trump);
        return value >= ALONE_NEED && (trump == Suit.NT || hand.contains(highest));
    }

    /** {@code word}, alone or not, or a pass. */
    private static String call(View view, String word, String loneWord, int value, int need, boolean alone) {
        if (view.toGo == 1 || view.theirToGo == 1) {
            need -= BRINK;
        }
        // With one or two points to go, a march together is enough.
        if (alone && view.toGo > 2 && view.mayAnswer(loneWord)) {
            return loneWord;
        }
        boolean call = view.mayAnswer(word) && (value >= need || !view.mayAnswer("pass"));
        return call ? word : "pass";
    }

    private static String orderUp(View view) {
        Suit trump = view.upcard.suit();
        List<Card> hand = view.hand;
        int upcardHelps = view.upcard.rank() == Card.JACK ? UPBOWER_TRICKS : UPCARD_TRICKS;
        if (view.seat == view.dealer) {
            var six = new ArrayList<>(hand);
            six.add(view.upcard);
            hand = without(six, bestDiscard(six, six, trump, view.pack));
            upcardHelps = 0;
        } else if (view.partner != view.dealer) {
            upcardHelps = -upcardHelps;
        }
        int value = handValue(hand, trump, view.pack);
        boolean alone = strongAlone(view, hand, trump, value);
        int need = ROUND_1_NEED[view.place];
        return call(view, "order_up", "order_up_alone", value + upcardHelps, need, alone);
    }

    private static String nameTrumps(View view) {
        List<Card> pack = without(view.pack, view.upcard);
        int nextHelps = view.place % 2 == 0 ? NEXT_TRICKS : -NEXT_TRICKS;
        ToIntFunction<Suit> ownValue = trump -> handValue(view.hand, trump, pack);
        ToIntFunction<Suit> value = trump ->
            ownValue.applyAsInt(trump) + (trump == view.upcard.suit().sister() ? nextHelps : 0);
        Suit trump = Stream.of(Suit.values())
            .filter(suit -> view.mayAnswer("name:" + suit))
            .min(Comparator.comparingInt(suit -> -value.applyAsInt(suit))) // the first among equals
            .orElseThrow();
        boolean alone = strongAlone(view, view.hand, trump, ownValue.applyAsInt(trump));
        String word = "name:" + trump;
        return call(view, word, word + ":alone", value.applyAsInt(trump), ROUND_2_NEED[view.place], alone);
    }

    private static String discard(View view) {
        return "discard:" + bestDiscard(view.hand, view.legalCards(), view.trump, view.pack);
    }

    private static String defend(View view) {
        int value = handValue(view.hand, view.trump, view.pack);
        return strongAlone(view, view.hand, view.trump, value) ? "defend_alone" : "defend_together";
    }

    // --- Playing

    /** What a player knows who has watched every card. */
    private static final class Table {
        private final View view;
        private final Suit trump;
        private final List<Card> unseen;
        /** The upcard, while the dealer has it in his hand; else null. */
        private final Card dealerHolds;
        /** By seat, the suits that it did not follow. */
        private final List<Set<Suit>> voids = new ArrayList<>();
        /** The opponents that are in, and those of them who play to this trick after oneself. */
        private final List<Integer> foes;
        private final List<Integer> foesToPlay;

        Table(View view) {
            this.view = view;
            trump = view.trump;
            var seen = new ArrayList<>(view.hand);
            seen.add(view.discard);
            for (int seat = 0; seat < 4; seat++) {
                voids.add(EnumSet.noneOf(Suit.class));
            }
            for (List<Play> trick : view.tricks) {
                Suit led = suit(trick.get(0).card());
                for (Play play : trick) {
                    seen.add(play.card());
                    if (suit(play.card()) != led) {
                        voids.get(play.seat()).add(led);
                    }
                }
            }
            dealerHolds = view.takenUp && !seen.contains(view.upcard) ? view.upcard : null;
            if (!view.takenUp) {
                seen.add(view.upcard);
            }
            unseen = filter(view.pack, card -> !seen.contains(card));
            foes = Stream.of((view.seat + 1) % 4, (view.seat + 3) % 4)
                .filter(foe -> !view.sittingOut.contains(foe))
                .toList();
            List<Integer> played = view.trick.stream().map(Play::seat).toList();
            foesToPlay = foes.stream().filter(foe -> !played.contains(foe)).toList();
        }

        private Suit suit(Card card) {
            return card.suit(trump);
        }

        private int strength(Card card) {
            return card.strength(trump);
        }

        private boolean isTrump(Card card) {
            return suit(card) == trump;
        }

        /** Whether the unseen card may be in the hand of a seat. */
        private boolean mayHold(int seat, Card card) {
            return card.equals(dealerHolds) ? seat == view.dealer : !voids.get(seat).contains(suit(card));
        }

        private boolean foesMayHold(Card card) {
            return foes.stream().anyMatch(foe -> mayHold(foe, card));
        }

        private boolean foesMayHaveTrumps() {
            return unseen.stream().anyMatch(card -> isTrump(card) && foesMayHold(card));
        }

        /** Whether no opponent can hold a higher card of its suit. */
        private boolean isHigh(Card card) {
            return ofSuit(unseen, suit(card), trump).stream()
                .noneMatch(other -> strength(other) > strength(card) && foesMayHold(other));
        }

        /**
         * Whether a card, winning now, is safe from the opponents still to play. A ruff is feared only from
         * one who has shown that he is void of the suit led.
         */
        private boolean holdsUp(Card card) {
            Suit led = suit(view.trick.get(0).card());
            return filter(unseen, other -> other.beats(card, trump)).stream().noneMatch(other ->
                foesToPlay.stream().anyMatch(foe ->
                    mayHold(foe, other) && (suit(other) == led || voids.get(foe).contains(led))));
        }

        Card play() {
            return view.trick.isEmpty() ? lead(view.legalCards()) : follow(view.legalCards());
        }

        private Card lead(List<Card> cards) {
            List<Card> trumps = filter(cards, this::isTrump);
            List<Card> side = filter(cards, card -> !isTrump(card));
            boolean ours = view.maker % 2 == view.seat % 2;
            if (ours && !trumps.isEmpty() && foesMayHaveTrumps()) {
                // Makers draw trumps: with the highest, from length, or at once to the partner who called.
                Card best = maxBy(trumps, this::strength);
                boolean draw = view.maker == view.seat ? trumps.size() >= 3 : view.hand.size() == 5;
                if (draw || isHigh(best)) {
                    return best;
                }
            }
            List<Card> winners = filter(side, this::isHigh);
            if (!winners.isEmpty()) {
                // The more of its suit are out, the less likely is a ruff.
                return maxBy(winners, card -> ofSuit(unseen, suit(card), trump).size());
            }
            if (!side.isEmpty()) {
                return throwOff(side);
            }
            Card best = maxBy(trumps, this::strength);
            return isHigh(best) ? best : minBy(trumps, this::strength);
        }

        private Card follow(List<Card> cards) {
            Play best = view.trick.stream()
                .reduce((high, play) -> play.card().beats(high.card(), trump) ? play : high)
                .orElseThrow();
            boolean partnerWins = best.seat() == view.partner;
            if (partnerWins && holdsUp(best.card())) {
                return throwOff(cards);
            }
            List<Card> winning = filter(cards, card -> card.beats(best.card(), trump));
            if (winning.isEmpty()) {
                return throwOff(cards);
            }
            List<Card> safe = filter(winning, this::holdsUp);
            if (!safe.isEmpty()) {
                return minBy(safe, this::strength); // as cheaply as is safe
            }
            if (partnerWins) {
                return throwOff(cards);
            }
            Card lowest = minBy(winning, this::strength);
            return isTrump(lowest) ? lowest : maxBy(winning, this::strength);
        }

        /** The card that will be missed least: trumps and winners stay, a lone low card makes a void. */
        private Card throwOff(List<Card> cards) {
            boolean hasTrump = view.hand.stream().anyMatch(this::isTrump);
            return minBy(cards, card -> {
                int worth = 4 * strength(card);
                if (isTrump(card)) {
                    return worth;
                } else if (isHigh(card)) {
                    return worth + 50;
                }
                boolean lone = ofSuit(view.hand, suit(card), trump).size() == 1;
                return hasTrump && lone ? worth - 10 : worth;
            });
        }
    }
}
