import { PmlError, type PmlErrorCode } from "../../base/pml-error.js";
import type { SandboxFailure, SandboxThrew } from "../ports/sandbox.js";
import type { SourceOf } from "../prepare/plan-run.js";

const LINE_CHARS = 200;

export function failureError(outcome: SandboxFailure, sourceOf: SourceOf): PmlError {
  switch (outcome.kind) {
    case "threw":
      return thrownError(outcome, sourceOf);
    case "limit":
      return new PmlError("LIMIT_EXCEEDED", outcome.message, { data: { limit: outcome.limit } });
    case "lost":
      return new PmlError("SANDBOX_FAILED", outcome.message, {
        hint: "Run it again; `pml doctor` shows the state of the sandbox.",
      });
    case "cancelled":
      return new PmlError("RUN_CANCELLED", "The run was cancelled");
  }
}

function thrownError(outcome: SandboxThrew, sourceOf: SourceOf): PmlError {
  const { name, message, tool } = outcome;
  const place = placeOf(outcome, sourceOf);
  const where = place === undefined ? "" : ` (${place.text})`;
  if (tool !== undefined) {
    return new PmlError(codeOf(tool.code), `${tool.tool ?? "a tool"}: ${message}${where}`, {
      data: {
        ...place?.data,
        ...(tool.tool !== undefined && { tool: tool.tool }),
        ...(tool.content !== undefined && { content: parsed(tool.content) }),
      },
    });
  }
  const said = message === "" ? `${name} without a message` : message;
  return new PmlError("RUN_FAILED", `${said}${where}`, { data: { name, ...place?.data } });
}

/** The innermost position in the main code, which the agent can change; else the innermost position that it may see. */
function placeOf({ positions }: SandboxThrew, sourceOf: SourceOf) {
  const position =
    positions.find(({ unit }) => unit === undefined) ??
    positions.find(({ unit }) => sourceOf(unit) !== undefined);
  const source = position && sourceOf(position.unit);
  if (position === undefined || source === undefined) return undefined;
  const { line, column } = source.originalPosition(position);
  const text = (source.code.split(/\r\n|[\n\r\u2028\u2029]/)[line - 1] ?? "").trim().slice(0, LINE_CHARS);
  const inside = source.name === undefined ? "" : ` of ${source.name}`;
  return {
    text: `line ${line}${inside}: ${text}`,
    data: { line, column, source: text, ...(source.name !== undefined && { capability: source.name }) },
  };
}

/**
 * The error codes that the bridge may pass to code. Codes that say how the run ended are not among them, because a
 * compromised guest could claim any of them.
 */
const CODES: ReadonlySet<string> = new Set<PmlErrorCode>([
  "TOOL_FAILED",
  "TOOL_NOT_FOUND",
  "CAPABILITY_NOT_FOUND",
  "ARGUMENTS_INVALID",
  "APPROVAL_REQUIRED",
  "TOOL_DENIED",
  "SERVER_UNAVAILABLE",
  "LIMIT_EXCEEDED",
  // Codes of PML's own operations.
  "NOT_ALLOWED",
  "NAME_INVALID",
  "NAME_TAKEN",
  "TAG_TAKEN",
  "CAPABILITY_DELETED",
  "CAPABILITY_EXISTS",
  "CAPABILITY_CHANGED",
  "VERSION_NOT_FOUND",
  "MERGE_UNCLEAR",
  "CODE_SYNTAX",
  "CODE_REFUSED",
  "DAG_INVALID",
  "RUN_NOT_FOUND",
  "TASK_NOT_FOUND",
  "RESULT_EXPIRED",
]);

function codeOf(said: string): PmlErrorCode {
  return CODES.has(said) ? (said as PmlErrorCode) : "TOOL_FAILED";
}

function parsed(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return content;
  }
}
