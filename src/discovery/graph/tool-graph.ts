/**
 * The graph of tools and capabilities, in memory: its edges are contains, calls, follows and provides.
 *
 * The graph depends only on the latest state of each tool and capability, and on the sum of all uses, not on their
 * order or batches. So all gateways of one store have the same graph, and a change of one capability costs only as much
 * as that capability has edges.
 *
 * A node exists while a tool or capability has it or an edge names it, because code may be read before the tools that
 * it calls are listed. Answers contain only nodes that are *present*.
 *
 * At a limit the weakest edges are removed. Only then can the order of arrival make a difference.
 *
 * @module
 */
import { DirectedGraph } from "graphology";
import type { Fqdn } from "../../registry/fqdn.js";
import type { CodeLinks, GraphNode, ObservedSequence, ProvidesLink } from "../../registry/tool-graph.js";
import type { ToolId } from "../../registry/tool-id.js";
import { addUses, FORGOTTEN_USES, type Uses, usesIn } from "./edge-weights.js";
import {
  BOUNDS,
  BY_SCHEMA,
  type End,
  edgesOf,
  type GraphBounds,
  type GraphEdge,
  isFlow,
  isFollowed,
  NEVER,
  type NodeState,
  newNode,
  newPair,
  type PairState,
  provide,
  type ToolSchemas,
  unprovide,
  weightTogether,
} from "./graph-state.js";

export interface CapabilityFacts {
  readonly tools: readonly ToolId[];
  readonly calls: readonly Fqdn[];
  readonly uses: Uses;
  /** Absent until its code has been read. */
  readonly code?: CodeLinks | undefined;
}

export class ToolGraph {
  readonly #graph = new DirectedGraph<NodeState, PairState>();
  readonly #facts = new Map<Fqdn, CapabilityFacts>();
  readonly #provided = new Map<ToolId, readonly ProvidesLink[]>();
  readonly #bounds: GraphBounds;
  /** Incremented with each change of nodes and edges: earlier results then belong to another graph. */
  changes = 0;

  constructor(bounds: Partial<GraphBounds> = {}) {
    this.#bounds = { ...BOUNDS, ...bounds };
  }

  get nodeCount(): number {
    return this.#graph.order;
  }

  get pairCount(): number {
    return this.#graph.size;
  }

  putTool(tool: ToolId, schemas: ToolSchemas = {}): void {
    const node = this.#node(tool);
    if (!node.isPresent) this.changes += 1;
    node.isPresent = true;
    node.schemas = schemas;
    this.#shrink();
  }

  removeTool(tool: ToolId): void {
    this.setProvided(tool, []);
    this.#leave(tool);
  }

  /** Replaces the links that schemas give from this tool. */
  setProvided(tool: ToolId, links: readonly ProvidesLink[]): void {
    for (const { to } of this.#provided.get(tool) ?? [])
      this.#change(tool, to, (pair) => unprovide(pair, BY_SCHEMA));
    if (links.length === 0) this.#provided.delete(tool);
    else this.#provided.set(tool, links);
    for (const { to, coverage, fieldMapping } of links)
      this.#change(tool, to, (pair) => provide(pair, BY_SCHEMA, { coverage, fieldMapping }));
  }

  putCapability(fqdn: Fqdn, facts: CapabilityFacts): void {
    const before = this.#facts.get(fqdn);
    const node = this.#node(fqdn);
    if (!node.isPresent) this.changes += 1;
    node.isPresent = true;
    node.uses = facts.uses;
    this.#facts.set(fqdn, facts);
    if (before !== undefined && isSameCode(before, facts)) return;
    if (before !== undefined) this.#state(fqdn, before, -1);
    this.#state(fqdn, facts, 1);
    this.#shrink();
  }

  removeCapability(fqdn: Fqdn): void {
    const before = this.#facts.get(fqdn);
    this.#facts.delete(fqdn);
    if (before !== undefined) this.#state(fqdn, before, -1);
    this.#leave(fqdn);
  }

  /** Adds uses to the existing ones. */
  see({ from, to, uses, period }: ObservedSequence): void {
    this.#change(from, to, (pair) => {
      pair.uses = addUses(pair.uses, { uses, period });
    });
    this.#shrink();
  }

  /** Replaces the existing uses. */
  setUses({ from, to, uses, period }: ObservedSequence): void {
    const known = this.#pair(from, to)?.uses;
    if (known?.uses === uses && known.period === period) return;
    this.#change(from, to, (pair) => {
      pair.uses = { uses, period };
    });
  }

  /** Deletes observations that are too old to count. */
  forget(period: number): void {
    const old: [GraphNode, GraphNode][] = [];
    this.#graph.forEachEdge((_edge, { uses }, from, to) => {
      if (uses.uses > 0 && usesIn(period, uses.uses, uses.period) < FORGOTTEN_USES)
        old.push([from as GraphNode, to as GraphNode]);
    });
    for (const [from, to] of old)
      this.#change(from, to, (pair) => {
        pair.uses = NEVER;
      });
  }

  isPresent(node: GraphNode): boolean {
    return this.#graph.hasNode(node) && this.#graph.getNodeAttribute(node, "isPresent");
  }

  /** In the order of their ids, independent of insertion. */
  nodes(): readonly GraphNode[] {
    return (this.#graph.nodes() as GraphNode[]).sort(compare);
  }

  /** Edges from a node, by their targets. */
  edgesFrom(node: GraphNode, period: number): readonly GraphEdge[] {
    if (!this.#graph.hasNode(node)) return [];
    return (this.#graph.outNeighbors(node) as GraphNode[])
      .sort(compare)
      .flatMap((to) => this.edgesBetween(node, to, period));
  }

  edgesBetween(from: GraphNode, to: GraphNode, period: number): readonly GraphEdge[] {
    const pair = this.#pair(from, to);
    if (pair === undefined) return [];
    const endOf = (node: GraphNode): End => [node, this.#graph.getNodeAttributes(node)];
    return edgesOf(endOf(from), endOf(to), pair, period);
  }

  /** The nodes used right after a node, with their value in a period; a loop is followed by itself. */
  followers(node: GraphNode, period: number): ReadonlyMap<GraphNode, number> {
    const followers = new Map<GraphNode, number>();
    if (!this.#graph.hasNode(node)) return followers;
    this.#graph.forEachOutEdge(node, (_edge, { uses, stated }, _from, to) => {
      // A statement in code counts as one use, because some run did it.
      const worth = usesIn(period, uses.uses, uses.period) + (stated > 0 ? 1 : 0);
      if (worth > 0) followers.set(to as GraphNode, worth);
    });
    return followers;
  }

  /** Every other node that was used with it: inside of it, around it, before it or after it. */
  forEachUsedWith(node: GraphNode, visit: (neighbour: GraphNode) => void): void {
    this.#forEachNeighbour(node, (pair) => pair.contains || pair.calls || isFollowed(pair), visit);
  }

  /** Only its successors and predecessors, of which every node has few. */
  forEachFollowed(node: GraphNode, visit: (neighbour: GraphNode) => void): void {
    this.#forEachNeighbour(node, isFollowed, visit);
  }

  /** Neighbours, each counted once for each direction. */
  degree(node: GraphNode): number {
    return this.#graph.hasNode(node) ? this.#graph.degreeWithoutSelfLoops(node) : 0;
  }

  /** The targets of a node, in the order of ids, each with the total weight of its edges. */
  weightsFrom(node: GraphNode, period: number): readonly (readonly [GraphNode, number])[] {
    if (!this.#graph.hasNode(node)) return [];
    const others = (this.#graph.outNeighbors(node) as GraphNode[]).sort(compare);
    return others.map((to) => [to, this.pairWeight(node, to, period)]);
  }

  pairWeight(from: GraphNode, to: GraphNode, period: number): number {
    return weightTogether(this.edgesBetween(from, to, period));
  }

  #forEachNeighbour(
    node: GraphNode,
    isMeant: (pair: PairState) => boolean,
    visit: (neighbour: GraphNode) => void,
  ): void {
    if (!this.#graph.hasNode(node)) return;
    this.#graph.forEachEdge(node, (_edge, pair, from, to) => {
      const neighbour = from === node ? to : from;
      if (neighbour !== node && isMeant(pair)) visit(neighbour as GraphNode);
    });
  }

  #pair(from: GraphNode, to: GraphNode): PairState | undefined {
    if (!this.#graph.hasNode(from) || !this.#graph.hasNode(to)) return undefined;
    const edge = this.#graph.edge(from, to);
    return edge === undefined ? undefined : this.#graph.getEdgeAttributes(edge);
  }

  #node(node: GraphNode): NodeState {
    if (!this.#graph.hasNode(node)) {
      this.changes += 1;
      this.#graph.addNode(node, newNode());
    }
    return this.#graph.getNodeAttributes(node);
  }

  /** Adds or removes the statements of a capability. */
  #state(fqdn: Fqdn, { tools, calls, code }: CapabilityFacts, by: 1 | -1): void {
    const { contents } = this.#bounds;
    const isAdded = by === 1;
    for (const tool of tools.slice(0, contents))
      this.#change(fqdn, tool, (pair) => {
        pair.contains = isAdded;
      });
    for (const callee of calls.slice(0, contents))
      this.#change(fqdn, callee, (pair) => {
        pair.calls = isAdded;
      });
    for (const [from, to] of code?.sequences.slice(0, contents) ?? [])
      this.#change(from, to, (pair) => {
        pair.stated = Math.max(0, pair.stated + by);
      });
    for (const { from, to, coverage, fieldMapping } of code?.provides.slice(0, contents) ?? [])
      this.#change(from, to, (pair) => {
        if (isAdded) provide(pair, fqdn, { coverage, fieldMapping });
        else unprovide(pair, fqdn);
      });
  }

  #change(from: GraphNode, to: GraphNode, change: (pair: PairState) => void): void {
    let pair = this.#pair(from, to);
    const wasFlow = pair !== undefined && isFlow(pair);
    if (pair === undefined) {
      this.#node(from);
      this.#node(to);
      const fresh = newPair();
      this.#graph.addEdge(from, to, fresh);
      pair = this.#pair(from, to) ?? fresh;
    }
    change(pair);
    this.changes += 1;
    const isNowFlow = isFlow(pair);
    if (isNowFlow !== wasFlow) this.#count(from, to, isNowFlow ? 1 : -1);
    if (!isNowFlow && !pair.contains && !pair.calls) this.#drop(from, to);
    else if (isNowFlow && !wasFlow) this.#trim(from, to);
  }

  #count(from: GraphNode, to: GraphNode, by: 1 | -1): void {
    this.#graph.getNodeAttributes(from).after += by;
    this.#graph.getNodeAttributes(to).before += by;
  }

  #drop(from: GraphNode, to: GraphNode): void {
    this.#graph.dropEdge(from, to);
    this.#collect(from);
    if (to !== from) this.#collect(to);
  }

  #leave(node: GraphNode): void {
    if (!this.#graph.hasNode(node)) return;
    this.changes += 1;
    Object.assign(this.#graph.getNodeAttributes(node), { isPresent: false, uses: NEVER, schemas: {} });
    this.#collect(node);
  }

  #collect(node: GraphNode): void {
    if (!this.isPresent(node) && this.#graph.hasNode(node) && this.#graph.degree(node) === 0)
      this.#graph.dropNode(node);
  }

  /** The list may exceed its limit by a quarter before it is trimmed, so that not every new pair causes a scan. */
  #trim(from: GraphNode, to: GraphNode): void {
    const most = this.#bounds.pairsOfNode;
    if (this.#graph.getNodeAttribute(from, "after") > most * 1.25)
      this.#dropWeakest(this.#graph.outNeighbors(from).map((other) => [from, other as GraphNode]));
    if (this.#graph.hasNode(to) && this.#graph.getNodeAttribute(to, "before") > most * 1.25)
      this.#dropWeakest(this.#graph.inNeighbors(to).map((other) => [other as GraphNode, to]));
  }

  #dropWeakest(pairs: readonly (readonly [GraphNode, GraphNode])[]): void {
    const flowing = pairs.flatMap(([from, to]) => {
      const pair = this.#pair(from, to);
      return pair !== undefined && isFlow(pair) ? [{ from, to, pair }] : [];
    });
    const period = flowing.reduce((latest, { pair }) => Math.max(latest, pair.uses.period), 0);
    const weighed = flowing.map(({ from, to }) => ({ from, to, weight: this.pairWeight(from, to, period) }));
    weighed.sort((a, b) => b.weight - a.weight || compare(a.from, b.from) || compare(a.to, b.to));
    for (const { from, to } of weighed.slice(this.#bounds.pairsOfNode))
      this.#change(from, to, (pair) => {
        Object.assign(pair, { stated: 0, uses: NEVER, provisions: undefined });
      });
  }

  /** Removes absent nodes first, then the least used. */
  #shrink(): void {
    const { nodes: most } = this.#bounds;
    if (this.#graph.order <= most) return;
    const worth = this.#graph.mapNodes((node, { isPresent, uses }) => ({ node, isPresent, uses }));
    const period = worth.reduce((latest, { uses }) => Math.max(latest, uses.period), 0);
    const usesOf = ({ uses }: { readonly uses: Uses }) => usesIn(period, uses.uses, uses.period);
    worth.sort(
      (a, b) => Number(b.isPresent) - Number(a.isPresent) || usesOf(b) - usesOf(a) || compare(a.node, b.node),
    );
    // A twentieth below the limit, so that not every new node exceeds it again.
    for (const { node } of worth.slice(Math.floor(most * 0.95))) this.#forgetNode(node as GraphNode);
  }

  #forgetNode(node: GraphNode): void {
    if (!this.#graph.hasNode(node)) return;
    this.changes += 1;
    this.#facts.delete(node as Fqdn);
    this.#provided.delete(node as ToolId);
    this.#graph.forEachEdge(node, (_edge, pair, from, to) => {
      if (isFlow(pair)) this.#count(from as GraphNode, to as GraphNode, -1);
    });
    this.#graph.dropNode(node);
  }
}

function isSameCode(one: CapabilityFacts, other: CapabilityFacts): boolean {
  return one.code === other.code && isSameList(one.tools, other.tools) && isSameList(one.calls, other.calls);
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((each, index) => each === other[index]);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
