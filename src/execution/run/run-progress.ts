/**
 * Events of a run, which never contain arguments or results, and the progress for its client: what the code reports,
 * and in a long run a sign of life every second.
 *
 * MCP requires increasing values. A run whose code reports no progress counts seconds. Otherwise the code's values are
 * passed on unchanged, and the signs of life between them add so little that they stay below the next value.
 *
 * @module
 */
import type { SandboxProgram } from "../ports/sandbox.js";

export interface ProgressReport {
  readonly done: number;
  readonly total?: number;
  readonly message?: string;
}

const EVERY_MS = 1_000;
const SMALL_STEP = 0.001;

export class RunProgress {
  readonly #tell: (report: ProgressReport) => void;
  readonly #step: number;
  readonly #timer: NodeJS.Timeout;
  #last: ProgressReport = { done: 0 };
  #calls = 0;

  /** `tell` is called until the run has ended. */
  constructor(tell: (report: ProgressReport) => void, reportsItself: boolean) {
    this.#tell = tell;
    this.#step = reportsItself ? SMALL_STEP : EVERY_MS / 1_000;
    this.#timer = setInterval(() => this.#sign(), EVERY_MS);
    this.#timer.unref();
  }

  happened(event: RunEvent): void {
    if (event.kind === "tool_end") this.#calls += 1;
    if (event.kind !== "progress" || event.done <= this.#last.done) return;
    this.#last = event;
    this.#tell(event);
  }

  end(): void {
    clearInterval(this.#timer);
  }

  #sign(): void {
    const { done, total } = this.#last;
    const next = Math.round((done + this.#step) * 1_000) / 1_000;
    this.#last = { done: next, ...(total === undefined ? {} : { total }) };
    this.#tell({ ...this.#last, message: `Running: ${this.#calls} tool calls done` });
  }
}

/** Whether code of the program may report its own progress. */
export function reportsProgress({ main, capabilities }: SandboxProgram): boolean {
  return [main, ...capabilities].some(({ code }) => code.includes("progress"));
}

interface EventBase {
  readonly workflowId: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** `id` is that of the task; `parent` that of the capability call it belongs to. */
export type RunEvent = EventBase &
  (
    | {
        readonly kind: "tool_start" | "capability_start";
        readonly id: string;
        readonly parent?: string;
        readonly name: string;
      }
    | {
        readonly kind: "tool_end" | "capability_end";
        readonly id: string;
        readonly parent?: string;
        readonly name: string;
        readonly success: boolean;
        readonly durationMs: number;
      }
    | { readonly kind: "progress"; readonly done: number; readonly total?: number; readonly message?: string }
    | { readonly kind: "log"; readonly level: string; readonly text: string }
    | { readonly kind: "capability_hint"; readonly name?: string; readonly description?: string }
  );

export type RunListener = (event: RunEvent) => void;
