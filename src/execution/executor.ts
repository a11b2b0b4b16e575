/**
 * Learn and recall: runs code that an agent sent, remembers what succeeded, and runs it again by name.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";
import type { Log } from "../base/log.js";
import { PmlError } from "../base/pml-error.js";
import type { FoundCapability } from "../registry/capability-registry.js";
import { answerRun, type RunStart } from "./answer-run.js";
import { CapabilityExecution, type CapabilityExecutionOptions } from "./capability-execution.js";
import { CapabilityLoader, type CurrentTools } from "./capability-loader.js";
import { CapabilitySaver, type SavesCapabilities } from "./capability-saver.js";
import { CodeExecution, type CodeExecutionOptions } from "./code-execution.js";
import { DryRun } from "./dry-run.js";
import type { DryRunAnswer, ExecuteAnswer, ExecuteRequest } from "./execute-answer.js";
import { RunRecorder } from "./run-recorder.js";
import { type RunCaller, Runner, type RunnerOptions } from "./runner.js";

export interface ExecutorOptions extends RunnerOptions, CodeExecutionOptions, CapabilityExecutionOptions {
  readonly log: Log;
}

export class Executor {
  /** The tools that code would find now. */
  readonly tools: CurrentTools;
  /** Makes capabilities without a run. */
  readonly saver: SavesCapabilities;
  readonly #options: ExecutorOptions;
  readonly #recorder: RunRecorder;
  readonly #code: CodeExecution;
  readonly #capability: CapabilityExecution;
  readonly #dryRun: DryRun;

  constructor(options: ExecutorOptions) {
    this.#options = options;
    this.#recorder = new RunRecorder(options.registry, options.log);
    const runner = new Runner(options);
    this.tools = runner;
    const loader = new CapabilityLoader(options.registry, options.signer, runner, options.log);
    this.#code = new CodeExecution(options, runner, loader, this.#recorder);
    this.#capability = new CapabilityExecution(options, runner, loader, this.#recorder);
    this.#dryRun = new DryRun(options, runner, loader, this.#code);
    this.saver = new CapabilitySaver(options, runner, loader, this.#code);
  }

  /** Every failure is an answer of status `error`. */
  execute(request: ExecuteRequest, caller: RunCaller): Promise<ExecuteAnswer | DryRunAnswer> {
    const { code, capability, options } = request;
    const isDry = options?.dry_run === true;
    return answered(code === undefined ? "call_by_name" : "direct", async (start) => {
      const { registry } = this.#options;
      if (code !== undefined) {
        await registry.loaded();
        return isDry
          ? this.#dryRun.ofCode(request, code, caller.scope, start)
          : this.#code.run(request, code, caller, start);
      }
      const found = await registry.find(capability ?? "", caller.scope);
      return isDry
        ? this.#dryRun.ofCapability(found, request, caller.scope, start)
        : this.#capability.run(found, request, caller, start);
    });
  }

  /** A capability that is called like any tool. */
  callCapability(
    found: FoundCapability,
    args: Readonly<Record<string, Json>>,
    caller: RunCaller,
  ): Promise<ExecuteAnswer> {
    const { intent } = found.capability;
    return answered("call_by_name", (start) => this.#capability.run(found, { intent, args }, caller, start));
  }

  /** Writes what has not been written yet. */
  stop(): Promise<void> {
    return this.#recorder.stop();
  }
}

async function answered<T>(
  mode: ExecuteAnswer["mode"],
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
