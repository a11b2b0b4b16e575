import { PmlError } from "../base/pml-error.js";

/**
 * The time that a server has for one call. It stands still while the user is asked, who has a time of their own, and
 * starts anew with each sign of progress.
 */
export class CallClock {
  readonly #ms: number;
  readonly #onLate: (error: PmlError) => void;
  #leftMs: number;
  #timer: NodeJS.Timeout | undefined;
  #startedAt = 0;
  #isRunning = false;
  #isStopped = false;

  constructor(ms: number, onLate: (error: PmlError) => void) {
    this.#ms = ms;
    this.#leftMs = ms;
    this.#onLate = onLate;
  }

  start(): void {
    if (this.#isRunning || this.#isStopped) return;
    this.#isRunning = true;
    this.#startedAt = performance.now();
    this.#timer = setTimeout(() => this.#onLate(tooLate(this.#ms)), this.#leftMs);
  }

  /** Stands still until the next {@link start}. */
  pause(): void {
    if (!this.#isRunning) return;
    this.#isRunning = false;
    clearTimeout(this.#timer);
    this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - this.#startedAt));
  }

  /** The call has ended: stands still for good. */
  stop(): void {
    this.pause();
    this.#isStopped = true;
  }

  /** The server has shown that it is at work: it has the whole time again. */
  reset(): void {
    const wasRunning = this.#isRunning;
    this.pause();
    this.#leftMs = this.#ms;
    if (wasRunning) this.start();
  }
}

function tooLate(ms: number): PmlError {
  return new PmlError(
    "LIMIT_EXCEEDED",
    `Cannot wait longer for the server: no result within ${ms} ms, the limit of timeoutMs`,
    { hint: "Raise `timeoutMs` of the server's entry in the configuration." },
  );
}
