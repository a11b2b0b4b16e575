/**
 * The static structure of code, put together from its flow and its data flow.
 *
 * @module
 */
import type { Flow } from "./flow/flow.js";
import type { FlowNode } from "./flow/flow-graph.js";
import type { Use } from "./names/references.js";
import type { Arguments, ProvidesEdge, StaticStructure, StructureNode } from "./static-structure.js";

export function staticStructure(
  flow: Flow,
  argumentsOf: (use: Use) => Arguments | undefined,
  provides: readonly ProvidesEdge[],
): StaticStructure {
  return {
    nodes: flow.nodes.map((node) => structureNode(node, argumentsOf)),
    edges: [...flow.edges, ...provides],
  };
}

function structureNode(node: FlowNode, argumentsOf: (use: Use) => Arguments | undefined): StructureNode {
  if (node.type !== "call") return node;
  const { id, use, within } = node;
  const given = argumentsOf(use);
  const details = {
    ...(given === undefined ? {} : { arguments: given }),
    ...(within === undefined ? {} : { within }),
  };
  const { meaning } = use;
  if (meaning.kind === "tool") return { id, type: "task", tool: meaning.id, ...details };
  return {
    id,
    type: "capability",
    name: meaning.displayName,
    fqdn: meaning.fqdn,
    ...(meaning.version === undefined ? {} : { version: meaning.version }),
    ...(meaning.id === undefined ? {} : { capabilityId: meaning.id }),
    ...details,
  };
}
