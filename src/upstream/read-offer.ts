/**
 * Reads a server's offer page by page, and accepts only items that can be listed.
 *
 * A server may return invalid schemas, repeat a name, page for ever or send a description of a megabyte. An error in
 * one tool excludes only that tool, with a reason for `pml doctor`.
 *
 * @module
 */
import { type Client, isSpecType, specTypeSchemas } from "@modelcontextprotocol/client";
import type { Prompt, Resource, ResourceTemplateType, Tool } from "@modelcontextprotocol/server";
import { canonicalJson, type Json } from "../base/canonical-json.js";
import { isJsonObject } from "../base/json-object.js";
import { LIMITS } from "../base/limits.js";
import { sha256Hex } from "../base/sha256.js";
import { visible } from "../base/visible-text.js";
import { listedForm, whyNotShown } from "../mcp/listed-form.js";
import type { OfferedTool } from "../mcp/real-servers.js";
import { anyResult } from "./any-result.js";

const TOOL_NAME_CHARS = 256;

export interface ToolReading {
  readonly tools: readonly OfferedTool[];
  /** `name: reason` of each omitted tool. */
  readonly refused: readonly string[];
}

/** `known` contains the names that the server has ever listed, up to a limit; new ones are added. */
export async function readTools(client: Client, known = new Set<string>()): Promise<ToolReading> {
  const { items, problem } = await readPages(client, "tools/list", "tools", LIMITS.serverTools);
  const refused: string[] = problem === undefined ? [] : [problem];
  const tools: OfferedTool[] = [];
  const seen = new Set<string>();
  for (const item of items) {
    const reason = whyNotATool(item, seen) ?? whyTooMany(item, known);
    if (reason !== undefined) {
      refused.push(`${nameOf(item)}: ${reason}`);
      continue;
    }
    const tool = item as Tool;
    seen.add(tool.name);
    known.add(tool.name);
    tools.push({ tool: listedForm(tool), raw: item as Json, hash: await sha256Hex(canonicalJson(tool)) });
  }
  return { tools, refused };
}

/** The accepted items of a list, and `kind name: reason` of each omitted item. */
export interface Reading<T> {
  readonly items: readonly T[];
  readonly refused: readonly string[];
}

export async function readPrompts(client: Client): Promise<Reading<Prompt>> {
  return taken(await readPages(client, "prompts/list", "prompts", LIMITS.serverTools), {
    kind: "prompt",
    key: "name",
    is: isSpecType.Prompt,
  });
}

export async function readResources(client: Client): Promise<Reading<Resource>> {
  return taken(await readPages(client, "resources/list", "resources", LIMITS.serverTools), {
    kind: "resource",
    key: "uri",
    is: isSpecType.Resource,
  });
}

export async function readTemplates(client: Client): Promise<Reading<ResourceTemplateType>> {
  const pages = await readPages(client, "resources/templates/list", "resourceTemplates", LIMITS.serverTools);
  return taken(pages, { kind: "template", key: "uriTemplate", is: isSpecType.ResourceTemplate });
}

interface ItemKind<T> {
  readonly kind: string;
  readonly key: string;
  readonly is: (item: unknown) => item is T;
}

function taken<T extends object>({ items, problem }: Pages, { kind, key, is }: ItemKind<T>): Reading<T> {
  const refused: string[] = problem === undefined ? [] : [problem];
  const fine: T[] = [];
  for (const item of items) {
    if (!hasText(item, key) || !isShallow(item) || !is(item)) continue;
    const reason = whyNotShown(item);
    if (reason === undefined) fine.push(listedForm(item));
    else refused.push(`${kind} ${shortName(item[key as keyof T])}: ${reason}`);
  }
  return { items: fine, refused };
}

interface Pages {
  readonly items: readonly unknown[];
  readonly problem?: string;
}

async function readPages(client: Client, method: string, key: string, most: number): Promise<Pages> {
  const items: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < LIMITS.serverListPages; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const result = await client.request({ method, params }, anyResult, { timeout: LIMITS.serverConnectMs });
    const found = Array.isArray(result[key]) ? result[key] : [];
    const room = most - items.length;
    items.push(...found.slice(0, room));
    const next = result.nextCursor;
    const isLast = typeof next !== "string" || next === cursor;
    if (found.length > room || (items.length >= most && !isLast))
      return { items, problem: `${method}: more than ${most} items, the rest are ignored` };
    if (isLast) return { items };
    cursor = next;
  }
  return { items, problem: `${method}: more than ${LIMITS.serverListPages} pages, the rest are ignored` };
}

function whyNotATool(item: unknown, seen: ReadonlySet<string>): string | undefined {
  if (!hasText(item, "name")) return "it has no name";
  const { name, inputSchema, outputSchema } = item as {
    name: string;
    inputSchema?: unknown;
    outputSchema?: unknown;
  };
  if (name.length > TOOL_NAME_CHARS) return `its name is longer than ${TOOL_NAME_CHARS} characters`;
  if (seen.has(name)) return "the server lists it twice";
  // First, because walking through a very deep object overflows the stack.
  if (!isShallow(item)) return `it is nested deeper than ${LIMITS.toolObjectLevels} levels`;
  if (!isJsonObject(inputSchema) || inputSchema.type !== "object")
    return 'its inputSchema is not of type "object"';
  if (outputSchema !== undefined && !isJsonObject(outputSchema))
    return "its outputSchema is not a JSON Schema object";
  if (Buffer.byteLength(JSON.stringify(item)) > LIMITS.toolObjectBytes)
    return `it is larger than ${LIMITS.toolObjectBytes} bytes`;
  return whyNotShown(item) ?? whyUnlistable(item);
}

/** A server that invents endless names would fill the store, which keeps each of them. */
function whyTooMany(item: unknown, known: ReadonlySet<string>): string | undefined {
  if (known.size < LIMITS.serverToolNames || known.has((item as Tool).name)) return undefined;
  return `the server has listed ${LIMITS.serverToolNames} other names before, the limit of serverToolNames`;
}

/** A field of the wrong type in one tool makes clients reject the whole list. */
function whyUnlistable(item: unknown): string | undefined {
  const outcome = specTypeSchemas.Tool["~standard"].validate(item);
  const issue = "issues" in outcome ? outcome.issues?.[0] : undefined;
  if (issue === undefined) return undefined;
  const field = issue.path?.map((key) => String(typeof key === "object" ? key.key : key)).join(".");
  return `its ${field} is wrong: ${issue.message.replace(/^Invalid input: /, "")}`;
}

function isShallow(item: unknown): boolean {
  let level = [item];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > LIMITS.toolObjectLevels) return false;
    level = level.flatMap((value) =>
      typeof value === "object" && value !== null ? Object.values(value) : [],
    );
  }
  return true;
}

function hasText(item: unknown, key: string): item is Record<string, unknown> {
  return isJsonObject(item) && typeof item[key] === "string" && item[key] !== "";
}

function nameOf(item: unknown): string {
  return hasText(item, "name") ? shortName(item.name) : "(a tool)";
}

function shortName(name: unknown): string {
  return visible(String(name).slice(0, 80));
}
