/**
 * Answers to calls that failed.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import { messageOf, PmlError } from "../../base/pml-error.js";
import type { SandboxCallAnswer } from "../ports/sandbox.js";
import { GivenValues } from "./given-values.js";

/** An error as it is kept. */
function errorOf({ kind: _, content, ...error }: Extract<SandboxCallAnswer, { kind: "error" }>): Json {
  return { ...error, ...(content === undefined ? {} : { content: JSON.parse(content) as Json }) };
}

/** What code is answered where a call failed before it reached its tool, or there. */
export function refusal(error: unknown, tool: string): Extract<SandboxCallAnswer, { kind: "error" }> {
  const code = error instanceof PmlError ? error.code : "TOOL_FAILED";
  const hint = error instanceof PmlError && error.hint !== undefined ? ` ${error.hint}` : "";
  return { kind: "error", code, message: `${messageOf(error)}${hint}`, tool };
}

/** What is kept of a failure, as JSON: it quotes nothing of what the run and the call were given. */
export function keptFailure(
  answer: Extract<SandboxCallAnswer, { kind: "error" }>,
  ...args: readonly Json[]
): string {
  const given = new GivenValues();
  for (const one of args) given.note(one);
  return JSON.stringify({ error: given.everywhere(errorOf(answer)) });
}
