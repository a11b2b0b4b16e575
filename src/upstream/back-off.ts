import { LIMITS } from "../base/limits.js";

/** A connection that lasted this long counts as good; the next failure starts with a short pause again. */
const GOOD_CONNECTION_MS = 10_000;

/** The pauses between attempts to connect to a server: longer after each consecutive failure. */
export class BackOff {
  #failures = 0;
  #connectedAt: number | undefined;

  connected(): void {
    this.#connectedAt = Date.now();
  }

  /** Must be called once per failure. */
  nextPauseMs(): number {
    const wasGood = this.#connectedAt !== undefined && Date.now() - this.#connectedAt > GOOD_CONNECTION_MS;
    if (wasGood) this.#failures = 0;
    this.#connectedAt = undefined;
    const pause = Math.min(LIMITS.reconnectFirstMs * 2 ** this.#failures, LIMITS.reconnectMostMs);
    this.#failures += 1;
    return pause;
  }
}
