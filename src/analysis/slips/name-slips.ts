/**
 * Names of tools and capabilities in the spelling of other interfaces: as in lists (`mcp__server__tool`), without
 * `mcp`, without the server, with an extra word, or with a hyphen, which is a subtraction.
 *
 * A name that the code declares keeps its meaning, and one that could be a parameter stays one: a parameter is JSON, so
 * a called name that is not a method of JSON can only be a tool.
 *
 * @module
 */
import { insteadOf, isKnownGlobal } from "../names/globals.js";
import { contextOf, type Identifier, type Node, type NodeOf, withoutTypes } from "../syntax/ast.js";
import { staticKey } from "../syntax/constants.js";
import { WRAPPER_CHARS } from "../syntax/parse-code.js";
import type { Scopes } from "../syntax/scopes.js";
import type { CodeReference } from "../vocabulary.js";
import { dispatched, isDispatch } from "./dispatched-calls.js";
import {
  type Chain,
  chainOf,
  eitherOf,
  foldName,
  type Mistake,
  replaced,
  type Slip,
  type SlipContext,
  type Slips,
} from "./slip.js";

type CalledChain = Chain & { readonly call: NodeOf<"CallExpression"> };

/** Methods that a parameter can have. */
const JSON_METHODS: ReadonlySet<string> = new Set(
  [Object, String, Array, Number, Boolean].flatMap(({ prototype }) => Object.getOwnPropertyNames(prototype)),
);
/** PML's own tools, with their names in lists and in `mcp`. */
const OWN =
  /^(?:mcp_*[._])?(?:pml[._:]+(?:discover|execute|get_task_result|execute_code|execute_dag|search_tools)|cap[._:]+(?:lookup|list|whois|history|rename|save|curate|fork|merge|delete))$/i;

export function nameSlips(context: SlipContext): Slips {
  const slips: Slip[] = [];
  const mistakes: Mistake[] = [];
  const add = (found: Slip | Mistake | undefined): void => {
    if (found === undefined) return;
    if ("edits" in found) slips.push(found);
    else mistakes.push(found);
  };
  const { scopes, references } = context;
  for (const { node, reference } of references.unknown) add(unknownName(node, reference, context));
  for (const [name, mentions] of freeNames(context)) {
    const python = PYTHON.get(name);
    if (python !== undefined) for (const each of mentions) add(notDeclared(each, python));
    else if (name === "pml") for (const each of mentions) add(ownObject(chainOf(each, scopes), context));
    else for (const found of freeName(mentions, context)) add(found);
  }
  for (const node of scopes.nodes) {
    if (node.type === "BinaryExpression") add(subtraction(node, context));
    else if (node.type === "ImportDeclaration") add(imported(node, context));
  }
  return { slips, mistakes };
}

/** Names in other languages for functions of JavaScript. */
const PYTHON: ReadonlyMap<string, string> = new Map([
  ["True", "Write true"],
  ["False", "Write false"],
  ["None", "Write null"],
  ["print", "Use console.log"],
]);

function notDeclared(name: Identifier, hint: string): Mistake {
  const message = `Cannot use \`${name.name}\`: it does not exist in the sandbox`;
  return { node: name, name, details: { code: "CODE_REFUSED", message, hint } };
}

/** A name with `mcp` or `capabilities` that has no meaning as spelt. */
function unknownName(
  node: Node,
  { object, path }: CodeReference,
  context: SlipContext,
): Slip | Mistake | undefined {
  const { source, scopes, readings } = context;
  if (scopes.isShadowed("mcp", node)) return undefined;
  const { parent, child } = contextOf(node);
  const call = parent?.type === "CallExpression" && parent.callee === child ? parent : undefined;
  if (path.length === 0) return call && dispatched({ node, path, call }, [], context);
  const meant = readings(path);
  const [spelt] = meant;
  // A capability that gave its name to a tool must not become that tool.
  if (spelt !== undefined && object === "capabilities" && !spelt.startsWith(object))
    return noCapability(node, path, meant);
  if (spelt !== undefined)
    return meant.length > 1
      ? several(node, path.join("."), meant)
      : { node, edits: [replaced(source, node.start, node.end, spelt)], readAs: spelt };
  const own = path.join(".");
  if (OWN.test(own)) return ownTool(node, own);
  const verb = path.at(-1) ?? "";
  if (call === undefined || !isDispatch([verb], true)) return undefined;
  return dispatched({ node, path, call }, path.slice(0, -1), context);
}

/** Undeclared names that are not part of the language, each with its positions. */
function freeNames({ scopes }: SlipContext): ReadonlyMap<string, readonly Identifier[]> {
  const found = new Map<string, Identifier[]>();
  const written = new Set<string>();
  for (const identifier of scopes.free) {
    const { name } = identifier;
    if (scopes.freeWrites.has(identifier)) written.add(name);
    if (name !== "pml" && (isKnownGlobal(name) || insteadOf(name) !== undefined)) continue;
    const known = found.get(name);
    if (known === undefined) found.set(name, [identifier]);
    else known.push(identifier);
  }
  for (const name of written) found.delete(name);
  return found;
}

/** An undeclared name: in all its positions it must be that of a tool or of a server. */
function freeName(mentions: readonly Identifier[], context: SlipContext): readonly (Slip | Mistake)[] {
  const found: (Slip | Mistake)[] = [];
  for (const mention of mentions) {
    const chain = chainOf(mention, context.scopes);
    const slip = isCalled(chain) ? freeCall(chain, mention, context) : declared(mention, context);
    if (slip !== undefined) found.push(slip);
    else if (!isCalled(chain)) return [];
  }
  return found;
}

/** `const { read } = server`, `const read = mcp__server__read`: the calls of the variable show what it is. */
function declared(name: Identifier, { source, scopes, readings }: SlipContext): Slip | undefined {
  const { parent, child } = contextOf(name);
  if (parent?.type !== "VariableDeclarator" || parent.init !== child) return undefined;
  const keys = keysTaken(parent.id, scopes);
  if (keys === undefined || keys.length === 0 || scopes.isShadowed("mcp", name)) return undefined;
  const spelt = new Set(
    keys.map((path) => {
      const [only, ...others] = readings([name.name, ...path]);
      return only === undefined || others.length > 0 ? "" : path.length === 0 ? only : withoutLastKey(only);
    }),
  );
  const [readAs = ""] = spelt;
  if (spelt.size !== 1 || readAs === "" || isBare(name.name, readAs)) return undefined;
  return { node: name, edits: [replaced(source, name.start, name.end, readAs)], readAs };
}

/** The keys that a declaration destructures from its value, or that its variable is called with. */
function keysTaken(pattern: Node, scopes: Scopes): readonly (readonly string[])[] | undefined {
  if (pattern.type === "ObjectPattern") {
    const keys = pattern.properties.map((property) =>
      property.type === "Property" && isCalledOnly(property.value, scopes)
        ? staticKey(property.key, property.computed, scopes)
        : undefined,
    );
    return keys.every((key) => key !== undefined) ? keys.map((key) => [key]) : undefined;
  }
  const binding = pattern.type === "Identifier" ? scopes.bindingOf(pattern) : undefined;
  if (binding?.writes.length !== 1) return undefined;
  const chains = binding.reads.map((read) => chainOf(read, scopes));
  return chains.every((chain) => isCalled(chain) && chain.path.length <= 2)
    ? chains.map(({ path }) => path.slice(1))
    : undefined;
}

/** Whether all reads of a variable are calls, so that it is not data. */
function isCalledOnly(name: Node, scopes: Scopes): boolean {
  const binding = name.type === "Identifier" ? scopes.bindingOf(name) : undefined;
  if (binding?.writes.length !== 1 || binding.reads.length === 0) return false;
  return binding.reads.every(
    (read) => chainOf(read, scopes).call !== undefined && chainOf(read, scopes).path.length === 1,
  );
}

/** `mcp.server` of `mcp.server.tool`. */
function withoutLastKey(spelt: string): string {
  return spelt.replace(/(?:\.[\w$]+|\["(?:[^"\\]|\\.)*"\])$/, "");
}

/** Whether it can only be a function: it is called, and no parameter has such a method. */
function isCalled({ path, call }: Chain): boolean {
  return call !== undefined && (path.length === 1 || !JSON_METHODS.has(path.at(-1) ?? ""));
}

function freeCall(chain: Chain, name: Identifier, context: SlipContext): Slip | Mistake | undefined {
  const { source, scopes, readings, vocabulary } = context;
  const { node, path } = chain;
  const { call } = chain as CalledChain;
  if (scopes.isShadowed("mcp", node)) return undefined;
  const meant = readings(path);
  const [spelt] = meant;
  const text = path.join(".");
  if (spelt !== undefined) {
    if (meant.length > 1) return several(node, text, meant, name);
    if (path.length === 1 && isBare(name.name, spelt) && !takesObject(call))
      return unclear(node, text, spelt, name);
    return { node, edits: [replaced(source, node.start, node.end, spelt)], readAs: spelt };
  }
  if (OWN.test(text)) return { ...ownTool(node, text), name };
  if (isDispatch(path, false))
    return withName(dispatched({ node, path, call }, path.slice(1, -1), context), name);
  const parts = name.name.startsWith("mcp__") ? name.name.split("__").slice(1) : path;
  if (parts.length < 2) return undefined;
  const nearest = vocabulary.nearest({ object: "mcp", path: parts });
  const [best] = nearest;
  const isServer = best !== undefined && foldName(best).startsWith(`mcp${foldName(parts[0] ?? "")}`);
  if (!isServer && parts === path) return undefined;
  return {
    node,
    name,
    details: {
      code: "TOOL_NOT_FOUND",
      message: `Unknown tool ${JSON.stringify(parts.join(":"))} (${text})`,
      hint: best === undefined ? "Code calls a tool as mcp.server.tool(args)" : `Did you mean ${best}?`,
      nearest,
    },
  };
}

function withName(found: Slip | Mistake, name: Identifier): Slip | Mistake {
  return "edits" in found ? found : { ...found, name };
}

/** Whether a name is the tool's own name, without its server. */
function isBare(name: string, spelt: string): boolean {
  return !foldName(`mcp${name}`).endsWith(foldName(spelt.replace(/^(?:mcp|capabilities)\b/, "")));
}

/** One object or no argument: a function of the code itself rarely takes that. */
function takesObject({ arguments: given }: NodeOf<"CallExpression">): boolean {
  const [first, ...others] = given as readonly Node[];
  const type = first && withoutTypes(first).type;
  return others.length === 0 && (type === undefined || type === "ObjectExpression");
}

/** `pml.execute(…)`: no method of `pml` calls a tool. */
function ownObject({ node, path, call }: Chain, context: SlipContext): Slip | Mistake | undefined {
  if (call === undefined || path.length < 2) return undefined;
  const found = isDispatch(path, true)
    ? dispatched({ node, path, call }, path.slice(1, -1), context)
    : undefined;
  if (found !== undefined && "edits" in found) return found;
  const text = path.join(".");
  return OWN.test(text) ? ownTool(node, text) : undefined;
}

function ownTool(node: Node, text: string): Mistake {
  const name = text.replace(/^mcp[._]+/i, "").replace(/[._:]+/, "_");
  return {
    node,
    details: {
      code: "TOOL_NOT_FOUND",
      message: `Cannot call ${name} from code: it is a tool of PML itself`,
      hint: `Call ${name} directly as an MCP tool. Code calls mcp.server.tool(args) and capabilities.name(args).`,
    },
  };
}

function several(node: Node, text: string, meant: readonly string[], name?: Identifier): Mistake {
  return {
    node,
    ...(name === undefined ? {} : { name }),
    details: {
      code: "TOOL_NOT_FOUND",
      message: `Several tools match ${text}`,
      hint: `Write ${eitherOf(meant.slice(0, 5))}.`,
      nearest: meant.slice(0, 5),
    },
  };
}

function noCapability(node: Node, path: readonly string[], meant: readonly string[]): Mistake {
  return {
    node,
    details: {
      code: "CAPABILITY_NOT_FOUND",
      message: `Capability not found: ${path.join(":")}`,
      hint: `For the tool, write ${eitherOf(meant.slice(0, 5))}.`,
      nearest: meant.slice(0, 5),
    },
  };
}

function unclear(node: Node, text: string, spelt: string, name: Identifier): Mistake {
  return {
    node,
    name,
    details: {
      code: "TOOL_NOT_FOUND",
      message: `Cannot call \`${text}\`: it is not declared`,
      hint: `For the tool, write ${spelt}({ … }) with its arguments in one object.`,
      nearest: [spelt],
    },
  };
}

/** `import { read } from "server"`: suggests the call. */
function imported(node: NodeOf<"ImportDeclaration">, { readings }: SlipContext): Mistake | undefined {
  const from = node.source.value;
  const meant = node.specifiers.flatMap((each) => {
    if (each.type !== "ImportSpecifier" || each.imported.type !== "Identifier") return [];
    const { name } = each.imported;
    const whole = readings([...from.split(/[/@.]/).filter((part) => part !== ""), name]);
    return whole.length > 0 ? whole : readings([name]);
  });
  if (meant.length === 0) return undefined;
  return {
    node,
    details: {
      code: "CODE_REFUSED",
      message: "Cannot use `import`: code has no modules",
      hint: `Call ${eitherOf(meant.slice(0, 5))} without importing it.`,
      nearest: meant.slice(0, 5),
    },
  };
}

/** `mcp.server.get-sum(args)` subtracts `sum(args)` from `mcp.server.get`; without spaces it is the name of a tool. */
function subtraction(binary: NodeOf<"BinaryExpression">, context: SlipContext): Slip | Mistake | undefined {
  const { source, scopes, readings, vocabulary } = context;
  const call = withoutTypes(binary.right);
  if (binary.operator !== "-" || call.type !== "CallExpression") return undefined;
  const last = withoutTypes(call.callee);
  if (last.type !== "Identifier" || scopes.bindingOf(last) !== undefined) return undefined;
  const names = [last.name];
  let left: Node = withoutTypes(binary.left);
  while (left.type === "BinaryExpression" && left.operator === "-" && left.right.type === "Identifier") {
    names.unshift(left.right.name);
    left = withoutTypes(left.left);
  }
  if (left.type === "AwaitExpression") left = withoutTypes(left.argument);
  if (left.type !== "MemberExpression" || left.computed || left.property.type !== "Identifier")
    return undefined;
  let root: Node = left;
  while (root.type === "MemberExpression") root = withoutTypes(root.object);
  if (root.type !== "Identifier" || scopes.bindingOf(root) !== undefined) return undefined;
  const chain = chainOf(root, scopes);
  const tool = [left.property.name, ...names].join("-");
  const [start, end] = [left.property.start - WRAPPER_CHARS, last.end - WRAPPER_CHARS];
  if (chain.node !== left || source.text.slice(start, end) !== tool) return undefined;
  const path = [...chain.path.slice(0, -1), tool].slice(
    root.name === "mcp" || root.name === "capabilities" ? 1 : 0,
  );
  const meant = readings(path);
  const [spelt] = meant;
  if (spelt !== undefined && meant.length === 1)
    return { node: left, edits: [replaced(source, left.start, last.end, spelt)], readAs: spelt };
  if (root.name !== "mcp") return undefined;
  const nearest = meant.length > 0 ? meant : vocabulary.nearest({ object: "mcp", path });
  return {
    node: left,
    name: last,
    details: {
      code: "TOOL_NOT_FOUND",
      message: `Unknown tool ${JSON.stringify(path.join(":"))} (mcp.${path.join(".")})`,
      hint:
        nearest[0] === undefined
          ? 'A hyphen is a minus: write mcp.server["tool-name"](args)'
          : `Did you mean ${nearest[0]}?`,
      nearest,
    },
  };
}
