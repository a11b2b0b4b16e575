/**
 * What a tool's answer is in code: a value, or an error to throw.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import { isJsonObject } from "../../base/json-object.js";
import type { ToolId } from "../../registry/tool-id.js";
import type { SandboxCallAnswer } from "../ports/sandbox.js";
import type { ToolResult } from "../ports/tool-box.js";

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
