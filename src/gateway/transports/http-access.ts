/**
 * Identifies the sender of an HTTP request: the only place that does so. Without a token, on loopback, it is an agent
 * of the configured scope; a user, scope or role that a request claims is ignored.
 *
 * @module
 */
import type { IncomingMessage } from "node:http";
import { keepNewest } from "../../base/keep-newest.js";
import { LIMITS } from "../../base/limits.js";
import { PmlError } from "../../base/pml-error.js";
import { RateLimit } from "../../base/rate-limit.js";
import type { AccessToken } from "../../registry/access-tokens.js";
import type { TokenRole } from "../../registry/role.js";
import type { Scope } from "../../registry/scope.js";
import { tokenHash } from "../own/tokens.js";
import { Addresses, type HttpDoor } from "./http-door.js";

export interface Identity {
  /** Unique per client; empty for requests without a token. */
  readonly key: string;
  readonly role: TokenRole;
  /** Default: the scope of the HTTP endpoint. */
  readonly scope?: Scope;
  /** The source of the identity, for the audit: `token laptop`. */
  readonly via?: string;
  /** Whether it still has the same rights. */
  isValid(): boolean;
}

/** A rejected request. */
export class Refused {
  readonly status: number;
  readonly error: PmlError;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, error: PmlError, headers: Readonly<Record<string, string>> = {}) {
    this.status = status;
    this.error = error;
    this.headers = headers;
  }
}

/** The tokens that PML itself created. */
export interface TokenLookup {
  find(hash: string): AccessToken | undefined;
  isValid(token: Pick<AccessToken, "hash">): boolean;
  noteUse(token: Pick<AccessToken, "name">): void;
  onChange(listener: () => void): () => void;
  /** Resolves when they are loaded. */
  loaded(): Promise<void>;
}

/** Tokens of external issuers. */
export interface IssuedTokens {
  /** Throws `TOKEN_REFUSED`, `SCOPE_INSUFFICIENT` or `ISSUER_UNAVAILABLE`. */
  identify(token: string): Identity | Promise<Identity>;
}

export interface HttpAccessOptions {
  readonly door: HttpDoor;
  readonly tokens?: TokenLookup | undefined;
  readonly issued?: IssuedTokens | undefined;
  /** Metadata that tells clients how to get such a token; published under {@link METADATA_PATH}. */
  readonly metadata?: object;
}

/** Where clients find the issuers of tokens for the endpoint (RFC 9728). */
export const METADATA_PATH = "/.well-known/oauth-protected-resource";

const ANYBODY: Identity = { key: "", role: "agent", isValid: () => true };

const STATUS: Readonly<Record<string, number>> = {
  TOKEN_REFUSED: 401,
  SCOPE_INSUFFICIENT: 403,
  ISSUER_UNAVAILABLE: 503,
};
const UNAVAILABLE_SECONDS = 5;

export class HttpAccess {
  readonly addresses: Addresses;
  readonly #options: HttpAccessOptions;
  readonly #requests = new Map<string, RateLimit>();
  readonly #failures = new Map<string, RateLimit>();

  constructor(options: HttpAccessOptions) {
    this.#options = options;
    this.addresses = new Addresses(options.door.proxies);
  }

  /** Returns the sender, or why it is rejected. Synchronous, except while the tokens are being loaded. */
  identify(req: IncomingMessage): Identity | Refused | Promise<Identity | Refused> {
    const { authorization } = req.headers;
    if (authorization === undefined) {
      const { door } = this.#options;
      if (!door.needsToken && !this.addresses.isPassedOn(req)) return ANYBODY;
      return this.#refuse(
        req,
        new PmlError("TOKEN_REFUSED", "A token is needed: send it as Authorization: Bearer", {
          hint: "`pml token create NAME` makes one.",
        }),
      );
    }
    const [, token] = /^Bearer +([A-Za-z0-9._~+/=-]{1,16384})$/i.exec(authorization) ?? [];
    if (token === undefined) return this.#refuse(req, wrongToken());
    const { tokens, issued } = this.#options;
    const known = this.#own(token);
    if (known !== undefined) return this.#counted(known);
    if (issued !== undefined && token.split(".").length === 3)
      return this.#identifyIssued(issued, req, token);
    // Only the first requests of a gateway wait.
    return tokens === undefined ? this.#refuse(req, wrongToken()) : this.#identifyLate(tokens, req, token);
  }

  #own(token: string): Identity | undefined {
    const { tokens } = this.#options;
    const found = tokens?.find(tokenHash(token));
    if (tokens === undefined || found === undefined) return undefined;
    const { name, role, scope, hash } = found;
    tokens.noteUse(found);
    return {
      key: `token ${hash}`,
      role,
      scope,
      via: `token ${name}`,
      isValid: () => tokens.isValid({ hash }),
    };
  }

  async #identifyLate(tokens: TokenLookup, req: IncomingMessage, token: string): Promise<Identity | Refused> {
    try {
      await tokens.loaded();
    } catch {
      const error = new PmlError("STORE_FAILED", "Cannot check the token: the store cannot be read", {
        hint: "Try again later; `pml doctor` says what is wrong with the store.",
      });
      return new Refused(503, error, { "retry-after": String(UNAVAILABLE_SECONDS) });
    }
    const known = this.#own(token);
    return known === undefined ? this.#refuse(req, wrongToken()) : this.#counted(known);
  }

  async #identifyIssued(
    issued: IssuedTokens,
    req: IncomingMessage,
    token: string,
  ): Promise<Identity | Refused> {
    try {
      return this.#counted(await issued.identify(token));
    } catch (error) {
      if (error instanceof PmlError && Object.hasOwn(STATUS, error.code)) return this.#refuse(req, error);
      throw error;
    }
  }

  #counted(identity: Identity): Identity | Refused {
    const { requestsPerSecond: perSecond } = this.#options.door;
    const rate = perSecond ?? LIMITS.httpTokenPerSecond;
    const burst = perSecond === undefined ? LIMITS.httpTokenBurst : Math.max(1, perSecond * 10);
    const waitMs = take(this.#requests, identity.key, rate, burst);
    return waitMs === 0 ? identity : tooMany("too many requests with this token", waitMs);
  }

  #refuse(req: IncomingMessage, error: PmlError): Refused {
    const status = STATUS[error.code] ?? 401;
    if (status === 503) return new Refused(status, error, { "retry-after": String(UNAVAILABLE_SECONDS) });
    const waitMs = take(
      this.#failures,
      this.addresses.of(req),
      LIMITS.httpFailuresPerSecond,
      LIMITS.httpFailuresBurst,
    );
    if (waitMs > 0) return tooMany("too many requests without a valid token from this address", waitMs);
    return new Refused(status, error, { "www-authenticate": this.#challenge(req, error) });
  }

  #challenge(req: IncomingMessage, { code }: PmlError): string {
    const { metadata, door } = this.#options;
    const url = metadata === undefined ? undefined : `${originOf(req, door)}${METADATA_PATH}/mcp`;
    const isGiven = req.headers.authorization !== undefined;
    const kind = code === "SCOPE_INSUFFICIENT" ? "insufficient_scope" : "invalid_token";
    const parts = [
      'realm="pml"',
      ...(isGiven ? [`error="${kind}"`] : []),
      ...(url === undefined ? [] : [`resource_metadata="${url}"`]),
    ];
    return `Bearer ${parts.join(", ")}`;
  }
}

/** The origin as the sender sees it; its host has been checked. */
function originOf({ headers }: IncomingMessage, { publicUrl, tls }: HttpDoor): string {
  return publicUrl ?? new URL(`${tls === undefined ? "http" : "https"}://${headers.host}`).origin;
}

/** The same text for every reason, so that a caller that tries tokens learns nothing about them. */
export function wrongToken(): PmlError {
  return new PmlError("TOKEN_REFUSED", "The token is not valid: it is wrong, expired or revoked", {
    hint: "`pml token list` shows the tokens of the gateway; `pml token create NAME` makes one.",
  });
}

/** The time to wait; 0 if one more request may pass. */
function take(limits: Map<string, RateLimit>, key: string, perSecond: number, atOnce: number): number {
  const limit = limits.get(key) ?? new RateLimit(perSecond, atOnce);
  keepNewest(limits, key, limit, LIMITS.httpCounted);
  return limit.take() ? 0 : Math.max(1, limit.waitMs);
}

function tooMany(why: string, waitMs: number): Refused {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  const error = new PmlError("LIMIT_EXCEEDED", `Refused for now: ${why}`, {
    hint: `Try again in ${seconds} s.`,
  });
  return new Refused(429, error, { "retry-after": String(seconds) });
}
