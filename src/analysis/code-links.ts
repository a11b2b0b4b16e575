/**
 * Which tools and capabilities follow one another in code, and what data they pass on.
 *
 * Nodes between calls (decisions, forks, loops) are skipped: a call after a decision follows the call before it, on
 * every branch. A call in a loop may follow itself.
 *
 * @module
 */
import type { CodeLinks, GraphNode, ProvidesLink } from "../registry/tool-graph.js";
import { isOperationId } from "../registry/tool-id.js";
import type { StaticStructure, StructureNode } from "./static-structure.js";

/** The maximum for one capability. Only long scripts have more, and their calls say little about one another. */
const LINKS = 64;
const STEPS = 10_000;

export function codeLinks({ nodes, edges }: StaticStructure): CodeLinks {
  const calls = new Map<string, GraphNode>();
  for (const node of nodes) {
    const called = calledBy(node);
    if (called !== undefined) calls.set(node.id, called);
  }
  const next = new Map<string, string[]>();
  const provides: ProvidesLink[] = [];
  for (const edge of edges) {
    if (edge.type === "provides") {
      const [from, to] = [calls.get(edge.from), calls.get(edge.to)];
      const { coverage, fieldMapping } = edge;
      if (from !== undefined && to !== undefined) provides.push({ from, to, coverage, fieldMapping });
    } else next.set(edge.from, [...(next.get(edge.from) ?? []), edge.to]);
  }
  const sequences = new Map<string, readonly [GraphNode, GraphNode]>();
  const add = (from: GraphNode, to: GraphNode) => sequences.set(JSON.stringify([from, to]), [from, to]);
  let steps = STEPS;
  for (const [id, from] of calls) {
    const seen = new Set<string>();
    const open = [...(next.get(id) ?? [])];
    for (let at = open.pop(); at !== undefined && steps > 0; at = open.pop()) {
      steps -= 1;
      if (seen.has(at)) continue;
      seen.add(at);
      const to = calls.get(at);
      if (to === undefined) open.push(...(next.get(at) ?? []));
      else add(from, to);
    }
  }
  for (const node of nodes) {
    const called = calls.get(node.id);
    if (called !== undefined && isRepeatedAlone(node, nodes)) add(called, called);
  }
  return { sequences: [...sequences.values()].slice(0, LINKS), provides: unique(provides).slice(0, LINKS) };
}

function calledBy(node: StructureNode): GraphNode | undefined {
  if (node.type === "task") return isOperationId(node.tool) ? undefined : node.tool;
  return node.type === "capability" ? node.fqdn : undefined;
}

/** Whether it is the only content of a loop. */
function isRepeatedAlone({ id, within }: StructureNode, nodes: readonly StructureNode[]): boolean {
  if (within === undefined || nodes.find((node) => node.id === within)?.type !== "loop") return false;
  return nodes.every((node) => node.id === id || node.within !== within);
}

/** Of several calls with the same data flow, the first. */
function unique(links: readonly ProvidesLink[]): readonly ProvidesLink[] {
  const known = new Map<string, ProvidesLink>();
  for (const link of links) {
    const key = JSON.stringify([link.from, link.to]);
    if (!known.has(key)) known.set(key, link);
  }
  return [...known.values()];
}
