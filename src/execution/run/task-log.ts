/**
 * The calls of one run: those to report, with node, duration and the start of the result, and those that are still open
 * when the run ends.
 *
 * @module
 */
import type { StaticStructure } from "../../analysis/static-structure.js";
import { LIMITS } from "../../base/limits.js";
import { rounded, type TaskReport } from "../ports/execute-answer.js";

export interface OpenTask {
  /** The node, prefixed by the capability calls that lead to it, with `#k` from its second occurrence on. */
  readonly taskId: string;
  readonly parent: string | undefined;
  readonly tool: string;
  readonly startedAt: number;
}

export class TaskLog {
  readonly #now: () => number;
  readonly #occurrences = new Map<string, number>();
  readonly #tasks = new Map<OpenTask, TaskReport | undefined>();
  readonly #startedAt: number;
  #unnamed = 0;

  constructor(now: () => number) {
    this.#now = now;
    this.#startedAt = now();
  }

  /** `node` is unknown for a computed name. `parent` is the task of the calling capability. */
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

  /** `outcome` is JSON, or an error message. `took` is the duration of a call that an earlier part of the run made. */
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

  /** When each call began, in milliseconds after the start of the run. */
  starts(): ReadonlyMap<string, number> {
    return new Map(
      Array.from(this.#tasks.keys(), ({ taskId, startedAt }) => [
        taskId,
        rounded(startedAt - this.#startedAt),
      ]),
    );
  }

  /** In the order of their start; calls that never ended failed. */
  reports(): readonly TaskReport[] {
    return Array.from(this.#tasks, ([open, report]) => report ?? this.end(open, false, "not finished"));
  }
}

/** Half of a surrogate pair. */
const SURROGATE = /[\ud800-\udfff]/;

/** Does not split a character. */
export function firstCharacters(text: string, most: number): string {
  if (text.length <= most) return text;
  const start = text.slice(0, most);
  if (!SURROGATE.test(start)) return start;
  return Array.from(text.slice(0, most * 2))
    .slice(0, most)
    .join("");
}

/** The origin of a call. */
export interface CallPlace<Unit> {
  /** The node of the structure, if known. */
  readonly node?: string | undefined;
  /** The calling unit; undefined for the main code. */
  readonly unit?: Unit | undefined;
  /** The number of the capability call whose code makes this call. */
  readonly parent?: number | undefined;
}

/** The structure and code of a unit, for finding races. */
export interface RacingUnit {
  readonly structure: StaticStructure;
  readonly code: string;
}

const RACES = /\bPromise\s*\.\s*(?:race|any)\b/g;

export class OpenCalls<Unit> {
  readonly #tools = new Map<number, CallPlace<Unit>>();
  readonly #capabilities = new Map<number, CallPlace<Unit>>();

  /** Tools and capabilities are numbered separately. */
  started(kind: "tool" | "capability", id: number, place: CallPlace<Unit>): void {
    this.#of(kind).set(id, place);
  }

  /** The code has received the answer. */
  ended(kind: "tool" | "capability", id: number): void {
    this.#of(kind).delete(id);
  }

  /** A description of calls that the code should have awaited, if there are any. */
  unawaited(unitOf: (unit: Unit | undefined) => RacingUnit): string | undefined {
    const races = new Map<Unit | undefined, (node: string | undefined) => boolean>();
    const lost = ({ node, unit, parent }: CallPlace<Unit>): boolean => {
      const isRaced = races.get(unit) ?? racedNodes(unitOf(unit));
      races.set(unit, isRaced);
      if (isRaced(node)) return true;
      const caller = parent === undefined ? undefined : this.#capabilities.get(parent);
      return caller !== undefined && lost(caller);
    };
    for (const [kind, calls] of [
      ["tool", this.#tools],
      ["capability", this.#capabilities],
    ] as const) {
      const count = [...calls.values()].filter((place) => !lost(place)).length;
      if (count > 0) return count === 1 ? `1 ${kind} call was` : `${count} ${kind} calls were`;
    }
    return undefined;
  }

  #of(kind: "tool" | "capability"): Map<number, CallPlace<Unit>> {
    return kind === "tool" ? this.#tools : this.#capabilities;
  }
}

/**
 * Whether a node is inside a `Promise.race` or `any`. If the code races values that analysis could not trace to their
 * calls, this is true for every call.
 */
function racedNodes({ structure, code }: RacingUnit): (node: string | undefined) => boolean {
  const byId = new Map(structure.nodes.map((node) => [node.id, node]));
  const isRace = (id: string): boolean => {
    const node = byId.get(id);
    return node?.type === "fork" && (node.kind === "race" || node.kind === "any");
  };
  const forks = structure.nodes.filter(({ id }) => isRace(id)).length;
  if ((code.match(RACES)?.length ?? 0) > forks) return () => true;
  return (id) => {
    for (let at = byId.get(id ?? "")?.within; at !== undefined; at = byId.get(at)?.within)
      if (isRace(at)) return true;
    return false;
  };
}
