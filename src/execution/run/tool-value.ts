/**
 * A tool's answer in code: a value, or an error to throw; and the stored part of an error.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import { isJsonObject } from "../../base/json-object.js";
import { messageOf, PmlError } from "../../base/pml-error.js";
import type { ToolId } from "../../registry/tool-id.js";
import type { SandboxCallAnswer } from "../ports/sandbox.js";
import type { ToolResult } from "../ports/tool-box.js";
import { GivenValues } from "./given-values.js";

/** `structuredContent`; without it, its single text, parsed if it is an object or a list; else the blocks. */
export function toolValue({ structuredContent, content }: ToolResult): Json {
  if (structuredContent !== undefined) return structuredContent;
  const [only, ...others] = content;
  const text = others.length === 0 ? blockText(only) : undefined;
  if (text === undefined) return content;
  return parsedContainer(text) ?? text;
}

/** The answer for the code that has called `tool`. */
export function callAnswerOf(result: ToolResult, tool: ToolId): SandboxCallAnswer {
  if (!result.isError) return { kind: "value", text: JSON.stringify(toolValue(result)) };
  return {
    kind: "error",
    code: "TOOL_FAILED",
    message: toolErrorMessage(result),
    tool,
    content: JSON.stringify(result.content),
  };
}

/** The error text of a failed tool. */
export function toolErrorMessage({ content, structuredContent }: ToolResult): string {
  const texts = content.flatMap((block) => blockText(block) ?? []);
  if (texts.length > 0) return texts.join("\n");
  return structuredContent === undefined ? "it gave no reason" : JSON.stringify(structuredContent);
}

function blockText(block: Json | undefined): string | undefined {
  if (!isJsonObject(block) || block.type !== "text" || typeof block.text !== "string") return undefined;
  return block.text;
}

function parsedContainer(text: string): Json | undefined {
  // A number or a quoted word is more useful as plain text.
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** The stored form of an error. */
function errorOf({ kind: _, content, ...error }: Extract<SandboxCallAnswer, { kind: "error" }>): Json {
  return { ...error, ...(content === undefined ? {} : { content: JSON.parse(content) as Json }) };
}

/** The answer for code whose call failed, before its tool or in it. */
export function refusal(error: unknown, tool: string): Extract<SandboxCallAnswer, { kind: "error" }> {
  const code = error instanceof PmlError ? error.code : "TOOL_FAILED";
  const hint = error instanceof PmlError && error.hint !== undefined ? ` ${error.hint}` : "";
  return { kind: "error", code, message: `${messageOf(error)}${hint}`, tool };
}

/** The stored form of a failure, as JSON, without any values that the run and the call were given. */
export function keptFailure(
  answer: Extract<SandboxCallAnswer, { kind: "error" }>,
  ...args: readonly Json[]
): string {
  const given = new GivenValues();
  for (const one of args) given.note(one);
  return JSON.stringify({ error: given.everywhere(errorOf(answer)) });
}
