/**
 * Which writes of a variable a read can see.
 *
 * A write that is a statement before the read, in a block around it, has certainly happened, and hides the writes
 * before it. Writes after the read matter only in loops. If functions share a variable, any write may have been the
 * last.
 *
 * @module
 */
import { functionAround, isFunction, type Node } from "../syntax/ast.js";
import type { Binding } from "../syntax/scopes.js";

interface Write {
  readonly identifier: Node;
  /** The position from which the new value is visible: `x = f(x)` reads the old `x`. */
  readonly end: number;
  /** The statement that only does this write, and its block. */
  readonly statement: Node | undefined;
}

interface Writes {
  /** In order of position. */
  readonly all: readonly Write[];
  /** The function that contains all of them and the variable itself. */
  readonly owner: Node | undefined;
  readonly isShared: boolean;
}

/** Maximum number of writes that are compared, before and after a read. */
const COMPARED = 32;

export type WriteOrder = (read: Node, binding: Binding) => readonly Node[];

/** The writes of a variable that a read can see; all of them if nothing more is known. */
export function writeOrder(): WriteOrder {
  const known = new Map<Binding, Writes>();
  return (read, binding) => {
    if (binding.writes.length < 2) return binding.writes;
    let writes = known.get(binding);
    if (writes === undefined) {
      writes = writesOf(binding);
      known.set(binding, writes);
    }
    return visible(read, writes) ?? binding.writes;
  };
}

function writesOf(binding: Binding): Writes {
  const all = binding.writes
    .map((identifier): Write => ({ identifier, ...extentOf(identifier) }))
    .sort((one, other) => one.identifier.start - other.identifier.start);
  const owners = new Set(binding.writes.map(ownerOf));
  const [declared] = binding.identifiers;
  if (declared !== undefined) owners.add(ownerOf(declared));
  return { all, owner: [...owners][0], isShared: owners.size > 1 };
}

function visible(read: Node, { all, owner, isShared }: Writes): readonly Node[] | undefined {
  if (isShared || ownerOf(read) !== owner) return undefined;
  const behind = firstBehind(all, read.start);
  const before = all.slice(Math.max(0, behind - COMPARED), behind).filter(({ end }) => end <= read.start);
  const last = before.findLast(({ statement }) => isPassed(statement, read));
  if (last === undefined && all.length > COMPARED) return undefined;
  const start = last?.identifier.start ?? 0;
  const loop = loopAround(read, last?.statement?.parent ?? owner);
  // In a loop, a write after the read may have happened in the previous iteration.
  const isWithin = ({ identifier }: Write): boolean =>
    loop !== undefined && identifier.start >= loop.start && identifier.end <= loop.end;
  if (loop !== undefined && all.length > 2 * COMPARED) return undefined;
  return all
    .slice(Math.max(0, behind - COMPARED), loop === undefined ? behind : all.length)
    .filter((write) => write.identifier.start >= start && (write.end <= read.start || isWithin(write)))
    .map(({ identifier }) => identifier);
}

/** The index of the first write that starts after an offset. */
function firstBehind(writes: readonly Write[], offset: number): number {
  let low = 0;
  let high = writes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((writes[middle] as Write).identifier.start < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether a statement is in a block around the read, and before it. */
function isPassed(statement: Node | undefined, read: Node): boolean {
  const block = statement?.parent;
  return statement !== undefined && block?.type === "BlockStatement"
    ? statement.end <= read.start && block.start <= read.start && read.end <= block.end
    : false;
}

function extentOf(write: Node): Pick<Write, "end" | "statement"> {
  let node = write.parent;
  while (node && PATTERNS.has(node.type)) node = node.parent;
  if (node?.type === "VariableDeclarator") {
    const declaration = node.parent;
    // A loop declares its variable anew in each iteration.
    return { end: node.end, statement: node.init && declaration ? declaration : undefined };
  }
  if (node?.type !== "AssignmentExpression") return { end: write.end, statement: undefined };
  const around = node.parent;
  const isAlways = node.operator === "=" && around?.type === "ExpressionStatement";
  return { end: node.end, statement: isAlways ? around : undefined };
}

const PATTERNS: ReadonlySet<Node["type"]> = new Set<Node["type"]>([
  "Property",
  "ObjectPattern",
  "ArrayPattern",
  "AssignmentPattern",
  "RestElement",
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSNonNullExpression",
  "TSTypeAssertion",
]);

const LOOPS: ReadonlySet<Node["type"]> = new Set<Node["type"]>([
  "ForStatement",
  "ForInStatement",
  "ForOfStatement",
  "WhileStatement",
  "DoWhileStatement",
]);

/** The outermost loop around a node, within another node. */
function loopAround(node: Node, within: Node | undefined): Node | undefined {
  let loop: Node | undefined;
  for (let around = node.parent; around && around !== within && !isFunction(around); around = around.parent)
    if (LOOPS.has(around.type)) loop = around;
  return loop;
}

/** The function that a variable is declared or read in: a function's own name is outside of it. */
function ownerOf(node: Node): Node | undefined {
  const { parent } = node;
  const isName =
    parent && isFunction(parent) && parent.type !== "ArrowFunctionExpression" && parent.id === node;
  return functionAround(isName ? parent : node);
}
