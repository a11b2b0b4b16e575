/**
 * The port to real tools: lists and calls them.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import { derived } from "../../base/derived.js";
import type { Span } from "../../base/trace-context.js";
import type { Scope } from "../../registry/scope.js";
import type { ServerName, ToolId } from "../../registry/tool-id.js";

export interface KnownTool {
  readonly id: ToolId;
  readonly server: ServerName;
  /** The server's own name for it. */
  readonly name: string;
  readonly description?: string;
  /** The server's self-description: title, description, the beginning of its instructions. */
  readonly about?: string;
  /** Its description advises against it. */
  readonly isDeprecated?: boolean;
  readonly inputSchema: Json;
  /** As declared by its server. */
  readonly outputSchema?: Json;
  /** The observed shape of its results, if its server declares none. */
  readonly observedOutput?: () => Json | undefined;
  readonly annotations?: ToolAnnotations;
  /** SHA-256 of the whole tool object. */
  readonly hash: string;
  readonly transport: "stdio" | "http" | "sse";
  /** Whether the server's annotations of its tools are trusted. */
  readonly trusted: boolean;
  /** Present for an operation of PML itself, which code calls like a tool. */
  readonly operation?: OperationUse;
  /** Quarantine reason: what has changed, in a few words. The other fields show the pinned version. */
  readonly quarantined?: string;
}

/** How code may use an operation: one that writes works only in code that was sent with this request. */
export type OperationUse = "reads" | "writes" | { readonly refused: string };

/** Computed once per list of tools. */
export const toolsById = derived(
  (tools: readonly KnownTool[]): ReadonlyMap<string, KnownTool> =>
    new Map(tools.map((tool) => [tool.id, tool])),
);

export interface ToolAnnotations {
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
  readonly openWorldHint?: boolean | undefined;
}

/** The schema of a tool's results: the declared one, else the observed one. */
export function outputSchemaOf({ outputSchema, observedOutput }: KnownTool): Json | undefined {
  return outputSchema ?? observedOutput?.();
}

/** The user and connection for which code calls a tool. */
export interface CallContext {
  readonly scope: Scope;
  /** The client's connection: when it ends, open calls for it are cancelled. */
  readonly connection: string;
  /** The client whose share of runs and calls it uses; default: the connection. */
  readonly client?: string | undefined;
  /** The trace that its calls belong to. */
  readonly trace?: Span | undefined;
  readonly signal: AbortSignal;
}

/** Groups calls that follow one another: the connection, or the client if each request is a connection. */
export function sessionOf({ client, connection }: Pick<CallContext, "client" | "connection">): string {
  return client ?? connection;
}

/** A tool's answer in the form of MCP. */
export interface ToolResult {
  readonly structuredContent?: Json;
  readonly content: readonly Json[];
  readonly isError: boolean;
}

export interface ToolBox {
  /** The same list object until something changes. */
  tools(): readonly KnownTool[];
  /** Resolves when the offers of starting servers are known, or the time limit has passed. */
  settled(): Promise<void>;
  /** Validates the arguments, calls, and counts. Rejects with a `PmlError` if the call itself failed. */
  call(tool: KnownTool, args: Readonly<Record<string, Json>>, context: CallContext): Promise<ToolResult>;
}
