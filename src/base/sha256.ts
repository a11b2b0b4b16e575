/**
 * SHA-256 for folders that import nothing of Node. Web Crypto hashes in a thread, and the way there and back takes
 * longer than hashing a short text: those are hashed here.
 *
 * @module
 */

/** Texts that are longer are hashed in a thread. */
const SHORT_CHARS = 2_000;

/** Lower-case hex SHA-256 of UTF-8 text. */
export async function sha256Hex(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  if (text.length <= SHORT_CHARS) return hashHere(bytes);
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const BLOCK_BYTES = 64;
/** The last block ends with the length of the text in bits. */
const LENGTH_BYTES = 8;
const ROUNDS = 64;

/** The first 32 bits behind the point of a root: square roots where a hash begins, cube roots for the rounds. */
const START = fractions(8, Math.sqrt);
const ROUND_CONSTANTS = fractions(ROUNDS, Math.cbrt);
/** Of one block at a time. */
const schedule = new Int32Array(ROUNDS);

/** As FIPS 180-4 has it. */
function hashHere(bytes: Uint8Array): string {
  const blocks = Math.ceil((bytes.length + 1 + LENGTH_BYTES) / BLOCK_BYTES);
  const padded = new Uint8Array(blocks * BLOCK_BYTES);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, bytes.length * 8);
  const state = Int32Array.from(START);
  for (let at = 0; at < padded.length; at += BLOCK_BYTES) addBlock(state, view, at);
  let hex = "";
  for (const word of state) hex += (word >>> 0).toString(16).padStart(8, "0");
  return hex;
}

function addBlock(state: Int32Array, view: DataView, at: number): void {
  for (let index = 0; index < 16; index += 1) schedule[index] = view.getInt32(at + index * 4);
  for (let index = 16; index < ROUNDS; index += 1) {
    const early = word(schedule, index - 15);
    const late = word(schedule, index - 2);
    const mixedEarly = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
    const mixedLate = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
    schedule[index] = word(schedule, index - 16) + mixedEarly + word(schedule, index - 7) + mixedLate;
  }
  let a = word(state, 0);
  let b = word(state, 1);
  let c = word(state, 2);
  let d = word(state, 3);
  let e = word(state, 4);
  let f = word(state, 5);
  let g = word(state, 6);
  let h = word(state, 7);
  for (let index = 0; index < ROUNDS; index += 1) {
    const choice = (e & f) ^ (~e & g);
    const mixedE = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const first = (h + mixedE + choice + word(ROUND_CONSTANTS, index) + word(schedule, index)) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const mixedA = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + mixedA + majority) | 0;
  }
  for (const [index, value] of [a, b, c, d, e, f, g, h].entries()) state[index] = word(state, index) + value;
}

/** An index that is always there. */
function word(words: Int32Array, index: number): number {
  return words[index] as number;
}

/** Turned to the right. */
function turned(value: number, bits: number): number {
  return (value >>> bits) | (value << (32 - bits));
}

/** Of the roots of the first primes. */
function fractions(count: number, root: (value: number) => number): Int32Array {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < count; candidate += 1)
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  return Int32Array.from(primes, (prime) => ((root(prime) % 1) * 2 ** 32) | 0);
}
