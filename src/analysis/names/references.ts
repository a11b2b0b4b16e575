/**
 * Finds where code uses tools and capabilities, through variables, destructuring and casts.
 *
 * Starting from every free `mcp` and `capabilities`, a reference is followed up the tree: a known key extends its path,
 * a variable that is set once passes it on to all its reads. It ends in a call, in a value that is passed on, or in
 * something that is known only at run time: a computed reference.
 *
 * @module
 */
import { contextOf, isFunction, type Node, type NodeOf, withoutTypes } from "../syntax/ast.js";
import { CodeFunctions, parameterOf } from "../syntax/code-functions.js";
import { isTested } from "../syntax/conditions.js";
import { isSetBefore, staticKey } from "../syntax/constants.js";
import type { Scopes } from "../syntax/scopes.js";
import type { CodeReference, Meaning, Vocabulary } from "../vocabulary.js";

/** A reference to a known tool or capability. */
export interface Use {
  /** The expression for it: `mcp.fs.read`, or a variable; if it {@link isTaken}, a name in a pattern. */
  readonly node: Node;
  /** Its call; absent if it is passed on as a value. */
  readonly call: NodeOf<"CallExpression"> | undefined;
  readonly meaning: Meaning;
  /**
   * It is destructured from `mcp` or `capabilities` into a variable that cannot be followed: no expression names it.
   */
  readonly isTaken: boolean;
  /**
   * Found where a value is passed on or set later: a tool is then not part of the canonical form, which names
   * variables.
   */
  readonly isFollowed: boolean;
}

/** A name without a meaning. */
export interface UnknownName {
  readonly node: Node;
  /** Its call; absent if it is passed on as a value. */
  readonly call?: NodeOf<"CallExpression">;
  readonly reference: CodeReference;
}

export interface References {
  /** In order of evaluation. */
  readonly uses: readonly Use[];
  readonly unknown: readonly UnknownName[];
  readonly isComputed: boolean;
  /** The functions of the code, and their calls. */
  readonly functions: CodeFunctions;
  /** The meanings of expressions. */
  readonly meaningOf: ReadonlyMap<Node, Meaning>;
  /** Declarations such as `const fs = mcp.fs` that only serve known uses, and so could be omitted. */
  readonly aliases: ReadonlySet<Node>;
}

type Outcome = "known" | "other" | Alias;

/** A declaration that gives a reference another name. */
interface Alias {
  readonly declarator: Node | undefined;
  readonly outcomes: Outcome[];
}

interface Start {
  readonly node: Node;
  readonly reference: CodeReference;
  readonly alias: Alias | undefined;
  readonly isFollowed?: boolean;
}

/** Longer paths have no meaning. */
const PATH_KEYS = 8;
/** Properties of every function: they are not names of other tools. */
const FUNCTION_KEYS: ReadonlySet<string> = new Set(["call", "apply", "bind", "name", "length", "toString"]);

export function findReferences(scopes: Scopes, vocabulary: Vocabulary): References {
  const starts: Start[] = [];
  const uses: Use[] = [];
  const unknown: UnknownName[] = [];
  const aliases: Alias[] = [];
  let isComputed = false;
  /** Whether the current reference was passed on, or set later. */
  let isFollowed = false;
  /** Nodes that were already followed, since every call of a function passes the same value. */
  const handed = new Set<Node>();
  const functions = new CodeFunctions(scopes);

  const resolve = ({ object, path }: CodeReference): Meaning | undefined =>
    path.length === 0 || path.length > PATH_KEYS ? undefined : vocabulary.resolve({ object, path });

  /** A reference that escapes the analysis: any code that gets it may call it. */
  const pass = (node: Node, reference: CodeReference, isTaken = false): Outcome => {
    const meaning = resolve(reference);
    if (meaning !== undefined) {
      uses.push({ node, call: undefined, meaning, isTaken, isFollowed });
      return "known";
    }
    // One key may be a server or a namespace; two or more are a name.
    if (reference.path.length > 1 || vocabulary.trouble?.(reference) !== undefined)
      unknown.push({ node, reference });
    else isComputed = true;
    return "other";
  };

  const call = (node: Node, parent: NodeOf<"CallExpression">, reference: CodeReference): Outcome => {
    const meaning = resolve(reference);
    if (meaning === undefined) {
      unknown.push({ node, call: parent, reference });
      return "other";
    }
    uses.push({ node, call: parent, meaning, isTaken: false, isFollowed });
    return "known";
  };

  /** Continues at the reads of a variable or parameter that has this value, if there is one. */
  const handOn = (node: Node, reference: CodeReference): void => {
    if (handed.has(node)) return;
    handed.add(node);
    starts.push({ node, reference, alias: undefined, isFollowed: true });
  };

  /** Gives a reference to the name or pattern of a declaration. */
  const declare = (
    declarator: NodeOf<"VariableDeclarator">,
    reference: CodeReference,
    alias: Alias,
  ): void => {
    const stack: { readonly pattern: Node; readonly path: readonly string[] }[] = [
      { pattern: declarator.id, path: reference.path },
    ];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const { pattern: target, path } = next;
      const part = { object: reference.object, path };
      switch (target.type) {
        case "Identifier": {
          const reads = onlyReads(target, declarator, scopes);
          if (reads === undefined) {
            alias.outcomes.push("other");
            pass(target, part, true);
          } else for (const node of reads) starts.push({ node, reference: part, alias, isFollowed });
          break;
        }
        case "ObjectPattern":
          for (const property of target.properties) {
            const key =
              property.type === "RestElement"
                ? undefined
                : staticKey(property.key, property.computed, scopes);
            if (key === undefined || property.type === "RestElement") {
              isComputed = true;
              alias.outcomes.push("other");
            } else stack.push({ pattern: property.value, path: [...path, key] });
          }
          break;
        case "AssignmentPattern":
          // The default is code with possible side effects.
          alias.outcomes.push("other");
          stack.push({ pattern: target.left, path });
          break;
        default:
          isComputed = true;
          alias.outcomes.push("other");
      }
    }
  };

  const follow = ({ node: start, reference: { object, path: given } }: Start): Outcome => {
    let node = start;
    let path = given;
    for (;;) {
      const { parent, child } = contextOf(node);
      const reference: CodeReference = { object, path };
      if (parent === undefined) return "other";
      if (parent.type !== "MemberExpression" || parent.object !== child)
        return settle(node, child, parent, reference);
      const key =
        parent.property.type === "PrivateIdentifier"
          ? undefined
          : staticKey(parent.property, parent.computed, scopes);
      const meaning = key === undefined || FUNCTION_KEYS.has(key) ? resolve(reference) : undefined;
      if (
        meaning !== undefined &&
        (key === undefined || resolve({ object, path: [...path, key] }) === undefined)
      )
        return pass(node, reference);
      if (key === undefined || path.length >= PATH_KEYS) {
        isComputed = true;
        return "other";
      }
      path = [...path, key];
      node = parent;
    }
  };

  /** A variable that is read elsewhere is followed there; any other value is passed on. */
  const handedOn = (reads: readonly Node[] | undefined, node: Node, reference: CodeReference): Outcome => {
    if (reads === undefined) return pass(node, reference);
    for (const read of reads) handOn(read, reference);
    return "other";
  };

  const settle = (node: Node, child: Node, parent: Node, reference: CodeReference): Outcome => {
    switch (parent.type) {
      case "CallExpression":
        if (parent.callee === child) return call(node, parent, reference);
        if (isThisArgument(parent, child)) return "other";
        return handedOn(handedReads(parent, child, scopes, functions), node, reference);
      case "VariableDeclarator": {
        // A variable that may have other values is not replaced, and its first value is passed on.
        if (parent.id.type === "Identifier" && onlyReads(parent.id, parent, scopes) === undefined)
          return pass(node, reference);
        const isSpare = canGo(parent) && !isFollowed;
        const alias: Alias = { declarator: isSpare ? parent : undefined, outcomes: [] };
        aliases.push(alias);
        declare(parent, reference, alias);
        return alias;
      }
      case "AssignmentExpression":
        if (parent.left !== child && parent.operator === "=")
          return handedOn(readsOfSet(parent, scopes), node, reference);
        isComputed = true;
        return "other";
      case "UpdateExpression":
        isComputed = true;
        return "other";
      case "UnaryExpression":
        if (parent.operator === "delete") isComputed = true;
        return "other";
      case "LogicalExpression":
        // The left side of `&&` is the result only if it is falsy.
        if (isTested(parent) || (parent.operator === "&&" && parent.left === child)) return "other";
        return pass(node, reference);
      case "ConditionalExpression":
        return parent.test === child ? "other" : pass(node, reference);
      case "ExpressionStatement":
      case "IfStatement":
      case "WhileStatement":
      case "DoWhileStatement":
      case "ForStatement":
      case "ForInStatement":
      case "BinaryExpression":
        return "other";
      default:
        return pass(node, reference);
    }
  };

  for (const node of scopes.free) {
    if (node.name === "mcp" || node.name === "capabilities") {
      if (!scopes.freeWrites.has(node))
        starts.push({ node, reference: { object: node.name, path: [] }, alias: undefined });
    } else if (node.name === "globalThis") {
      const inner = throughGlobalThis(node, scopes);
      if (inner === "computed") isComputed = true;
      else if (inner !== undefined) starts.push({ ...inner, alias: undefined });
    }
  }
  // The list grows while it is iterated: variables add their reads.
  for (let i = 0; i < starts.length; i += 1) {
    const start = starts[i] as Start;
    isFollowed = start.isFollowed ?? false;
    const outcome = follow(start);
    start.alias?.outcomes.push(outcome);
  }

  const ranked = uses.map((use) => ({ use, rank: scopes.rank(use.call ?? use.node) }));
  ranked.sort((a, b) => a.rank - b.rank);
  return {
    uses: ranked.map(({ use }) => use),
    unknown,
    isComputed,
    functions,
    meaningOf: meanings(uses),
    aliases: dispensable(aliases),
  };
}

/** A whole chain has the meaning of its expression: `(mcp?.t?.echo)?.()`. */
function meanings(uses: readonly Use[]): ReadonlyMap<Node, Meaning> {
  const found = new Map<Node, Meaning>();
  for (const { node, meaning, isTaken, isFollowed } of uses) {
    if (isTaken || (isFollowed && meaning.kind === "tool")) continue;
    found.set(node, meaning);
    const { parent } = node;
    if (parent?.type === "ChainExpression") found.set(parent, meaning);
  }
  return found;
}

/** The reads of a variable, if it has the value of its declaration in all of them. */
function onlyReads(
  name: Node,
  declarator: NodeOf<"VariableDeclarator">,
  scopes: Scopes,
): readonly Node[] | undefined {
  const binding = scopes.bindingOf(name);
  if (binding?.writes.length !== 1) return undefined;
  return binding.reads.every((read) => isSetBefore(declarator, read)) ? binding.reads : undefined;
}

/** The reads of a variable that is only set here: its value before cannot be called. */
function readsOfSet(
  { left, parent }: NodeOf<"AssignmentExpression">,
  scopes: Scopes,
): readonly Node[] | undefined {
  if (left.type !== "Identifier" || parent?.type !== "ExpressionStatement") return undefined;
  const binding = scopes.bindingOf(left);
  return binding?.writes.length === 1 && binding.kind !== "param" ? binding.reads : undefined;
}

/** The reads of the parameter for an argument, if every call of the function passes the same value. */
function handedReads(
  call: NodeOf<"CallExpression">,
  argument: Node,
  scopes: Scopes,
  functions: CodeFunctions,
): readonly Node[] | undefined {
  const parameter = parameterOf(call, argument, scopes);
  const binding = parameter?.type === "Identifier" ? scopes.bindingOf(parameter) : undefined;
  const holder = parameter?.parent;
  if (binding?.writes.length !== 1 || !holder || !isFunction(holder)) return undefined;
  const index = (call.arguments as readonly Node[]).indexOf(argument);
  const chain = chainText(argument);
  const isSame = (functions.placesOf(holder) ?? []).every((place) => {
    const { parent, child } = contextOf(place);
    if (parent?.type !== "CallExpression" || parent.callee !== child) return false;
    const given = parent.arguments[index] as Node | undefined;
    return given === argument || (given !== undefined && chain !== undefined && chainText(given) === chain);
  });
  return isSame ? binding.reads : undefined;
}

/** `mcp.fs` as text; undefined for anything but names with dots. */
function chainText(expression: Node): string | undefined {
  const keys: string[] = [];
  let node = withoutTypes(expression);
  while (node.type === "MemberExpression" && !node.computed && node.property.type === "Identifier") {
    keys.push(node.property.name);
    node = withoutTypes(node.object);
  }
  return node.type === "Identifier" ? [node.name, ...keys.reverse()].join(".") : undefined;
}

/** `globalThis.mcp` is `mcp`; an unknown key might be. */
function throughGlobalThis(
  node: Node,
  scopes: Scopes,
): "computed" | { readonly node: Node; readonly reference: CodeReference } | undefined {
  const { parent, child } = contextOf(node);
  if (parent === undefined || parent.type === "ExpressionStatement" || parent.type === "UnaryExpression")
    return undefined;
  if (parent.type !== "MemberExpression" || parent.object !== child) return "computed";
  const key = staticKey(parent.property, parent.computed, scopes);
  if (key === "mcp" || key === "capabilities") return { node: parent, reference: { object: key, path: [] } };
  return key === undefined || key === "globalThis" ? "computed" : undefined;
}

/** Whether an argument becomes a function's `this`: `f.call(mcp.fs, x)`. */
function isThisArgument(call: NodeOf<"CallExpression">, argument: Node): boolean {
  const { callee } = call;
  if (call.arguments[0] !== argument || callee.type !== "MemberExpression" || callee.computed) return false;
  const { property } = callee;
  return property.type === "Identifier" && ["call", "apply", "bind"].includes(property.name);
}

/** Whether the statement is still valid without a declarator. */
function canGo(declarator: Node): boolean {
  const around = declarator.parent?.parent?.type;
  return around !== "ForStatement" && around !== "ForInStatement" && around !== "ForOfStatement";
}

/** The aliases whose uses are all known; an alias comes after those that it is derived from. */
function dispensable(aliases: readonly Alias[]): ReadonlySet<Node> {
  const can = new Set<Alias>();
  const declarators = new Set<Node>();
  for (let i = aliases.length - 1; i >= 0; i -= 1) {
    const alias = aliases[i] as Alias;
    const fine = alias.outcomes.every(
      (outcome) => outcome === "known" || (typeof outcome === "object" && can.has(outcome)),
    );
    if (alias.declarator === undefined || !fine) continue;
    can.add(alias);
    declarators.add(alias.declarator);
  }
  return declarators;
}
