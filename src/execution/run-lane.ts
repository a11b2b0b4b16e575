/**
 * How many programs run at once. The others wait in line, and not for ever.
 *
 * Each caller has a line of its own, first come, first served, and the callers take turns: of a caller that sends a
 * thousand programs, one starts before the next of somebody else, and not all of them. The lines have so many places
 * together, and nobody may have more than half of those that the others leave: so whoever comes finds a place, however
 * many there are of somebody else.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import { PmlError } from "../base/pml-error.js";

/** Programs that run, and that wait for their turn. */
export interface RunLoad {
  readonly running: number;
  readonly waiting: number;
}

interface Waiter {
  readonly who: string;
  readonly start: () => void;
}

export class RunLane {
  readonly #width: number;
  readonly #places: number;
  /** The callers that have somebody in line, whose turn is next first; and who waits, in the order of coming. */
  readonly #lines = new Map<string, Set<Waiter>>();
  #running = 0;
  #waiting = 0;

  constructor(width: number, places: number = LIMITS.runsWaiting) {
    this.#width = width;
    this.#places = places;
  }

  get load(): RunLoad {
    return { running: this.#running, waiting: this.#waiting };
  }

  /** Runs `work` of the caller `who` when it is its turn. Who leaves the line (`signal`) is answered at once. */
  async run<T>(work: () => Promise<T>, signal: AbortSignal, who: string): Promise<T> {
    if (this.#running >= this.#width) await this.#turn(signal, who);
    else this.#running += 1;
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  /** Whoever ends hands the place on, so that nobody who comes later slips in between. */
  #next(): void {
    const [first] = this.#lines;
    if (first === undefined) {
      this.#running -= 1;
      return;
    }
    const [who, line] = first;
    const [waiter] = line;
    // Behind all others that wait.
    this.#lines.delete(who);
    this.#lines.set(who, line);
    waiter?.start();
  }

  #turn(signal: AbortSignal, who: string): Promise<void> {
    const own = this.#lines.get(who)?.size ?? 0;
    const left = this.#places - (this.#waiting - own);
    if (own >= Math.ceil(left / 2)) {
      throw new PmlError(
        "LIMIT_EXCEEDED",
        own === 0
          ? `Cannot run this now: ${this.#waiting} runs are waiting already`
          : `Cannot run this now: ${own} of your runs are waiting already, of ${this.#waiting} in all`,
        { hint: "Call again in a while." },
      );
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        who,
        start: () => {
          this.#leave(waiter);
          signal.removeEventListener("abort", leave);
          resolve();
        },
      };
      const leave = () => {
        this.#leave(waiter);
        reject(new PmlError("RUN_CANCELLED", "The run was cancelled before it began"));
      };
      if (signal.aborted) {
        leave();
        return;
      }
      signal.addEventListener("abort", leave, { once: true });
      this.#enter(waiter);
    });
  }

  #enter(waiter: Waiter): void {
    const line = this.#lines.get(waiter.who) ?? new Set();
    line.add(waiter);
    this.#lines.set(waiter.who, line);
    this.#waiting += 1;
  }

  #leave(waiter: Waiter): void {
    const line = this.#lines.get(waiter.who);
    if (line?.delete(waiter) !== true) return;
    this.#waiting -= 1;
    if (line.size === 0) this.#lines.delete(waiter.who);
  }
}
