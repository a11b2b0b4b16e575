/**
 * Who may use the dashboard: a browser that came through a one-time link, which only `pml open` creates.
 *
 * Links and sessions are in memory, by the hash of their secret: they end with the gateway.
 *
 * @module
 */
import { createHash, randomBytes } from "node:crypto";
import { keepNewest } from "../base/keep-newest.js";
import { LIMITS } from "../base/limits.js";
import type { Scope } from "../registry/scope.js";

export interface OneTimeLink {
  /** The secret part of the link. The first browser that sends it is signed in. */
  readonly ticket: string;
  readonly expiresAt: Date;
}

export interface DashboardSession {
  /** Unique among all sessions; not secret. */
  readonly id: string;
  readonly scope: Scope;
  /** The token that the page sends with each request, and that no other page knows. */
  readonly csrf: string;
}

interface KeptSession extends DashboardSession {
  usedAt: number;
}

interface KeptLink {
  readonly scope: Scope;
  readonly expiresAt: number;
}

export class DashboardAccess {
  readonly #now: () => number;
  readonly #links = new Map<string, KeptLink>();
  readonly #sessions = new Map<string, KeptSession>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  link(scope: Scope): OneTimeLink {
    const ticket = secret();
    const expiresAt = this.#now() + LIMITS.dashboardLinkMs;
    keepNewest(this.#links, hashOf(ticket), { scope, expiresAt }, LIMITS.dashboardLinks);
    return { ticket, expiresAt: new Date(expiresAt) };
  }

  /** The cookie of a new session; undefined if the link was used, is too old, or never existed. */
  enter(ticket: string): string | undefined {
    const key = hashOf(ticket);
    const link = this.#links.get(key);
    this.#links.delete(key);
    if (link === undefined || link.expiresAt <= this.#now()) return undefined;
    const cookie = secret();
    const session = { id: crypto.randomUUID(), scope: link.scope, csrf: secret(), usedAt: this.#now() };
    keepNewest(this.#sessions, hashOf(cookie), session, LIMITS.dashboardSessions);
    return cookie;
  }

  /** The session of a cookie, which now counts as used. */
  session(cookie: string): DashboardSession | undefined {
    const key = hashOf(cookie);
    const session = this.#sessions.get(key);
    if (session === undefined) return undefined;
    if (session.usedAt + LIMITS.dashboardSessionIdleMs <= this.#now()) {
      this.#sessions.delete(key);
      return undefined;
    }
    session.usedAt = this.#now();
    // The least recently used session is removed.
    this.#sessions.delete(key);
    this.#sessions.set(key, session);
    return session;
  }

  /** Whether there is a link that was not used and has not expired. */
  get isExpected(): boolean {
    const now = this.#now();
    return [...this.#links.values()].some(({ expiresAt }) => expiresAt > now);
  }
}

function secret(): string {
  return randomBytes(32).toString("base64url");
}

/** Only the hash is stored and compared, so the time of a lookup does not show how close a guess is. */
function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
