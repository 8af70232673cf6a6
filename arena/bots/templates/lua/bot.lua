-- A euchre bot in Lua (5.3 or newer, no package). choose() is the place for your own thinking; it
-- may return any word of act.legal. Print with io.stderr:write: stdout is for frames.

local RANKS = "9TJQKA"
local SISTER = { C = "S", S = "C", D = "H", H = "D" }
local TRUMPS_TO_CALL = 3

-- How high a card stands: trumps above 100, the joker and the two bowers on top.
local function strength(card, trump)
  if card == "JK" then return 110 end
  local rank, suit = card:sub(1, 1), card:sub(2)
  if rank == "J" and suit == trump then return 109 end
  if rank == "J" and trump and suit == SISTER[trump] then return 108 end
  return (suit == trump and 101 or 1) + RANKS:find(rank, 1, true) - 1
end

local function trumps_held(hand, suit)
  local count = 0
  for _, card in ipairs(hand) do
    if strength(card, suit) > 100 then count = count + 1 end
  end
  return count
end

-- The suit that a call makes trumps, nil for other words.
local function suit_called(word, upcard)
  if word == "order_up" then return upcard:sub(2) end
  return word:match("^name:([CDHS])$")
end

-- The answer to one request: a word out of act.legal.
local function choose(act)
  local best, most
  local sign = act.phase == "discard" and -1 or 1
  for _, word in ipairs(act.legal) do
    if act.phase == "play" or act.phase == "discard" then
      local worth = sign * strength(word:sub(-2), act.trump)
      if not best or worth > most then best, most = word, worth end
    else
      local suit = suit_called(word, act.upcard)
      if suit and trumps_held(act.hand, suit) >= TRUMPS_TO_CALL then return word end
    end
  end
  return best or act.legal[1]
end

-- The wire: 4 bytes of length, then one msgpack map. Nothing from here on needs a change.

-- Type bytes whose value string.unpack reads: its format.
local PLAIN = {
  [0xc4] = ">s1", [0xc5] = ">s2", [0xc6] = ">s4", [0xca] = ">f", [0xcb] = ">d",
  [0xcc] = ">I1", [0xcd] = ">I2", [0xce] = ">I4", [0xcf] = ">i8",
  [0xd0] = ">i1", [0xd1] = ">i2", [0xd2] = ">i4", [0xd3] = ">i8",
  [0xd9] = ">s1", [0xda] = ">s2", [0xdb] = ">s4",
}

local read

local function read_list(data, at, size)
  local list = {}
  for i = 1, size do
    list[i], at = read(data, at)
  end
  return list, at
end

local function read_map(data, at, size)
  local map = {}
  for _ = 1, size do
    local key, value
    key, at = read(data, at)
    value, at = read(data, at)
    map[key] = value -- null is nil: as good as no such key
  end
  return map, at
end

-- The value at a position of a string, and the position behind it: all of msgpack but extensions.
function read(data, at)
  local kind = data:byte(at)
  at = at + 1
  if kind < 0x80 then return kind, at end
  if kind < 0x90 then return read_map(data, at, kind & 15) end
  if kind < 0xa0 then return read_list(data, at, kind & 15) end
  if kind < 0xc0 then return data:sub(at, at + (kind & 31) - 1), at + (kind & 31) end
  if kind >= 0xe0 then return kind - 256, at end
  if kind == 0xc0 then return nil, at end
  if kind == 0xc2 or kind == 0xc3 then return kind == 0xc3, at end
  if PLAIN[kind] then return string.unpack(PLAIN[kind], data, at) end
  if kind < 0xdc then error(string.format("msgpack type 0x%x is not read here", kind)) end
  local size
  size, at = string.unpack(kind % 2 == 0 and ">I2" or ">I4", data, at)
  if kind < 0xde then return read_list(data, at, size) end
  return read_map(data, at, size)
end

-- The next message of a file, nil at its end.
local function receive(file)
  local header = file:read(4)
  if not header or #header < 4 then return nil end
  return (read(file:read((string.unpack(">I4", header))), 1))
end

-- Sends a map, given as keys and values in turn: texts and whole numbers.
local function send(...)
  local words = { ... }
  local parts = { string.char(0x80 | #words // 2) }
  for _, value in ipairs(words) do
    local whole = math.type(value) == "integer"
    parts[#parts + 1] = whole and string.pack(">Bi8", 0xd3, value) or string.pack(">Bs2", 0xda, value)
  end
  io.stdout:write(string.pack(">s4", table.concat(parts)))
  io.stdout:flush()
end

local function main()
  print = function(...) io.stderr:write(table.concat({ ... }, "\t"), "\n") end
  for message in receive, io.stdin do
    if message.type == "hello" then send("type", "ready")
    elseif message.type == "act" then
      send("type", "action", "id", math.tointeger(message.id), "action", choose(message))
    elseif message.type == "bye" then break
    end
  end
end

-- `lua bot.lua` plays; require("bot"), as the test has it, only gives the functions.
if (...) == "bot" then return { choose = choose, receive = receive } end
main()
