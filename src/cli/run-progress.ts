/**
 * The progress of a run, on stderr: one line that is redrawn in a terminal, else one line per report.
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

/** The target of the output: stderr, or a list in tests. */
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

  /** Removes the line from a terminal. */
  end(): void {
    clearInterval(this.#timer);
    if (this.#isDrawn) this.#target.write(CLEAR_LINE);
    this.#isDrawn = false;
  }

  #draw(): void {
    const seconds = Math.floor((Date.now() - this.#startedAt) / 1_000);
    const text = `${seconds} s${this.#last === undefined ? "" : `  ${progressText(this.#last)}`}`;
    this.#isDrawn = true;
    // A wrapped line could not be overwritten.
    this.#target.write(`${CLEAR_LINE}${text.slice(0, Math.max(this.#target.columns - 1, 10))}`);
  }
}

/** The progress of a command, in a terminal only, so that scripts find only relevant lines on stderr. */
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
