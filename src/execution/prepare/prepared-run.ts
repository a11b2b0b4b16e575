/**
 * A run that is ready to start: everything that can be refused has been, and nothing has happened yet.
 *
 * Code that was sent, a capability, a graph of tasks: each prepares in its own way, and from there on all are the same
 * to caches, approvals and the sandbox.
 *
 * @module
 */
import { canonicalJson, type Json } from "../../base/canonical-json.js";
import { sha256Hex } from "../../base/sha256.js";
import type { Capability } from "../../registry/capability.js";
import type { RunRecorder } from "../learn/run-recorder.js";
import type { CacheLevel, ExecuteRequest } from "../ports/execute-answer.js";
import type { RunEnding } from "../run/answer-run.js";
import type { EndedRun, Runner } from "../run/runner.js";
import type { CapabilityLoader } from "./capability-loader.js";
import type { RunPlan } from "./plan-run.js";

/** What every way to prepare a run needs. */
export interface ExecutionParts {
  readonly runner: Runner;
  readonly loader: CapabilityLoader;
  readonly recorder: RunRecorder;
}

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
