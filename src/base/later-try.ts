/**
 * Retries something once after a pause, however many callers request that during the pause.
 *
 * @module
 */
export class LaterTry {
  readonly #job: () => Promise<unknown>;
  readonly #ms: number;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  /** `job` schedules the next retry itself if it fails. */
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

  /** Cancels the retry. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}
