/**
 * Splits a stream of bytes into lines. A line over the limit is detected while it arrives, and is not kept.
 *
 * @module
 */
import { LIMITS } from "./limits.js";

const NEWLINE = 0x0a;

export interface LineHandlers<Scan> {
  /** A line without its end. The handler may keep the bytes. */
  line(line: Buffer): void;
  /** Creates the scanner for a line over the limit. Without it, such a line counts as endless at once. */
  scan?(): Scan;
  /** A line over the limit has ended. */
  tooLong?(scan: Scan): void;
  /** A line is so long that reading stops. */
  endless?(): void;
}

export class LineSplitter<Scan extends { take(part: Buffer): void } = never> {
  readonly #bytesMost: number;
  readonly #handlers: LineHandlers<Scan>;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #scan: Scan | undefined;
  #isStopped = false;

  constructor(bytesMost: number, handlers: LineHandlers<Scan>) {
    this.#bytesMost = bytesMost;
    this.#handlers = handlers;
  }

  /** Whether the current line is already over the limit. */
  get isInLongLine(): boolean {
    return this.#scan !== undefined;
  }

  /** Returns the number of lines that ended in this chunk. */
  push(chunk: Buffer): number {
    let start = 0;
    let count = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#hold(chunk.subarray(start, end));
      start = end + 1;
      if (this.#isStopped) return count;
      count += 1;
      this.#deliver();
    }
    if (start === chunk.length) return count;
    const rest = chunk.subarray(start);
    // A copy, because a small part would keep the whole chunk in memory.
    this.#hold(rest.length * 2 < rest.buffer.byteLength ? Buffer.from(rest) : rest);
    return count;
  }

  /** The last line of a file often has no line break. */
  end(): void {
    if (this.#heldBytes > 0) this.#deliver();
  }

  /** Stops reading and passing on lines. */
  stop(): void {
    this.#isStopped = true;
    this.#held = [];
    this.#heldBytes = 0;
  }

  #hold(part: Buffer): void {
    if (part.length === 0 || this.#isStopped) return;
    this.#heldBytes += part.length;
    if (this.#scan !== undefined) this.#scan.take(part);
    else {
      this.#held.push(part);
      if (this.#heldBytes <= this.#bytesMost) return;
      this.#scan = this.#handlers.scan?.();
      for (const held of this.#held.splice(0)) this.#scan?.take(held);
    }
    if (this.#scan !== undefined && this.#heldBytes <= LIMITS.messageSkippedBytes) return;
    this.stop();
    this.#handlers.endless?.();
  }

  #deliver(): void {
    const scan = this.#scan;
    const held = this.#held;
    this.#scan = undefined;
    this.#held = [];
    this.#heldBytes = 0;
    if (scan !== undefined) this.#handlers.tooLong?.(scan);
    else this.#handlers.line(held.length === 1 && held[0] ? held[0] : Buffer.concat(held));
  }
}
