/**
 * Names of real servers and ids of their tools: `server:tool`.
 *
 * A server's name comes from the configuration and follows PML's grammar. A tool's name comes from the server and may
 * contain anything, even colons, so an id is split at its first colon only.
 *
 * @module
 */
import { PmlError } from "../base/pml-error.js";

declare const serverNameBrand: unique symbol;
declare const toolIdBrand: unique symbol;

/** A server's name that {@link parseServerName} has accepted. */
export type ServerName = string & { readonly [serverNameBrand]: true };
/** `server:tool`, made by {@link toolId}. */
export type ToolId = string & { readonly [toolIdBrand]: true };

/** No `__`: it separates the parts of a wire name, and clients split there. */
const SERVER_NAME = /^(?!.*__)[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;
/** Prefixes that belong to PML itself. */
const RESERVED: ReadonlySet<string> = new Set(["pml", "cap", "mcp", "pml-std", "pml-capabilities"]);

/** Namespaces of PML's own operations: code calls them like tools, and no server can have these names. */
const OPERATIONS: ReadonlySet<string> = new Set(["cap", "pml"]);

/** The rule for server names, for messages and the published schema. */
export const SERVER_NAME_RULE =
  "1 to 64 letters, digits, '_', '-' or '.', starting with a letter or digit, without '__', and none of pml, cap, mcp";

export function isServerName(text: string): text is ServerName {
  return SERVER_NAME.test(text) && !RESERVED.has(text.toLowerCase());
}

export function parseServerName(text: string): ServerName {
  if (isServerName(text)) return text;
  throw new PmlError(
    "NAME_INVALID",
    `Cannot use ${JSON.stringify(text)} as a server name: expected ${SERVER_NAME_RULE}`,
  );
}

export function toolId(server: ServerName, tool: string): ToolId {
  return `${server}:${tool}` as ToolId;
}

/** A server's or a tool's name without its spelling variants, since code may write any of them. */
export function foldSpelling(name: string): string {
  return name.toLowerCase().replace(/[-_. ]/g, "");
}

/** Whether this id means an operation of PML itself (`cap:lookup`), not a tool of a server. */
export function isOperationId(id: string): boolean {
  return OPERATIONS.has(toolIdParts(id)?.[0] ?? "");
}

/** Whether a server's name differs from a namespace of PML's operations in spelling only: `C-A-P`. */
export function isLikeOperations(server: string): boolean {
  return OPERATIONS.has(foldSpelling(server));
}

export function splitToolId(id: ToolId): { readonly server: ServerName; readonly tool: string } {
  const [server, tool] = toolIdParts(id) ?? ["", id];
  return { server: server as ServerName, tool };
}

/** The tool's own name in a text that may be a tool id; the whole text without a colon. */
export function toolName(text: string): string {
  return toolIdParts(text)?.[1] ?? text;
}

/** The parts before and after the first colon of a text that may be a tool id; undefined without a colon. */
export function toolIdParts(text: string): readonly [server: string, tool: string] | undefined {
  const colon = text.indexOf(":");
  return colon < 0 ? undefined : [text.slice(0, colon), text.slice(colon + 1)];
}
