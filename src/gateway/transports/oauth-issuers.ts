/**
 * PML as an OAuth resource server: JWTs of the configured issuers. The keys of an issuer are found through its
 * metadata; a token is accepted if its signature, issuer, audience and times are right, and its scopes give it a role.
 *
 * @module
 */
import type { CryptoKey, JWTPayload, JWTVerifyGetKey } from "jose";
import { isJsonObject } from "../../base/json-object.js";
import { messageOf, PmlError } from "../../base/pml-error.js";
import { isLoopback, isSecureAddress } from "../../base/secure-address.js";
import { sha256 } from "../../base/sha256.js";
import type { TokenRole } from "../../registry/role.js";
import { checkedScope, formatScope, type Scope } from "../../registry/scope.js";
import { type Identity, type IssuedTokens, wrongToken } from "./http-access.js";

export interface Issuer {
  readonly issuer: string;
  readonly audience: string | readonly string[];
  /** Roles by scopes; default: {@link DEFAULT_ROLES}. */
  readonly roles?: Readonly<Record<string, TokenRole>> | undefined;
  /** The claims that identify the owner of the token. */
  readonly claims?: { readonly [K in keyof Scope]?: string | undefined } | undefined;
}

export interface IssuersOptions {
  readonly issuers: readonly Issuer[];
  /** Org and project for tokens that do not name them. */
  readonly scope: Scope;
  readonly fetch?: typeof fetch;
  readonly now?: () => number;
}

export const DEFAULT_ROLES: Readonly<Record<string, TokenRole>> = {
  "pml:agent": "agent",
  "pml:person": "person",
  "pml:reader": "reader",
};

/** Public-key signatures only: with a shared secret, every party that can check a token could also create one. */
const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];
/** A token with several scopes gets the most powerful role. */
const BY_POWER: readonly TokenRole[] = ["person", "agent", "reader"];
const CLOCK_SECONDS = 30;
const FETCH_MS = 5_000;
const METADATA_BYTES = 262_144;
/** Keys are read again after this time, and earlier if a token names an unknown key. */
const KEYS_MS = 300_000;
/** The least time between two readings, even if tokens name unknown keys. */
const COOLDOWN_MS = 1_000;
const RETRY_MS = 2_000;

export class OauthIssuers implements IssuedTokens {
  readonly #options: IssuersOptions;
  readonly #keys = new Map<string, { readonly keys: Promise<JWTVerifyGetKey>; readonly failedAt?: number }>();

  constructor(options: IssuersOptions) {
    this.#options = options;
  }

  async identify(token: string): Promise<Identity> {
    const { decodeJwt, jwtVerify } = await import("jose");
    const issuer = this.#issuerOf(token, decodeJwt);
    const keys = await this.#keysOf(issuer);
    const options = {
      issuer: issuer.issuer,
      audience: typeof issuer.audience === "string" ? issuer.audience : [...issuer.audience],
      algorithms: ALGORITHMS,
      requiredClaims: ["exp", "aud"],
      clockTolerance: CLOCK_SECONDS,
    };
    const payload = await jwtVerify(token, keys, options)
      .then(
        (verified) => verified.payload,
        (error: unknown) => verifiedByOne(error, (key) => jwtVerify(token, key, options)),
      )
      .catch((error: unknown) => {
        throw refusal(error, issuer);
      });
    return this.#identityOf(issuer, payload);
  }

  #issuerOf(token: string, decode: (token: string) => JWTPayload): Issuer {
    let said: unknown;
    try {
      said = decode(token).iss;
    } catch {
      throw wrongToken();
    }
    const found = this.#options.issuers.find(({ issuer }) => issuer === said);
    if (found === undefined) throw wrongToken();
    return found;
  }

  /** A failure is cached for a moment, so that an issuer that is down is not asked for every request. */
  async #keysOf(issuer: Issuer): Promise<JWTVerifyGetKey> {
    const now = this.#options.now?.() ?? Date.now();
    const known = this.#keys.get(issuer.issuer);
    if (known !== undefined && (known.failedAt === undefined || now - known.failedAt < RETRY_MS))
      return known.keys;
    const keys = this.#discover(issuer);
    this.#keys.set(issuer.issuer, { keys });
    keys.catch(() => {
      this.#keys.set(issuer.issuer, { keys, failedAt: this.#options.now?.() ?? Date.now() });
    });
    return keys;
  }

  async #discover(issuer: Issuer): Promise<JWTVerifyGetKey> {
    const { createRemoteJWKSet, customFetch } = await import("jose");
    const address = this.#options.fetch ?? fetch;
    const problems: string[] = [];
    for (const url of metadataUrls(issuer.issuer)) {
      try {
        const found = await readMetadata(url, issuer.issuer, address);
        return createRemoteJWKSet(found, {
          timeoutDuration: FETCH_MS,
          cacheMaxAge: KEYS_MS,
          cooldownDuration: COOLDOWN_MS,
          [customFetch]: (at: string, init: object) => address(at, init as RequestInit),
        });
      } catch (error) {
        problems.push(messageOf(error));
      }
    }
    throw unavailable(issuer, problems.join("; "));
  }

  #identityOf(issuer: Issuer, payload: JWTPayload): Identity {
    const { roles = DEFAULT_ROLES } = issuer;
    const granted = scopesOf(payload).flatMap((scope) => (Object.hasOwn(roles, scope) ? [roles[scope]] : []));
    const role = BY_POWER.find((one) => granted.includes(one));
    if (role === undefined)
      throw new PmlError("SCOPE_INSUFFICIENT", "The token has no scope that gives a role here", {
        hint: `One of these scopes is needed: ${Object.keys(roles).join(", ")}.`,
      });
    const scope = this.#scopeOf(issuer, payload);
    const until = Number(payload.exp) * 1_000;
    const who = formatScope(scope);
    return {
      key: `jwt ${issuer.issuer} ${String(payload.sub ?? payload.client_id)} ${role} ${who}`,
      role,
      scope,
      via: `oauth ${issuer.issuer}`,
      isValid: () => (this.#options.now?.() ?? Date.now()) < until + CLOCK_SECONDS * 1_000,
    };
  }

  #scopeOf({ issuer, claims = {} }: Issuer, payload: JWTPayload): Scope {
    const said = (name: string | undefined, otherwise: string): string => {
      if (name === undefined) return otherwise;
      const value = payload[name];
      if (typeof value !== "string" || value === "") throw missing(name);
      return value;
    };
    const { scope } = this.#options;
    const subject = payload.sub ?? payload.client_id;
    if (claims.user === undefined && (typeof subject !== "string" || subject === "")) throw missing("sub");
    const wanted = {
      org: said(claims.org, scope.org),
      project: said(claims.project, scope.project),
      user: said(claims.user, userOf(issuer, String(subject))),
    };
    try {
      return checkedScope(wanted);
    } catch (error) {
      throw new PmlError("TOKEN_REFUSED", `The token cannot be used: ${messageOf(error)}`, { cause: error });
    }
  }
}

/** Differs from users of this machine and of other issuers, even if the names are equal. */
function userOf(issuer: string, subject: string): string {
  const suffix = sha256(issuer).slice(0, 8);
  const isPlain = /^[A-Za-z0-9_.-]{1,50}$/.test(subject);
  return `${isPlain ? subject : sha256(subject).slice(0, 32)}@${suffix}`;
}

/** From `scope`, and from the claims that some issuers use instead. */
function scopesOf({ scope, scp, roles }: JWTPayload): readonly string[] {
  return [scope, scp, roles].flatMap((value) => {
    if (typeof value === "string") return value.split(" ");
    return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
  });
}

/** The URLs of RFC 8414 and of OpenID Connect. */
export function metadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
    ...(path === "" ? [] : [`${origin}/.well-known/openid-configuration${path}`]),
  ];
}

async function readMetadata(url: string, issuer: string, address: typeof fetch): Promise<URL> {
  const response = await address(url, {
    headers: { accept: "application/json" },
    redirect: "error",
    signal: AbortSignal.timeout(FETCH_MS),
  });
  if (!response.ok) throw new Error(`${url} answers HTTP ${response.status}`);
  const text = await response.text();
  if (text.length > METADATA_BYTES) throw new Error(`${url} is too large`);
  const found: unknown = JSON.parse(text);
  if (!isJsonObject(found) || found.issuer !== issuer)
    throw new Error(`${url} is the metadata of another issuer`);
  if (typeof found.jwks_uri !== "string" || !URL.canParse(found.jwks_uri))
    throw new Error(`${url} names no jwks_uri`);
  const keys = new URL(found.jwks_uri);
  // A remote issuer must not name keys on this machine.
  const isSecure = isLoopback(new URL(issuer).hostname) ? isSecureAddress(keys) : keys.protocol === "https:";
  if (!isSecure) throw new Error(`${url} names a jwks_uri without TLS`);
  return keys;
}

/** A token need not name the one of several keys that it was signed with. */
async function verifiedByOne(
  error: unknown,
  verify: (key: CryptoKey) => Promise<{ readonly payload: JWTPayload }>,
): Promise<JWTPayload> {
  if ((error as { readonly code?: unknown }).code !== "ERR_JWKS_MULTIPLE_MATCHING_KEYS") throw error;
  for await (const key of error as AsyncIterable<CryptoKey>) {
    const verified = await verify(key).catch(() => undefined);
    if (verified !== undefined) return verified.payload;
  }
  throw error;
}

const OF_TOKEN = /^ERR_(JWT|JWS|JOSE_ALG|JOSE_NOT|JWKS_NO|JWKS_MULTIPLE)_/;

/** An invalid token is the sender's fault; unreadable keys are not. */
function refusal(error: unknown, issuer: Issuer): PmlError {
  const code = (error as { readonly code?: unknown }).code;
  const isOfToken = typeof code === "string" && OF_TOKEN.test(code);
  if (isOfToken) return wrongToken();
  return unavailable(issuer, messageOf(error));
}

function unavailable({ issuer }: Issuer, why: string): PmlError {
  return new PmlError(
    "ISSUER_UNAVAILABLE",
    `The keys of the issuer ${issuer} cannot be read: ${why.slice(0, 300)}`,
    {
      hint: "Try again later; the gateway needs a connection to the issuer.",
    },
  );
}

function missing(claim: string): PmlError {
  return new PmlError("TOKEN_REFUSED", `The token cannot be used: it has no claim ${JSON.stringify(claim)}`);
}
