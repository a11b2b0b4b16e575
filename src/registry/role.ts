/**
 * The role of a connection, as the gateway knows it. A request's own claims do not count.
 *
 * - `local`: a client of the same user, on stdio or on the local socket. Its user can be asked for approvals.
 * - `agent`: runs, finds and saves. Its answers decide nothing.
 * - `person`: also decides, and reads the runs of others.
 * - `reader`: finds and reads. Nothing that it sends reaches a server.
 */
export type Role = "local" | TokenRole;

export const TOKEN_ROLES = ["agent", "person", "reader"] as const;

/** The roles that a token can give over HTTP. */
export type TokenRole = (typeof TOKEN_ROLES)[number];
