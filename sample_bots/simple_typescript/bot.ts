// A simple euchre bot in TypeScript (for Node, no package): it calls on three trumps, plays its highest
// card and discards its lowest. It prints with console.error: stdout is for frames.

interface Act {
  type: "act";
  id: number;
  phase: "bid1" | "bid2" | "joker_name" | "discard" | "defend" | "play";
  seat: number;
  dealer: number;
  scores: [number, number];
  hand: string[];
  upcard: string;
  calls: string[];
  trump: string | null;
  maker: number | null;
  alone: number[];
  tricks: [seat: number, card: string][][];
  won: [number, number];
  legal: string[];
  time_ms: number | null;
}
type Message = Act | { type: "hello" | "game_start" | "hand_end" | "game_end" | "bye" };

const RANKS = "9TJQKA";
const SISTER: Record<string, string> = { C: "S", S: "C", D: "H", H: "D" };
const TRUMPS_TO_CALL = 3;

/** The answer to one request: a word out of `act.legal`. */
function choose(act: Act): string {
  const worth = (word: string) => strength(word.slice(-2), act.trump);
  if (act.phase === "play") return act.legal.reduce((best, word) => (worth(word) > worth(best) ? word : best));
  if (act.phase === "discard") return act.legal.reduce((best, word) => (worth(word) < worth(best) ? word : best));
  for (const word of act.legal) {
    const suit = suitCalled(word, act.upcard);
    if (suit && act.hand.filter((card) => strength(card, suit) > 100).length >= TRUMPS_TO_CALL) return word;
  }
  return act.legal[0];
}

/** The suit that a call makes trumps, null for other words. */
function suitCalled(word: string, upcard: string): string | null {
  if (word === "order_up") return upcard[1];
  return /^name:[CDHS]$/.test(word) ? word[5] : null;
}

/** How high a card stands: trumps above 100, the joker and the two bowers on top. */
function strength(card: string, trump: string | null): number {
  if (card === "JK") return 110;
  const [rank, suit] = card;
  if (rank === "J" && suit === trump) return 109;
  if (rank === "J" && trump !== null && suit === SISTER[trump]) return 108;
  return (suit === trump ? 101 : 1) + RANKS.indexOf(rank);
}

// --- The wire: 4 bytes of length, then one msgpack map.

type Value = null | boolean | number | string | Value[] | { [key: string]: Value };

/** The value in a buffer that holds exactly one: all of msgpack but its extension types. */
function decode(buffer: Bytes): Value {
  let at = 0;
  const skip = (size: number) => (at += size) - size;
  const uint = (size: number) => buffer.readUIntBE(skip(size), size);
  const text = (size: number) => buffer.toString("utf8", at, (at += size));
  const list = (size: number) => Array.from({ length: size }, value);
  const map = (size: number) => {
    const result: { [key: string]: Value } = {};
    for (let i = 0; i < size; i++) {
      const key = value() as string;
      result[key] = value();
    }
    return result;
  };
  function value(): Value {
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

/** A buffer with an object of at most 15 texts and whole numbers. */
function encode(object: Record<string, string | number>): Bytes {
  const entries = Object.entries(object);
  const parts: Bytes[] = [Buffer.from([0x80 | entries.length])];
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
function messages(buffer: Bytes): [Message[], number] {
  const found: Message[] = [];
  let at = 0;
  while (buffer.length - at >= 4) {
    const end = at + 4 + buffer.readUInt32BE(at);
    if (buffer.length < end) break;
    found.push(decode(buffer.subarray(at + 4, end)) as unknown as Message);
    at = end;
  }
  return [found, at];
}

function send(message: Record<string, string | number>): void {
  const payload = encode(message);
  const header = Buffer.alloc(4);
  header.writeUInt32BE(payload.length);
  process.stdout.write(Buffer.concat([header, payload]));
}

function main(): void {
  console.log = console.error; // nothing but frames may reach stdout
  let buffer = Buffer.alloc(0); // a chunk is not a frame: it may hold half of one, or three
  process.stdin.on("data", (chunk) => {
    buffer = Buffer.concat([buffer, chunk]);
    const [found, size] = messages(buffer);
    buffer = buffer.subarray(size);
    for (const message of found) {
      if (message.type === "hello") send({ type: "ready", name: "simple_typescript", version: "1.0" });
      else if (message.type === "act") send({ type: "action", id: message.id, action: choose(message) });
      else if (message.type === "bye") process.stdin.destroy(); // nothing is left to wait for: it ends
    }
  });
}

main();
