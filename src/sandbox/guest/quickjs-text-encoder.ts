/**
 * `TextEncoder` for the engine without it.
 *
 * @module
 */
import { charCodeAt, TypeErrorOf, toText, uncurry } from "./primordials.js";

const Bytes = Uint8Array;
const slice = uncurry(Uint8Array.prototype.slice) as (
  bytes: Uint8Array,
  from: number,
  to: number,
) => Uint8Array;
const REPLACEMENT = 0xfffd;

export class TextEncoder {
  get encoding(): string {
    return "utf-8";
  }

  encode(input: unknown = ""): Uint8Array {
    const text = toText(input);
    const bytes = new Bytes(text.length * 3);
    return slice(bytes, 0, write(text, bytes).written);
  }

  encodeInto(input: unknown, into: unknown): { read: number; written: number } {
    if (!(into instanceof Bytes))
      throw new TypeErrorOf("Cannot encode: the second argument must be a Uint8Array");
    return write(toText(input), into);
  }
}

/** Writes whole characters while they fit. */
function write(text: string, bytes: Uint8Array): { read: number; written: number } {
  const room = bytes.length;
  let read = 0;
  let written = 0;
  while (read < text.length) {
    // Called directly: most characters take this path, and a wrapper would double its cost.
    const unit = text.charCodeAt(read);
    if (unit < 0x80) {
      if (written >= room) break;
      bytes[written] = unit;
      read += 1;
      written += 1;
      continue;
    }
    const point = unit < 0xd800 || unit > 0xdfff ? unit : pointAt(text, read);
    const width = widthOf(point);
    if (written + width > room) break;
    bytes[written] = (LEADS[width - 2] as number) | (point >> (6 * (width - 1)));
    for (let rest = width - 2; rest >= 0; rest -= 1)
      bytes[written + width - 1 - rest] = 0x80 | ((point >> (6 * rest)) & 0x3f);
    read += point > 0xffff ? 2 : 1;
    written += width;
  }
  return { read, written };
}

/** First bits of characters of two, three and four bytes. */
const LEADS: readonly number[] = [0xc0, 0xe0, 0xf0];

/** For characters outside of ASCII. */
function widthOf(point: number): number {
  return point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
}

/** The code point of a pair; the replacement character for a lone surrogate. */
function pointAt(text: string, index: number): number {
  const unit = charCodeAt(text, index);
  if (unit > 0xdbff || index + 1 >= text.length) return REPLACEMENT;
  const next = charCodeAt(text, index + 1);
  if (next < 0xdc00 || next > 0xdfff) return REPLACEMENT;
  return 0x10000 + ((unit - 0xd800) << 10) + (next - 0xdc00);
}
