/**
 * Learn and recall: runs code that an agent sent, remembers what succeeded, and runs it again by name.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";
import type { Log } from "../base/log.js";
import { PmlError } from "../base/pml-error.js";
import type { FoundCapability } from "../registry/capability-registry.js";
import type { Matcher } from "../registry/matcher.js";
import { answerRun, type RunStart } from "./answer-run.js";
import { CapabilityExecution, type CapabilityExecutionOptions } from "./capability-execution.js";
import { CapabilityLoader, type CurrentTools } from "./capability-loader.js";
import { CapabilitySaver, type SavesCapabilities } from "./capability-saver.js";
import { CodeExecution, type CodeExecutionOptions } from "./code-execution.js";
import { DagExecution } from "./dag-execution.js";
import { DryRun } from "./dry-run.js";
import { DurableRuns } from "./durable-runs.js";
import type { DryRunAnswer, ExecuteAnswer, ExecuteMode, ExecuteRequest } from "./execute-answer.js";
import { IntentExecution } from "./intent-execution.js";
import type { PreparedRun, RunCache } from "./prepared-run.js";
import { RunPipeline } from "./run-pipeline.js";
import { RunRecorder } from "./run-recorder.js";
import { type RunCaller, Runner, type RunnerOptions } from "./runner.js";

export interface ExecutorOptions extends RunnerOptions, CodeExecutionOptions, CapabilityExecutionOptions {
  readonly log: Log;
  readonly cache?: RunCache | undefined;
  readonly matcher?: Matcher | undefined;
}

export class Executor {
  /** The tools that code would find now. */
  readonly tools: CurrentTools;
  /** Makes capabilities without a run. */
  readonly saver: SavesCapabilities;
  /** Runs that wait for a person. */
  readonly durable: DurableRuns;
  readonly #options: ExecutorOptions;
  readonly #recorder: RunRecorder;
  readonly #code: CodeExecution;
  readonly #dag: DagExecution;
  readonly #capability: CapabilityExecution;
  readonly #intent: IntentExecution;
  readonly #dryRun: DryRun;
  readonly #pipeline: RunPipeline;

  constructor(options: ExecutorOptions) {
    this.#options = options;
    this.#recorder = new RunRecorder(options.registry, options.log);
    const runner = new Runner(options);
    this.tools = runner;
    const loader = new CapabilityLoader(options.registry, options.signer, runner, options.log);
    this.#code = new CodeExecution(options, runner, loader, this.#recorder);
    this.#dag = new DagExecution(this.#code);
    this.#capability = new CapabilityExecution(options, runner, loader, this.#recorder);
    this.#intent = new IntentExecution(options.matcher);
    this.#dryRun = new DryRun(options, runner, loader, this.#code);
    this.durable = new DurableRuns();
    this.#pipeline = new RunPipeline({
      runner,
      durable: this.durable,
      cache: options.cache,
      results: options.results,
    });
    this.saver = new CapabilitySaver(options, runner, loader, this.#code);
  }

  /** Every failure is an answer of status `error`. */
  execute(request: ExecuteRequest, caller: RunCaller): Promise<ExecuteAnswer | DryRunAnswer> {
    return answered(modeOf(request), async (start) => {
      await this.#options.registry.loaded();
      if (request.options?.dry_run === true) return this.#look(request, caller, start);
      if (request.resume !== undefined) return this.durable.resume(request.resume, caller, start);
      if (start.mode === "speculation") return this.#intent.speculate(request, caller, start);
      if (start.mode === "suggestion") return this.#intent.suggest(request, caller, start);
      return this.#pipeline.run(await this.prepare(request, caller, start), caller, start);
    });
  }

  /** A capability that is called like any tool. */
  callCapability(
    found: FoundCapability,
    args: Readonly<Record<string, Json>>,
    caller: RunCaller,
  ): Promise<ExecuteAnswer> {
    const { intent } = found.capability;
    return answered("call_by_name", async (start) =>
      this.#pipeline.run(
        await this.#capability.prepare(found, { intent, args }, caller, start),
        caller,
        start,
      ),
    );
  }

  /** What is to be run, with everything refused that can be: code, a graph, or a capability. */
  async prepare(request: ExecuteRequest, caller: RunCaller, start: RunStart): Promise<PreparedRun> {
    const { code, dag, capability = "" } = request;
    if (code !== undefined) return this.#code.prepare(request, code, caller);
    if (dag !== undefined) return this.#dag.prepare(request, dag, caller);
    const found = await this.#options.registry.find(capability, caller.scope);
    return this.#capability.prepare(found, request, caller, start);
  }

  /** Writes what has not been written yet. */
  async stop(): Promise<void> {
    await this.durable.stop();
    await this.#recorder.stop();
  }

  async #look(request: ExecuteRequest, { scope }: RunCaller, start: RunStart): Promise<DryRunAnswer> {
    const { code, capability } = request;
    if (code !== undefined) return this.#dryRun.ofCode(request, code, scope, start);
    if (capability === undefined)
      throw new PmlError("ARGUMENTS_INVALID", "Cannot run dry: give code or a capability");
    const found = await this.#options.registry.find(capability, scope);
    return this.#dryRun.ofCapability(found, request, scope, start);
  }
}

function modeOf({ code, dag, capability, args }: ExecuteRequest): ExecuteMode {
  if (code !== undefined || dag !== undefined) return "direct";
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
