/**
 * The static structure of code, built from its control flow and its data flow.
 *
 * @module
 */
import type { Flow } from "./flow/flow.js";
import type { FlowNode } from "./flow/flow-graph.js";
import type { Use } from "./names/references.js";
import type { Arguments, ProvidesEdge, StaticStructure, StructureNode } from "./static-structure.js";

/** The known arguments, and the text of the arguments if not all are known. */
type ArgumentsOf = (use: Use) => {
  readonly known: Arguments | undefined;
  readonly given: string | undefined;
};

export function staticStructure(
  flow: Flow,
  argumentsOf: ArgumentsOf,
  provides: readonly ProvidesEdge[],
): StaticStructure {
  return {
    nodes: flow.nodes.map((node) => structureNode(node, argumentsOf)),
    edges: [...flow.edges, ...provides],
  };
}

function structureNode(node: FlowNode, argumentsOf: ArgumentsOf): StructureNode {
  if (node.type !== "call") return node;
  const { id, use, within } = node;
  const { known, given } = argumentsOf(use);
  const details = {
    ...(known === undefined ? {} : { arguments: known }),
    ...(given === undefined ? {} : { given }),
    ...(within === undefined ? {} : { within }),
  };
  const { meaning } = use;
  if (meaning.kind === "tool") {
    const unknown = meaning.isUnknown === true ? { unknown: true as const } : {};
    return { id, type: "task", tool: meaning.id, ...unknown, ...details };
  }
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
