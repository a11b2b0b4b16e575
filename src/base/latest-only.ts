import { RateLimit } from "./rate-limit.js";

/**
 * Passes on a limited number of values per second; of faster ones only the last is kept, and passed on when its turn
 * comes.
 */
export class LatestOnly<T> {
  readonly #limit: RateLimit;
  readonly #pass: (value: T) => void;
  #waiting: { readonly value: T } | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(perSecond: number, pass: (value: T) => void) {
    this.#limit = new RateLimit(perSecond);
    this.#pass = pass;
  }

  take(value: T): void {
    if (this.#waiting === undefined && this.#limit.take()) {
      this.#pass(value);
      return;
    }
    this.#waiting = { value };
    this.#timer ??= setTimeout(() => this.#due(), this.#limit.waitMs);
    this.#timer.unref();
  }

  /** Passes on the waiting value at once. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) this.#pass(waiting.value);
  }

  #due(): void {
    this.#timer = undefined;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) this.take(waiting.value);
  }
}
