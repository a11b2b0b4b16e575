/**
 * Calls through a function that gets the tool's name: `mcp.call("server:tool", args)`, `callTool({ name, arguments })`.
 *
 * @module
 */

import { wordSet } from "../../base/word-set.js";
import { type Node, type NodeOf, withoutTypes } from "../syntax/ast.js";
import { staticKey } from "../syntax/constants.js";
import { WRAPPER_CHARS } from "../syntax/parse-code.js";
import type { Scopes } from "../syntax/scopes.js";
import { type Chain, foldName, type Mistake, replaced, type Slip, type SlipContext } from "./slip.js";

/** Names of such functions; those of the second list even if they are not on an object of PML. */
const VERBS = wordSet("call invoke execute run use request tool");
const PLAIN_VERBS = wordSet(
  "calltool invoketool executetool runtool usetool calltools usemcptool callmcptool executemcptool mcpcall mcpcalltool",
);
const NAMES = wordSet("name tool toolname id toolid");
const SERVERS = wordSet("server servername serverid");
const ARGUMENTS = wordSet("arguments args params parameters input toolinput toolargs toolarguments");

/** Whether a path ends in the name of such a function; `isOurs` if it begins with an object of PML. */
export function isDispatch(path: readonly string[], isOurs: boolean): boolean {
  const verb = foldName(path.at(-1) ?? "");
  return PLAIN_VERBS.has(verb) || (isOurs && VERBS.has(verb));
}

/** The tool that a call names, and its arguments. */
interface Dispatched {
  readonly path: readonly string[];
  readonly given: Node | undefined;
}

/** `prefix` are the words of the function's path that may name a server. */
export function dispatched(
  { node, call }: Chain & { readonly call: NodeOf<"CallExpression"> },
  prefix: readonly string[],
  { source, scopes, readings, vocabulary }: SlipContext,
): Slip | Mistake {
  const found = byPlace(call, scopes) ?? byName(call, scopes);
  if (found === undefined)
    return {
      node,
      details: {
        code: "TOOL_NOT_FOUND",
        message: `Cannot call a tool through ${textOf(node, source.text)}: code calls it by its name`,
        hint: "Write mcp.server.tool(args), or mcp[name](args) if the name is computed.",
      },
    };
  const { given } = found;
  const path = [...prefix, ...found.path];
  const meant = readings(path);
  const [spelt] = meant;
  if (spelt === undefined || meant.length > 1) {
    const nearest = meant.length > 1 ? meant : vocabulary.nearest({ object: "mcp", path });
    const [best] = nearest;
    return {
      node,
      details: {
        code: "TOOL_NOT_FOUND",
        message: `${meant.length > 1 ? "Several tools have the name" : "Unknown tool"} ${JSON.stringify(path.join(":"))}`,
        hint: best === undefined ? "Write mcp.server.tool(args)." : `Did you mean ${best}(args)?`,
        nearest,
      },
    };
  }
  const edits =
    given === undefined
      ? [replaced(source, call.start, call.end, `${spelt}()`)]
      : [replaced(source, call.start, given.start, `${spelt}(`), replaced(source, given.end, call.end, ")")];
  return { node, edits, readAs: spelt };
}

const SHOWN_CHARS = 60;

function textOf({ start, end }: Node, code: string): string {
  return code.slice(start - WRAPPER_CHARS, end - WRAPPER_CHARS).slice(0, SHOWN_CHARS);
}

/** `("server:tool", args)`, `("server", "tool", args)`. */
function byPlace(call: NodeOf<"CallExpression">, scopes: Scopes): Dispatched | undefined {
  const [first, second, third, ...more] = call.arguments as readonly Node[];
  const name = textIn(first, scopes);
  if (name === undefined || more.length > 0 || [second, third].some((one) => one?.type === "SpreadElement"))
    return undefined;
  const tool = textIn(second, scopes);
  if (tool !== undefined) return { path: [name, tool], given: third };
  return third === undefined ? { path: [name], given: second } : undefined;
}

/** `({ name: "tool", arguments: args })`. */
function byName(call: NodeOf<"CallExpression">, scopes: Scopes): Dispatched | undefined {
  const [first, ...more] = call.arguments as readonly Node[];
  const object = first && withoutTypes(first);
  if (object?.type !== "ObjectExpression" || more.length > 0) return undefined;
  let name: string | undefined;
  let server: string | undefined;
  let given: Node | undefined;
  for (const property of object.properties) {
    if (property.type !== "Property" || property.kind !== "init" || property.method) return undefined;
    const key = foldName(staticKey(property.key, property.computed, scopes) ?? "");
    if (ARGUMENTS.has(key) && given === undefined) {
      given = property.value;
      continue;
    }
    const text = textIn(property.value, scopes);
    if (text === undefined) return undefined;
    if (SERVERS.has(key)) server = text;
    else if (NAMES.has(key)) name = text;
    else return undefined;
  }
  return name === undefined ? undefined : { path: server === undefined ? [name] : [server, name], given };
}

/** A constant text. */
function textIn(node: Node | undefined, scopes: Scopes): string | undefined {
  const value = node && withoutTypes(node);
  if (value?.type === "Literal" && typeof value.value !== "string") return undefined;
  return value && staticKey(value, true, scopes);
}
