import type { ServerNaming } from "../mcp/real-servers.js";
import type { ServerName } from "../registry/tool-id.js";
import type { AuthSettings } from "./sign-in/auth-settings.js";

/** The protocol revision of a server: negotiated, or fixed. */
type ServerProtocol = "auto" | "2025" | "2026";

interface ServerEntryBase {
  readonly name: ServerName;
  readonly naming: ServerNaming;
  readonly protocol: ServerProtocol;
  readonly callTimeoutMs: number;
  /** Why the entry cannot be used: the server is shown with it, and never started. All other fields are ignored. */
  readonly problem?: EntryProblem;
}

export interface EntryProblem {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

export interface StdioServerEntry extends ServerEntryBase {
  readonly transport: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  /** Exactly the variables that the process gets. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export interface HttpServerEntry extends ServerEntryBase {
  readonly transport: "http" | "sse";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** How to sign in, if the server needs that; absent if its headers already contain an authorization. */
  readonly auth?: AuthSettings;
}

/** A configured server with all values resolved: variables, defaults, directories. */
export type ServerEntry = StdioServerEntry | HttpServerEntry;
