import type { Role } from "../registry/role.js";
import { formatScope, type Scope } from "../registry/scope.js";
import type { ListMode } from "../registry/tool-list.js";

/** How much is listed; `auto` chooses by the cost of the list. Everything stays callable. */
export type Exposure = "auto" | ListMode;

/** What a listing depends on besides configuration and store: never the connection or its time. */
export interface View {
  readonly scope: Scope;
  readonly exposure: Exposure;
  /** The list of a reader contains only what it may call. */
  readonly role?: Role;
}

/** The cache key of a view's list: its scope, and its role if that role has a separate list. */
export function listKey({ scope, role }: View): string {
  return `${formatScope(scope)}${role === "reader" ? " reader" : ""}`;
}

/** The settings of a client's connection. */
export interface Session extends View {
  readonly role: Role;
  /** Unique for each connection, even of the same client. */
  readonly id: string;
  /** The target of `ClientConnections` through which it gets notifications, if that has another id. */
  readonly newsId?: string;
  /**
   * The client whose share its runs, calls, subscriptions and messages use; default: the connection.
   *
   * On stdio, on the local socket and for 2025-era HTTP clients a client is its connection or session. 2026-era HTTP
   * clients have none, and each of their requests is a separate connection: `ownerOf` distinguishes them.
   */
  readonly client?: string;
  /**
   * A command of a person, not an agent: it has the tools for persons, and history records it as one. Every process of
   * the same user can claim this on the local socket; the `DecisionGate` checks what a decision needs in addition.
   */
  readonly byPerson?: boolean;
  /** Whether it came over HTTP that other machines can reach. */
  readonly isRemote?: boolean;
  /** The source of its identity, for the audit: `token laptop`. Default: a local client. */
  readonly via?: string;
}
