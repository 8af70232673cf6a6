// careful, in JavaScript: the conversation with the arena. The thinking is in strategy.mjs.

import { choose } from "./strategy.mjs";
import { decode, encode } from "./msgpack.mjs";

console.log = console.error; // nothing but frames may reach standard output

function answer(message) {
  switch (message.type) {
    case "hello":
      return { type: "ready", name: "careful_javascript", version: "1.0" };
    case "act":
      return { type: "action", id: message.id, action: choose(message) };
    default:
      return null;
  }
}

function send(message) {
  const payload = encode(message);
  const header = Buffer.alloc(4);
  header.writeUInt32BE(payload.length);
  process.stdout.write(Buffer.concat([header, payload]));
}

// A chunk is not a frame: it may hold half of one, or three.
let buffer = Buffer.alloc(0);

process.stdin.on("data", (chunk) => {
  buffer = Buffer.concat([buffer, chunk]);
  let start = 0;
  while (buffer.length - start >= 4) {
    const end = start + 4 + buffer.readUInt32BE(start);
    if (buffer.length < end) break;
    const message = decode(buffer.subarray(start + 4, end));
    start = end;
    if (message.type === "bye") {
      process.stdin.destroy(); // nothing is left to wait for, so the process ends
      return;
    }
    const reply = answer(message);
    if (reply) send(reply);
  }
  buffer = buffer.subarray(start);
});
