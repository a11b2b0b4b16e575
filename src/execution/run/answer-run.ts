/**
 * The answer to a request to run something, however it ended.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import { errorShape, type PmlError } from "../../base/pml-error.js";
import type { Capability } from "../../registry/capability.js";
import type { ExecuteAnswer } from "../ports/execute-answer.js";
import type { CachedRun } from "../prepare/prepared-run.js";
import type { RunReport } from "./run-program.js";
import { rounded } from "./task-log.js";

/** A request that is being answered. */
export interface RunStart {
  readonly workflowId: string;
  readonly mode: ExecuteAnswer["mode"];
  /** By the monotonic clock. */
  readonly startedAt: number;
}

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
  { report, error, capability, version, isNewlyNamed, warnings = [], cached }: RunEnding,
): ExecuteAnswer {
  const outcome = report?.outcome;
  const allWarnings = [...warnings, ...(outcome?.warnings ?? [])];
  return {
    status: error === undefined ? "success" : "error",
    mode: run.mode,
    ...(error === undefined && outcome?.kind === "returned"
      ? { result: JSON.parse(outcome.text) as Json }
      : {}),
    ...(cached === undefined ? {} : { result: JSON.parse(cached.text) as Json, cacheHit: cached.level }),
    ...(error === undefined ? {} : { error: errorShape(error) }),
    ...(capability === undefined
      ? {}
      : {
          capabilityId: capability.id,
          capabilityName: capability.displayName,
          capabilityFqdn: capability.fqdn,
        }),
    ...(version === undefined ? {} : { capabilityVersion: version }),
    ...(isNewlyNamed === true && capability !== undefined
      ? { callAgain: { capability: capability.displayName } }
      : {}),
    workflowId: run.workflowId,
    executionTimeMs: rounded(performance.now() - run.startedAt),
    tasks: report?.tasks ?? [],
    ...(report === undefined ? {} : { executedPath: report.executedPath }),
    ...(report === undefined || report.logs.length === 0 ? {} : { logs: report.logs }),
    ...(allWarnings.length === 0 ? {} : { warnings: allWarnings }),
  };
}
