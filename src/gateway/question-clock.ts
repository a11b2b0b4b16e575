import { LIMITS } from "../base/limits.js";

/** Milliseconds since 1970, with fractions: many calls take less than one. */
export function preciseNow(): number {
  return performance.timeOrigin + performance.now();
}

/**
 * When calls began that asked their user something: the request that brings the answer is part of the same call.
 * Calls that never come back are forgotten in the order in which they asked.
 */
export class QuestionClock {
  readonly #starts = new Map<string, number>();

  /** The begin of the call that `state` belongs to, or now. */
  startOf(state: string | undefined): number {
    const startedAt = state === undefined ? undefined : this.#starts.get(state);
    if (state !== undefined) this.#starts.delete(state);
    return startedAt ?? preciseNow();
  }

  keep(state: string | undefined, startedAt: number): void {
    if (state === undefined) return;
    this.#starts.set(state, startedAt);
    for (const oldest of this.#starts.keys()) {
      if (this.#starts.size <= LIMITS.inputWaits) return;
      this.#starts.delete(oldest);
    }
  }
}
