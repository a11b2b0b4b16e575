/**
 * Runs one program in the sandbox: its turn, its limits, the tools that it may call, its trace, and the answer to the
 * request.
 *
 * @module
 */
import { canonicalJson, type Json } from "../../base/canonical-json.js";
import type { Emits } from "../../base/event-stream.js";
import { errorShape, PmlError } from "../../base/pml-error.js";
import { sha256Hex } from "../../base/sha256.js";
import { traced } from "../../base/trace-context.js";
import type { Capability } from "../../registry/capability.js";
import type { CapabilityUse, RunTrace } from "../../registry/capability-store.js";
import type { Scope } from "../../registry/scope.js";
import { capabilityUsage, type UsageRow } from "../../registry/usage.js";
import {
  capabilityFields,
  type ExecuteAnswer,
  type ExecuteMode,
  elapsedMs,
  type RunStart,
  rounded,
  startNow,
} from "../ports/execute-answer.js";
import type { Sandbox, SandboxCall, SandboxLimits } from "../ports/sandbox.js";
import type { CallContext, KnownTool, ToolBox } from "../ports/tool-box.js";
import type { Approval } from "../prepare/approval-policy.js";
import { type OwnFileCheck, ownFileRefused } from "../prepare/own-files.js";
import { refuseUnlessAuto, writesInside } from "../prepare/plan-run.js";
import type { CachedRun, PreparedRun } from "../prepare/prepared-run.js";
import type { ShownUnit } from "../prepare/shown-calls.js";
import type { CurrentTools } from "../prepare/tool-index.js";
import { keptError } from "./given-values.js";
import { keptTask, nestedUses, traceIdOf } from "./nested-runs.js";
import { type RunReport, runProgram } from "./run-bridge.js";
import { failureError } from "./run-failure.js";
import type { RunKeeper, RunOrigin } from "./run-keeper.js";
import { RunLane, type RunLoad } from "./run-lane.js";
import { type ProgressReport, type RunEvent, RunProgress, reportsProgress } from "./run-progress.js";
import { RunTape } from "./run-tape.js";
import type { TaskResults } from "./task-results.js";

export interface RunnerOptions {
  readonly sandbox: Sandbox;
  readonly box: ToolBox;
  readonly tools: CurrentTools;
  /** Whether code may call a tool. */
  readonly approvalOf: (tool: KnownTool) => Approval;
  readonly limits: SandboxLimits;
  /** How many programs run at the same time. */
  readonly runsAtOnce: number;
  readonly events: Emits<RunnerEvents>;
  /** Whether the tool has a permanent approval in the project. */
  readonly isApproved: (tool: KnownTool, scope: Scope) => boolean;
  readonly ownFiles: OwnFileCheck;
  /** The store for results of tasks. */
  readonly results: TaskResults;
  /** Secrets of the servers: live answers may contain them, stored data must not. */
  readonly secrets?: readonly string[];
}

export interface RunnerEvents {
  /** Something happened in a run. */
  readonly "run.event": RunEvent;
  /** A run that may be learnt from has ended, in any way. */
  readonly "run.ended": { readonly ran: RanProgram; readonly ended: EndedRun; readonly caller: RunCaller };
}

type RanProgram = Pick<PreparedRun, "plan" | "request" | "args" | "of" | "sent">;

/** The caller who asked for a run. */
export interface RunCaller extends CallContext {
  readonly onProgress?: (progress: ProgressReport) => void;
}

/** What is known about a run after its end. */
export interface EndedRun {
  readonly report: RunReport;
  readonly trace: RunTrace;
  readonly error: PmlError | undefined;
  /** Uses of the capabilities that it called, directly and indirectly. */
  readonly nested: readonly CapabilityUse[];
  /** The same as calls: a capability that code called counts as used, like one that a client called. */
  readonly called: readonly UsageRow[];
  /** The material for a recording. */
  readonly tape?: RunTape | undefined;
}

/** A run that was cancelled, or lost with its process, proves nothing about the capability. */
export function saysSomething({ error }: Pick<EndedRun, "error">): boolean {
  return error?.code !== "RUN_CANCELLED" && error?.code !== "SANDBOX_FAILED";
}

export class Runner {
  readonly #options: RunnerOptions;
  readonly #lane: RunLane;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#lane = new RunLane(options.runsAtOnce);
  }

  load(): RunLoad {
    return this.#lane.load;
  }

  run(ran: RanProgram, caller: RunCaller, start: RunStart, keeper: RunKeeper): Promise<EndedRun> {
    const { workflowId, mode } = start;
    const attributes = { "pml.workflow_id": workflowId, "pml.mode": mode, ...nameOf(ran) };
    return traced(start.trace, "pml.run", { attributes }, async (trace) => {
      const ended = await this.#run(ran, { ...caller, trace }, start, keeper);
      if (ended.error !== undefined) trace?.failed(ended.error.code);
      return ended;
    });
  }

  async #run(
    ran: RanProgram,
    caller: RunCaller,
    { workflowId }: RunStart,
    keeper: RunKeeper,
  ): Promise<EndedRun> {
    const { sandbox, box, limits, results, events, secrets } = this.#options;
    const { plan, args } = ran;
    const { intent, options } = ran.request;
    const { scope } = caller;
    const executedAt = new Date();
    const startedAt = performance.now();
    // Computed during the run, so that the answer does not wait for it.
    const argsHash = sha256Hex(canonicalJson(args));
    const progress = caller.onProgress && new RunProgress(caller.onProgress, reportsProgress(plan.program));
    let tape: RunTape | undefined;
    const report = await this.#lane
      .run(
        () => {
          const origin = originOf(keeper);
          const startedAt = origin.startedAt ?? Date.now();
          tape = new RunTape({ seed: origin.seed, startedAt });
          return runProgram(sandbox, box, {
            ...origin,
            startedAt,
            journal: tape.beside(origin.journal),
            workflowId,
            program: plan.program,
            structure: plan.main.analysis.structure,
            args,
            limits: { ...limits, timeMs: options?.timeout ?? limits.timeMs },
            context: caller,
            taskNames: plan.taskNames,
            secrets,
            onResult: (taskId, text) => results.add({ workflowId, taskId, text, scope }),
            toolFor: (call, shown) => this.#toolFor(call, shown, ran, scope, keeper),
            targetOf: (unit, node) => plan.targetOf(unit, node),
            structureOf: (unit) => plan.unitOf(unit)?.analysis.structure,
            onEvent: (event) => {
              progress?.happened(event);
              events.emit("run.event", event);
            },
          });
        },
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
      tasks: report.tasks.map((task) => keptTask(task, report.taskStarts)),
      success: error === undefined,
      durationMs: rounded(performance.now() - startedAt),
      ...(error && keptError(error, report.given)),
      argsHash: await argsHash,
      executedAt,
      scope,
    };
    const ended = report.capabilityRuns.filter(({ isUnfinished }) => isUnfinished !== true);
    const run: EndedRun = {
      report,
      trace,
      error,
      nested: await nestedUses(ended, plan.program.capabilities, trace),
      called: report.capabilityRuns.map(({ ref, success, durationMs }) => {
        const call = { calledAt: executedAt, durationMs, success };
        return capabilityUsage(plan.usedName(ref), scope, call);
      }),
      tape,
    };
    if (options?.remember !== false) events.emit("run.ended", { ran, ended: run, caller });
    return run;
  }

  /** A tool name that the code computes reaches only tools that need no approval or already have it. */
  #toolFor(
    call: SandboxCall,
    shown: ShownUnit | undefined,
    { sent }: Pick<RanProgram, "sent">,
    scope: Scope,
    keeper: RunKeeper,
  ): KnownTool {
    const { object, path } = call;
    const tool = object === "mcp" ? this.#options.tools.tools().find(path) : undefined;
    if (tool === undefined) {
      throw new PmlError(
        object === "mcp" ? "TOOL_NOT_FOUND" : "CAPABILITY_NOT_FOUND",
        `${object === "mcp" ? "Unknown tool" : "Capability not found"}: ${path.join(":").slice(0, 200)}`,
        { hint: "A capability must be called by a literal name, not a computed one." },
      );
    }
    const approval = this.#options.approvalOf(tool);
    if (tool.operation !== undefined) {
      refuseUnlessAuto(tool.id, approval);
      if (tool.operation === "writes" && (sent === undefined || call.parent !== undefined))
        throw writesInside(tool.id);
      return tool;
    }
    const ownFile = this.#options.ownFiles(tool.server, call.args);
    const isAllowed =
      keeper.allows?.(tool, call, shown, ownFile) ??
      (ownFile === undefined && this.#options.isApproved(tool, scope));
    if (isAllowed) return tool;
    if (ownFile !== undefined && approval.mode !== "deny") throw ownFileRefused(tool.id, ownFile);
    refuseUnlessAuto(tool.id, approval);
    return tool;
  }
}

/** Unnamed capabilities get no name in the trace. */
function nameOf({ of }: RanProgram) {
  return of?.capability.isNamed === true ? { "pml.capability": of.capability.displayName } : {};
}

function originOf({ seed, startedAt, clock, journal, shown }: RunKeeper): RunOrigin {
  return { seed, clock, journal, shown, ...(startedAt !== undefined && { startedAt }) };
}

export interface RunEnding {
  /** Missing if nothing ran. */
  readonly report?: RunReport;
  readonly error?: PmlError | undefined;
  /** The capability that the code is, or has become. */
  readonly capability?: Capability;
  readonly version?: number;
  /** Whether this run gave it its name, or a new version. */
  readonly isNewlyNamed?: boolean;
  readonly warnings?: readonly string[];
  /** The cached run that was used instead of a run. */
  readonly cached?: CachedRun;
}

export function answerRun(
  run: RunStart,
  { report, error, capability, version, isNewlyNamed, warnings: said = [], cached }: RunEnding,
): ExecuteAnswer {
  const outcome = report?.outcome;
  const text =
    cached?.text ?? (error === undefined && outcome?.kind === "returned" ? outcome.text : undefined);
  const warnings = [...said, ...(outcome?.warnings ?? [])];
  return {
    status: error === undefined ? "success" : "error",
    mode: run.mode,
    ...(text !== undefined && { result: JSON.parse(text) as Json }),
    ...(cached && { cacheHit: cached.level }),
    ...(error && { error: errorShape(error) }),
    ...(capability && capabilityFields(capability)),
    ...(version !== undefined && { capabilityVersion: version }),
    ...(isNewlyNamed === true &&
      capability && {
        callAgain: { capability: capability.displayName },
      }),
    workflowId: run.workflowId,
    executionTimeMs: elapsedMs(run),
    tasks: report?.tasks ?? [],
    ...(report && { executedPath: report.executedPath }),
    ...(report && report.logs.length > 0 && { logs: report.logs }),
    ...(warnings.length > 0 && { warnings }),
  };
}

/** Turns an error into an answer. */
export async function answered<T>(
  mode: ExecuteMode,
  caller: RunCaller,
  work: (start: RunStart) => Promise<T>,
): Promise<T | ExecuteAnswer> {
  const start = startNow(mode, caller);
  try {
    return await work(start);
  } catch (error) {
    if (!(error instanceof PmlError)) throw error;
    return answerRun(start, { error });
  }
}
