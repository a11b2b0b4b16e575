/**
 * A static structure as a tree for people: the contents of branches, loops and forks, and what comes after them. The
 * edges remain the authority.
 *
 * A node belongs to a branch if every path to it goes through that branch, so the tree is built from dominators: nodes
 * that two branches lead to come after the decision, nodes that only one leads to are in that branch. Loops and forks
 * know their contents.
 *
 * @module
 */
import type { FlowEdge, StaticStructure, StructureNode } from "../static-structure.js";

/** A node with its contents, and what comes after it on the same level. */
export interface StructureBlock {
  readonly node: StructureNode;
  /** The branches of a decision, the lanes of a fork, or the body of a loop. */
  readonly parts: readonly StructurePart[];
  readonly after: readonly StructureBlock[];
  /** For a join: its fork. */
  readonly fork?: string;
  /** The number of nodes and empty branches, including everything after it. */
  readonly size: number;
}

export interface StructurePart {
  /** The outcome of a decision; several if they lead to the same node. Empty for lanes and bodies. */
  readonly label: string;
  /** Absent if it is empty. */
  readonly block?: StructureBlock;
  /** Where it continues, if it is empty and does not end the run: a node, or the end of a loop's body. */
  readonly goesTo?: string;
}

interface Draft {
  readonly node: StructureNode;
  readonly index: number;
  readonly incoming: FlowEdge[];
  readonly outgoing: FlowEdge[];
  readonly inside: Draft[];
  readonly after: Draft[];
  /** The loop or fork that it is in. */
  readonly container: Draft | undefined;
  /** How many containers it is in. */
  readonly level: number;
  /** The last node that every path to this one goes through, and the number of such nodes. */
  dominator: Draft | undefined;
  depth: number;
  fork: Draft | undefined;
  block: StructureBlock | undefined;
}

/** The blocks of the outermost level, in order of evaluation. */
export function structureTree({ nodes, edges }: StaticStructure): readonly StructureBlock[] {
  const byId = new Map<string, Draft>();
  for (const node of nodes) byId.set(node.id, draftOf(node, byId));
  for (const edge of edges) {
    if (edge.type === "provides") continue;
    const from = byId.get(edge.from);
    const to = byId.get(edge.to);
    if (from === undefined || to === undefined || from.index >= to.index) continue;
    from.outgoing.push(edge);
    to.incoming.push(edge);
  }
  const roots: Draft[] = [];
  for (const draft of byId.values()) place(draft, byId, roots);
  for (const draft of [...byId.values()].reverse()) finish(draft, byId);
  return blocksOf(roots);
}

function draftOf(node: StructureNode, earlier: ReadonlyMap<string, Draft>): Draft {
  const container = node.within === undefined ? undefined : earlier.get(node.within);
  return {
    node,
    index: earlier.size,
    incoming: [],
    outgoing: [],
    inside: [],
    after: [],
    container,
    level: container === undefined ? 0 : container.level + 1,
    dominator: undefined,
    depth: 0,
    fork: undefined,
    block: undefined,
  };
}

function place(draft: Draft, byId: ReadonlyMap<string, Draft>, roots: Draft[]): void {
  const dominator = dominatorOf(draft, byId);
  draft.dominator = dominator;
  draft.depth = dominator === undefined ? 0 : dominator.depth + 1;
  if (dominator === undefined) {
    (draft.container?.inside ?? roots).push(draft);
    return;
  }
  const left = leftBetween(dominator, draft);
  if (draft.node.type === "join" && left?.node.type === "fork") draft.fork = left;
  if (left !== undefined) left.after.push(draft);
  else (isInside(draft, dominator) ? dominator.inside : dominator.after).push(draft);
}

function dominatorOf(draft: Draft, byId: ReadonlyMap<string, Draft>): Draft | undefined {
  const [first, ...others] = draft.incoming.map(({ from }) => byId.get(from));
  let common = first;
  for (const other of others) common = meeting(common, other);
  return common;
}

function meeting(one: Draft | undefined, other: Draft | undefined): Draft | undefined {
  let a = one;
  let b = other;
  while (a !== b) {
    if (a === undefined || b === undefined) return undefined;
    if (a.depth >= b.depth) a = a.dominator;
    else b = b.dominator;
  }
  return a;
}

/** The outermost loop or fork that an edge from one node to the other leaves. */
function leftBetween(from: Draft, to: Draft): Draft | undefined {
  let outer = to.container;
  let inner: Draft | undefined =
    from.node.type === "loop" || from.node.type === "fork" ? from : from.container;
  let left: Draft | undefined;
  while (inner !== outer) {
    if (inner !== undefined && (outer === undefined || inner.level >= outer.level)) {
      left = inner;
      inner = inner.container;
    } else outer = outer?.container;
  }
  return left;
}

function isInside(draft: Draft, parent: Draft): boolean {
  const { type } = parent.node;
  if (type === "fork" || type === "loop") return true;
  const own = draft.incoming.filter(({ from }) => from === parent.node.id);
  if (type !== "decision" || own.length !== draft.incoming.length) return false;
  // A node that every outcome leads to comes after all branches.
  return new Set(own.map(outcomeOf)).size < new Set(parent.outgoing.map(outcomeOf)).size || own.length === 1;
}

function outcomeOf(edge: FlowEdge): string {
  return edge.type === "conditional" ? edge.outcome : "";
}

/** Called from the last block to the first, so that the blocks inside a block are finished before it. */
function finish(draft: Draft, byId: ReadonlyMap<string, Draft>): void {
  const parts = draft.node.type === "decision" ? branches(draft, byId) : lanes(draft);
  const after = blocksOf(draft.after);
  const size =
    1 +
    parts.reduce((sum, { block }) => sum + (block?.size ?? 1), 0) +
    after.reduce((sum, block) => sum + block.size, 0);
  const { node, fork } = draft;
  draft.block = { node, parts, after, size, ...(fork === undefined ? {} : { fork: fork.node.id }) };
}

function lanes({ inside }: Draft): readonly StructurePart[] {
  return blocksOf(inside).map((block) => ({ label: "", block }));
}

/** In order of the edges; a boolean test has both outcomes, even if one of them ends the run. */
function branches(
  { node, outgoing, inside, container }: Draft,
  byId: ReadonlyMap<string, Draft>,
): readonly StructurePart[] {
  const outcomes = new Map<string, string[]>();
  for (const edge of outgoing) {
    const labels = outcomes.get(edge.to);
    if (labels === undefined) outcomes.set(edge.to, [outcomeOf(edge)]);
    else labels.push(outcomeOf(edge));
  }
  const held = new Set(inside);
  const parts = Array.from(outcomes, ([to, labels]): StructurePart => {
    const target = byId.get(to) as Draft;
    const label = labels.join(" | ");
    return held.has(target) && target.block !== undefined
      ? { label, block: target.block }
      : { label, goesTo: leavesLoop(container, target) ? `end of ${container?.node.id}` : to };
  });
  const isTest = node.type === "decision" && (node.kind === "if" || node.kind === "ternary");
  if (!isTest) return parts;
  const missing = ["true", "false"].filter((label) => !outgoing.some((edge) => outcomeOf(edge) === label));
  const all = [...parts, ...missing.map((label) => ({ label }))];
  // The outcome `false` comes last, whichever branch has content.
  return all.sort((a, b) => Number(a.label === "false") - Number(b.label === "false"));
}

/** The end of a body continues with the next iteration, or after its loop. */
function leavesLoop(container: Draft | undefined, target: Draft): boolean {
  if (container?.node.type !== "loop") return false;
  for (let around = target.container; around !== undefined; around = around.container)
    if (around === container) return false;
  return true;
}

function blocksOf(drafts: readonly Draft[]): readonly StructureBlock[] {
  return drafts.flatMap(({ block }) => (block === undefined ? [] : [block]));
}
