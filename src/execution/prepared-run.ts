/**
 * A run that is ready to start: everything that can be refused has been, and nothing has happened yet.
 *
 * Code that was sent, a capability, a graph of tasks: each prepares in its own way, and from there on all are the same
 * to caches, approvals and the sandbox.
 *
 * @module
 */
import { canonicalJson, type Json } from "../base/canonical-json.js";
import { sha256Hex } from "../base/sha256.js";
import type { Capability } from "../registry/capability.js";
import type { Scope } from "../registry/scope.js";
import type { RunEnding } from "./answer-run.js";
import type { CacheLevel, ExecuteRequest } from "./execute-answer.js";
import type { RunPlan } from "./plan-run.js";
import type { EndedRun, RunCaller } from "./runner.js";

export interface PreparedRun {
  readonly request: ExecuteRequest;
  readonly plan: RunPlan;
  /** With all defaults. */
  readonly args: Readonly<Record<string, Json>>;
  /** SHA-256 of the canonical code. */
  readonly codeHash: string;
  /** What is run again when this waited: the request, with a name that cannot come to mean something else. */
  readonly again: ExecuteRequest;
  /** The capability that is run, where it is one already. */
  readonly of?: { readonly capability: Capability; readonly version: number };
  /** Counts the run, learns from it, and says what there is to answer. */
  finish(ended: EndedRun): Promise<RunEnding>;
  /** An earlier run of the same has answered: counts that, and says what there is to answer. */
  served(cached: CachedRun): Promise<RunEnding>;
}

/** What an earlier run came to. */
export interface CachedRun {
  readonly level: CacheLevel;
  /** JSON of the result. */
  readonly text: string;
}

/** Where results of runs are kept for the next time. Decides itself which may be. */
export interface RunCache {
  find(run: PreparedRun, caller: Pick<RunCaller, "scope">): Promise<CachedRun | undefined>;
  /** The run is made whatever is kept; `keep` then replaces that, or drops it where there is nothing to replace it. */
  renew(run: PreparedRun, caller: Pick<RunCaller, "scope">): void;
  /** Told of every run that was not answered from the cache, also of those that failed. */
  keep(run: PreparedRun, ended: EndedRun, caller: Pick<RunCaller, "scope">): Promise<void>;
}

/** Where results of tasks are kept for `pml_get_task_result`. */
export interface TaskResultSink {
  /** The task of a run has ended; `text` is JSON, of the value or of `{ "error": … }`. */
  add(result: TaskOutcome): void;
  /** Resolves when everything of a run that its answer cuts short can be fetched, by whomever. */
  settled(workflowId: string): Promise<void>;
}

export interface TaskOutcome {
  readonly workflowId: string;
  readonly taskId: string;
  readonly scope: Scope;
  readonly text: string;
}

/**
 * What an approval is for, as one text: the code, its arguments, everything that it calls with its version, every tool
 * as its server describes it now, and how the run asks. Where any of that is another, so is the run.
 */
export function fingerprintOf({ codeHash, args, plan, again }: PreparedRun): Promise<string> {
  const { options, name, intent: _, ...what } = again;
  return sha256Hex(
    canonicalJson({
      codeHash,
      args,
      units: plan.units.map(({ ref, version, codeHash: hash }) => [ref, version, hash]),
      tools: plan.tools.map(({ id, hash }) => [id, hash]).sort(([a = ""], [b = ""]) => (a < b ? -1 : 1)),
      name,
      options,
      what,
    }),
  );
}
