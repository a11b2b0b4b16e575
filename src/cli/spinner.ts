/**
 * Shows in a terminal what a command waits for. The line disappears when the wait is over, or before a
 * question.
 *
 * @module
 */
import { isScreen } from "./colour.js";

export const CLEAR_LINE = "\r\u001b[2K";

/** A shorter wait is not shown. */
const QUIET_MS = 400;
const TURN_MS = 120;
const FRAMES = ["-", "\\", "|", "/"];

/** The target of the output: stderr, or a list in tests. */
export interface SpinnerTarget {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** There is only one line to draw on. */
let drawn: Spinner | undefined;

/** Must be called before other output to the same terminal. */
export function endSpinner(): void {
  drawn?.end();
}

export class Spinner {
  readonly #target: SpinnerTarget;
  readonly #startedAt = Date.now();
  #what: string;
  #timer: NodeJS.Timeout | undefined;
  #turn = 0;

  constructor(what: string, target: SpinnerTarget = process.stderr) {
    this.#what = what;
    this.#target = target;
    endSpinner();
    if (!isScreen(target)) return;
    drawn = this;
    this.#timer = setTimeout(() => {
      this.#timer = setInterval(() => this.#draw(), TURN_MS);
      this.#draw();
    }, QUIET_MS);
  }

  say(what: string): void {
    this.#what = what;
  }

  end(): void {
    clearTimeout(this.#timer);
    if (this.#turn > 0) this.#target.write(CLEAR_LINE);
    this.#turn = 0;
    if (drawn === this) drawn = undefined;
  }

  #draw(): void {
    const seconds = Math.floor((Date.now() - this.#startedAt) / 1_000);
    const text = `${FRAMES[this.#turn % FRAMES.length]} ${this.#what}${seconds > 1 ? ` (${seconds} s)` : ""}`;
    this.#turn += 1;
    // A wrapped line could not be overwritten.
    this.#target.write(`${CLEAR_LINE}${text.slice(0, Math.max((this.#target.columns || 80) - 1, 10))}`);
  }
}

/** Shows `what` while it waits for `work`. */
export async function waitingFor<T>(what: string, work: Promise<T>): Promise<T> {
  const spinner = new Spinner(what);
  try {
    return await work;
  } finally {
    spinner.end();
  }
}
