import type { ServerNaming } from "../mcp/real-servers.js";
import type { ServerName } from "../registry/tool-id.js";
import type { AuthSettings } from "./sign-in/auth-settings.js";

/** Which revision a server is spoken to in: asked for, or fixed. */
type ServerProtocol = "auto" | "2025" | "2026";

interface ServerEntryBase {
  readonly name: ServerName;
  readonly naming: ServerNaming;
  readonly protocol: ServerProtocol;
  /** One call may take this long. */
  readonly callTimeoutMs: number;
  /** Why the entry cannot be used: the server is shown with it, and never started. Nothing else of the entry counts. */
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
  /** How it is signed in to, if it wants that; absent where its headers have an authorization already. */
  readonly auth?: AuthSettings;
}

/** A configured server, everything in it resolved: variables, defaults, directories. */
export type ServerEntry = StdioServerEntry | HttpServerEntry;
