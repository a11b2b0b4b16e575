/**
 * Finds `id` and `method` of a JSON-RPC message that is too long to be kept, in constant memory: the message is passed
 * in parts, and only its own keys count, not those of inner objects. Clients write the id first or last, so the whole
 * message is scanned.
 *
 * @module
 */

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSING_LIST = 0x5d;
const OPENING = 0x7b;
const CLOSING = 0x7d;
/** The bytes with a meaning outside of strings. */
const MEANS = new Uint8Array(256);
for (const byte of [QUOTE, COMMA, COLON, OPENING_LIST, CLOSING_LIST, OPENING, CLOSING]) MEANS[byte] = 1;
/** Longest key or value that is kept; a longer id belongs to no request. */
const TEXT_BYTES = 512;

export class EnvelopeScan {
  #id: string | number | undefined;
  #hasMethod = false;
  #level = 0;
  #isInText = false;
  #isEscaped = false;
  #isKey = true;
  #key = "";
  /** The key or value that is being read at the top level; undefined if it is not needed. */
  #held: number[] | undefined;

  /** The id of the message, if it was read completely. */
  get id(): string | number | undefined {
    return this.#id;
  }

  /** Whether it is a request or a notification, and not an answer. */
  get hasMethod(): boolean {
    return this.#hasMethod;
  }

  take(part: Uint8Array): void {
    for (let at = 0; at < part.length; at += 1) {
      if (this.#held === undefined && !this.#isEscaped) at = this.#next(part, at);
      const byte = part[at];
      if (byte !== undefined) this.#read(byte);
    }
  }

  /** The next position of a relevant byte: most of a long message is strings and inner objects. */
  #next(part: Uint8Array, from: number): number {
    let at = from;
    if (this.#isInText) {
      while (at < part.length && part[at] !== QUOTE && part[at] !== BACKSLASH) at += 1;
      return at;
    }
    while (at < part.length && MEANS[part[at] ?? 0] === 0) at += 1;
    return at;
  }

  #read(byte: number): void {
    if (this.#isInText) {
      this.#readText(byte);
      return;
    }
    switch (byte) {
      case QUOTE:
        this.#isInText = true;
        this.#hold(byte);
        return;
      case OPENING:
      case OPENING_LIST:
        this.#level += 1;
        this.#begin(true);
        return;
      case CLOSING:
      case CLOSING_LIST:
        if (this.#level === 1) this.#endValue();
        this.#level -= 1;
        return;
      case COMMA:
        if (this.#level !== 1) return;
        this.#endValue();
        this.#begin(true);
        return;
      case COLON:
        if (this.#level === 1) this.#endKey();
        return;
      default:
        this.#hold(byte);
    }
  }

  #readText(byte: number): void {
    this.#hold(byte);
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isInText = false;
  }

  /** A key or a value begins. Only the value of the id is kept. */
  #begin(isKey: boolean): void {
    this.#isKey = isKey;
    this.#held = this.#level === 1 && (isKey || this.#key === "id") ? [] : undefined;
  }

  #hold(byte: number): void {
    if (this.#held === undefined) return;
    this.#held.push(byte);
    if (this.#held.length > TEXT_BYTES) this.#held = undefined;
  }

  #endKey(): void {
    const key = this.#parsed();
    this.#key = typeof key === "string" ? key : "";
    if (this.#key === "method") this.#hasMethod = true;
    this.#begin(false);
  }

  #endValue(): void {
    if (this.#isKey || this.#key !== "id") return;
    const id = this.#parsed();
    this.#id = typeof id === "string" || Number.isSafeInteger(id) ? (id as string | number) : undefined;
  }

  #parsed(): unknown {
    try {
      return JSON.parse(Buffer.from(this.#held ?? []).toString("utf8"));
    } catch {
      return undefined;
    }
  }
}
