import type { ClientId } from "./client-table.js";

/** A server of a client, in one form for all clients. Texts have their variables as PML writes them. */
export interface FoundServer {
  readonly name: string;
  readonly client: ClientId;
  /** `project` where it is for one project: from a file in it, or from its part of the user's file. */
  readonly scope: "user" | "project";
  readonly file: string;
  /** The program of a stdio server. */
  readonly command?: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The address of an HTTP server. */
  readonly url?: string;
  /** Set where the server speaks the older SSE transport. */
  readonly type?: "sse";
  readonly headers: Readonly<Record<string, string>>;
  readonly disabled: boolean;
  /** A file with variables for the program. */
  readonly envFile?: string;
  /** Keys of the entry that mean nothing to PML. */
  readonly foreign: readonly string[];
}

/** Something in a client's file that PML cannot take over as it is. Never a reason to refuse the rest. */
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
