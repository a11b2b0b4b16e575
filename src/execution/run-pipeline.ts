/**
 * The way of every run, whatever it is a run of: from a cache, or after a person's approval, or at once.
 *
 * @module
 */

import type { ResultCache } from "./cache/run-cache.js";
import type { ExecuteAnswer } from "./ports/execute-answer.js";
import type { PreparedRun } from "./prepare/prepared-run.js";
import { answerRun, type RunStart } from "./run/answer-run.js";
import type { RunCaller, Runner } from "./run/runner.js";
import type { TaskResults } from "./run/task-results.js";
import type { DurableRuns } from "./wait/durable-runs.js";

export interface RunPipelineOptions {
  readonly runner: Runner;
  readonly durable: DurableRuns;
  readonly cache?: ResultCache | undefined;
  readonly results?: TaskResults | undefined;
}

export class RunPipeline {
  readonly #options: RunPipelineOptions;

  constructor(options: RunPipelineOptions) {
    this.#options = options;
  }

  async run(prepared: PreparedRun, caller: RunCaller, start: RunStart): Promise<ExecuteAnswer> {
    const { runner, durable, cache, results } = this.#options;
    const isFresh = prepared.request.options?.no_cache === true;
    if (isFresh) cache?.renew(prepared, caller);
    const cached = isFresh ? undefined : await cache?.find(prepared, caller);
    if (cached !== undefined) return answerRun(start, await prepared.served(cached));
    if (await durable.isNeeded(prepared, caller.scope)) return durable.start(prepared, caller, start);
    const ended = await runner.run(prepared, caller, start);
    await cache?.keep(prepared, ended, caller);
    const ending = await prepared.finish(ended);
    await results?.settled(start.workflowId);
    return answerRun(start, ending);
  }
}
