/**
 * `atob` and `btoa` as in browsers: text whose characters are bytes, and the lenient decoder.
 *
 * @module
 */
import { apply, charCodeAt, push, TypeErrorOf, toText } from "./primordials.js";
import { domError } from "./quickjs-error.js";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const EQUALS = 0x3d;
const PIECE = 1_024;
const { fromCharCode } = String;
const VALUES = valuesOf(ALPHABET);

export function btoa(...given: readonly unknown[]): string {
  const text = onlyText(given, "btoa");
  let out = "";
  for (let index = 0; index < text.length; index += 3) {
    const first = byteAt(text, index);
    const second = index + 1 < text.length ? byteAt(text, index + 1) : 0;
    const third = index + 2 < text.length ? byteAt(text, index + 2) : 0;
    out += ALPHABET[first >> 2];
    out += ALPHABET[((first & 3) << 4) | (second >> 4)];
    out += index + 1 < text.length ? ALPHABET[((second & 15) << 2) | (third >> 6)] : "=";
    out += index + 2 < text.length ? ALPHABET[third & 63] : "=";
  }
  return out;
}

export function atob(...given: readonly unknown[]): string {
  const digits = digitsOf(onlyText(given, "atob"));
  let out = "";
  let piece: number[] = [];
  for (let index = 0; index + 1 < digits.length; index += 4) {
    const [first = 0, second = 0] = [digits[index], digits[index + 1]];
    const [third, fourth] = [digits[index + 2], digits[index + 3]];
    push(piece, (first << 2) | (second >> 4));
    if (third !== undefined) push(piece, ((second & 15) << 4) | (third >> 2));
    if (third !== undefined && fourth !== undefined) push(piece, ((third & 3) << 6) | fourth);
    if (piece.length < PIECE) continue;
    out += apply(fromCharCode, undefined, piece);
    piece = [];
  }
  return out + apply(fromCharCode, undefined, piece);
}

/** The value of each digit: white space is skipped, and up to two `=` at the end if the length allows them. */
function digitsOf(text: string): readonly number[] {
  const digits: number[] = [];
  let padding = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = charCodeAt(text, index);
    if (isSpace(code)) continue;
    if (code === EQUALS) {
      padding += 1;
      continue;
    }
    const value = code < VALUES.length ? VALUES[code] : undefined;
    if (value === undefined || value === -1 || padding > 0) throw notBase64();
    push(digits, value);
  }
  const isPadded = padding > 0;
  if (isPadded && (padding > 2 || (digits.length + padding) % 4 !== 0)) throw notBase64();
  if (digits.length % 4 === 1) throw notBase64();
  return digits;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0c || code === 0x0d;
}

function byteAt(text: string, index: number): number {
  const code = charCodeAt(text, index);
  if (code > 0xff)
    throw domError("InvalidCharacterError", "Cannot encode to base64: a character is not a byte");
  return code;
}

function notBase64(): Error {
  return domError("InvalidCharacterError", "Cannot decode from base64: the text is not correctly encoded");
}

function onlyText(given: readonly unknown[], name: string): string {
  if (given.length === 0) throw new TypeErrorOf(`Cannot call ${name}: one argument is needed`);
  return `${toText(given[0])}`;
}

function valuesOf(alphabet: string): readonly number[] {
  const values: number[] = [];
  for (let code = 0; code < 128; code += 1) push(values, -1);
  for (let value = 0; value < alphabet.length; value += 1) values[charCodeAt(alphabet, value)] = value;
  return values;
}
