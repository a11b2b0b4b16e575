/**
 * Tries something once more after a pause, however many ask for that before it is over.
 *
 * @module
 */
export class LaterTry {
  readonly #job: () => Promise<unknown>;
  readonly #ms: number;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  /** `job` plans the next try itself where it fails. */
  constructor(job: () => Promise<unknown>, ms: number) {
    this.#job = job;
    this.#ms = ms;
  }

  plan(): void {
    if (this.#isStopped) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#job().catch(() => {});
    }, this.#ms);
    this.#timer.unref();
  }

  /** Nothing is tried any more. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}
