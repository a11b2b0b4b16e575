/**
 * How many programs run at once. The others wait in line, first come, first served, and not for ever.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import { PmlError } from "../base/pml-error.js";

interface Waiter {
  readonly start: () => void;
}

export class RunLane {
  readonly #width: number;
  readonly #waiting = new Set<Waiter>();
  #running = 0;

  constructor(width: number) {
    this.#width = width;
  }

  /** Runs `work` when it is its turn. Who leaves the line (`signal`) is answered at once. */
  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#running >= this.#width) await this.#turn(signal);
    else this.#running += 1;
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  /** Whoever ends hands the place on, so that nobody who comes later slips in between. */
  #next(): void {
    const [waiter] = this.#waiting;
    if (waiter === undefined) this.#running -= 1;
    else waiter.start();
  }

  #turn(signal: AbortSignal): Promise<void> {
    if (this.#waiting.size >= LIMITS.runsWaiting) {
      throw new PmlError(
        "LIMIT_EXCEEDED",
        `Cannot run this now: ${LIMITS.runsWaiting} runs are waiting already`,
        { hint: "Call again in a while." },
      );
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        start: () => {
          this.#waiting.delete(waiter);
          signal.removeEventListener("abort", leave);
          resolve();
        },
      };
      const leave = () => {
        this.#waiting.delete(waiter);
        reject(new PmlError("RUN_CANCELLED", "The run was cancelled before it began"));
      };
      if (signal.aborted) {
        leave();
        return;
      }
      signal.addEventListener("abort", leave, { once: true });
      this.#waiting.add(waiter);
    });
  }
}
