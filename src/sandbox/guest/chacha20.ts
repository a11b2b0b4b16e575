/**
 * The randomness of a run: the ChaCha20 key stream (RFC 8439) of its seed, with a nonce of zeros.
 *
 * `Math.random`, `crypto.getRandomValues` and `crypto.randomUUID` all read this one stream, so that a run with the same
 * seed gets the same values.
 *
 * @module
 */
import { charCodeAt } from "./primordials.js";

export interface RandomStream {
  /** Whether any value was read. */
  isUsed(): boolean;
  nextByte(): number;
  /** At least 0 and less than 1, with 53 random bits. */
  nextNumber(): number;
}

const ROUNDS = 20;
const BLOCK_BYTES = 64;
const Words = Uint32Array;

/** The block `counter` of the key stream, as 16 little-endian words. */
export function chachaBlock(key: Uint32Array, counter: number, nonce: Uint32Array, out: Uint32Array): void {
  const start = new Words(16);
  start[0] = 0x61707865;
  start[1] = 0x3320646e;
  start[2] = 0x79622d32;
  start[3] = 0x6b206574;
  for (let index = 0; index < 8; index += 1) start[4 + index] = key[index] as number;
  start[12] = counter;
  for (let index = 0; index < 3; index += 1) start[13 + index] = nonce[index] as number;
  for (let index = 0; index < 16; index += 1) out[index] = start[index] as number;
  for (let round = 0; round < ROUNDS; round += 2) {
    quarter(out, 0, 4, 8, 12);
    quarter(out, 1, 5, 9, 13);
    quarter(out, 2, 6, 10, 14);
    quarter(out, 3, 7, 11, 15);
    quarter(out, 0, 5, 10, 15);
    quarter(out, 1, 6, 11, 12);
    quarter(out, 2, 7, 8, 13);
    quarter(out, 3, 4, 9, 14);
  }
  for (let index = 0; index < 16; index += 1) out[index] = (out[index] as number) + (start[index] as number);
}

function quarter(words: Uint32Array, a: number, b: number, c: number, d: number): void {
  add(words, a, b, d, 16);
  add(words, c, d, b, 12);
  add(words, a, b, d, 8);
  add(words, c, d, b, 7);
}

/** `to += from`, then `mixed ^= to`, rotated left by `bits`. */
function add(words: Uint32Array, to: number, from: number, mixed: number, bits: number): void {
  words[to] = (words[to] as number) + (words[from] as number);
  const bare = (words[mixed] as number) ^ (words[to] as number);
  words[mixed] = (bare << bits) | (bare >>> (32 - bits));
}

/** The stream of a seed of 64 hex digits. */
export function createRandomStream(seed: string): RandomStream {
  const key = new Words(8);
  for (let index = 0; index < 8; index += 1) key[index] = wordAt(seed, index * 8);
  const nonce = new Words(3);
  const block = new Words(16);
  let counter = 0;
  let used = BLOCK_BYTES;
  let isUsed = false;

  function nextByte(): number {
    isUsed = true;
    if (used === BLOCK_BYTES) {
      chachaBlock(key, counter, nonce, block);
      // After 256 GiB the counter would overflow into the nonce; no run gets there.
      counter += 1;
      used = 0;
    }
    const byte = ((block[used >> 2] as number) >>> ((used & 3) * 8)) & 0xff;
    used += 1;
    return byte;
  }

  function nextBits(bytes: number): number {
    let value = 0;
    for (let index = 0; index < bytes; index += 1) value = value * 256 + nextByte();
    return value;
  }

  return {
    isUsed: () => isUsed,
    nextByte,
    nextNumber: () => (nextBits(6) * 32 + (nextByte() >> 3)) / 2 ** 53,
  };
}

/** Eight hex digits as a little-endian word. */
function wordAt(hex: string, at: number): number {
  let word = 0;
  for (let byte = 3; byte >= 0; byte -= 1) {
    word = (word << 8) | (digit(hex, at + byte * 2) << 4) | digit(hex, at + byte * 2 + 1);
  }
  return word >>> 0;
}

function digit(hex: string, at: number): number {
  const code = charCodeAt(hex, at) | 0x20;
  return code >= 0x61 ? code - 0x61 + 10 : code & 0xf;
}
