-- careful, in Lua: the conversation with the arena. The thinking is in strategy.lua.

local msgpack = require("msgpack")
local choose = require("strategy")

-- Nothing but frames may reach standard output.
print = function(...)
  io.stderr:write(table.concat({ ... }, "\t"), "\n")
end

local function send(...)
  io.stdout:write(string.pack(">s4", msgpack.encode({ ... })))
  io.stdout:flush()
end

while true do
  local header = io.read(4)
  if not header or #header < 4 then break end
  local message = msgpack.decode(io.read((string.unpack(">I4", header))))
  if message.type == "hello" then
    send("type", "ready", "name", "careful_lua", "version", "1.0")
  elseif message.type == "act" then
    send("type", "action", "id", math.tointeger(message.id), "action", choose(message))
  elseif message.type == "bye" then
    break
  end
end
