/**
 * The port to real tools: which there are, and calling one.
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
  /** As its server calls it. */
  readonly name: string;
  readonly description?: string;
  /** What its server says of itself: title, description, the beginning of its instructions. */
  readonly about?: string;
  /** Its description advises against it. */
  readonly isDeprecated?: boolean;
  readonly inputSchema: Json;
  /** As its server declares it. */
  readonly outputSchema?: Json;
  /** What its results have looked like so far, where its server declares nothing. */
  readonly observedOutput?: () => Json | undefined;
  readonly annotations?: ToolAnnotations;
  /** SHA-256 of the whole tool object. */
  readonly hash: string;
  readonly transport: "stdio" | "http" | "sse";
  /** Whether the server's annotations of its tools are trusted. */
  readonly trusted: boolean;
  /** Set for an operation of PML itself, which code calls as it calls a tool. */
  readonly operation?: OperationUse;
  /** Quarantine reason: what has changed, in a few words. The other fields show the pinned version. */
  readonly quarantined?: string;
}

/** What code may do with an operation: one that writes works only in code that was sent with this request. */
export type OperationUse = "reads" | "writes" | { readonly refused: string };

/** Made once for each list of tools. */
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

/** What is known of the results of a tool: what its server declares, else what was observed. */
export function outputSchemaOf({ outputSchema, observedOutput }: KnownTool): Json | undefined {
  return outputSchema ?? observedOutput?.();
}

/** The user and connection for which code calls a tool. */
export interface CallContext {
  readonly scope: Scope;
  /** The client's connection: when it ends, what is under way for it is given up. */
  readonly connection: string;
  /** The client whose share of runs and calls it takes; the connection by default. */
  readonly client?: string | undefined;
  /** The trace that its calls are part of. */
  readonly trace?: Span | undefined;
  readonly signal: AbortSignal;
}

/** Groups calls that follow one another: the connection, or the client if each request is a connection. */
export function sessionOf({ client, connection }: Pick<CallContext, "client" | "connection">): string {
  return client ?? connection;
}

/** What a tool answered, as MCP has it. */
export interface ToolResult {
  readonly structuredContent?: Json;
  readonly content: readonly Json[];
  readonly isError: boolean;
}

export interface ToolBox {
  /** The same list, as the same object, until something changed. */
  tools(): readonly KnownTool[];
  /** Resolves when it is known what servers offer that are still starting, or after a bound. */
  settled(): Promise<void>;
  /** Checks the arguments, calls, counts. Rejects with a `PmlError` where the call itself failed. */
  call(tool: KnownTool, args: Readonly<Record<string, Json>>, context: CallContext): Promise<ToolResult>;
}
