/**
 * The answer to a request to run something, however it ended.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import { errorShape, type PmlError } from "../../base/pml-error.js";
import type { Capability } from "../../registry/capability.js";
import { capabilityFields, type ExecuteAnswer, elapsedMs, type RunStart } from "../ports/execute-answer.js";
import type { CachedRun } from "../prepare/prepared-run.js";
import type { RunReport } from "./run-bridge.js";

export interface RunEnding {
  /** Left out where nothing ran. */
  readonly report?: RunReport;
  readonly error?: PmlError | undefined;
  /** What the code is, or has become. */
  readonly capability?: Capability;
  readonly version?: number;
  /** The run has given it its name, or a new version. */
  readonly isNewlyNamed?: boolean;
  readonly warnings?: readonly string[];
  /** Instead of a run. */
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
        callAgain: `pml_execute { intent, capability: "${capability.displayName}", args }`,
      }),
    workflowId: run.workflowId,
    executionTimeMs: elapsedMs(run),
    tasks: report?.tasks ?? [],
    ...(report && { executedPath: report.executedPath }),
    ...(report && report.logs.length > 0 && { logs: report.logs }),
    ...(warnings.length > 0 && { warnings }),
  };
}
