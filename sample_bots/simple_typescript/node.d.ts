// The little of Node that bot.ts uses, so that it compiles without a package. With @types/node
// installed, remove this file and its name in build.mjs.

interface Bytes {
  readonly length: number;
  subarray(start: number, end?: number): Bytes;
  toString(encoding: "utf8", start: number, end: number): string;
  readUIntBE(at: number, size: number): number;
  readInt8(at: number): number;
  readInt16BE(at: number): number;
  readInt32BE(at: number): number;
  readUInt32BE(at: number): number;
  readFloatBE(at: number): number;
  readDoubleBE(at: number): number;
  readBigInt64BE(at: number): bigint;
  readBigUInt64BE(at: number): bigint;
  writeUInt32BE(value: number): void;
  writeBigInt64BE(value: bigint, at: number): void;
}
declare const Buffer: {
  alloc(size: number, fill?: number): Bytes;
  concat(parts: readonly Bytes[]): Bytes;
  from(content: string | readonly number[]): Bytes;
};
declare const process: {
  stdin: { on(event: "data", listener: (chunk: Bytes) => void): void; destroy(): void };
  stdout: { write(bytes: Bytes): void };
};
declare const console: { log: (...values: unknown[]) => void; error: (...values: unknown[]) => void };
