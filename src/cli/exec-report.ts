/**
 * What `pml exec` prints of an answer: the result on stdout, everything about it on stderr.
 *
 * @module
 */

import { errorOf, type OwnAnswer } from "../app/own-tool-call.js";
import { PmlError } from "../base/pml-error.js";
import { visibleLines } from "./output.js";

export interface ExecReport {
  /** Absent where there is no result. */
  readonly result?: string;
  readonly notes: readonly string[];
  readonly error?: PmlError;
  readonly code: number;
}

const EXIT_FAILED = 1;
const EXIT_APPROVAL = 3;

/** `readable`: a text is shown as it is, and not as JSON. */
export function execReport(answer: OwnAnswer, readable: boolean): ExecReport {
  const notes = [...texts(answer.logs), ...texts(answer.warnings).map((text) => `Warning: ${text}`)];
  if (answer.status === "approval_required") return approvalReport(answer, notes);
  const error = errorOf(answer);
  if (error !== undefined || answer.status === "error")
    return {
      notes,
      error: error ?? new PmlError("RUN_FAILED", "The run failed, and did not say why"),
      code: isApproval(error) ? EXIT_APPROVAL : EXIT_FAILED,
    };
  const shown = answer.status === "success" ? answer.result : answer;
  return { result: written(shown, readable), notes: [...notes, ...again(answer)], code: 0 };
}

function approvalReport({ workflowId, approval }: OwnAnswer, notes: readonly string[]): ExecReport {
  const error = new PmlError(
    "APPROVAL_REQUIRED",
    `The run ${String(workflowId)} waits for a person's approval`,
  );
  return {
    notes: approval === undefined ? notes : [...notes, written(approval, true)],
    error,
    code: EXIT_APPROVAL,
  };
}

function isApproval(error: PmlError | undefined): boolean {
  return error?.code === "APPROVAL_REQUIRED";
}

/** How the same is had again. */
function again({ mode, capabilityName: name, capabilityVersion: version }: OwnAnswer): readonly string[] {
  if (typeof name !== "string" || mode !== "direct") return [];
  const which = typeof version === "number" && version > 1 ? `${name}, version ${version}` : name;
  const isUnnamed = /^unnamed_[0-9a-f]+$/.test(name);
  return [
    `Remembered as ${which}`,
    `  again:  pml exec --capability ${name}`,
    ...(isUnnamed ? [`  name:   pml cap rename ${name} NAMESPACE:ACTION`] : []),
  ];
}

function written(value: unknown, readable: boolean): string {
  if (typeof value === "string" && readable) return visibleLines(value);
  return JSON.stringify(value ?? null, undefined, 2);
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map((item) => visibleLines(String(item))) : [];
}
