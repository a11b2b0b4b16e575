/**
 * One program on its way through the sandbox, whoever sent it: which tools there are, its turn, its limits, its trace.
 *
 * @module
 */
import { canonicalJson } from "../../base/canonical-json.js";
import type { Emits } from "../../base/event-stream.js";
import { PmlError } from "../../base/pml-error.js";
import { sha256Hex } from "../../base/sha256.js";
import type { CapabilityUse, RunTrace } from "../../registry/capability-store.js";
import type { Scope } from "../../registry/scope.js";
import { capabilityUsage, type UsageRow } from "../../registry/usage.js";
import type { ClockReadings, Sandbox, SandboxCall, SandboxLimits } from "../ports/sandbox.js";
import type { KnownTool, ToolBox } from "../ports/tool-box.js";
import type { Approval } from "../prepare/approval-policy.js";
import { type OwnFileCheck, ownFileRefused } from "../prepare/own-files.js";
import { type PlanTools, refuseUnlessAuto } from "../prepare/plan-run.js";
import type { PreparedRun } from "../prepare/prepared-run.js";
import type { ShownUnit } from "../prepare/shown-calls.js";
import { type ToolIndex, toolIndexOf } from "../prepare/tool-index.js";
import type { RunJournal } from "../wait/run-journal.js";
import type { RunStart } from "./answer-run.js";
import { keptError } from "./given-values.js";
import { keptTask, nestedUses, traceIdOf } from "./nested-runs.js";
import { failureError } from "./run-failure.js";
import { RunLane, type RunLoad } from "./run-lane.js";
import { type RunReport, runProgram } from "./run-program.js";
import { type ProgressReport, type RunEvent, RunProgress, reportsProgress } from "./run-progress.js";
import { rounded } from "./task-log.js";
import type { TaskResults } from "./task-results.js";

export interface RunnerOptions {
  readonly sandbox: Sandbox;
  readonly tools: ToolBox;
  /** Whether code may call a tool. */
  readonly approvalOf: (tool: KnownTool) => Approval;
  readonly limits: SandboxLimits;
  /** How many programs run at the same time. */
  readonly runsAtOnce: number;
  readonly events: Emits<RunnerEvents>;
  /** Whether a person has approved the tool in the project for good. */
  readonly isApproved?: (tool: KnownTool, scope: Scope) => boolean;
  /** Which calls name one of PML's own files; none where it is left out. */
  readonly ownFiles?: OwnFileCheck | undefined;
  /** Where results of tasks are kept. */
  readonly results?: TaskResults | undefined;
}

export interface RunnerEvents {
  /** Something has happened in a run. */
  readonly "run.event": RunEvent;
  /** A run that may be learnt from has ended, however. */
  readonly "run.ended": { readonly ran: RanProgram; readonly ended: EndedRun; readonly caller: RunCaller };
}

type RanProgram = Pick<PreparedRun, "plan" | "request" | "args" | "of">;

/** Who asked for a run. */
export interface RunCaller {
  readonly scope: Scope;
  readonly connection: string;
  /** Whose share of runs and calls it takes; the connection when left out. */
  readonly client?: string | undefined;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: ProgressReport) => void;
}

/** What is known of a run when it has ended. */
export interface EndedRun {
  readonly report: RunReport;
  readonly trace: RunTrace;
  readonly error: PmlError | undefined;
  /** Of capabilities that it called, and that those did. */
  readonly nested: readonly CapabilityUse[];
  /** The same as calls: a capability that code has called is used as one that a client has called. */
  readonly called: readonly UsageRow[];
}

/** What a run is continued from, and by whose leave. */
export interface Continuation {
  readonly seed: string;
  readonly startedAt: number;
  readonly clock: ClockReadings;
  readonly journal: RunJournal;
  /** What a person was shown before the run, where one has approved it as a whole. */
  readonly shown?: ShownUnit | undefined;
  /**
   * Whether code may call a tool that needs approval: a person was asked, or will be before the call is sent. `shown` is
   * what a person was shown of the unit that calls, `ownFile` the text that names one of PML's own files.
   */
  readonly allows: (
    tool: KnownTool,
    call: SandboxCall,
    shown: ShownUnit | undefined,
    ownFile: string | undefined,
  ) => boolean;
}

export class Runner {
  readonly #options: RunnerOptions;
  readonly #lane: RunLane;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#lane = new RunLane(options.runsAtOnce);
  }

  /** The tools that there are now. */
  tools(): ToolIndex {
    return toolIndexOf(this.#options.tools.tools());
  }

  load(): RunLoad {
    return this.#lane.load;
  }

  planTools(): PlanTools {
    return { index: this.tools(), approvalOf: this.#options.approvalOf };
  }

  /** Resolves when it is known what servers offer that are still starting. */
  settled(): Promise<void> {
    return this.#options.tools.settled();
  }

  async run(
    ran: RanProgram,
    caller: RunCaller,
    { workflowId }: RunStart,
    continuation?: Continuation,
  ): Promise<EndedRun> {
    const { sandbox, tools, limits, results } = this.#options;
    const { plan, args } = ran;
    const { intent, options } = ran.request;
    const { allows, ...from } = continuation ?? {};
    const executedAt = new Date();
    const startedAt = performance.now();
    // Beside the run, so that the answer does not wait for it.
    const argsHash = sha256Hex(canonicalJson(args));
    const progress = caller.onProgress && new RunProgress(caller.onProgress, reportsProgress(plan.program));
    const report = await this.#lane
      .run(
        () =>
          runProgram(sandbox, tools, {
            workflowId,
            program: plan.program,
            structure: plan.main.analysis.structure,
            args,
            limits: { ...limits, timeMs: options?.timeout ?? limits.timeMs },
            context: caller,
            ...from,
            taskNames: plan.taskNames,
            ...(results === undefined
              ? {}
              : {
                  onResult: (taskId, text) => results.add({ workflowId, taskId, text, scope: caller.scope }),
                }),
            toolFor: (call, shown) => this.#toolFor(call, shown, caller.scope, allows),
            targetOf: (unit, node) => plan.targetOf(unit, node),
            structureOf: (unit) => plan.unitOf(unit)?.analysis.structure,
            onEvent: (event) => {
              progress?.happened(event);
              this.#options.events.emit("run.event", event);
            },
          }),
        caller.signal,
        caller.client ?? caller.connection,
      )
      .finally(() => progress?.end());
    const { outcome } = report;
    const error = outcome.kind === "returned" ? undefined : failureError(outcome, plan.sourceOf);
    const trace: RunTrace = {
      traceId: await traceIdOf(workflowId),
      workflowId,
      intent,
      executedPath: report.executedPath,
      decisions: report.decisions,
      loops: report.loops,
      tasks: report.tasks.map(keptTask),
      success: error === undefined,
      durationMs: rounded(performance.now() - startedAt),
      ...(error === undefined ? {} : keptError(error, report.given)),
      argsHash: await argsHash,
      executedAt,
      scope: caller.scope,
    };
    const ended = report.capabilityRuns.filter(({ isUnfinished }) => isUnfinished !== true);
    const run: EndedRun = {
      report,
      trace,
      error,
      nested: await nestedUses(ended, plan.program.capabilities, trace),
      called: report.capabilityRuns.map(({ ref, success, durationMs }) => {
        const call = { calledAt: executedAt, durationMs, success };
        return capabilityUsage(plan.usedName(ref), caller.scope, call);
      }),
    };
    if (options?.remember !== false) this.#options.events.emit("run.ended", { ran, ended: run, caller });
    return run;
  }

  /** A name that is computed while code runs reaches only what needs nobody's approval, or has it. */
  #toolFor(
    call: SandboxCall,
    shown: ShownUnit | undefined,
    scope: Scope,
    allows: Continuation["allows"] = (tool, _call, _shown, ownFile) =>
      ownFile === undefined && this.#options.isApproved?.(tool, scope) === true,
  ): KnownTool {
    const { object, path } = call;
    const tool = object === "mcp" ? this.tools().find(path) : undefined;
    if (tool === undefined) {
      throw new PmlError(
        object === "mcp" ? "TOOL_NOT_FOUND" : "CAPABILITY_NOT_FOUND",
        `${object === "mcp" ? "Unknown tool" : "Capability not found"}: ${path.join(":").slice(0, 200)}`,
        { hint: "A capability must be called by a name that stands in the code as it is." },
      );
    }
    const ownFile = this.#options.ownFiles?.(tool.server, call.args);
    if (allows(tool, call, shown, ownFile)) return tool;
    const approval = this.#options.approvalOf(tool);
    if (ownFile !== undefined && approval.mode !== "deny") throw ownFileRefused(tool.id, ownFile);
    refuseUnlessAuto(tool.id, approval);
    return tool;
  }
}
