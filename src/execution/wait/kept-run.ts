/**
 * One part of a stored run: from its beginning or from the record of its calls, to its end or to the next question.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import { PmlError } from "../../base/pml-error.js";
import type { ExecuteAnswer, RunStart } from "../ports/execute-answer.js";
import type { ClockReadings, SandboxCall } from "../ports/sandbox.js";
import type { KnownTool } from "../ports/tool-box.js";
import type { PreparedRun } from "../prepare/prepared-run.js";
import { ShownUnit } from "../prepare/shown-calls.js";
import type { RunKeeper } from "../run/run-keeper.js";
import { answerRun, type EndedRun, type RunCaller } from "../run/runner.js";
import { type ApprovalNeeds, asksAbout, coversTool, isAsShown } from "./approval-needs.js";
import { askBeforeLayer, askBeforeRun, callsShown } from "./ask-person.js";
import { isPerLayer, missingCall, waitingAnswer } from "./durable-answers.js";
import type { HeldRuns } from "./held-runs.js";
import { type MadeCall, RunJournal, recordedTask } from "./run-journal.js";
import type { RecordedCall, Workflow } from "./workflow-store.js";

/** The state that a run starts from. */
export type Beginning = Pick<Workflow, "workflowId" | "seed" | "startedAt" | "approved">;

export interface KeptRunOptions {
  readonly beginning: Beginning;
  readonly recorded: readonly RecordedCall[];
  readonly prepared: PreparedRun;
  readonly caller: RunCaller;
  readonly start: RunStart;
  readonly needs: ApprovalNeeds;
  readonly held: HeldRuns;
}

export class KeptRun implements RunKeeper {
  readonly seed: string;
  readonly startedAt: number;
  readonly clock: ClockReadings;
  readonly journal: RunJournal;
  readonly shown: ShownUnit | undefined;
  readonly caller: RunCaller;
  readonly #options: KeptRunOptions;
  readonly #isLayered: boolean;

  constructor(options: KeptRunOptions) {
    const { beginning, recorded, prepared, caller, needs, held } = options;
    const { workflowId, seed, startedAt, approved } = beginning;
    const stopper = new AbortController();
    this.#options = options;
    this.#isLayered = isPerLayer(prepared.request);
    this.seed = seed;
    this.startedAt = startedAt;
    this.clock = recorded.flatMap(({ clock = [] }) => clock);
    this.caller = { ...caller, signal: AbortSignal.any([caller.signal, stopper.signal]) };
    this.shown = this.#isLayered ? undefined : new ShownUnit(callsShown(prepared));
    this.journal = new RunJournal({
      recorded,
      write: (entries) => held.record(workflowId, entries),
      ...(this.#isLayered && {
        asks: (call) => asksAbout(call, approved, (tool, args) => needs.ofCall(tool, args, caller.scope)),
      }),
      stop: () => stopper.abort(),
    });
  }

  allows(
    tool: KnownTool,
    call: SandboxCall,
    shown: ShownUnit | undefined,
    ownFile: string | undefined,
  ): boolean {
    const { needs, beginning, caller } = this.#options;
    if (needs.isDenied(tool)) return false;
    if (this.#isLayered || (ownFile === undefined && !needs.ofTool(tool, caller.scope))) return true;
    // A value that names one of PML's own files must have been shown literally, otherwise the call is not made.
    const isFree = (value: Json) => ownFile === undefined || needs.ownFile(tool, value) === undefined;
    return coversTool(beginning.approved, tool) && isAsShown(tool, call, shown, isFree);
  }

  async stopped(ended: EndedRun): Promise<ExecuteAnswer | undefined> {
    await this.journal.close();
    const { end } = this.journal;
    if (end?.kind === "paused") return this.#pause(end.held, ended);
    // Another gateway has it, or the store is gone: the run can only continue from what was recorded.
    if (end !== undefined && end.error.code !== "RUN_DIVERGED") throw end.error;
    if (end === undefined && ended.error?.code === "SANDBOX_FAILED") throw ended.error;
    if (end !== undefined || ended.error?.code !== "RUN_CANCELLED") return undefined;
    const { prepared, start, held, caller } = this.#options;
    const about = { ...held.about(start.workflowId, caller.scope), reason: "interrupted" as const };
    await held.wait(askBeforeRun(prepared, prepared.plan.needsApproval, about));
    return answerRun(start, ended);
  }

  diverged(ended: EndedRun): PmlError | undefined {
    const { end, missing } = this.journal;
    return end?.kind === "failed" ? end.error : missingCall(missing, ended);
  }

  async end(answer: ExecuteAnswer): Promise<ExecuteAnswer> {
    try {
      await this.#options.held.end(answer);
      return answer;
    } catch (error) {
      // The tools have done their work: an error would make the client request it again.
      if (!(error instanceof PmlError) || error.code !== "STORE_FAILED") throw error;
      const why = `The end of the run could not be stored: ${error.message}`;
      return { ...answer, warnings: [...(answer.warnings ?? []), why] };
    }
  }

  async #pause(pending: readonly MadeCall[], { report }: EndedRun): Promise<ExecuteAnswer> {
    const { prepared, start, held, needs, caller } = this.#options;
    const waits = new Set(pending.map(({ taskId }) => taskId));
    const tasks = report.tasks.filter(({ taskId }) => !waits.has(taskId));
    const calls = pending.flatMap((made) =>
      made.tool === undefined ? [] : [{ taskId: recordedTask(made), tool: made.tool.id, args: made.args }],
    );
    const needed = needs.ofCalls(pending, caller.scope);
    const about = held.about(start.workflowId, caller.scope);
    const approval = askBeforeLayer(needed, calls, tasks.length, about);
    await held.wait(approval);
    return waitingAnswer(start, approval, { prepared, tasks });
  }
}
