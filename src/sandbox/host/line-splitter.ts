/**
 * Lines out of a stream of bytes, of which none may be longer than so much: what is too long is noticed while it
 * comes in, and not kept.
 *
 * @module
 */
import { LIMITS } from "../../base/limits.js";
import type { BrokerConfig } from "../protocol/broker-frames.js";

const NEWLINE = 0x0a;
/** A result of the most bytes, its frame, and the warnings with it. */
const LINE_BYTES_MOST = LIMITS.runOutputBytes + 256 * 1024;

/** Of a guest. */
export function lineBytesMost({ off }: Pick<BrokerConfig, "off">): number {
  return off.includes("frame-cap") ? Number.MAX_SAFE_INTEGER : LINE_BYTES_MOST;
}

export interface LineSplitter {
  /** Takes the next bytes; false when a line is too long, and then nothing more comes out. */
  take(chunk: Buffer): boolean;
}

/** `onLine` gets each line without its end; it may keep the bytes. */
export function createLineSplitter(bytesMost: number, onLine: (line: Buffer) => void): LineSplitter {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let isBroken = false;

  function hold(part: Buffer): void {
    // A copy: a small part would keep the whole piece that it came in.
    held.push(part.length * 2 < part.buffer.byteLength ? Buffer.from(part) : part);
    heldBytes += part.length;
  }

  return {
    take(chunk) {
      let lineAt = 0;
      while (!isBroken && lineAt < chunk.length) {
        const end = chunk.indexOf(NEWLINE, lineAt);
        const part = chunk.subarray(lineAt, end === -1 ? chunk.length : end);
        if (heldBytes + part.length > bytesMost) {
          isBroken = true;
          held = [];
        } else if (end === -1) {
          hold(part);
        } else {
          const line = held.length === 0 ? part : Buffer.concat([...held, part]);
          held = [];
          heldBytes = 0;
          onLine(line);
        }
        lineAt = end === -1 ? chunk.length : end + 1;
      }
      return !isBroken;
    },
  };
}
