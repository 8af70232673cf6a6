-- How a careful club player answers one euchre request; this module is the function that does it.
--
-- Everything is decided from the request alone. Cards are the wire's words ("JS"). What a hand is
-- worth is counted in whole hundredths of a trick: 250 is two and a half tricks.

local SUITS = { "C", "D", "H", "S" }
local RANKS = { ["9"] = 0, T = 1, J = 2, Q = 3, K = 4, A = 5 }
local SISTER = { C = "S", S = "C", D = "H", H = "D" }
local TARGETS = { ["north-american"] = 10, british = 11 }

-- What a card is worth; the index is 1 + the number of higher cards of its suit that others may hold.
local TRUMP_TRICKS = { 100, 80, 65, 60, 60, 35, 30, 30 }
local SIDE_TRICKS = { 45, 15, 5, 0, 0, 0 }
local NO_TRUMP_TRICKS = { 90, 40, 15, 5, 0, 0 }
local VOID_TRICKS = 20 -- a side suit that one holds no card of, with a trump to ruff it

-- What one's own hand has to be worth to call, by place in the auction: dealer's left, dealer's
-- partner, dealer's right, dealer. Partner is good for the rest.
local ROUND_1_NEED = { 265, 250, 265, 225 }
local ROUND_2_NEED = { 200, 215, 220, 210 }
local BRINK = 15 -- so much less will do when either side has one point to go
local ALONE_NEED = 360 -- to play alone; with the highest trump as well
local UPCARD_TRICKS = 40 -- to a partner who deals; against us if an opponent deals
local UPBOWER_TRICKS = 60
local NEXT_TRICKS = 40 -- round 2: the dealer turned a suit down, so he is weak in its sister suit

-- Lists

local function filter(list, keep)
  local kept = {}
  for _, item in ipairs(list) do
    if keep(item) then kept[#kept + 1] = item end
  end
  return kept
end

local function any(list, holds)
  return #filter(list, holds) > 0
end

local function contains(list, wanted)
  return any(list, function(item) return item == wanted end)
end

-- The item with the largest value; the first among equals.
local function max_by(list, value)
  local best = list[1]
  for _, item in ipairs(list) do
    if value(item) > value(best) then best = item end
  end
  return best
end

local function min_by(list, value)
  return max_by(list, function(item) return -value(item) end)
end

-- Cards

local function suit_of(card, trump)
  if card == "JK" then return trump end
  local suit = card:sub(2)
  if card:sub(1, 1) == "J" and suit == SISTER[trump] then return trump end
  return suit
end

-- 1 to 6 in a side suit, above 100 for a trump.
local function strength(card, trump)
  if card == "JK" then return 110 end
  local rank = RANKS[card:sub(1, 1)]
  if suit_of(card, trump) ~= trump then return 1 + rank end
  if rank == RANKS.J then return card:sub(2) == trump and 109 or 108 end
  return 101 + rank
end

-- Whether `card`, played after `other`, which wins the trick so far, takes it.
local function beats(card, other, trump)
  local suit = suit_of(card, trump)
  if suit ~= suit_of(other, trump) then return suit == trump end
  return strength(card, trump) > strength(other, trump)
end

local function has_joker(view)
  if view.rules.joker ~= nil then return view.rules.joker end
  return view.game == "british"
end

local function full_pack(view)
  local pack = {}
  for _, suit in ipairs(SUITS) do
    for rank in ("9TJQKA"):gmatch(".") do pack[#pack + 1] = rank .. suit end
  end
  if has_joker(view) then pack[#pack + 1] = "JK" end
  return pack
end

local function legal_cards(view)
  local cards = {}
  for i, word in ipairs(view.legal) do cards[i] = word:match(":(%w+)") end
  return cards
end

-- What a hand is worth

-- Hundredths of a trick that `hand` should take; `pack` holds every card that can be in play.
local function hand_value(hand, trump, pack)
  local has_trump = any(hand, function(card) return suit_of(card, trump) == trump end)
  local held = {}
  for _, card in ipairs(hand) do held[card] = true end
  local value = 0
  for _, suit in ipairs(SUITS) do
    local cards = filter(pack, function(card) return suit_of(card, trump) == suit end)
    table.sort(cards, function(a, b) return strength(a, trump) > strength(b, trump) end)
    local above, mine = 0, 0
    for _, card in ipairs(cards) do
      if not held[card] then
        above = above + 1
      else
        if suit == trump then
          -- Each higher trump of one's own draws one of theirs.
          value = value + TRUMP_TRICKS[1 + math.max(0, above - mine)]
        else
          value = value + (trump == "NT" and NO_TRUMP_TRICKS or SIDE_TRICKS)[1 + above]
        end
        mine = mine + 1
      end
    end
    if mine == 0 and has_trump then value = value + VOID_TRICKS end
  end
  return value
end

local function without(cards, card)
  return filter(cards, function(other) return other ~= card end)
end

-- The card whose loss leaves the best five; among equals the lowest.
local function best_discard(hand, choices, trump, pack)
  return max_by(choices, function(card)
    -- A value counts for more than any difference in strength.
    return 1000 * hand_value(without(hand, card), trump, pack) - strength(card, trump)
  end)
end

-- Calling

-- The place in the auction: 1 for dealer's left ... 4 for the dealer.
local function place(view)
  return (view.seat - view.dealer - 1) % 4 + 1
end

local function strong_alone(view, hand, trump, value)
  local highest = has_joker(view) and "JK" or "J" .. trump
  return value >= ALONE_NEED and (contains(hand, highest) or trump == "NT")
end

-- `word`, alone or not, or a pass.
local function call(view, word, value, need, alone)
  local target = view.rules.target or TARGETS[view.game]
  local ours = target - view.scores[view.seat % 2 + 1]
  local theirs = target - view.scores[(view.seat + 1) % 2 + 1]
  if ours == 1 or theirs == 1 then need = need - BRINK end
  local lone_word = word .. (word == "order_up" and "_alone" or ":alone")
  -- With one or two points to go, a march together is enough.
  if alone and ours > 2 and contains(view.legal, lone_word) then return lone_word end
  local may_pass = contains(view.legal, "pass")
  if contains(view.legal, word) and (value >= need or not may_pass) then return word end
  return "pass"
end

local function order_up(view)
  local trump, pack, hand = view.upcard:sub(2), full_pack(view), view.hand
  local upcard_helps = view.upcard:sub(1, 1) == "J" and UPBOWER_TRICKS or UPCARD_TRICKS
  if view.seat == view.dealer then
    local six = { view.upcard, table.unpack(hand) }
    hand = without(six, best_discard(six, six, trump, pack))
    upcard_helps = 0
  elseif (view.seat + 2) % 4 ~= view.dealer then
    upcard_helps = -upcard_helps
  end
  local value = hand_value(hand, trump, pack)
  local alone = strong_alone(view, hand, trump, value)
  return call(view, "order_up", value + upcard_helps, ROUND_1_NEED[place(view)], alone)
end

local function name_trumps(view)
  local pack = without(full_pack(view), view.upcard)
  local next_helps = place(view) % 2 == 1 and NEXT_TRICKS or -NEXT_TRICKS
  local function own_value(trump)
    return hand_value(view.hand, trump, pack)
  end
  local function value(trump)
    return own_value(trump) + (trump == SISTER[view.upcard:sub(2)] and next_helps or 0)
  end
  local trumps = filter({ "C", "D", "H", "S", "NT" }, function(trump)
    return contains(view.legal, "name:" .. trump)
  end)
  local trump = max_by(trumps, value)
  local alone = strong_alone(view, view.hand, trump, own_value(trump))
  return call(view, "name:" .. trump, value(trump), ROUND_2_NEED[place(view)], alone)
end

local function discard(view)
  return "discard:" .. best_discard(view.hand, legal_cards(view), view.trump, full_pack(view))
end

local function defend(view)
  local value = hand_value(view.hand, view.trump, full_pack(view))
  return strong_alone(view, view.hand, view.trump, value) and "defend_alone" or "defend_together"
end

-- Playing

-- What a player knows who has watched every card.
local Table = {}
Table.__index = Table

local function set_table(view)
  local self = setmetatable({ view = view, trump = view.trump, hand = view.hand }, Table)
  self.partner = (view.seat + 2) % 4
  self.makers = view.maker % 2 == view.seat % 2
  local last = view.tricks[#view.tricks] or {}
  self.trick = #last < 4 - #view.alone and last or {}
  self.led = self.trick[1] and self:suit(self.trick[1][2])

  local seen = {}
  for _, card in ipairs(view.hand) do seen[card] = true end
  if view.discard then seen[view.discard] = true end
  self.voids = { [0] = {}, {}, {}, {} }
  for _, trick in ipairs(view.tricks) do
    local led = self:suit(trick[1][2])
    for _, play in ipairs(trick) do
      local seat, card = table.unpack(play)
      seen[card] = true
      if self:suit(card) ~= led then self.voids[seat][led] = true end
    end
  end

  self.foes = filter({ (view.seat + 1) % 4, (view.seat + 3) % 4 }, function(foe)
    return not contains(view.alone, (foe + 2) % 4)
  end)
  self.foes_to_play = filter(self.foes, function(foe)
    return not any(self.trick, function(play) return play[1] == foe end)
  end)

  local taken_up = view.upcard == "JK"
    or any(view.calls, function(word) return word:find("order_up", 1, true) == 1 end)
  if not taken_up then
    seen[view.upcard] = true
  elseif not seen[view.upcard] then
    self.dealer_holds = view.upcard
  end
  self.unseen = filter(full_pack(view), function(card) return not seen[card] end)
  return self
end

function Table:suit(card)
  return suit_of(card, self.trump)
end

function Table:strength(card)
  return strength(card, self.trump)
end

function Table:is_trump(card)
  return self:suit(card) == self.trump
end

-- Whether the unseen `card` may be in the hand of `seat`.
function Table:may_hold(seat, card)
  if card == self.dealer_holds then return seat == self.view.dealer end
  return not self.voids[seat][self:suit(card)]
end

function Table:foes_may_hold(card)
  return any(self.foes, function(foe) return self:may_hold(foe, card) end)
end

function Table:foes_may_have_trumps()
  return any(self.unseen, function(card) return self:is_trump(card) and self:foes_may_hold(card) end)
end

-- Whether no opponent can hold a higher card of its suit.
function Table:is_high(card)
  return not any(self.unseen, function(other)
    return self:suit(other) == self:suit(card)
      and self:strength(other) > self:strength(card)
      and self:foes_may_hold(other)
  end)
end

-- Whether `card`, winning now, is safe from the opponents still to play. A ruff is feared only
-- from one who has shown that he is void of the suit led.
function Table:holds_up(card)
  return not any(self.unseen, function(other)
    return beats(other, card, self.trump)
      and any(self.foes_to_play, function(foe)
        return self:may_hold(foe, other)
          and (self:suit(other) == self.led or self.voids[foe][self.led])
      end)
  end)
end

-- The card that will be missed least: trumps and winners stay, a lone low card makes a void.
function Table:throw_off(cards)
  local has_trump = any(self.hand, function(card) return self:is_trump(card) end)
  return min_by(cards, function(card)
    local worth = 4 * self:strength(card)
    if self:is_trump(card) then return worth end
    if self:is_high(card) then return worth + 50 end
    local suit = filter(self.hand, function(other) return self:suit(other) == self:suit(card) end)
    return has_trump and #suit == 1 and worth - 10 or worth
  end)
end

function Table:lead(cards)
  local function power(card) return self:strength(card) end
  local trumps = filter(cards, function(card) return self:is_trump(card) end)
  local side = filter(cards, function(card) return not self:is_trump(card) end)
  local best = max_by(trumps, power)
  if self.makers and best and self:foes_may_have_trumps() then
    -- Makers draw trumps: with the highest one, from length, or at once to the partner who called.
    if self:is_high(best) then return best end
    if self.view.maker == self.view.seat then
      if #trumps >= 3 then return best end
    elseif #self.hand == 5 then
      return best
    end
  end
  local winners = filter(side, function(card) return self:is_high(card) end)
  if #winners > 0 then
    -- The more of its suit are out, the less likely is a ruff.
    return max_by(winners, function(card)
      return #filter(self.unseen, function(other) return self:suit(other) == self:suit(card) end)
    end)
  end
  if #side > 0 then return self:throw_off(side) end
  return self:is_high(best) and best or min_by(trumps, power)
end

function Table:follow(cards)
  local winner, best = table.unpack(self.trick[1])
  for _, play in ipairs(self.trick) do
    if beats(play[2], best, self.trump) then winner, best = table.unpack(play) end
  end
  if winner == self.partner and self:holds_up(best) then return self:throw_off(cards) end
  local winning = filter(cards, function(card) return beats(card, best, self.trump) end)
  table.sort(winning, function(a, b) return self:strength(a) < self:strength(b) end)
  if #winning == 0 then return self:throw_off(cards) end
  for _, card in ipairs(winning) do -- as cheaply as is safe
    if self:holds_up(card) then return card end
  end
  if winner == self.partner then return self:throw_off(cards) end
  return self:is_trump(winning[1]) and winning[1] or winning[#winning]
end

local function play(view)
  local self = set_table(view)
  local cards = legal_cards(view)
  return "play:" .. (self.led and self:follow(cards) or self:lead(cards))
end

local THINKING = {
  bid1 = order_up,
  bid2 = name_trumps,
  -- The joker is turned and the hand not yet seen: all suits are alike, and alone is a gamble.
  joker_name = function() return "name:S" end,
  discard = discard,
  defend = defend,
  play = play,
}

-- The answer to a request: a word out of `view.legal`.
local function choose(view)
  local think = THINKING[view.phase]
  local word = #view.legal > 1 and think and think(view)
  return contains(view.legal, word) and word or view.legal[1]
end

return choose
