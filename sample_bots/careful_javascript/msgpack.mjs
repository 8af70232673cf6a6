// As much of msgpack as the arena's messages need: reads all but extension types, writes maps of
// texts and whole numbers. Whole numbers on the wire are below 2^53, so a Number holds them.

/** The value in a Buffer that holds exactly one. */
export function decode(buffer) {
  let at = 0;

  const take = (size) => {
    const start = at;
    at += size;
    if (at > buffer.length) throw new Error("a frame ends too early");
    return start;
  };
  const uint = (size) => buffer.readUIntBE(take(size), size);
  const int = (size) => buffer.readIntBE(take(size), size);
  const text = (size) => {
    const start = take(size);
    return buffer.toString("utf8", start, start + size);
  };
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
      case 0xc2: return false;
      case 0xc3: return true;
      case 0xc4: case 0xd9: return text(uint(1));
      case 0xc5: case 0xda: return text(uint(2));
      case 0xc6: case 0xdb: return text(uint(4));
      case 0xca: return buffer.readFloatBE(take(4));
      case 0xcb: return buffer.readDoubleBE(take(8));
      case 0xcc: return uint(1);
      case 0xcd: return uint(2);
      case 0xce: return uint(4);
      case 0xcf: return Number(buffer.readBigUInt64BE(take(8)));
      case 0xd0: return int(1);
      case 0xd1: return int(2);
      case 0xd2: return int(4);
      case 0xd3: return Number(buffer.readBigInt64BE(take(8)));
      case 0xdc: return list(uint(2));
      case 0xdd: return list(uint(4));
      case 0xde: return map(uint(2));
      case 0xdf: return map(uint(4));
      default: throw new Error(`msgpack type 0x${type.toString(16)} is not read here`);
    }
  }
  return value();
}

/** A Buffer with an object of at most 15 texts and whole numbers. */
export function encode(object) {
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
