/**
 * Functions of the code in a walk: walked at their first call; later calls lead to the same nodes.
 *
 * @module
 */

import type { Use } from "../names/references.js";
import { type FunctionNode, isFunction, type Node, withoutTypes } from "../syntax/ast.js";
import { type Frontier, union, type Way } from "./flow-graph.js";
import { type FlowWalk, type Region, type Step, walkList } from "./flow-walk.js";

/** Leads into a function, which is walked if it was not yet, and returns the ways out of it. */
export function* enterFunction(walk: FlowWalk, called: FunctionNode, at: Frontier): Step {
  let region = walk.regions.get(called);
  if (region === undefined) {
    region = {
      portal: { from: -2 - walk.regions.size, type: "sequence" },
      exits: [],
      throws: new Set(),
      isDone: false,
    };
    walk.regions.set(called, region);
    yield walkBody(walk, called, region);
  }
  // A recursive call continues at the same place.
  if (!region.isDone) return at;
  const back: Way[] = [];
  for (const entry of walk.graph.entries(region.portal)) {
    const forward = at.filter(({ from }) => from < entry);
    walk.graph.link(forward, entry);
    for (const way of at) if (way.from >= entry) back.push(way);
  }
  const { portal, throws, exits } = region;
  const through = (ways: Iterable<Way>): Frontier =>
    union(...Array.from(ways, (way) => (way === portal ? at : [way])));
  if (throws.size > 0) walk.throw(through(throws));
  return union(through(exits), back);
}

function* walkBody(walk: FlowWalk, called: FunctionNode, region: Region): Step {
  const outer = {
    returns: walk.returns,
    breakables: walk.breakables,
    handler: walk.handler,
    labels: walk.labels,
  };
  walk.returns = walk.target();
  walk.breakables = [];
  walk.handler = region.throws;
  walk.labels = [];
  const body = called.body as Node | null;
  const parts = body?.type === "BlockStatement" ? (body.body as readonly Node[]) : [body];
  const at: Frontier = yield walkList(
    walk,
    [...(called.params as readonly Node[]), ...parts],
    [region.portal],
  );
  region.exits = union(at, [...walk.returns.ways]);
  region.isDone = true;
  walk.returns = outer.returns;
  walk.breakables = outer.breakables;
  walk.handler = outer.handler;
  walk.labels = outer.labels;
  return region.exits;
}

export function outermost(walk: FlowWalk, use: Use): FunctionNode | undefined {
  let found: FunctionNode | undefined;
  for (let node: Node | null | undefined = use.node; node; node = node.parent)
    if (isFunction(node) && !walk.regions.has(node)) found = node;
  return found;
}

/** Leads into any one of the functions. */
export function* enterOne(walk: FlowWalk, called: readonly FunctionNode[], at: Frontier): Step {
  const [first] = called;
  if (first !== undefined && called.length === 1) return yield enterFunction(walk, first, at);
  const ends: Frontier[] = [];
  for (const each of called) ends.push(yield enterFunction(walk, each, at));
  return union(...ends);
}

/** A function or tool that is certainly called. */
export function* walkCallback(walk: FlowWalk, given: Node, at: Frontier): Step {
  const called = walk.held.functionsOf(given);
  if (called.length > 0) return yield enterOne(walk, called, at);
  const use = walk.useAt.get(withoutTypes(given));
  return use === undefined ? yield [given, at] : walk.call(use, at);
}
