-- Asks the bot what is recorded in frames.bin, without the arena: every answer must be legal.

local bot = require("bot")
local frames = assert(io.open("frames.bin", "rb"))
local asked = 0
for message in bot.receive, frames do
  if message.type == "act" then
    local word = bot.choose(message)
    local legal = "," .. table.concat(message.legal, ",") .. ","
    assert(legal:find("," .. word .. ",", 1, true), message.phase .. ": " .. word .. " is not legal")
    asked = asked + 1
  end
end
assert(asked > 0)
print(asked .. " requests, every answer legal")
