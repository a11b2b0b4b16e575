import { LIMITS } from "../base/limits.js";

/** A connection that held this long was a good one; the next failure starts with a short pause again. */
const GOOD_CONNECTION_MS = 10_000;

/** How long to wait before a server is tried again: longer after each failure in a row. */
export class BackOff {
  #failures = 0;
  #connectedAt: number | undefined;

  connected(): void {
    this.#connectedAt = Date.now();
  }

  /** To be called once per failure. */
  nextPauseMs(): number {
    const wasGood = this.#connectedAt !== undefined && Date.now() - this.#connectedAt > GOOD_CONNECTION_MS;
    if (wasGood) this.#failures = 0;
    this.#connectedAt = undefined;
    const pause = Math.min(LIMITS.reconnectFirstMs * 2 ** this.#failures, LIMITS.reconnectMostMs);
    this.#failures += 1;
    return pause;
  }
}
