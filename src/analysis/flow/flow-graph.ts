/**
 * The graph built by a walk through code: nodes in order of evaluation, and the edges between them.
 *
 * @module
 */

import type { Use } from "../names/references.js";
import type { DecisionNode, FlowEdge, ForkNode, JoinNode, LoopNode } from "../static-structure.js";
import type { FlowSite } from "./flow-site.js";

/** A node of the structure, before the origins of its arguments are known. */
export type FlowNode =
  | { readonly id: string; readonly type: "call"; readonly use: Use; readonly within?: string }
  | DecisionNode
  | ForkNode
  | JoinNode
  | LoopNode;

/** An open way from a node to the next one. */
export interface Way {
  /** Index of the node; negative for the places that a function is called from. */
  readonly from: number;
  readonly type: FlowEdge["type"];
  readonly outcome?: string;
}

/** The ways that lead to the next node. */
export type Frontier = readonly Way[];

/** The way to the very first node. */
export const START: Way = { from: -1, type: "sequence" };

/** Up to this many ways are compared one by one. */
const FEW = 16;

/** The ways of all frontiers, without duplicates. */
export function union(...frontiers: readonly Frontier[]): Frontier {
  const filled = frontiers.filter((each) => each.length > 0);
  const [first = [], second] = filled;
  if (filled.length < 2 || (filled.length === 2 && first === second)) return first;
  const all = filled.flat();
  return all.length > FEW ? [...new Set(all)] : all.filter((way, index) => all.indexOf(way) === index);
}

export class FlowGraph {
  readonly nodes: FlowNode[] = [];
  readonly sites: FlowSite[] = [];
  /** Forks and loops around the current position, innermost last. */
  readonly within: string[] = [];
  readonly #counts = { n: 0, d: 0, f: 0, j: 0, l: 0 };
  readonly #ways: { readonly next: Way; outcomes?: Map<string, Way> }[] = [];
  readonly #edges: FlowEdge[] = [];
  readonly #linked = new Set<string>();
  /** The fork or loop around each node, if any. */
  readonly #around = new Map<string, string>();
  /** Nodes that negative ways lead to. */
  readonly #entries = new Map<number, Set<number>>();

  newId(letter: "n" | "d" | "f" | "j" | "l"): string {
    this.#counts[letter] += 1;
    return `${letter}${this.#counts[letter]}`;
  }

  id(index: number): string {
    return (this.nodes[index] as FlowNode).id;
  }

  /** Adds a node that all these ways lead to, and returns its index. */
  add(node: FlowNode, at: Frontier): number {
    const within = this.within.at(-1);
    const index = this.nodes.push(within === undefined ? node : { ...node, within }) - 1;
    if (within !== undefined) this.#around.set(node.id, within);
    this.#ways.push({ next: { from: index, type: "sequence" } });
    this.link(at, index);
    return index;
  }

  decision(
    kind: DecisionNode["kind"],
    condition: string,
    at: Frontier,
    outcomes?: readonly string[],
  ): number {
    const own = outcomes === undefined ? {} : { outcomes };
    return this.add({ id: this.newId("d"), type: "decision", kind, condition, ...own }, at);
  }

  link(at: Frontier, to: number): void {
    for (const { from, type: given, outcome } of at) {
      if (from < 0) {
        this.#entriesOf(from).add(to);
        continue;
      }
      // A way through a loop's body without nodes leads out of it.
      const type = given === "contains" && !this.#isWithin(to, this.id(from)) ? "sequence" : given;
      const key = `${from} ${to} ${outcome ?? type}`;
      if (this.#linked.has(key)) continue;
      this.#linked.add(key);
      const [source, target] = [this.id(from), this.id(to)];
      this.#edges.push(
        type === "conditional"
          ? { from: source, to: target, type, outcome: outcome ?? "" }
          : { from: source, to: target, type },
      );
    }
  }

  #isWithin(index: number, loop: string): boolean {
    let around = this.nodes[index]?.within;
    while (around !== undefined && around !== loop) around = this.#around.get(around);
    return around === loop;
  }

  /** The nodes that a negative way was linked to. */
  entries(way: Way): ReadonlySet<number> {
    return this.#entriesOf(way.from);
  }

  #entriesOf(from: number): Set<number> {
    let entries = this.#entries.get(from);
    if (entries === undefined) {
      entries = new Set();
      this.#entries.set(from, entries);
    }
    return entries;
  }

  next(index: number): Way {
    return (this.#ways[index] as { readonly next: Way }).next;
  }

  outcome(index: number, outcome: string): Way {
    const ways = this.#ways[index] as { outcomes?: Map<string, Way> };
    ways.outcomes ??= new Map();
    let way = ways.outcomes.get(outcome);
    if (way === undefined) {
      way = { from: index, type: "conditional", outcome };
      ways.outcomes.set(outcome, way);
    }
    return way;
  }

  /** In the order of the nodes, not in the order in which functions were walked. */
  edges(): readonly FlowEdge[] {
    const order = new Map(this.nodes.map(({ id }, index) => [id, index]));
    const rank = (id: string): number => order.get(id) ?? 0;
    return [...this.#edges].sort((a, b) => rank(a.from) - rank(b.from) || rank(a.to) - rank(b.to));
  }
}
