/**
 * The path of one run through the static structure of its code: the passed nodes and their order, the outcomes of
 * decisions, and the iterations of loops.
 *
 * Nodes inside a fork or a loop appear once, after it, in the order of the structure: so runs that differ only in the
 * order of answers, or in the number of items, have the same path. Code can claim anything, so events outside of the
 * structure are ignored.
 *
 * @module
 */
import type { DecisionNode, StaticStructure, StructureNode } from "../../analysis/static-structure.js";
import type { DecisionTaken, LoopPassed } from "../../registry/capability-store.js";
import type { PassedNode } from "../ports/sandbox.js";

interface NodePlace {
  readonly node: StructureNode;
  readonly index: number;
  /** The outermost fork or loop that it is in. */
  readonly outermost: string | undefined;
}

/** The possible outcomes of a decision, by its kind. A `switch` has its own. */
const OUTCOMES: Readonly<Record<Exclude<DecisionNode["kind"], "switch">, readonly string[]>> = {
  if: ["true", "false"],
  ternary: ["true", "false"],
  and: ["true", "false"],
  or: ["true", "false"],
  nullish: ["nullish", "value"],
  try: ["ok", "error"],
};
const AGAIN = "again";
/** Cached, because a capability may be called in a loop with the same structure each time. */
const PLACES = new WeakMap<StaticStructure, ReadonlyMap<string, NodePlace>>();

export class RunPath {
  readonly #places: ReadonlyMap<string, NodePlace>;
  /** In the order of first passing. */
  readonly #passed = new Set<string>();
  readonly #decisions = new Map<string, { nodeId: string; outcome: string; count: number }>();
  readonly #iterations = new Map<string, number>();

  constructor(structure: StaticStructure) {
    this.#places = PLACES.get(structure) ?? placesOf(structure.nodes);
    PLACES.set(structure, this.#places);
  }

  /** A call that the node is known to make. */
  call(node: string): void {
    this.#passed.add(node);
  }

  passed(marks: readonly PassedNode[]): void {
    for (const mark of marks) {
      const node = this.#places.get(mark.id)?.node;
      if (node?.type === "decision") this.#decide(node, mark);
      else if (node?.type === "loop") this.#repeat(mark);
      else if ((node?.type === "fork" || node?.type === "join") && mark.outcome === "")
        this.#passed.add(mark.id);
    }
  }

  /** Every passed node, once. */
  path(): readonly string[] {
    const groups = new Map<string, string[]>();
    for (const id of this.#passed) {
      const key = this.#places.get(id)?.outermost ?? id;
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [id]);
      else group.push(id);
    }
    return Array.from(groups.values(), (ids) => ids.sort((a, b) => this.#rank(a) - this.#rank(b))).flat();
  }

  /** In the order of first occurrence. */
  decisions(): readonly DecisionTaken[] {
    return Array.from(this.#decisions.values(), ({ nodeId, outcome, count }) => ({
      nodeId,
      outcome,
      ...(count > 1 ? { count } : {}),
    }));
  }

  /** Every loop that was passed, even without an iteration. */
  loops(): readonly LoopPassed[] {
    return Array.from(this.#iterations, ([nodeId, iterations]) => ({ nodeId, iterations }));
  }

  #decide(node: DecisionNode, { id, outcome, count }: PassedNode): void {
    const known = node.kind === "switch" ? (node.outcomes ?? []) : OUTCOMES[node.kind];
    if (!known.includes(outcome)) return;
    this.#passed.add(id);
    const key = `${id} ${outcome}`;
    const taken = this.#decisions.get(key) ?? { nodeId: id, outcome, count: 0 };
    taken.count += count;
    this.#decisions.set(key, taken);
  }

  #repeat({ id, outcome, count }: PassedNode): void {
    if (outcome !== "" && outcome !== AGAIN) return;
    this.#passed.add(id);
    this.#iterations.set(id, (this.#iterations.get(id) ?? 0) + (outcome === AGAIN ? count : 0));
  }

  #rank(id: string): number {
    return this.#places.get(id)?.index ?? 0;
  }
}

function placesOf(nodes: readonly StructureNode[]): ReadonlyMap<string, NodePlace> {
  const places = new Map<string, NodePlace>();
  for (const [index, node] of nodes.entries()) {
    const { id, within } = node;
    // The containing node precedes it.
    const outermost = within === undefined ? undefined : (places.get(within)?.outermost ?? within);
    places.set(id, { node, index, outermost });
  }
  return places;
}
