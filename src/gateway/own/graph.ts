/**
 * `pml:graph`: tools and capabilities as a map, with their relations. For a person only.
 *
 * @module
 */
import { z } from "zod";
import { type GraphMaps, MAPPED_NODES, type MappedNode } from "../../discovery/graph/graph-map.js";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import type { Scope } from "../../registry/scope.js";
import { type GraphNode, isToolNode } from "../../registry/tool-graph.js";
import { canSee } from "../../registry/visibility.js";
import { decidesNothing, list, operation } from "../operation.js";

export interface GraphParts {
  readonly registry: Pick<CapabilityRegistry, "directory" | "loaded">;
  readonly maps: Pick<GraphMaps, "of">;
}

const graphAnswer = z.strictObject({
  nodes: list(
    z.strictObject({
      /** `server:tool`, or the FQDN of a capability. */
      id: z.string(),
      kind: z.enum(["tool", "capability"]),
      name: z.string(),
      x: z.number(),
      y: z.number(),
      /** PageRank times the number of nodes: 1 is average. */
      rank: z.number(),
      /** Equal for all nodes of a community. */
      community: z.int(),
      /** Only for capabilities. */
      uses: z.int().exactOptional(),
      trust: z.string().exactOptional(),
    }),
  ),
  /** Strongest first. `from` and `to` are indexes into `nodes`. */
  edges: list(z.strictObject({ from: z.int(), to: z.int(), kind: z.string(), weight: z.number() })),
  /** If not all nodes are shown, those with the most connections are. */
  total_nodes: z.int(),
  drawn_at: z.string(),
});

type Node = z.infer<typeof graphAnswer>["nodes"][number];

export const pmlGraph = operation({
  id: "pml:graph",
  who: "person",
  // The calls of other projects are not part of it.
  reach: "shared",
  decides: decidesNothing,
  summary: `Tools and capabilities as a map: what is used together, communities, PageRank. At most ${MAPPED_NODES} nodes.`,
  input: z.strictObject({}),
  output: graphAnswer,
  run:
    ({ registry, maps }: GraphParts) =>
    async (_input, scope) => {
      await registry.loaded();
      const { org, project, user } = scope;
      const map = await maps.of(`${org}/${project}/${user}`, (node) => isSeen(registry, node, scope));
      // A node that was deleted or hidden since the map was drawn keeps its index, without a name.
      return {
        nodes: map.nodes.map((node) => viewOf(registry, node, scope)),
        edges: map.edges.map((edge) => ({ ...edge, weight: rounded(edge.weight) })),
        total_nodes: map.totalNodes,
        drawn_at: map.drawnAt.toISOString(),
      };
    },
});

function isSeen({ directory }: GraphParts["registry"], node: GraphNode, scope: Scope): boolean {
  if (isToolNode(node)) return true;
  const capability = directory.get(node);
  return capability !== undefined && capability.deletedAt === undefined && canSee(capability, scope);
}

function viewOf(registry: GraphParts["registry"], mapped: MappedNode, scope: Scope): Node {
  const { node, x, y, rank, community } = mapped;
  const place = { x: rounded(x), y: rounded(y), rank: rounded(rank), community };
  if (isToolNode(node)) return { id: node, kind: "tool", name: node, ...place };
  const capability = isSeen(registry, node, scope) ? registry.directory.get(node) : undefined;
  if (capability === undefined) return { id: "", kind: "capability", name: "", ...place };
  const { displayName: name, usageCount: uses, trust } = capability;
  return { id: node, kind: "capability", name, ...place, uses, trust };
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
