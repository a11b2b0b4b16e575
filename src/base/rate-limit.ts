/** A token bucket: this many events at once, and after that this many per second. */
export class RateLimit {
  readonly #perSecond: number;
  readonly #atOnce: number;
  #left: number;
  #at = performance.now();

  constructor(perSecond: number, atOnce = perSecond) {
    this.#perSecond = perSecond;
    this.#atOnce = atOnce;
    this.#left = atOnce;
  }

  /** Whether one more may pass now; if so, it is counted. */
  take(): boolean {
    const now = performance.now();
    this.#left = Math.min(this.#atOnce, this.#left + ((now - this.#at) / 1_000) * this.#perSecond);
    this.#at = now;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }

  /** The time until one more may pass. */
  get waitMs(): number {
    return Math.max(0, Math.ceil(((1 - this.#left) / this.#perSecond) * 1_000));
  }
}
