import type { Role } from "../registry/role.js";
import { formatScope, type Scope } from "../registry/scope.js";
import type { ListMode } from "../registry/tool-list.js";

/** How much is listed; `auto` chooses by what the list costs. Everything stays callable. */
export type Exposure = "auto" | ListMode;

/** What a listing depends on beside configuration and store: never the connection, or when it was made. */
export interface View {
  readonly scope: Scope;
  readonly exposure: Exposure;
  /** A reader is listed only what it may call. */
  readonly role?: Role;
}

/** Under what the list of a view is kept: its scope, with its role where that has a list of its own. */
export function listKey({ scope, role }: View): string {
  return `${formatScope(scope)}${role === "reader" ? " reader" : ""}`;
}

/** What a client's connection was opened with. */
export interface Session extends View {
  readonly role: Role;
  /** Unlike any other connection's, also of the same client. */
  readonly id: string;
  /** The target of `ClientConnections` through which it hears news, where that has another id. */
  readonly newsId?: string;
  /**
   * The client whose share its runs, calls, subscriptions and messages count towards; the connection by default.
   *
   * On stdio, on the local socket and for 2025-era HTTP clients a client is its connection or session. 2026-era HTTP
   * clients have none, and each of their requests is a connection of its own: they are told apart by `ownerOf`.
   */
  readonly client?: string;
  /**
   * A command of a person, not an agent: it has the tools for persons, and history says so. Every process of the same
   * user can claim it on the local socket; what a decision needs beside it is up to the `DecisionGate`.
   */
  readonly byPerson?: boolean;
  /** Whether it came over HTTP that other machines reach. */
  readonly isRemote?: boolean;
  /** How the gateway knows who it is, for the audit: `token laptop`. A local client when left out. */
  readonly via?: string;
}
