/**
 * Values that are added to the objects and lists of variables after their creation: `out.push(v)`, `out.x = v`, …
 *
 * @module
 */
import { type Node, type NodeOf, withoutTypes } from "../syntax/ast.js";
import { staticKey } from "../syntax/constants.js";
import type { Binding, Scopes } from "../syntax/scopes.js";
import { ANY, canMeet, field, MAPPED, type Step, stepsOf, type ValuePath } from "./value-path.js";

interface Change {
  /** The path inside the variable's value. */
  readonly place: readonly Step[];
  readonly value: Node;
  /** The part of the value that is added: an item of it, if it is spread. */
  readonly part: readonly Step[];
}

export interface Changes {
  /** The changes that could have put a value at this path, or below it. */
  on(binding: Binding, path: ValuePath): readonly Change[];
  has(binding: Binding): boolean;
}

/** Sources of one value; beyond this number they are no longer distinguished. */
const CROWD = 64;

/** The first and the last, if there are many. */
export function few<T>(items: readonly T[]): readonly T[] {
  return items.length <= CROWD ? items : [...items.slice(0, CROWD / 2), ...items.slice(-CROWD / 2)];
}

const NONE: readonly never[] = [];

interface Kept {
  readonly all: Change[];
  readonly byFirst: Map<Step | undefined, Change[]>;
}

export function findChanges(scopes: Scopes): Changes {
  const kept = new Map<Binding, Kept>();
  const add: Add = (target, inner, value, part = []) => {
    const held = holderOf(target, scopes);
    if (held === undefined) return;
    const known: Kept = kept.get(held.binding) ?? { all: [], byFirst: new Map() };
    kept.set(held.binding, known);
    if (value === undefined) return;
    const change: Change = { place: [...held.place, ...inner], value, part };
    known.all.push(change);
    const same = known.byFirst.get(change.place[0]);
    if (same === undefined) known.byFirst.set(change.place[0], [change]);
    else same.push(change);
  };
  for (const node of scopes.nodes) {
    if (node.type === "AssignmentExpression") {
      const left = withoutTypes(node.left);
      if (left.type === "MemberExpression") add(left, [], node.right);
    } else if (node.type === "UpdateExpression" || node.type === "UnaryExpression") {
      const isWrite = node.type === "UpdateExpression" || node.operator === "delete";
      const target = withoutTypes(node.argument);
      if (isWrite && target.type === "MemberExpression") add(target, []);
    } else if (node.type === "CallExpression") fromCall(node, scopes, add);
  }
  return {
    on(binding, path) {
      const known = kept.get(binding);
      if (known === undefined) return NONE;
      const { head } = path;
      const isAny = head === undefined || head === ANY;
      const firsts = isAny ? [] : [undefined, head, ...(head.startsWith(".") ? [ANY] : [])];
      const possible = isAny
        ? few(known.all)
        : firsts.flatMap((first) => few(known.byFirst.get(first) ?? []));
      return possible.filter(({ place }) => meets(place, path));
    },
    has: (binding) => kept.has(binding),
  };
}

/** Without a value, something is removed or moved. */
type Add = (target: Node, inner: readonly Step[], value?: Node, part?: readonly Step[]) => void;

function fromCall(call: NodeOf<"CallExpression">, scopes: Scopes, add: Add): void {
  const callee = withoutTypes(call.callee);
  if (callee.type !== "MemberExpression" || callee.computed || callee.property.type !== "Identifier") return;
  const [first, second] = call.arguments as readonly (Node | undefined)[];
  switch (callee.property.name) {
    case "push":
    case "unshift":
    case "add":
      addItems(callee.object, call.arguments, add);
      return;
    case "pop":
    case "shift":
    case "sort":
    case "reverse":
    case "fill":
    case "copyWithin":
    case "delete":
    case "clear":
      add(callee.object, []);
      return;
    case "splice":
      add(callee.object, []);
      addItems(callee.object, call.arguments.slice(2), add);
      return;
    case "set":
      if (first === undefined || second === undefined) return;
      add(callee.object, [MAPPED], second);
      add(callee.object, [ANY, field("1")], second);
      add(callee.object, [ANY, field("0")], first);
      return;
    case "assign":
      if (callee.object.type !== "Identifier" || callee.object.name !== "Object" || first === undefined)
        return;
      if (scopes.bindingOf(callee.object) === undefined)
        for (const source of call.arguments.slice(1)) add(first, [], source);
      return;
    default:
  }
}

function addItems(target: Node, items: readonly Node[], add: Add): void {
  for (const item of items) {
    if (item.type === "SpreadElement") add(target, [ANY], item.argument, [ANY]);
    else add(target, [ANY], item);
  }
}

/** The variable at the root of `out.groups[k]`, and the path from it. */
function holderOf(
  target: Node,
  scopes: Scopes,
): { readonly binding: Binding; readonly place: readonly Step[] } | undefined {
  const place: Step[] = [];
  let node = withoutTypes(target);
  for (;;) {
    if (node.type === "Identifier") {
      const binding = scopes.bindingOf(node);
      return binding === undefined ? undefined : { binding, place: place.reverse() };
    }
    if (node.type === "MemberExpression") {
      const key = staticKey(node.property, node.computed, scopes);
      place.push(key === undefined ? ANY : field(key));
      node = withoutTypes(node.object);
    } else if (node.type === "ChainExpression") node = withoutTypes(node.expression);
    // `(groups[k] ??= []).push(v)`
    else if (node.type === "AssignmentExpression" && node.operator !== "=") node = withoutTypes(node.left);
    else if (node.type === "CallExpression") {
      const callee = withoutTypes(node.callee);
      if (callee.type !== "MemberExpression" || callee.computed) return undefined;
      if (callee.property.type !== "Identifier" || callee.property.name !== "get") return undefined;
      place.push(MAPPED);
      node = withoutTypes(callee.object);
    } else return undefined;
  }
}

/** Whether one path leads to the same place as the other, or further. */
function meets(place: readonly Step[], path: ValuePath): boolean {
  const steps = stepsOf(path);
  const shared = Math.min(place.length, steps.length);
  for (let i = 0; i < shared; i += 1) if (!canMeet(place[i] as Step, steps[i] as Step)) return false;
  return true;
}
