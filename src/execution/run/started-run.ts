/**
 * A run between its start and its end, in the form for watchers, and its structure in the form for people.
 *
 * @module
 */
import type { Analysis } from "../../analysis/analysis.js";
import type { StaticStructure } from "../../analysis/static-structure.js";
import type { Capability } from "../../registry/capability.js";
import type { Scope } from "../../registry/scope.js";
import type { ExecuteMode, RunStart } from "../ports/execute-answer.js";
import type { PreparedRun } from "../prepare/prepared-run.js";
import type { RunCaller } from "./runner.js";

/** A structure in the form for people. */
export interface DrawnStructure extends StaticStructure {
  /** For nodes that call: the line of the call in the code. */
  readonly lines: Readonly<Record<string, number>>;
}

/** A run that no cache has answered, while it runs. */
export interface StartedRun {
  readonly workflowId: string;
  readonly mode: ExecuteMode;
  readonly intent: string;
  readonly scope: Scope;
  readonly startedAt: Date;
  /** Present if the code already is a capability. */
  readonly capability?: Capability;
  readonly version?: number;
  readonly structure: () => DrawnStructure;
  /** The code as sent. */
  readonly code?: string;
}

export function drawn({ structure, calls }: Pick<Analysis, "structure" | "calls">): DrawnStructure {
  return { ...structure, lines: Object.fromEntries(calls.map(({ node, line }) => [node, line])) };
}

export function startedRun(
  { request, plan, of }: PreparedRun,
  { scope }: RunCaller,
  start: RunStart,
): StartedRun {
  const { code } = request;
  return {
    workflowId: start.workflowId,
    mode: start.mode,
    intent: request.intent,
    scope,
    startedAt: new Date(),
    ...of,
    structure: () => drawn(plan.main.analysis),
    ...(code === undefined ? {} : { code }),
  };
}
