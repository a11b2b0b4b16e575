/**
 * Limits the programs that run at the same time. The others wait in line.
 *
 * Each client has its own queue, first come, first served, and the clients take turns. One client has at most half of
 * the places that the others leave ({@link fairShare}), both of the running and of the waiting ones: so programs that
 * sleep or wait for a tool only block their own client.
 *
 * @module
 */
import { fairShare } from "../../base/fair-share.js";
import { LIMITS } from "../../base/limits.js";
import { PmlError } from "../../base/pml-error.js";

/** The number of running and of waiting programs. */
export interface RunLoad {
  readonly running: number;
  readonly waiting: number;
}

interface Waiter {
  readonly client: string;
  readonly start: () => void;
}

export class RunLane {
  readonly #width: number;
  readonly #places: number;
  /** The clients with waiting programs, the next client first; and their programs, in order of arrival. */
  readonly #lines = new Map<string, Set<Waiter>>();
  /** The number of running programs of each client. */
  readonly #inside = new Map<string, number>();
  #running = 0;
  #waiting = 0;

  constructor(width: number, places: number = LIMITS.runsWaiting) {
    this.#width = width;
    this.#places = places;
  }

  get load(): RunLoad {
    return { running: this.#running, waiting: this.#waiting };
  }

  /** Runs `work` of `client` when it is its turn. An aborted run (`signal`) leaves the queue at once. */
  async run<T>(work: () => Promise<T>, signal: AbortSignal, client: string): Promise<T> {
    // Waiting programs go first; a client only has some while its share is used up.
    if (!this.#lines.has(client) && this.#mayRun(client)) this.#count(client, 1);
    else await this.#turn(signal, client);
    try {
      return await work();
    } finally {
      this.#count(client, -1);
      this.#admit();
    }
  }

  #mayRun(client: string): boolean {
    const own = this.#inside.get(client) ?? 0;
    return own < fairShare(this.#width, this.#running - own);
  }

  #count(client: string, by: number): void {
    this.#running += by;
    const own = (this.#inside.get(client) ?? 0) + by;
    if (own === 0) this.#inside.delete(client);
    else this.#inside.set(client, own);
  }

  /** Starts the programs that may run, one of each client before the second of any. */
  #admit(): void {
    for (;;) {
      const next = [...this.#lines].find(([client]) => this.#mayRun(client));
      if (next === undefined) return;
      const [client, line] = next;
      const [waiter] = line;
      // Moves the client to the end of the queue.
      this.#lines.delete(client);
      this.#lines.set(client, line);
      this.#count(client, 1);
      waiter?.start();
    }
  }

  #turn(signal: AbortSignal, client: string): Promise<void> {
    const own = this.#lines.get(client)?.size ?? 0;
    const share = fairShare(this.#places, this.#waiting - own);
    if (own >= share) throw this.#full(own);
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        client,
        start: () => {
          this.#leave(waiter);
          signal.removeEventListener("abort", leave);
          resolve();
        },
      };
      const leave = () => {
        this.#leave(waiter);
        reject(new PmlError("RUN_CANCELLED", "The run was cancelled before it started"));
      };
      if (signal.aborted) {
        leave();
        return;
      }
      signal.addEventListener("abort", leave, { once: true });
      this.#enter(waiter);
    });
  }

  #full(own: number): PmlError {
    const who =
      own === 0
        ? `${this.#waiting} runs are already waiting`
        : `${own} of your runs are already waiting, of ${this.#waiting} in total`;
    return new PmlError("LIMIT_EXCEEDED", `Cannot run this now: ${who}, the limit of runsWaiting`, {
      hint: "Try again later, or raise sandbox.runsAtOnce in the configuration.",
    });
  }

  #enter(waiter: Waiter): void {
    const line = this.#lines.get(waiter.client) ?? new Set();
    line.add(waiter);
    this.#lines.set(waiter.client, line);
    this.#waiting += 1;
  }

  #leave(waiter: Waiter): void {
    const line = this.#lines.get(waiter.client);
    if (line?.delete(waiter) !== true) return;
    this.#waiting -= 1;
    if (line.size === 0) this.#lines.delete(waiter.client);
  }
}
