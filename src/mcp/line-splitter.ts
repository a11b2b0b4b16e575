/**
 * Cuts a byte stream into lines. A line over the limit is not kept: only the id and method of its message are read.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import { EnvelopeScan } from "./envelope-scan.js";

const NEWLINE = 0x0a;

export interface LineHandlers {
  /** A line that is not empty. */
  line(text: string): void;
  /** A line over the limit, at its end. */
  tooLong(envelope: EnvelopeScan): void;
  /** A line is so long that the stream cannot be used any more. */
  endless(why: string): void;
}

export class LineSplitter {
  readonly #bytesMost: number;
  readonly #handlers: LineHandlers;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #tooLong: EnvelopeScan | undefined;
  #isStopped = false;

  constructor(bytesMost: number, handlers: LineHandlers) {
    this.#bytesMost = bytesMost;
    this.#handlers = handlers;
  }

  /** Whether the line that is being read is over the limit already. */
  get isInLongLine(): boolean {
    return this.#tooLong !== undefined;
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
    this.#hold(start === 0 ? chunk : chunk.subarray(start));
    return count;
  }

  /** The last line of a file often has no line break. */
  end(): void {
    if (this.#heldBytes > 0) this.#deliver();
  }

  /** Nothing more is read or handed over. */
  stop(): void {
    this.#isStopped = true;
    this.#held = [];
    this.#heldBytes = 0;
  }

  #hold(part: Buffer): void {
    if (part.length === 0 || this.#isStopped) return;
    this.#heldBytes += part.length;
    if (this.#tooLong === undefined) {
      this.#held.push(part);
      if (this.#heldBytes <= this.#bytesMost) return;
      this.#tooLong = new EnvelopeScan();
      for (const held of this.#held.splice(0)) this.#tooLong.take(held);
    } else this.#tooLong.take(part);
    if (this.#heldBytes <= LIMITS.messageSkippedBytes) return;
    this.stop();
    this.#handlers.endless(
      `a line was longer than ${LIMITS.messageSkippedBytes} bytes, the limit of messageSkippedBytes`,
    );
  }

  #deliver(): void {
    const tooLong = this.#tooLong;
    const held = this.#held;
    this.#tooLong = undefined;
    this.#held = [];
    this.#heldBytes = 0;
    if (tooLong !== undefined) {
      this.#handlers.tooLong(tooLong);
      return;
    }
    const text = held.length === 1 ? String(held[0]) : Buffer.concat(held).toString("utf8");
    if (text.trim() !== "") this.#handlers.line(text);
  }
}
