/**
 * The runs that are under way in this gateway, with their calls so far.
 *
 * @module
 */
import type { EventStream } from "../base/event-stream.js";
import type { RunEvent } from "../execution/run/run-progress.js";
import type { StartedRun } from "../execution/run/started-run.js";
import type { PmlEvents } from "./pml-events.js";

/** One call of a run that is under way. */
export interface LiveTask {
  readonly taskId: string;
  readonly tool: string;
  /** Relative to the start of the run. */
  readonly startMs: number;
  /** Absent until the call is answered. */
  readonly ended?: { readonly success: boolean; readonly durationMs: number };
}

export interface LiveRun extends StartedRun {
  /** The first calls, in the order in which they began. */
  readonly tasks: ReadonlyMap<string, LiveTask>;
}

/** Per run; the rest can be seen when it has ended. */
const TASKS_MOST = 1_000;

export class LiveRuns {
  readonly #runs = new Map<string, StartedRun & { readonly tasks: Map<string, LiveTask> }>();

  constructor(events: Pick<EventStream<PmlEvents>, "on">) {
    events.on("run.started", (run) => this.#runs.set(run.workflowId, { ...run, tasks: new Map() }));
    events.on("run.left", ({ run }) => this.#runs.delete(run.workflowId));
    events.on("run.event", (event) => this.#note(event));
  }

  get(workflowId: string): LiveRun | undefined {
    return this.#runs.get(workflowId);
  }

  /** Oldest first. */
  all(): Iterable<LiveRun> {
    return this.#runs.values();
  }

  #note(event: RunEvent): void {
    if (!("id" in event)) return;
    const run = this.#runs.get(event.workflowId);
    if (run === undefined) return;
    const { id, name } = event;
    const began = run.tasks.get(id);
    if (began === undefined && run.tasks.size >= TASKS_MOST) return;
    const startMs = began?.startMs ?? Math.max(0, event.at - run.startedAt.getTime());
    const task = { taskId: id, tool: name, startMs };
    const ended =
      "success" in event ? { ended: { success: event.success, durationMs: event.durationMs } } : {};
    run.tasks.set(id, { ...task, ...ended });
  }
}
