/**
 * Who is at the other end of a connection, as the gateway knows it. What a request says of itself does not count.
 *
 * - `local`: a client of the same user, on stdio or on the local socket. Its user can be asked for approvals.
 * - `agent`: runs, finds and saves. What it answers decides nothing.
 * - `person`: also decides, and reads the runs of others.
 * - `reader`: finds and reads. Nothing that it sends reaches a server.
 */
export type Role = "local" | TokenRole;

export const TOKEN_ROLES = ["agent", "person", "reader"] as const;

/** What a token can give over HTTP. */
export type TokenRole = (typeof TOKEN_ROLES)[number];
