/**
 * Finds the line of code of each node of a structure. The structure has calls and decisions in the order of evaluation,
 * which is nearly always the order of the text.
 *
 * @module
 */
import type { StructureNode } from "./dag-model.js";

/** Lines count from 1; a node whose text is not found has no line. */
export function linesOf(code: string, nodes: readonly StructureNode[]): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  const groups = new Map<string, StructureNode[]>();
  for (const node of nodes) {
    const text = textOf(node);
    if (text === undefined) continue;
    const group = groups.get(text);
    if (group === undefined) groups.set(text, [node]);
    else group.push(node);
  }
  for (const [text, group] of groups) {
    const found = occurrences(code, text);
    group.forEach((node, at) => {
      const place = found[Math.min(at, found.length - 1)];
      if (place !== undefined) lines.set(node.id, place);
    });
  }
  return lines;
}

/** The code of a node, as a regular expression. */
function textOf(node: StructureNode): string | undefined {
  switch (node.type) {
    case "task":
      return memberText(node.tool);
    case "capability":
      return memberText(node.name);
    case "decision":
      return node.kind === "try" ? String.raw`\btry\b` : spaced(node.condition);
    case "loop":
      return node.over === undefined
        ? undefined
        : node.kind.startsWith("for") || node.kind === "while"
          ? String.raw`\b(?:for|while)\b[^\n]*${spaced(node.over)}`
          : `${spaced(node.over)}\\s*\\??\\.\\s*${escaped(node.kind)}\\b`;
    default:
      return undefined;
  }
}

function memberText(id: string): string {
  const name = escaped(id.slice(id.lastIndexOf(":") + 1)).replaceAll("-", "[-_]");
  return String.raw`(?:\.\s*${name}|\[["']${name}["']\])\s*\(`;
}

function spaced(text: string): string {
  return text.trim().split(/\s+/).map(escaped).join(String.raw`\s+`);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
}

function occurrences(code: string, text: string): readonly number[] {
  const found: number[] = [];
  for (const { index, 0: all } of code.matchAll(new RegExp(text, "g"))) {
    const start = index + (all.length - all.trimStart().length);
    found.push(code.slice(0, start).split("\n").length);
  }
  return found;
}
