import { RateLimit } from "./rate-limit.js";

/** Passes values on, so many a second; of those that come faster only the last is kept, and passed on when its time has come. */
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

  /** Passes on at once what waits. */
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
