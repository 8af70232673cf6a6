// How a careful club player answers one euchre request. Everything is decided from the request
// alone. What a hand is worth is counted in hundredths of a trick: 250 is two and a half tricks.

#include "strategy.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "cards.hpp"

namespace {

// What a card is worth, by the number of higher cards of its suit that others may hold.
constexpr std::array TRUMP_TRICKS = {100, 80, 65, 60, 60, 35, 30, 30};
constexpr std::array SIDE_TRICKS = {45, 15, 5, 0, 0, 0};
constexpr std::array NO_TRUMP_TRICKS = {90, 40, 15, 5, 0, 0};
constexpr int VOID_TRICKS = 20;  // a side suit that one holds no card of, with a trump to ruff it

// What one's own hand has to be worth to call, by place in the auction: dealer's left, dealer's
// partner, dealer's right, dealer. Partner is good for the rest.
constexpr std::array ROUND_1_NEED = {265, 250, 265, 225};
constexpr std::array ROUND_2_NEED = {200, 215, 220, 210};
constexpr int BRINK = 15;          // so much less will do when either side has one point to go
constexpr int ALONE_NEED = 360;    // to play alone; with the highest trump as well
constexpr int UPCARD_TRICKS = 40;  // to a partner who deals; against us if an opponent deals
constexpr int UPBOWER_TRICKS = 60;
constexpr int NEXT_TRICKS = 40;  // round 2: the dealer turned a suit down, so he is weak in its sister

// --- The request

struct Play {
    int seat;
    Card card;
};

struct View {
    std::vector<std::string> legal;
    int seat, partner, dealer, maker;
    int place;             // in the auction: 0 dealer's left ... 3 the dealer
    int to_go, their_to_go;  // points that each side still needs
    Cards hand, pack;
    Card upcard, discard;
    bool taken_up = false;  // the dealer took the upcard
    Suit trump;
    std::array<bool, 4> out{};  // who sits out
    std::vector<std::vector<Play>> tricks;
    std::vector<Play> trick;  // the current one, empty for the leader

    explicit View(const msgpack::Value& act)
        : seat(static_cast<int>(act["seat"].number())),
          partner((seat + 2) % 4),
          dealer(static_cast<int>(act["dealer"].number())),
          maker(static_cast<int>(act["maker"].number())),
          place((seat - dealer + 3) % 4),
          upcard(act["upcard"].text()),
          discard(act["discard"].text()),
          trump(static_cast<Suit>(std::min(SUITS.find(act["trump"].text()), SUITS.size()))) {
        for (const auto& word : act["legal"].list()) legal.emplace_back(word.text());
        for (const auto& word : act["hand"].list()) hand.emplace_back(word.text());
        const bool british = act["game"].text() == "british";
        pack = full_pack(act["rules"]["joker"].truth(british));
        const auto target = act["rules"]["target"].number(british ? 11 : 10);
        const auto& scores = act["scores"].list();
        const auto still = [&](int team) { return static_cast<int>(target - scores.at(team).number()); };
        to_go = still(seat % 2);
        their_to_go = still(1 - seat % 2);
        taken_up = upcard.is_joker();
        for (const auto& call : act["calls"].list()) taken_up |= call.text().substr(0, 8) == "order_up";
        std::size_t players = 4;
        for (const auto& alone : act["alone"].list()) {
            out[(alone.number() + 2) % 4] = true;
            players--;
        }
        for (const auto& plays : act["tricks"].list()) {
            auto& played = tricks.emplace_back();
            for (const auto& play : plays.list())
                played.push_back({static_cast<int>(play.list()[0].number()), Card{play.list()[1].text()}});
        }
        if (!tricks.empty() && tricks.back().size() < players) trick = tricks.back();
    }

    bool may_answer(const std::string& word) const {
        return std::find(legal.begin(), legal.end(), word) != legal.end();
    }

    // The cards in `legal`, behind `discard:` or `play:`.
    Cards legal_cards() const {
        Cards cards;
        for (const std::string_view word : legal) cards.emplace_back(word.substr(word.find(':') + 1));
        return cards;
    }
};

// --- What a hand is worth

// Hundredths of a trick that `hand` should take; `pack` holds every card that can be in play.
int hand_value(const Cards& hand, Suit trump, const Cards& pack) {
    const bool has_trump = !of_suit(hand, trump, trump).empty();
    int value = 0;
    for (const Suit suit : {Suit::Clubs, Suit::Diamonds, Suit::Hearts, Suit::Spades}) {
        Cards cards = of_suit(pack, suit, trump);
        std::sort(cards.begin(), cards.end(),
                  [=](Card a, Card b) { return a.strength(trump) > b.strength(trump); });
        int above = 0, mine = 0;
        for (const Card card : cards) {
            if (!contains(hand, card)) {
                above++;
                continue;
            }
            if (suit == trump) value += TRUMP_TRICKS[std::max(0, above - mine)];  // mine draw theirs
            else value += (trump == Suit::NoTrump ? NO_TRUMP_TRICKS : SIDE_TRICKS)[above];
            mine++;
        }
        if (mine == 0 && has_trump) value += VOID_TRICKS;
    }
    return value;
}

// The card whose loss leaves the best five; among equals the lowest.
Card best_discard(const Cards& hand, const Cards& choices, Suit trump, const Cards& pack) {
    return max_by(choices, [&](Card card) {
        return std::pair{hand_value(without(hand, card), trump, pack), -card.strength(trump)};
    });
}

// --- Calling

bool strong_alone(const View& view, const Cards& hand, Suit trump, int value) {
    const bool joker = contains(view.pack, Card::joker());
    const Card highest = joker ? Card::joker() : Card{trump, JACK};
    return value >= ALONE_NEED && (trump == Suit::NoTrump || contains(hand, highest));
}

// `word`, alone or not, or a pass.
std::string call(const View& view, const std::string& word, const std::string& lone_word, int value,
                 int need, bool alone) {
    if (view.to_go == 1 || view.their_to_go == 1) need -= BRINK;
    // With one or two points to go, a march together is enough.
    if (alone && view.to_go > 2 && view.may_answer(lone_word)) return lone_word;
    if (view.may_answer(word) && (value >= need || !view.may_answer("pass"))) return word;
    return "pass";
}

std::string order_up(const View& view) {
    const Suit trump = view.upcard.printed_suit();
    Cards hand = view.hand;
    int upcard_helps = view.upcard.is_jack() ? UPBOWER_TRICKS : UPCARD_TRICKS;
    if (view.seat == view.dealer) {
        hand.push_back(view.upcard);
        hand = without(hand, best_discard(hand, hand, trump, view.pack));
        upcard_helps = 0;
    } else if (view.partner != view.dealer) {
        upcard_helps = -upcard_helps;
    }
    const int value = hand_value(hand, trump, view.pack);
    const bool alone = strong_alone(view, hand, trump, value);
    return call(view, "order_up", "order_up_alone", value + upcard_helps, ROUND_1_NEED[view.place], alone);
}

std::string name_trumps(const View& view) {
    const Cards pack = without(view.pack, view.upcard);
    std::string best;
    int best_value = 0;
    bool alone = false;
    for (const std::string name : {"C", "D", "H", "S", "NT"}) {
        const std::string word = "name:" + name;
        if (!view.may_answer(word)) continue;
        const auto trump = static_cast<Suit>(std::min(SUITS.find(name), SUITS.size()));
        const int own = hand_value(view.hand, trump, pack);
        int value = own;
        if (trump == sister(view.upcard.printed_suit()))
            value += view.place % 2 == 0 ? NEXT_TRICKS : -NEXT_TRICKS;
        if (best.empty() || value > best_value) {
            best = word;
            best_value = value;
            alone = strong_alone(view, view.hand, trump, own);
        }
    }
    return call(view, best, best + ":alone", best_value, ROUND_2_NEED[view.place], alone);
}

std::string discard(const View& view) {
    return "discard:" + best_discard(view.hand, view.legal_cards(), view.trump, view.pack).word();
}

std::string defend(const View& view) {
    const int value = hand_value(view.hand, view.trump, view.pack);
    return strong_alone(view, view.hand, view.trump, value) ? "defend_alone" : "defend_together";
}

// --- Playing

// What a player knows who has watched every card.
class Table {
public:
    explicit Table(const View& view) : view_{view}, trump_{view.trump} {
        Cards seen = view.hand;
        seen.push_back(view.discard);
        for (const auto& trick : view.tricks) {
            const Suit led = suit(trick.front().card);
            for (const auto& [seat, card] : trick) {
                seen.push_back(card);
                if (suit(card) != led) voids_[seat][static_cast<int>(led)] = true;
            }
        }
        if (!view.taken_up) seen.push_back(view.upcard);
        else if (!contains(seen, view.upcard)) dealer_holds_ = view.upcard;
        unseen_ = filter(view.pack, [&](Card card) { return !contains(seen, card); });
        for (const int foe : {(view.seat + 1) % 4, (view.seat + 3) % 4}) {
            if (view.out[foe]) continue;
            foes_.push_back(foe);
            const auto played = [=](const Play& play) { return play.seat == foe; };
            if (std::none_of(view.trick.begin(), view.trick.end(), played)) foes_to_play_.push_back(foe);
        }
    }

    Card play() const { return view_.trick.empty() ? lead() : follow(); }

private:
    Suit suit(Card card) const { return card.suit(trump_); }
    bool is_trump(Card card) const { return suit(card) == trump_; }
    auto by_strength() const {
        return [trump = trump_](Card card) { return card.strength(trump); };
    }
    bool is_void(int seat, Suit suit) const { return voids_[seat][static_cast<int>(suit)]; }

    // Whether the unseen `card` may be in the hand of `seat`.
    bool may_hold(int seat, Card card) const {
        if (dealer_holds_ == card) return seat == view_.dealer;
        return !is_void(seat, suit(card));
    }

    bool foes_may_hold(Card card) const {
        return std::any_of(foes_.begin(), foes_.end(), [&](int foe) { return may_hold(foe, card); });
    }

    bool foes_may_have_trumps() const {
        return std::any_of(unseen_.begin(), unseen_.end(),
                           [&](Card card) { return is_trump(card) && foes_may_hold(card); });
    }

    // Whether no opponent can hold a higher card of its suit.
    bool is_high(Card card) const {
        return std::none_of(unseen_.begin(), unseen_.end(), [&](Card other) {
            return suit(other) == suit(card) && other.beats(card, trump_) && foes_may_hold(other);
        });
    }

    // Whether `card`, winning now, is safe from the opponents still to play. A ruff is feared only
    // from one who has shown that he is void of the suit led.
    bool holds_up(Card card) const {
        const Suit led = suit(view_.trick.front().card);
        for (const Card other : unseen_) {
            if (!other.beats(card, trump_)) continue;
            for (const int foe : foes_to_play_)
                if (may_hold(foe, other) && (suit(other) == led || is_void(foe, led))) return false;
        }
        return true;
    }

    // The card that will be missed least: trumps and winners stay, a lone low card makes a void.
    Card throw_off(const Cards& cards) const {
        const bool has_trump = !of_suit(view_.hand, trump_, trump_).empty();
        return min_by(cards, [&](Card card) {
            const int worth = 4 * card.strength(trump_);
            if (is_trump(card)) return worth;
            if (is_high(card)) return worth + 50;
            const bool lone = of_suit(view_.hand, suit(card), trump_).size() == 1;
            return has_trump && lone ? worth - 10 : worth;
        });
    }

    Card lead() const {
        const Cards cards = view_.legal_cards();
        const Cards trumps = of_suit(cards, trump_, trump_);
        const Cards side = filter(cards, [&](Card card) { return !is_trump(card); });
        const bool ours = view_.maker % 2 == view_.seat % 2;
        if (ours && !trumps.empty() && foes_may_have_trumps()) {
            // Makers draw trumps: with the highest, from length, or at once to the partner who called.
            const Card best = max_by(trumps, by_strength());
            const bool i_called = view_.maker == view_.seat;
            if (is_high(best) || (i_called ? trumps.size() >= 3 : view_.hand.size() == 5)) return best;
        }
        const Cards winners = filter(side, [&](Card card) { return is_high(card); });
        if (!winners.empty()) {
            // The more of its suit are out, the less likely is a ruff.
            return max_by(winners, [&](Card card) { return of_suit(unseen_, suit(card), trump_).size(); });
        }
        if (!side.empty()) return throw_off(side);
        const Card best = max_by(trumps, by_strength());
        return is_high(best) ? best : min_by(trumps, by_strength());
    }

    Card follow() const {
        const Cards cards = view_.legal_cards();
        Play best = view_.trick.front();
        for (const Play& play : view_.trick)
            if (play.card.beats(best.card, trump_)) best = play;
        const bool partner_wins = best.seat == view_.partner;
        if (partner_wins && holds_up(best.card)) return throw_off(cards);
        const Cards winning = filter(cards, [&](Card card) { return card.beats(best.card, trump_); });
        if (winning.empty()) return throw_off(cards);
        const Cards safe = filter(winning, [&](Card card) { return holds_up(card); });
        if (!safe.empty()) return min_by(safe, by_strength());  // as cheaply as is safe
        if (partner_wins) return throw_off(cards);
        const Card lowest = min_by(winning, by_strength());
        return is_trump(lowest) ? lowest : max_by(winning, by_strength());
    }

    const View& view_;
    Suit trump_;
    Cards unseen_;
    std::optional<Card> dealer_holds_;  // the upcard, while the dealer has it in his hand
    std::array<std::array<bool, 4>, 4> voids_{};  // by seat and suit: it did not follow that suit
    std::vector<int> foes_;          // the opponents that are in
    std::vector<int> foes_to_play_;  // those who play to this trick after oneself
};

std::string think(const msgpack::Value& act) {
    const auto phase = act["phase"].text();
    if (phase == "bid1") return order_up(View{act});
    if (phase == "bid2") return name_trumps(View{act});
    // The joker is turned and the hand not yet seen: all suits are alike, and alone is a gamble.
    if (phase == "joker_name") return "name:S";
    if (phase == "discard") return discard(View{act});
    if (phase == "defend") return defend(View{act});
    if (phase == "play") {
        const View view{act};
        return "play:" + Table{view}.play().word();
    }
    return "";
}

}  // namespace

std::string choose(const msgpack::Value& act) {
    const auto& legal = act["legal"].list();
    if (legal.size() > 1) {
        const std::string word = think(act);
        for (const auto& other : legal)
            if (other.text() == word) return word;
    }
    return std::string{legal.at(0).text()};
}
