/**
 * The calls of one run, as they are reported: which node, how often, how long, and the beginning of what came out.
 *
 * @module
 */
import { LIMITS } from "../../base/limits.js";
import type { TaskReport } from "../ports/execute-answer.js";

export interface OpenTask {
  /** The node, with the capability calls that lead to it and `#k` from its second occurrence on. */
  readonly taskId: string;
  readonly parent: string | undefined;
  readonly tool: string;
  readonly startedAt: number;
}

export class TaskLog {
  readonly #now: () => number;
  readonly #occurrences = new Map<string, number>();
  readonly #tasks = new Map<OpenTask, TaskReport | undefined>();
  #unnamed = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** `node` is unknown for a name that was computed. `parent` is the task of the capability that calls. */
  start(node: string | undefined, parent: string | undefined, tool: string): OpenTask {
    const label = node ?? `call_${++this.#unnamed}`;
    const base = parent === undefined ? label : `${parent}.${label}`;
    const occurrence = (this.#occurrences.get(base) ?? 0) + 1;
    this.#occurrences.set(base, occurrence);
    const open = {
      taskId: occurrence === 1 ? base : `${base}#${occurrence}`,
      parent,
      tool,
      startedAt: this.#now(),
    };
    this.#tasks.set(open, undefined);
    return open;
  }

  /** `outcome` is JSON, or the words of an error. `took` is of a call that an earlier part of the run has made. */
  end(open: OpenTask, success: boolean, outcome: string, took?: number): TaskReport {
    const report: TaskReport = {
      taskId: open.taskId,
      tool: open.tool,
      success,
      durationMs: took ?? rounded(this.#now() - open.startedAt),
      resultPreview: firstCharacters(outcome, LIMITS.previewChars),
    };
    this.#tasks.set(open, report);
    return report;
  }

  /** In the order in which they started; those that never ended failed. */
  reports(): readonly TaskReport[] {
    return Array.from(this.#tasks, ([open, report]) => report ?? this.end(open, false, "not finished"));
  }
}

/** Whole characters only, never half of one. */
export function firstCharacters(text: string, most: number): string {
  if (text.length <= most) return text;
  return Array.from(text.slice(0, most * 2))
    .slice(0, most)
    .join("");
}

export function rounded(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
