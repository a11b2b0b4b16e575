/**
 * What a tool's answer is in code: a value, or an error to throw.
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

/** `structuredContent`; without one its single text, parsed when it is an object or a list; else the blocks. */
export function toolValue({ structuredContent, content }: ToolResult): Json {
  if (structuredContent !== undefined) return structuredContent;
  const [only, ...others] = content;
  const text = others.length === 0 ? blockText(only) : undefined;
  if (text === undefined) return content;
  return parsedContainer(text) ?? text;
}

/** What the code that has called `tool` is told. */
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

/** The words of a tool that failed. */
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
  // A number or a word in quotes is more useful as the text that it is.
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

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
