/**
 * A run that is ready to start: all possible refusals have been checked, and nothing has happened yet. Caches,
 * approvals and the sandbox treat all runs alike, whether of code, a capability, a graph of tasks or a tool.
 *
 * @module
 */
import { canonicalJson, type Json } from "../../base/canonical-json.js";
import { sha256Hex } from "../../base/sha256.js";
import type { Capability } from "../../registry/capability.js";
import type { Definition } from "../../registry/definition.js";
import type { DisplayName } from "../../registry/display-name.js";
import type { CacheLevel, ExecuteRequest } from "../ports/execute-answer.js";
import type { CheckedDag } from "./check-dag.js";
import type { RunPlan } from "./plan-run.js";

export interface PreparedRun {
  readonly request: ExecuteRequest;
  readonly plan: RunPlan;
  /** Including all defaults. */
  readonly args: Readonly<Record<string, Json>>;
  /** SHA-256 of the canonical code. */
  readonly codeHash: string;
  /** The request to prepare again when this run has waited. It names a capability by its FQDN and version. */
  readonly again: ExecuteRequest;
  /** The capability that runs, if the code already is one. */
  readonly of?: { readonly capability: Capability; readonly version: number };
  /** For sent code: how it will be saved. Absent for a called capability, and for a tool. */
  readonly sent?: { readonly name: DisplayName | undefined; readonly definition: Definition | undefined };
  readonly dag?: CheckedDag;
  /** Part of the answer, however the run ends. */
  readonly warnings: readonly string[];
}

/** The result of an earlier run. */
export interface CachedRun {
  readonly level: CacheLevel;
  /** JSON of the result. */
  readonly text: string;
}

/**
 * Identifies what a person approves: the code, its arguments, every callee with its version, the current description of
 * every tool, and how the run asks. If one of these changes, it counts as another run.
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
