// Cards, and what euchre makes of them.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

// In the order of SUITS; NoTrump stands for trumps that are none.
enum class Suit { Clubs, Diamonds, Hearts, Spades, NoTrump };

inline constexpr std::string_view SUITS = "CDHS";
inline constexpr std::string_view RANKS = "9TJQKA";
inline constexpr int JACK = 2;

// Clubs and spades, diamonds and hearts.
constexpr Suit sister(Suit suit) { return static_cast<Suit>(3 - static_cast<int>(suit)); }

// A suit and a rank of RANKS, or the joker. Cards compare in the pack's order.
class Card {
public:
    constexpr Card(Suit suit, int rank) : number_{static_cast<int>(suit) * 6 + rank} {}

    // Not a card, for an empty word.
    explicit Card(std::string_view word) : number_{-1} {
        if (word == "JK") number_ = 24;
        else if (word.size() == 2)
            number_ = static_cast<int>(SUITS.find(word[1]) * 6 + RANKS.find(word[0]));
    }
    static Card joker() { return Card{"JK"}; }

    bool operator==(Card other) const { return number_ == other.number_; }
    bool operator!=(Card other) const { return number_ != other.number_; }

    bool is_joker() const { return number_ == 24; }
    bool is_jack() const { return !is_joker() && number_ % 6 == JACK; }
    Suit printed_suit() const { return static_cast<Suit>(number_ / 6); }

    std::string word() const {
        return is_joker() ? "JK" : std::string{RANKS[number_ % 6], SUITS[number_ / 6]};
    }

    // The suit that it counts as: the joker and the left bower are trumps.
    Suit suit(Suit trump) const {
        const bool left_bower = trump != Suit::NoTrump && *this == Card{sister(trump), JACK};
        return is_joker() || left_bower ? trump : printed_suit();
    }

    // 1 to 6 in a side suit, above 100 for a trump.
    int strength(Suit trump) const {
        const int rank = number_ % 6;
        if (is_joker()) return 110;
        if (suit(trump) != trump) return 1 + rank;
        if (rank == JACK) return printed_suit() == trump ? 109 : 108;
        return 101 + rank;
    }

    // Whether it takes a trick that `other` is winning.
    bool beats(Card other, Suit trump) const {
        if (suit(trump) != other.suit(trump)) return suit(trump) == trump;
        return strength(trump) > other.strength(trump);
    }

private:
    int number_;
};

using Cards = std::vector<Card>;

inline Cards full_pack(bool joker) {
    Cards pack;
    for (int suit = 0; suit < 4; suit++)
        for (int rank = 0; rank < 6; rank++) pack.emplace_back(static_cast<Suit>(suit), rank);
    if (joker) pack.push_back(Card::joker());
    return pack;
}

inline bool contains(const Cards& cards, Card card) {
    return std::find(cards.begin(), cards.end(), card) != cards.end();
}

template <typename Keep>
Cards filter(const Cards& cards, Keep keep) {
    Cards kept;
    std::copy_if(cards.begin(), cards.end(), std::back_inserter(kept), keep);
    return kept;
}

inline Cards without(const Cards& cards, Card unwanted) {
    return filter(cards, [=](Card card) { return card != unwanted; });
}

inline Cards of_suit(const Cards& cards, Suit suit, Suit trump) {
    return filter(cards, [=](Card card) { return card.suit(trump) == suit; });
}

// The card with the largest value, or the smallest; the first among equals.
template <typename Value>
Card max_by(const Cards& cards, Value value) {
    return *std::max_element(cards.begin(), cards.end(), [&](Card a, Card b) { return value(a) < value(b); });
}

template <typename Value>
Card min_by(const Cards& cards, Value value) {
    return *std::min_element(cards.begin(), cards.end(), [&](Card a, Card b) { return value(a) < value(b); });
}
