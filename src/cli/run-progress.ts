/**
 * How far a run is, on stderr: one line that is drawn again and again in a terminal, else a line for each report.
 *
 * @module
 */
import { isScreen } from "./colour.js";
import { visible } from "./output.js";
import { CLEAR_LINE } from "./spinner.js";

export interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** Where it is written: stderr, or a test's list. */
export interface ProgressTarget {
  readonly isTerminal: boolean;
  readonly columns: number;
  write(text: string): void;
}

const TICK_MS = 1_000;

export class RunProgress {
  readonly #target: ProgressTarget;
  readonly #startedAt = Date.now();
  #last: Progress | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isDrawn = false;

  constructor(target: ProgressTarget) {
    this.#target = target;
    if (target.isTerminal) this.#timer = setInterval(() => this.#draw(), TICK_MS);
  }

  report(progress: Progress): void {
    this.#last = progress;
    if (this.#target.isTerminal) this.#draw();
    else this.#target.write(`${progressText(progress)}\n`);
  }

  /** Leaves no trace in a terminal. */
  end(): void {
    clearInterval(this.#timer);
    if (this.#isDrawn) this.#target.write(CLEAR_LINE);
    this.#isDrawn = false;
  }

  #draw(): void {
    const seconds = Math.floor((Date.now() - this.#startedAt) / 1_000);
    const text = `${seconds} s${this.#last === undefined ? "" : `  ${progressText(this.#last)}`}`;
    this.#isDrawn = true;
    // A line that wraps could not be drawn over.
    this.#target.write(`${CLEAR_LINE}${text.slice(0, Math.max(this.#target.columns - 1, 10))}`);
  }
}

/** How far a command is, in a terminal; silent elsewhere, so that scripts find on stderr what concerns them. */
export function stderrProgress(): Pick<RunProgress, "report" | "end"> {
  const { columns } = process.stderr;
  if (!isScreen(process.stderr)) return { report() {}, end() {} };
  return new RunProgress({
    isTerminal: true,
    columns: columns || 80,
    write: (text) => void process.stderr.write(text),
  });
}

export function progressText({ progress, total, message }: Progress): string {
  const share = total !== undefined && total > 0 ? ` (${Math.floor((progress / total) * 100)} %)` : "";
  const count = total === undefined ? String(progress) : `${progress}/${total}${share}`;
  return message === undefined || message === "" ? count : `${count}  ${visible(message)}`;
}
