/** The lines of code that call one of these tools. */
import type { LineMark } from "./code.js";

export function sensitiveLines(code: string, tools: readonly string[]): readonly LineMark[] {
  return code.split("\n").flatMap((text, at) => {
    const tool = tools.find((id) => callsTool(text, id));
    return tool === undefined ? [] : [{ line: at + 1, kind: "sensitive" as const, why: `calls ${tool}` }];
  });
}

function callsTool(line: string, id: string): boolean {
  const name = id.slice(id.lastIndexOf(":") + 1);
  const safe = name.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`).replaceAll("-", "[-_]");
  return new RegExp(String.raw`(?:\.\s*|\[["'])${safe}\b`).test(line);
}
