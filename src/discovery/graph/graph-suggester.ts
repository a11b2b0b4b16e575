/**
 * Suggests what goes with the last uses, with a confidence.
 *
 * There are four signals: the node often follows the last use; it can take the result of that; it is a tool that is
 * used together with the same nodes (Adamic–Adar); it is a capability in the community of most of the context, best of
 * the same cluster. The confidence of a node is that of its strongest signal. The shown reason is one that says what to
 * do with the node, if there is one: a sequence with arguments helps more than common neighbours. A destructive node is
 * suggested only if it was really used after the same node.
 *
 * @module
 */
import {
  type GraphNode,
  type GraphSuggestion,
  isToolNode,
  type Suggester,
  type SuggestOptions,
} from "../../registry/tool-graph.js";
import { chanceOf, periodOf } from "./edge-weights.js";
import type { GraphInsights, Insight } from "./graph-insights.js";
import type { ToolGraph } from "./tool-graph.js";

/** Earlier uses are ignored. */
const CONTEXT_NODES = 8;
/** The next node may follow the last use, or the one before it: a capability, and the tool that it ended with. */
const NEXT_OF = 2;
const EARLIER_SHARE = 0.8;
/** Before visibility is checked. */
const CANDIDATES = 50;
/**
 * The score is halved, as in seed 004: two common neighbours that few others have then give full confidence.
 */
const RELATED_SHARE = 0.5;
/** Related nodes are not necessarily needed next. */
const GROUP_SHARE = 0.8;
/** The share for capabilities of a community that do the same things as a used one. */
const CLUSTER_SHARE = 1;
/** A node that was just used is suggested again if a repetition is at least this likely. */
const LOOP_CHANCE = 0.5;

export interface GraphSuggesterOptions {
  readonly graph: ToolGraph;
  readonly insights: GraphInsights;
  /** Called before the graph is asked, to apply pending changes. */
  readonly catchUp?: () => void;
  readonly now?: () => number;
}

export class GraphSuggester implements Suggester {
  readonly #options: GraphSuggesterOptions;

  constructor(options: GraphSuggesterOptions) {
    this.#options = options;
  }

  async suggest(context: readonly GraphNode[], options: SuggestOptions): Promise<readonly GraphSuggestion[]> {
    const { graph, insights, catchUp, now = Date.now } = this.#options;
    catchUp?.();
    const used = [...new Set(context.slice(-CONTEXT_NODES).reverse())];
    if (used.length === 0) return [];
    const period = periodOf(now());
    const found = [
      ...used.slice(0, NEXT_OF).flatMap((node, index) => next(graph, node, period, EARLIER_SHARE ** index)),
      ...used.slice(0, NEXT_OF).flatMap((node, index) => takes(graph, node, period, EARLIER_SHARE ** index)),
      ...used.slice(0, NEXT_OF).flatMap((node) => related(graph, node)),
      ...group(insights.latest(), used, options),
    ];
    return best(found, used, graph, period, options);
  }
}

function next(graph: ToolGraph, last: GraphNode, period: number, share: number): readonly GraphSuggestion[] {
  const followers = graph.followers(last, period);
  let total = 0;
  for (const uses of followers.values()) total += uses;
  return Array.from(followers, ([node, uses]): GraphSuggestion => {
    const provision = provisionOf(graph, last, node, period);
    const confidence = chanceOf(uses, total) * share;
    return { why: "next", node, with: last, confidence, ...(provision && { provision }) };
  });
}

function takes(graph: ToolGraph, last: GraphNode, period: number, share: number): readonly GraphSuggestion[] {
  return graph
    .edgesFrom(last, period)
    .flatMap(({ to, kind, weight, provision }): readonly GraphSuggestion[] =>
      kind === "provides" && provision !== undefined && to !== last
        ? [{ why: "takes", node: to, with: last, confidence: weight * share, provision }]
        : [],
    );
}

function provisionOf(graph: ToolGraph, from: GraphNode, to: GraphNode, period: number) {
  return graph.edgesBetween(from, to, period).find(({ kind }) => kind === "provides")?.provision;
}

/** Only for tools: for capabilities, their community and success say more. */
function related(graph: ToolGraph, node: GraphNode): readonly GraphSuggestion[] {
  const found: GraphSuggestion[] = [];
  for (const [other, score] of adamicAdar(graph, node))
    if (isToolNode(other)) {
      const confidence = Math.min(1, score * RELATED_SHARE);
      found.push({ why: "related", node: other, with: node, confidence });
    }
  return found.sort(bySurety).slice(0, CANDIDATES);
}

/** From the community of most of the context; with several, the one of the last use. */
function group(
  insight: Insight | undefined,
  used: readonly GraphNode[],
  { reliability }: SuggestOptions,
): readonly GraphSuggestion[] {
  const members = new Map<number, GraphNode[]>();
  for (const node of used) {
    const community = insight?.communityOf(node);
    if (community !== undefined) members.set(community, [...(members.get(community) ?? []), node]);
  }
  let main: { readonly community: number; readonly nodes: readonly GraphNode[] } | undefined;
  for (const [community, nodes] of members)
    if (main === undefined || nodes.length > main.nodes.length) main = { community, nodes };
  const [first] = main?.nodes ?? [];
  if (insight === undefined || main === undefined || first === undefined) return [];
  const share = main.nodes.length / used.length;
  const clusters = new Set(used.filter((node) => !isToolNode(node)).map((node) => insight.clusterOf(node)));
  return insight.capabilitiesOf(main.community).map((node): GraphSuggestion => {
    const worth = clusters.has(insight.clusterOf(node)) ? CLUSTER_SHARE : GROUP_SHARE;
    return { why: "group", node, with: first, confidence: reliability(node) * share * worth };
  });
}

function best(
  found: readonly GraphSuggestion[],
  used: readonly GraphNode[],
  graph: ToolGraph,
  period: number,
  { accepts, isDestructive, threshold, most }: SuggestOptions,
): readonly GraphSuggestion[] {
  const suggested = new Map<GraphNode, GraphSuggestion>();
  for (const one of found) {
    // A signal that is too weak to be shown alone is not a reason either.
    if (one.confidence < threshold) continue;
    if (used.includes(one.node) && !isLoop(one, used[0])) continue;
    if (isDestructive?.(one.node) === true && !graph.followers(one.with, period).has(one.node)) continue;
    const known = suggested.get(one.node);
    suggested.set(one.node, known === undefined ? one : together(known, one));
  }
  const shown: GraphSuggestion[] = [];
  for (const one of [...suggested.values()].sort(bySurety)) {
    if (shown.length === most) break;
    if (graph.isPresent(one.node) && accepts(one.node)) shown.push(one);
  }
  return shown;
}

function together(one: GraphSuggestion, other: GraphSuggestion): GraphSuggestion {
  const surest = other.confidence > one.confidence ? other : one;
  const telling = saysWhatToDo(one) === saysWhatToDo(other) ? surest : saysWhatToDo(one) ? one : other;
  return { ...telling, confidence: surest.confidence };
}

function saysWhatToDo({ why }: GraphSuggestion): boolean {
  return why === "next" || why === "takes";
}

function isLoop({ why, with: used, confidence }: GraphSuggestion, last: GraphNode | undefined): boolean {
  return why === "next" && used === last && confidence >= LOOP_CHANCE;
}

function bySurety(one: GraphSuggestion, other: GraphSuggestion): number {
  return other.confidence - one.confidence || (one.node < other.node ? -1 : Number(one.node > other.node));
}

// How much two nodes have in common, after Adamic and Adar: every common neighbour counts, and counts less the more
// neighbours it has itself.
//
// Only nodes that were really used together are neighbours. Matching schemas do not count: the tools of one server
// mostly take and return the same few types, so all of them would be neighbours.

/**
 * A node with more neighbours than this tells almost nothing about any two of them, and takes long to scan.
 */
const HUB = 1_000;

/** All nodes that share a neighbour with a node, with their scores. */
export function adamicAdar(graph: ToolGraph, node: GraphNode): ReadonlyMap<GraphNode, number> {
  const scores = new Map<GraphNode, number>();
  for (const shared of distinct(graph, node)) {
    const others = neighbours(graph, shared);
    if (others === undefined) continue;
    // A shared neighbour has at least these two neighbours.
    const worth = 1 / Math.log(Math.max(2, others.size));
    for (const other of others) if (other !== node) scores.set(other, (scores.get(other) ?? 0) + worth);
  }
  return scores;
}

/** For a hub only the nodes that follow it or that it follows, which are few. */
function distinct(graph: ToolGraph, node: GraphNode): ReadonlySet<GraphNode> {
  const found = new Set<GraphNode>();
  const add = (neighbour: GraphNode) => found.add(neighbour);
  if (graph.degree(node) > HUB) graph.forEachFollowed(node, add);
  else graph.forEachUsedWith(node, add);
  return found;
}

function neighbours(graph: ToolGraph, node: GraphNode): ReadonlySet<GraphNode> | undefined {
  if (graph.degree(node) > HUB) return undefined;
  return distinct(graph, node);
}
