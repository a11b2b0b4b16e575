/**
 * Where code reads its parameters: as fields of `args`, through destructuring and variables, and as free identifiers.
 *
 * @module
 */
import { writeOrder } from "../data/write-order.js";
import { insteadOf, isKnownGlobal } from "../names/globals.js";
import { contextOf, type Identifier, type Node, withoutTypes } from "../syntax/ast.js";
import { parameterOf } from "../syntax/code-functions.js";
import { staticKey } from "../syntax/constants.js";
import type { Scopes } from "../syntax/scopes.js";

export interface ParameterReads {
  readonly name: string;
  /** The expressions that read it: `args.path`, or a variable that it was assigned to and may still have. */
  readonly reads: Node[];
  /** These reads, and variables that get a default if it is missing. */
  readonly values: Node[];
  /** Destructured where its use cannot be followed, or where it must be present to be destructured. */
  isTaken: boolean;
  /** Defaults in destructuring. */
  readonly defaults: Node[];
  isFree: boolean;
  /** Its first occurrence. */
  first: number;
}

export interface FoundReads {
  readonly parameters: ReadonlyMap<string, ParameterReads>;
  /** The parameter whose value an expression has. */
  readonly parameterAt: ReadonlyMap<Node, ParameterReads>;
  /**
   * The code passes all arguments to a place that analysis cannot follow: which of them are used is known only at run
   * time.
   */
  readonly isWhole: boolean;
  /** Free identifiers that are written before they could have been read. */
  readonly undeclared: readonly Identifier[];
}

/** The reads of a variable after it was set: those before it is set again, and those where that is unknown. */
interface Later {
  readonly surely: readonly Node[];
  readonly maybe: readonly Node[];
}

const NEVER: Later = { surely: [], maybe: [] };

/** Code that only tests whether arguments exist. */
const LOOKS_ONLY: ReadonlySet<Node["type"]> = new Set([
  "ExpressionStatement",
  "UnaryExpression",
  "IfStatement",
  "WhileStatement",
  "DoWhileStatement",
  "ForStatement",
]);

/** `noParameters` are free identifiers with another meaning. */
export function findReads(scopes: Scopes, noParameters: ReadonlySet<Identifier> = new Set()): FoundReads {
  const parameters = new Map<string, ParameterReads>();
  const parameterAt = new Map<Node, ParameterReads>();
  const seen = new Set<Node>();
  const writesAt = writeOrder();
  let isWhole = false;

  const mention = (name: string, at: number): ParameterReads => {
    let found = parameters.get(name);
    if (found === undefined) {
      found = { name, reads: [], values: [], isTaken: false, defaults: [], isFree: false, first: at };
      parameters.set(name, found);
    }
    found.first = Math.min(found.first, at);
    return found;
  };

  /** Follows an expression with the value of a parameter, and variables that it is assigned to. */
  const read = (parameter: ParameterReads, start: Node, hasDefault = false): void => {
    const queue: Node[] = [start];
    for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
      if (parameterAt.has(node)) continue;
      parameterAt.set(node, parameter);
      const { parent, child } = contextOf(node);
      if (parent?.type !== "VariableDeclarator" || parent.init !== child) {
        parameter.values.push(node);
        if (!hasDefault) parameter.reads.push(node);
        continue;
      }
      const later = readsOf(parent.id);
      for (const each of later.surely) queue.push(each);
      mayRead(parameter, later, hasDefault);
    }
  };

  /** Follows variables that have the value of a parameter, or one that was assigned later. */
  const mayRead = (parameter: ParameterReads, { surely, maybe }: Later, hasDefault: boolean): void => {
    if (hasDefault) return;
    for (const each of maybe) parameter.reads.push(each);
    if (surely.length + maybe.length === 0) parameter.isTaken = true;
  };

  /** The reads of a variable that is set here; none if it cannot be followed. */
  const readsOf = (target: Node): Later => {
    const binding = target.type === "Identifier" ? scopes.bindingOf(target) : undefined;
    if (binding === undefined) return NEVER;
    if (binding.writes.length === 1) return { surely: binding.reads, maybe: [] };
    const surely: Node[] = [];
    const maybe: Node[] = [];
    for (const each of binding.reads) {
      const seen = writesAt(each, binding);
      if (seen === binding.writes) maybe.push(each);
      else if (seen.includes(target)) (seen.length === 1 ? surely : maybe).push(each);
    }
    return { surely, maybe };
  };

  /** Follows the destructuring of one parameter. */
  const take = (parameter: ParameterReads, pattern: Node): void => {
    const hasDefault = pattern.type === "AssignmentPattern";
    if (hasDefault) parameter.defaults.push(pattern.right);
    const later = readsOf(hasDefault ? pattern.left : pattern);
    for (const each of later.surely) read(parameter, each, hasDefault);
    mayRead(parameter, later, hasDefault);
  };

  /** Follows the destructuring of all arguments. */
  const takeAll = (pattern: Node): void => {
    const targets: Node[] = [pattern];
    for (let target = targets.pop(); target !== undefined; target = targets.pop()) {
      if (seen.has(target)) continue;
      seen.add(target);
      if (target.type === "AssignmentPattern") targets.push(target.left);
      else if (target.type === "Identifier") {
        const binding = scopes.bindingOf(target);
        if (binding?.writes.length === 1) for (const each of binding.reads) followAll(each);
        else isWhole = true;
      } else if (target.type === "ObjectPattern") {
        for (const property of target.properties) {
          if (property.type === "RestElement") {
            targets.push(property.argument);
            continue;
          }
          const key = staticKey(property.key, property.computed, scopes);
          if (key !== undefined) take(mention(key, property.start), property.value);
          else isWhole = true;
        }
      } else isWhole = true;
    }
  };

  const waiting: Node[] = [];
  const followAll = (node: Node): void => {
    waiting.push(node);
  };
  const follow = (node: Node): void => {
    const { parent, child } = contextOf(node);
    switch (parent?.type) {
      case "MemberExpression": {
        if (parent.object !== child || parent.property.type === "PrivateIdentifier") return;
        const key = staticKey(parent.property, parent.computed, scopes);
        if (key !== undefined) read(mention(key, parent.start), parent);
        else isWhole = true;
        return;
      }
      case "VariableDeclarator":
        takeAll(parent.id);
        return;
      case "AssignmentExpression":
        if (parent.right === child && parent.operator === "=") takeAll(parent.left);
        return;
      case "AssignmentPattern":
        if (parent.right === child) takeAll(parent.left);
        return;
      case "LogicalExpression":
        followAll(parent);
        return;
      case "BinaryExpression": {
        const key =
          parent.operator === "in" && parent.right === child ? withoutTypes(parent.left) : undefined;
        const name = key === undefined ? undefined : staticKey(key, true, scopes);
        if (name !== undefined) parameterAt.set(parent, mention(name, parent.start));
        else if (key !== undefined) isWhole = true;
        return;
      }
      case "CallExpression": {
        const parameter = parameterOf(parent, child, scopes);
        if (parameter !== undefined) takeAll(parameter);
        else isWhole = true;
        return;
      }
      default:
        if (parent !== undefined && !LOOKS_ONLY.has(parent.type)) isWhole = true;
    }
  };

  for (const identifier of scopes.free) if (identifier.name === "args") followAll(identifier);
  for (let node = waiting.shift(); node !== undefined; node = waiting.shift()) {
    if (seen.has(node)) continue;
    seen.add(node);
    follow(node);
  }

  const { read: names, undeclared } = freeNames(scopes, noParameters);
  for (const identifier of names) {
    const parameter = mention(identifier.name, identifier.start);
    parameter.isFree = true;
    read(parameter, identifier);
  }
  return { parameters, parameterAt, isWhole, undeclared };
}

/** Free identifiers that are not globals; those that are assigned before anything else are not parameters either. */
function freeNames(
  scopes: Scopes,
  noParameters: ReadonlySet<Identifier>,
): {
  readonly read: readonly Identifier[];
  readonly undeclared: readonly Identifier[];
} {
  const byName = new Map<string, Identifier[]>();
  for (const identifier of scopes.free) {
    const { name } = identifier;
    if (isKnownGlobal(name) || insteadOf(name) !== undefined || noParameters.has(identifier)) continue;
    const known = byName.get(name);
    if (known === undefined) byName.set(name, [identifier]);
    else known.push(identifier);
  }
  const read: Identifier[] = [];
  const undeclared: Identifier[] = [];
  for (const mentions of byName.values()) {
    const first = mentions[0] as Identifier;
    const target = first.parent;
    const isAssigned =
      target?.type === "AssignmentExpression" && target.left === first && target.operator === "=";
    const second = mentions[1];
    if (isAssigned && (second === undefined || second.start > target.end)) undeclared.push(first);
    else for (const each of mentions) if (!isPlainWrite(each)) read.push(each);
  }
  return { read, undeclared };
}

function isPlainWrite(identifier: Identifier): boolean {
  const { parent } = identifier;
  return parent?.type === "AssignmentExpression" && parent.left === identifier && parent.operator === "=";
}
