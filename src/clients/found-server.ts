import type { ClientId } from "./client-table.js";

/** A server of a client, in one form for all clients. Variables in texts have PML's form. */
export interface FoundServer {
  readonly name: string;
  readonly client: ClientId;
  /** `project` if it is for one project: from a file in it, or from its part of the user's file. */
  readonly scope: "user" | "project";
  readonly file: string;
  /** The program of a stdio server. */
  readonly command?: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The address of an HTTP server. */
  readonly url?: string;
  /** Present if the server uses the older SSE transport. */
  readonly type?: "sse";
  readonly headers: Readonly<Record<string, string>>;
  readonly disabled: boolean;
  /** A file with variables for the program. */
  readonly envFile?: string;
  /** Keys of the entry that PML does not know. */
  readonly foreign: readonly string[];
}

/** A part of a client's file that PML cannot take over unchanged. Never a reason to reject the rest. */
export interface FoundProblem {
  readonly client: ClientId;
  readonly file: string;
  readonly line?: number;
  readonly server?: string;
  readonly message: string;
}

export interface FoundServers {
  readonly servers: readonly FoundServer[];
  readonly problems: readonly FoundProblem[];
}
