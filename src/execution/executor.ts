/**
 * Learn and recall: runs code that an agent sent, remembers what succeeded, and runs it again by name.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";
import type { Emits } from "../base/event-stream.js";
import type { Log } from "../base/log.js";
import { PmlError } from "../base/pml-error.js";
import type { FoundCapability } from "../registry/capability-registry.js";
import type { ResultShapeStore } from "../registry/capability-store.js";
import type { ToolId } from "../registry/tool-id.js";
import type { ResultCache } from "./cache/run-cache.js";
import { CapabilitySaver, type SavesCapabilities } from "./learn/capability-saver.js";
import { ResultShapes } from "./learn/result-shapes.js";
import { RunRecorder } from "./learn/run-recorder.js";
import type { DryRunAnswer, ExecuteAnswer, ExecuteMode, ExecuteRequest } from "./ports/execute-answer.js";
import { CapabilityExecution, type CapabilityExecutionOptions } from "./prepare/capability-execution.js";
import { CapabilityLoader, type CurrentTools } from "./prepare/capability-loader.js";
import { CodeExecution, type CodeExecutionOptions } from "./prepare/code-execution.js";
import { DagExecution } from "./prepare/dag-execution.js";
import { DryRun } from "./prepare/dry-run.js";
import { withOwnFiles } from "./prepare/own-files.js";
import type { PreparedRun } from "./prepare/prepared-run.js";
import { ToolExecution } from "./prepare/tool-execution.js";
import { answerRun, type RunStart } from "./run/answer-run.js";
import type { RunLoad } from "./run/run-lane.js";
import { type RunCaller, Runner, type RunnerEvents, type RunnerOptions } from "./run/runner.js";
import { RunPipeline } from "./run-pipeline.js";
import { IntentExecution, type IntentOptions } from "./suggest/intent-execution.js";
import { Related, usedIn } from "./suggest/related.js";
import { type ApprovalDesk, type ApprovalEvents, Approvals } from "./wait/approvals.js";
import {
  type DirectCall,
  type DirectResult,
  DurableRuns,
  type DurableRunsOptions,
} from "./wait/durable-runs.js";
import { StandingApprovals } from "./wait/standing-approvals.js";

export interface ExecutorOptions
  extends RunnerOptions,
    CodeExecutionOptions,
    CapabilityExecutionOptions,
    IntentOptions {
  readonly log: Log;
  readonly approvals: ApprovalOptions;
  readonly cache?: ResultCache | undefined;
  /** Where it is kept what capabilities return. */
  readonly resultShapes: ResultShapeStore;
  readonly events: Emits<ExecutorEvents>;
}

export interface ExecutorEvents extends RunnerEvents, ApprovalEvents {
  /** A request to execute something is answered. */
  readonly "run.answered": ExecuteAnswer | DryRunAnswer;
}

/** How people are asked. */
type ApprovalOptions = Pick<
  DurableRunsOptions,
  "workflows" | "approveCommand" | "expiresMs" | "keptMs" | "isOnlyGateway"
>;

export class Executor {
  /** The tools that code would find now. */
  readonly tools: CurrentTools;
  /** Makes capabilities without a run. */
  readonly saver: SavesCapabilities;
  /** Programs that run, and that wait for their turn. */
  readonly load: () => RunLoad;
  /** Where a person decides about runs that wait. */
  readonly desk: ApprovalDesk;
  /** What goes with what was just used; left out where nobody knows. */
  readonly related: Related | undefined;
  readonly #options: ExecutorOptions;
  readonly #recorder: RunRecorder;
  readonly #code: CodeExecution;
  readonly #dag: DagExecution;
  readonly #tool: ToolExecution;
  readonly #capability: CapabilityExecution;
  readonly #intent: IntentExecution;
  readonly #durable: DurableRuns;
  readonly #dryRun: DryRun;
  readonly #pipeline: RunPipeline;
  readonly #shapes: ResultShapes;

  constructor(options: ExecutorOptions) {
    this.#options = options;
    this.#recorder = new RunRecorder(options.registry, options.log, options.usage);
    const standing = new StandingApprovals(options.approvals.workflows);
    const runner = new Runner({ ...options, isApproved: (tool, scope) => standing.has(tool, scope) });
    this.tools = runner;
    this.load = () => runner.load();
    const loader = new CapabilityLoader(options.registry, options.signer, runner, options.log);
    this.#shapes = new ResultShapes({
      store: options.resultShapes,
      registry: options.registry,
      tools: runner,
      log: options.log,
    });
    const parts = { ...options, runner, loader, recorder: this.#recorder };
    this.#code = new CodeExecution(parts);
    this.#tool = new ToolExecution(options.registry, runner, loader, this.#code);
    this.#capability = new CapabilityExecution(parts);
    this.#intent = new IntentExecution(options, {
      registry: options.registry,
      runner,
      loader,
      approvalOf: options.approvalOf,
      prepare: async (found, request, caller, start) =>
        this.#guarded(await this.#capability.prepare(found, request, caller, start), caller),
      run: (prepared, caller, start) => this.#run(prepared, caller, start),
    });
    const { suggester, thresholds } = options;
    this.related =
      suggester === undefined || thresholds === undefined
        ? undefined
        : new Related({
            suggester,
            thresholds,
            directory: options.registry.directory,
            tools: () => runner.tools(),
            approvalOf: options.approvalOf,
            wireNameOf: options.wireNameOf,
            stats: options.suggestionStats,
          });
    this.#dryRun = new DryRun({ ...parts, code: this.#code });
    this.#dag = new DagExecution(this.#code, this.#dryRun);
    const { cache, results, log, approvalOf } = options;
    this.desk = new Approvals({ ...options.approvals, standing, events: options.events });
    this.#durable = new DurableRuns({
      ...options.approvals,
      standing,
      runner,
      approvalOf,
      ownFiles: options.ownFiles,
      prepare: (request, caller, start) => this.prepare(request, caller, start),
      onDiverged: (trace) => this.#recorder.trace(trace),
      cache,
      results,
      log,
    });
    this.#pipeline = new RunPipeline({
      runner,
      durable: this.#durable,
      cache,
      results,
    });
    this.saver = new CapabilitySaver({ ...parts, code: this.#code, shapes: this.#shapes });
  }

  /** Every failure is an answer of status `error`. */
  execute(request: ExecuteRequest, caller: RunCaller): Promise<ExecuteAnswer | DryRunAnswer> {
    return this.#tell(
      answered(modeOf(request), async (start) => {
        await this.#options.registry.loaded();
        if (request.options?.dry_run === true) return this.#look(request, caller, start);
        if (request.resume !== undefined) return this.#durable.resume(request.resume, caller, start);
        if (start.mode === "speculation") return this.#intent.speculate(request, caller, start);
        if (start.mode === "suggestion") return this.#intent.suggest(request, caller, start);
        return this.#run(await this.prepare(request, caller, start), caller, start);
      }).then((answer) => this.#withRelated(answer, caller)),
    );
  }

  /** A capability that is called like any tool. */
  callCapability(
    found: FoundCapability,
    args: Readonly<Record<string, Json>>,
    caller: RunCaller,
  ): Promise<ExecuteAnswer> {
    const { intent } = found.capability;
    return this.#tell(
      answered("call_by_name", async (start) =>
        this.#run(
          this.#guarded(await this.#capability.prepare(found, { intent, args }, caller, start), caller),
          caller,
          start,
        ),
      ),
    );
  }

  /** A tool that a client calls itself and that a person must approve: `call` calls it, where that is so. */
  callTool<T>(
    tool: ToolId,
    args: Readonly<Record<string, Json>>,
    caller: RunCaller,
    call: () => Promise<DirectResult<T>>,
  ): Promise<DirectCall<T>> {
    const request: ExecuteRequest = { intent: `Call ${tool}`, tool, args };
    const start: RunStart = {
      workflowId: crypto.randomUUID(),
      mode: "direct",
      startedAt: performance.now(),
    };
    return this.prepare(request, caller, start).then((prepared) =>
      this.#durable.direct(prepared, caller, start, call),
    );
  }

  /** What is to be run, with everything refused that can be: code, a graph, or a capability. */
  async prepare(request: ExecuteRequest, caller: RunCaller, start: RunStart): Promise<PreparedRun> {
    return this.#guarded(await this.#prepare(request, caller, start), caller);
  }

  async #prepare(request: ExecuteRequest, caller: RunCaller, start: RunStart): Promise<PreparedRun> {
    const { code, dag, tool, capability = "" } = request;
    if (code !== undefined) return this.#code.prepare(request, code, caller);
    if (dag !== undefined) return this.#dag.prepare(request, dag, caller);
    if (tool !== undefined) return this.#tool.prepare(request, tool, caller);
    const found = await this.#options.registry.find(capability, caller.scope);
    return this.#capability.prepare(found, request, caller, start);
  }

  /** Resolves when the runs that have ended are written, or could not be. */
  written(): Promise<void> {
    return this.#recorder.flush();
  }

  /** Writes what has not been written yet. */
  async stop(): Promise<void> {
    await this.#durable.stop();
    await this.#recorder.stop();
    await this.#shapes.written();
  }

  /** A person is asked about calls that name one of PML's own files, and results are looked at. */
  #guarded(prepared: PreparedRun, { scope }: Pick<RunCaller, "scope">): PreparedRun {
    return this.#shapes.watching(withOwnFiles(prepared, this.#options.ownFiles), scope);
  }

  #run(prepared: PreparedRun, caller: RunCaller, start: RunStart): Promise<ExecuteAnswer> {
    this.#intent.used(prepared, caller);
    return this.#pipeline.run(prepared, caller, start);
  }

  /** Beside what has succeeded, what may be wanted next. */
  async #withRelated<T extends ExecuteAnswer | DryRunAnswer>(answer: T, caller: RunCaller): Promise<T> {
    if (answer.status !== "success" || this.related === undefined) return answer;
    const used = usedIn(answer, this.tools.tools(), this.#options.registry.directory, caller.scope);
    const related = await this.related.to(used, caller, answer.capabilityFqdn);
    return related.length === 0 ? answer : { ...answer, related };
  }

  async #tell<T extends ExecuteAnswer | DryRunAnswer>(answering: Promise<T>): Promise<T> {
    const answer = await answering;
    this.#options.events.emit("run.answered", answer);
    return answer;
  }

  async #look(request: ExecuteRequest, { scope }: RunCaller, start: RunStart): Promise<DryRunAnswer> {
    const { code, dag, capability } = request;
    if (code !== undefined) return this.#dryRun.ofCode(request, code, scope, start);
    if (dag !== undefined) return this.#dag.dryRun(request, dag, scope, start);
    if (capability === undefined)
      throw new PmlError("ARGUMENTS_INVALID", "Cannot run dry: give code, a dag or a capability");
    const found = await this.#options.registry.find(capability, scope);
    return this.#dryRun.ofCapability(found, request, scope, start);
  }
}

/** A run that is continued says itself which it was, where there is one. */
function modeOf({ code, dag, capability, resume, args }: ExecuteRequest): ExecuteMode {
  if (code !== undefined || dag !== undefined || resume !== undefined) return "direct";
  if (capability !== undefined) return "call_by_name";
  return args === undefined ? "suggestion" : "speculation";
}

async function answered<T>(
  mode: ExecuteMode,
  work: (start: RunStart) => Promise<T>,
): Promise<T | ExecuteAnswer> {
  const start: RunStart = { workflowId: crypto.randomUUID(), mode, startedAt: performance.now() };
  try {
    return await work(start);
  } catch (error) {
    if (!(error instanceof PmlError)) throw error;
    return answerRun(start, { error });
  }
}
