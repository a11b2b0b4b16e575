/**
 * A static structure as a Mermaid flowchart: tasks are boxes, capabilities subroutines, decisions diamonds, loops
 * hexagons with their bodies as subgraphs, forks and joins bars, and data a dotted arrow.
 *
 * Code can contain anything, so none of its text is inserted unescaped: see {@link quoted}.
 *
 * @module
 */

import { nameAt } from "../../registry/capability-ref.js";
import type { StaticStructure, StructureEdge, StructureNode } from "../static-structure.js";
import { oneLine } from "./argument-text.js";
import { decisionText, loopText } from "./outline.js";

const LABEL_CHARS = 80;

const CLASSES = [
  "  classDef bar fill:#555,stroke:#555,color:#fff",
  "  classDef predicted stroke:#2a7,stroke-width:3px",
];

/** `predicted` are the nodes of a path to highlight. */
export function mermaid({ nodes, edges }: StaticStructure, predicted: readonly string[] = []): string {
  const onPath = new Set(predicted);
  const marked = nodes.filter(({ id }) => onPath.has(id)).map(({ id }) => idOf(id));
  const bars = nodes.filter(({ type }) => type === "fork" || type === "join").map(({ id }) => idOf(id));
  return [
    "flowchart TD",
    ...nodeLines(nodes),
    ...edges.flatMap(edgeLine),
    ...CLASSES.filter((_, at) => (at === 0 ? bars : marked).length > 0),
    ...(bars.length === 0 ? [] : [`  class ${bars.join(",")} bar`]),
    ...(marked.length === 0 ? [] : [`  class ${marked.join(",")} predicted`]),
  ].join("\n");
}

/** Nodes of a loop are in a separate subgraph, beside the hexagon that leads into it. */
function nodeLines(nodes: readonly StructureNode[]): readonly string[] {
  const loopOf = new Map<string, string | undefined>();
  const isLoop = new Set<string>();
  const bodies = new Map<string | undefined, StructureNode[]>();
  for (const node of nodes) {
    const { id, type, within } = node;
    const loop = within === undefined || isLoop.has(within) ? within : loopOf.get(within);
    loopOf.set(id, loop);
    if (type === "loop") isLoop.add(id);
    const body = bodies.get(loop);
    if (body === undefined) bodies.set(loop, [node]);
    else body.push(node);
  }
  const lines: string[] = [];
  const stack: (StructureNode | "end")[] = [...(bodies.get(undefined) ?? [])].reverse();
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (next === "end") {
      lines.push("  end");
      continue;
    }
    lines.push(`  ${idOf(next.id)}${shape(next)}`);
    const body = next.type === "loop" ? bodies.get(next.id) : undefined;
    if (body === undefined) continue;
    lines.push(`  subgraph ${idOf(next.id)}_body[${quoted(`each iteration of ${next.id}`)}]`);
    stack.push("end", ...body.reverse());
  }
  return lines;
}

function shape(node: StructureNode): string {
  switch (node.type) {
    case "task":
      return `[${quoted(`${node.id} · ${node.tool}${node.unknown === true ? " (unknown)" : ""}`)}]`;
    case "capability":
      return `[[${quoted(`${node.id} · ${nameAt(node.name, node.version)}`)}]]`;
    case "decision":
      return `{${quoted(`${node.id} · ${decisionText(node)}`)}}`;
    case "loop":
      return `{{${quoted(`${node.id} · ${loopText(node)}`)}}}`;
    case "fork":
      return `[${quoted(`${node.id} · Promise.${node.kind}`)}]`;
    case "join":
      return `[${quoted(`${node.id} · join`)}]`;
  }
}

function edgeLine(edge: StructureEdge): readonly string[] {
  const [from, to] = [idOf(edge.from), idOf(edge.to)];
  switch (edge.type) {
    case "sequence":
      return [`  ${from} --> ${to}`];
    case "conditional":
      return [`  ${from} -->|${quoted(edge.outcome)}| ${to}`];
    case "contains":
      return [`  ${from} ==> ${to}`];
    case "provides": {
      const fields = edge.fieldMapping.map(({ fromField, toField }) => `${fromField} → ${toField}`);
      return [`  ${from} -.->|${quoted(fields.join(", ") || edge.coverage)}| ${to}`];
    }
  }
}

/** PML's own ids have these characters only; any other character could break the diagram. */
function idOf(id: string): string {
  return id.replace(/\W/g, "_");
}

/**
 * Text that Mermaid only displays: in quotes, on one line, and with every special character (quotes, entities, markup,
 * comments, formulas) as an entity. The colon is escaped where Mermaid searches all of its input for styles or icons.
 */
function quoted(text: string): string {
  const flat = oneLine(text.replace(/[\p{Cc}\p{Cs}]|(?!\u200d)\p{Cf}/gu, " "), LABEL_CHARS);
  const special = /style|classDef|\bfa[a-z]?:/i.test(flat) ? /["#;<>&`%$\\:]/g : /["#;<>&`%$\\]/g;
  const escaped = flat.replace(special, (sign) => `#${sign.charCodeAt(0)};`);
  return `"${escaped === "" ? "…" : escaped}"`;
}
