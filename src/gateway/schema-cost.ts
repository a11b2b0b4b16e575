/**
 * How much work a check against a schema may be, found without doing it.
 *
 * References let a schema of two kilobytes stand for one of billions of nodes, and a schema that refers to itself
 * several times multiplies with every level of the value. Schemas come from servers, and checks run on the thread
 * that serves everybody.
 *
 * @module
 */
export interface SchemaCost {
  /** Nodes of the schema with its references followed; a reference back into itself counts once. */
  readonly nodes: number;
  /** References that lead back into the schema they stand in. */
  readonly loops: number;
}

const NODES_MOST = 20_000;
const STEPS_MOST = 1_000_000;

/** Whether a value may be checked: the schema is not a bomb, and neither is the two of them together. */
export function isAffordable(cost: SchemaCost, value: unknown): boolean {
  if (cost.nodes > NODES_MOST) return false;
  if (cost.loops <= 1) return true;
  // Each level of the value may be visited once for every way back.
  return (
    cost.loops ** depthOf(value, Math.ceil(Math.log(STEPS_MOST) / Math.log(cost.loops)) + 1) <= STEPS_MOST
  );
}

export function costOf(schema: unknown): SchemaCost {
  const known = new Map<unknown, number>();
  const open = new Set<unknown>();
  let loops = 0;

  function count(node: unknown): number {
    if (typeof node !== "object" || node === null) return 1;
    const before = known.get(node);
    if (before !== undefined) return before;
    if (open.has(node)) {
      loops += 1;
      return 1;
    }
    open.add(node);
    let nodes = 1;
    for (const [key, child] of Object.entries(node)) {
      nodes += key === "$ref" && typeof child === "string" ? count(targetOf(schema, child)) : count(child);
      if (nodes > NODES_MOST) break;
    }
    open.delete(node);
    known.set(node, nodes);
    return nodes;
  }

  return { nodes: count(schema), loops };
}

/** What a local reference names: `#`, `#/$defs/x`. Others cannot be followed, and checks leave them alone. */
function targetOf(schema: unknown, reference: string): unknown {
  if (!reference.startsWith("#")) return undefined;
  let node = schema;
  for (const part of reference
    .slice(1)
    .split("/")
    .filter((text) => text !== "")) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    node = (node as Record<string, unknown> | undefined)?.[key];
  }
  return node;
}

/** Levels of objects and lists within one another, no further than `most`. */
function depthOf(value: unknown, most: number): number {
  if (most <= 0 || typeof value !== "object" || value === null) return 0;
  let deepest = 0;
  for (const child of Object.values(value)) {
    deepest = Math.max(deepest, depthOf(child, most - 1));
    if (deepest >= most - 1) break;
  }
  return deepest + 1;
}
