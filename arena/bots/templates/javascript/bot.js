// A euchre bot in JavaScript (Node 18 or newer, no package). choose() is the place for your own
// thinking; it may return any word of act.legal. Print with console.error: stdout is for frames.
"use strict";

const RANKS = "9TJQKA";
const SISTER = { C: "S", S: "C", D: "H", H: "D" };
const TRUMPS_TO_CALL = 3;

/** The answer to one request: a word out of `act.legal`. */
function choose(act) {
  const { legal, hand, trump, upcard } = act;
  const byStrength = (a, b) => strength(a.slice(-2), trump) - strength(b.slice(-2), trump);
  if (act.phase === "play") return legal.reduce((best, word) => (byStrength(word, best) > 0 ? word : best));
  if (act.phase === "discard") return legal.reduce((best, word) => (byStrength(word, best) < 0 ? word : best));
  for (const word of legal) {
    const suit = word === "order_up" ? upcard[1] : /^name:[CDHS]$/.test(word) ? word[5] : null;
    if (suit && hand.filter((card) => strength(card, suit) > 100).length >= TRUMPS_TO_CALL) return word;
  }
  return legal[0];
}

/** How high a card stands: trumps above 100, the joker and the two bowers on top. */
function strength(card, trump) {
  if (card === "JK") return 110;
  const [rank, suit] = card;
  if (rank === "J" && suit === trump) return 109;
  if (rank === "J" && suit === SISTER[trump]) return 108;
  return (suit === trump ? 101 : 1) + RANKS.indexOf(rank);
}

// --- The wire: 4 bytes of length, then one msgpack map. Nothing from here on needs a change.

/** The value in a Buffer that holds exactly one: all of msgpack but its extension types. */
function decode(buffer) {
  let at = 0;
  const skip = (size) => (at += size) - size;
  const uint = (size) => buffer.readUIntBE(skip(size), size);
  const text = (size) => buffer.toString("utf8", at, (at += size));
  const list = (size) => Array.from({ length: size }, value);
  const map = (size) => {
    const result = {};
    for (let i = 0; i < size; i++) {
      const key = value();
      result[key] = value();
    }
    return result;
  };
  function value() {
    const type = uint(1);
    if (type < 0x80) return type;
    if (type < 0x90) return map(type & 15);
    if (type < 0xa0) return list(type & 15);
    if (type < 0xc0) return text(type & 31);
    if (type >= 0xe0) return type - 256;
    switch (type) {
      case 0xc0: return null;
      case 0xc2: case 0xc3: return type === 0xc3;
      case 0xc4: case 0xd9: return text(uint(1));
      case 0xc5: case 0xda: return text(uint(2));
      case 0xc6: case 0xdb: return text(uint(4));
      case 0xca: return buffer.readFloatBE(skip(4));
      case 0xcb: return buffer.readDoubleBE(skip(8));
      case 0xcc: case 0xcd: case 0xce: return uint(1 << (type - 0xcc));
      case 0xcf: return Number(buffer.readBigUInt64BE(skip(8)));
      case 0xd0: return buffer.readInt8(skip(1));
      case 0xd1: return buffer.readInt16BE(skip(2));
      case 0xd2: return buffer.readInt32BE(skip(4));
      case 0xd3: return Number(buffer.readBigInt64BE(skip(8)));
      case 0xdc: case 0xdd: return list(uint(2 << (type - 0xdc)));
      case 0xde: case 0xdf: return map(uint(2 << (type - 0xde)));
      default: throw new Error(`msgpack type 0x${type.toString(16)} is not read here`);
    }
  }
  return value();
}

/** A Buffer with an object of at most 15 texts and whole numbers. */
function encode(object) {
  const entries = Object.entries(object);
  const parts = [Buffer.from([0x80 | entries.length])];
  for (const value of entries.flat()) {
    if (typeof value === "number") {
      const number = Buffer.alloc(9, 0xd3);
      number.writeBigInt64BE(BigInt(value), 1);
      parts.push(number);
    } else {
      const text = Buffer.from(value);
      parts.push(Buffer.from([0xda, text.length >> 8, text.length & 255]), text);
    }
  }
  return Buffer.concat(parts);
}

/** The whole messages at the front of a buffer, and how many bytes they take. */
function messages(buffer) {
  const found = [];
  let at = 0;
  while (buffer.length - at >= 4) {
    const end = at + 4 + buffer.readUInt32BE(at);
    if (buffer.length < end) break;
    found.push(decode(buffer.subarray(at + 4, end)));
    at = end;
  }
  return [found, at];
}

function send(message) {
  const payload = encode(message);
  const header = Buffer.alloc(4);
  header.writeUInt32BE(payload.length);
  process.stdout.write(Buffer.concat([header, payload]));
}

function main() {
  console.log = console.error; // nothing but frames may reach stdout
  let buffer = Buffer.alloc(0); // a chunk is not a frame: it may hold half of one, or three
  process.stdin.on("data", (chunk) => {
    buffer = Buffer.concat([buffer, chunk]);
    const [found, size] = messages(buffer);
    buffer = buffer.subarray(size);
    for (const message of found) {
      if (message.type === "hello") send({ type: "ready" });
      else if (message.type === "act") send({ type: "action", id: message.id, action: choose(message) });
      else if (message.type === "bye") process.stdin.destroy(); // nothing is left to wait for: it ends
    }
  });
}

if (require.main === module) main();

module.exports = { choose, messages };
