/**
 * A walk through code in order of evaluation: the current position, and the targets of jumps.
 *
 * Steps of the walk are generators that ask a driver for each child, so that deep code does not overflow the stack.
 *
 * @module
 */

import type { References, Use } from "../names/references.js";
import type { FunctionNode, Node } from "../syntax/ast.js";
import { WRAPPER_CHARS } from "../syntax/parse-code.js";
import type { Scopes } from "../syntax/scopes.js";
import type { SourceText } from "../syntax/source-text.js";
import { FlowGraph, type Frontier, type Way } from "./flow-graph.js";
import { HeldCalls } from "./held-calls.js";

/** A step requests the walk of a child, or another step, and receives the resulting frontier. */
export type Step = Generator<Child | Step, Frontier, Frontier>;
export type Child = readonly [Node, Frontier];

/**
 * Ways that are collected until their destination is known; `depth` is the number of enclosing `finally` blocks at its
 * start.
 */
export interface Target {
  readonly ways: Set<Way>;
  readonly depth: number;
}

/** A statement that `break` or `continue` can mean. */
export interface Breakable {
  readonly labels: readonly string[];
  readonly breaks: Target;
  /** Absent if it is not a loop. */
  readonly continues?: Target;
  /** Whether `break` without a label means it. */
  readonly isPlain: boolean;
}

/** A `finally` that every way out of its `try` passes. */
export interface Finally {
  readonly ways: Set<Way>;
  readonly targets: Set<Target>;
}

/** A function of the code, walked once: its entry, and the ways out of it. */
export interface Region {
  readonly portal: Way;
  exits: Frontier;
  readonly throws: Set<Way>;
  isDone: boolean;
}

/** Calls that were started and kept in variables, until they are awaited together. */
export interface Started {
  readonly fork: number;
  /** The ways from their ends. */
  readonly ways: Set<Way>;
}

const TEXT_CHARS = 500;

export class FlowWalk {
  readonly graph = new FlowGraph();
  readonly scopes: Scopes;
  readonly held: HeldCalls;
  /** The tool or capability that a call, or a value that is passed on, means. */
  readonly useAt = new Map<Node, Use>();
  readonly idOf = new Map<Use, string>();
  readonly regions = new Map<FunctionNode, Region>();
  /** Calls that were started earlier and kept in a variable, by the call that awaits all of them. */
  readonly started = new Map<Node, Started>();
  readonly finallies: Finally[] = [];
  /** Ways from early ends of the enclosing optional chains. */
  readonly chains: Set<Way>[] = [];
  returns: Target = { ways: new Set(), depth: 0 };
  breakables: Breakable[] = [];
  /** The target of throws. */
  handler = new Set<Way>();
  /** Labels of the next statement. */
  labels: string[] = [];
  readonly #source: SourceText;

  constructor(source: SourceText, scopes: Scopes, references: References) {
    this.#source = source;
    this.scopes = scopes;
    this.held = new HeldCalls(scopes, references);
    for (const use of references.uses) this.useAt.set(use.call ?? use.node, use);
  }

  /** The node of a call, and the ways after it; each call has one node. */
  call(use: Use, at: Frontier): Frontier {
    if (this.idOf.has(use)) return at;
    const { graph } = this;
    const id = graph.newId("n");
    this.idOf.set(use, id);
    const index = graph.add({ id, type: "call", use }, at);
    graph.sites.push(
      use.call === undefined ? { kind: "value", id, node: use.node } : { kind: "call", id, node: use.call },
    );
    const after = [graph.next(index)];
    this.throw(after);
    return after;
  }

  target(): Target {
    return { ways: new Set(), depth: this.finallies.length };
  }

  /** Leads to a target, through every `finally` on the way. */
  leave(to: Target, at: Frontier): void {
    const between = this.finallies.length > to.depth ? this.finallies.at(-1) : undefined;
    between?.targets.add(to);
    const ways = between === undefined ? to.ways : between.ways;
    for (const way of at) ways.add(way);
  }

  throw(at: Frontier): void {
    for (const way of at) this.handler.add(way);
  }

  /** Skips code without calls or exits, which can still throw. */
  pass(node: Node, at: Frontier): Frontier {
    if (this.held.mayThrow(node)) this.throw(at);
    return at;
  }

  endChain(at: Frontier): void {
    const chain = this.chains.at(-1);
    if (chain !== undefined) for (const way of at) chain.add(way);
  }

  takeLabels(): readonly string[] {
    const { labels } = this;
    this.labels = [];
    return labels;
  }

  /** A branch needs a decision node if it calls, returns or throws. */
  decides(branch: Node | null): boolean {
    return this.held.holdsCall(branch) || this.held.exits(branch);
  }

  /** The source text, truncated. */
  text(node: Node): string {
    const text = this.#source.text.slice(node.start - WRAPPER_CHARS, node.end - WRAPPER_CHARS);
    return text.length > TEXT_CHARS ? `${text.slice(0, TEXT_CHARS - 1)}…` : text;
  }
}

/** Walks the nodes that are present, in order. */
export function* walkList(walk: FlowWalk, nodes: readonly (Node | null)[], before: Frontier): Step {
  let at = before;
  for (const node of nodes) {
    if (node === null) continue;
    at = walk.held.isActive(node) ? yield [node, at] : walk.pass(node, at);
  }
  return at;
}
