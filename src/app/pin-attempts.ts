/**
 * Counts consecutive wrong PINs: one file for each, beside the PIN. So the count survives a restart, and two concurrent
 * processes count two attempts: only one of them can create the next file.
 *
 * @module
 */
import { mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LIMITS } from "../base/limits.js";
import { PmlError } from "../base/pml-error.js";

export class PinAttempts {
  readonly #directory: string;
  readonly #now: () => number;

  constructor(directory: string, now: () => number) {
    this.#directory = directory;
    this.#now = now;
  }

  /** Counts an attempt as wrong before the check; throws `PIN_LOCKED` if none is allowed now. */
  begin(): number {
    for (;;) {
      const wrong = this.#wrong();
      this.#refuseEarly(wrong);
      if (this.#take(wrong + 1)) return wrong + 1;
    }
  }

  /** The PIN was right: earlier wrong attempts do not count any more. */
  clear(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #wrong(): number {
    try {
      return Math.max(0, ...readdirSync(this.#directory).map(Number).filter(Number.isSafeInteger));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
      throw error;
    }
  }

  #refuseEarly(wrong: number): void {
    const delay = delayAfter(wrong);
    if (delay === 0) return;
    const since = statSync(join(this.#directory, String(wrong)), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    // Even if the clock was set back, the wait is not longer than the delay.
    const left = Math.min(since + delay - this.#now(), delay);
    if (left <= 0) return;
    const seconds = Math.ceil(left / 1_000);
    throw new PmlError("PIN_LOCKED", `Cannot check the PIN: ${wrong} wrong ones were given in a row`, {
      hint: `Try again in ${seconds} s.`,
      data: { waitSeconds: seconds },
    });
  }

  /** Whether this process created the file with this number; another one may have been first. */
  #take(number: number): boolean {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    const file = join(this.#directory, String(number));
    try {
      writeFileSync(file, "", { flag: "wx", mode: 0o600 });
      // By this machine's clock: a remote file system may have another one.
      const at = new Date(this.#now());
      utimesSync(file, at, at);
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // It was cleared in between, or the number is taken.
      if (code === "EEXIST" || code === "ENOENT") return false;
      throw error;
    }
  }
}

function delayAfter(wrong: number): number {
  if (wrong < LIMITS.pinWrongMost) return 0;
  return Math.min(LIMITS.pinWaitMs * 2 ** (wrong - LIMITS.pinWrongMost), LIMITS.pinWaitMostMs);
}
