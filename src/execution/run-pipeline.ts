import type { ResultCache } from "./cache/run-cache.js";
import type { Learning } from "./learn/learning.js";
import type { ExecuteAnswer, RunStart } from "./ports/execute-answer.js";
import type { PreparedRun } from "./prepare/prepared-run.js";
import { answerRun, type RunEnding } from "./run/answer-run.js";
import type { RunKeeper } from "./run/run-keeper.js";
import type { EndedRun, RunCaller, Runner } from "./run/runner.js";
import type { TaskResults } from "./run/task-results.js";

export interface RunPipelineOptions {
  readonly runner: Runner;
  readonly learning: Learning;
  readonly cache?: ResultCache | undefined;
  readonly results?: TaskResults | undefined;
}

/** The way of every run that is not answered from a cache, whatever it is of and whoever keeps it. */
export class RunPipeline {
  readonly #options: RunPipelineOptions;

  constructor(options: RunPipelineOptions) {
    this.#options = options;
  }

  async run(
    prepared: PreparedRun,
    caller: RunCaller,
    start: RunStart,
    keeper: RunKeeper,
  ): Promise<ExecuteAnswer> {
    const { runner, results } = this.#options;
    const ended = await runner.run(prepared, caller, start, keeper);
    const waiting = await keeper.stopped(ended);
    const ending = waiting === undefined ? await this.#learn(prepared, ended, caller, keeper) : ended;
    await results?.settled(start.workflowId);
    if (waiting !== undefined) return waiting;
    const answer = answerRun(start, ending);
    await keeper.end(answer);
    return answer;
  }

  async #learn(
    prepared: PreparedRun,
    ended: EndedRun,
    caller: RunCaller,
    keeper: RunKeeper,
  ): Promise<RunEnding> {
    const { cache, learning } = this.#options;
    const error = keeper.diverged(ended);
    if (error !== undefined) {
      learning.diverged(ended, error);
      return { ...ended, error };
    }
    await cache?.keep(prepared, ended, caller);
    return learning.ended(prepared, ended, caller.scope);
  }
}
