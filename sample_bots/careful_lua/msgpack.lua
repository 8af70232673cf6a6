-- As much of msgpack as the arena's messages need: reads all but extension types, writes maps of
-- texts and whole numbers. `null` is nil, so a key with it is as good as missing. Lua 5.3 or newer.

local msgpack = {}

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
    map[key] = value
  end
  return map, at
end

-- The value at a position of a string, and the position behind it.
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

function msgpack.decode(data)
  return (read(data, 1))
end

-- A map from a list of keys and values in turn: texts and whole numbers.
function msgpack.encode(pairs_in_turn)
  local parts = { string.char(0x80 | #pairs_in_turn // 2) }
  for _, value in ipairs(pairs_in_turn) do
    if math.type(value) == "integer" then
      parts[#parts + 1] = string.pack(">Bi8", 0xd3, value)
    else
      parts[#parts + 1] = string.pack(">Bs2", 0xda, value)
    end
  end
  return table.concat(parts)
end

return msgpack
