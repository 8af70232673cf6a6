// Asks the bot what is recorded in frames.bin, without the arena: every answer must be legal.
"use strict";

const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const test = require("node:test");
const { choose, messages } = require("./bot.js");

test("every answer is legal", () => {
  const frames = fs.readFileSync(path.join(__dirname, "frames.bin"));
  const [found, size] = messages(frames);
  assert.equal(size, frames.length);
  const acts = found.filter((message) => message.type === "act");
  assert.ok(acts.length > 0);
  for (const act of acts) {
    const word = choose(act);
    assert.ok(act.legal.includes(word), `${act.phase}: ${word} is not in ${act.legal}`);
  }
});
