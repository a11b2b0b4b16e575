/**
 * Who may have calls under way on one server at the same time.
 *
 * A 2025-era server that asks its user something does not say for which call, so while several clients have calls
 * under way, nobody can tell whom to ask. Once a server has been seen to ask, calls of different clients take
 * turns on it; calls of one client still run side by side. All calls share one bound.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import { PmlError } from "../base/pml-error.js";

export class CallLane {
  readonly #most: number;
  readonly #queue: { readonly connection: string; readonly enter: () => void }[] = [];
  readonly #inside = new Map<string, number>();
  #total = 0;
  #oneClientAtATime = false;

  constructor(most: number) {
    this.#most = most;
  }

  /** From now on, calls of different clients take turns. */
  takeTurns(): void {
    this.#oneClientAtATime = true;
  }

  /** Resolves when the call may start; the answer is to be called when it has ended. */
  async enter(connection: string, signal: AbortSignal): Promise<() => void> {
    if (this.#queue.length === 0 && this.#isOpen(connection)) this.#count(connection, 1);
    else await this.#wait(connection, signal);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#count(connection, -1);
      this.#admit();
    };
  }

  /** Whether a call of another client than this one waits for its turn. */
  isWaitedForByOthers(connection: string): boolean {
    return this.#queue.some((place) => place.connection !== connection);
  }

  #isOpen(connection: string): boolean {
    if (this.#total >= this.#most) return false;
    return !this.#oneClientAtATime || this.#total === 0 || (this.#inside.get(connection) ?? 0) > 0;
  }

  #wait(connection: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const leave = () => {
        clearTimeout(late);
        signal.removeEventListener("abort", giveUp);
        const index = this.#queue.indexOf(place);
        if (index >= 0) this.#queue.splice(index, 1);
      };
      const fail = (reason: unknown) => {
        leave();
        reject(reason);
        this.#admit();
      };
      const giveUp = () => fail(signal.reason);
      const late = setTimeout(() => fail(waitedTooLong()), LIMITS.laneWaitMs);
      const place = {
        connection,
        enter: () => {
          leave();
          resolve();
        },
      };
      signal.addEventListener("abort", giveUp, { once: true });
      this.#queue.push(place);
    });
  }

  /** In order of arrival, so that a busy client cannot keep another one out. */
  #admit(): void {
    for (;;) {
      const next = this.#queue[0];
      if (next === undefined || !this.#isOpen(next.connection)) return;
      this.#queue.shift();
      this.#count(next.connection, 1);
      next.enter();
    }
  }

  #count(connection: string, by: number): void {
    this.#total += by;
    const inside = (this.#inside.get(connection) ?? 0) + by;
    if (inside === 0) this.#inside.delete(connection);
    else this.#inside.set(connection, inside);
  }
}

function waitedTooLong(): PmlError {
  return new PmlError(
    "LIMIT_EXCEEDED",
    `Cannot call the server: it was busy with others for ${LIMITS.laneWaitMs} ms, the limit of laneWaitMs`,
    { hint: "It may be waiting for the answer of another client's user; try again later." },
  );
}
