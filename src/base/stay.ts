/**
 * How long an idle resource that takes memory stays loaded: a model, processes that wait for runs.
 *
 * A gateway that was just started, or is used now and then, frees the memory soon. If the resource is needed again soon
 * after it was unloaded, the gateway is in use: then it stays longer, so that users seldom wait for it.
 *
 * @module
 */
export interface StayTimes {
  readonly firstMs: number;
  readonly mostMs: number;
}

const GROWTH = 4;

export class Stay {
  readonly #times: StayTimes;
  readonly #now: () => number;
  #ms: number;
  #leftAt: number | undefined;

  constructor(times: StayTimes, now: () => number = Date.now) {
    this.#times = times;
    this.#now = now;
    this.#ms = times.firstMs;
  }

  /** How long it stays after its last use. */
  get ms(): number {
    return this.#ms;
  }

  left(): void {
    this.#leftAt = this.#now();
  }

  /** The resource is needed again. */
  back(): void {
    if (this.#leftAt === undefined) return;
    const { firstMs, mostMs } = this.#times;
    const isSoon = this.#now() - this.#leftAt < mostMs;
    this.#ms = isSoon ? Math.min(GROWTH * this.#ms, mostMs) : firstMs;
    this.#leftAt = undefined;
  }
}
