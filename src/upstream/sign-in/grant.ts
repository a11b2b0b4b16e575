/**
 * The stored data of a sign-in: the issuer, PML's client registration there, and the tokens.
 *
 * @module
 */
import type {
  AuthorizationServerMetadata,
  OAuthClientInformationMixed,
  OAuthTokens,
} from "@modelcontextprotocol/client";
import { isJsonObject } from "../../base/json-object.js";
import { sha256 } from "../../base/sha256.js";

export interface Grant {
  readonly issuer: string;
  readonly authorizationServer: string;
  /** From the sign-in: a refresh only uses this authorization server. */
  readonly metadata?: AuthorizationServerMetadata;
  readonly client: KnownClient;
  /** The resource that tokens are requested for [RFC 8707]. */
  readonly resource?: string;
  readonly tokens?: KeptTokens;
  /** Hashes of refresh tokens that the authorization server refused permanently: they are never sent again. */
  readonly dead: readonly string[];
}

export interface KnownClient {
  readonly information: OAuthClientInformationMixed;
  /** The redirect address of a client that PML has registered itself. */
  readonly registeredFor?: string;
}

export interface KeptTokens {
  readonly access: string;
  readonly refresh?: string;
  readonly scope?: string;
  /** Milliseconds since 1970, before the request was sent. */
  readonly savedAt: number;
  /** Absent if the authorization server does not give it: then a rejected request shows it. */
  readonly expiresAt?: number;
}

const DEAD_KEPT = 8;
/** Shares of a token's lifetime: when it is refreshed, and when it is no longer used. */
const DUE_AFTER = 0.8;
const USED_UNTIL = 0.95;

export function keptTokens(
  { access_token: access, refresh_token: refresh, expires_in: seconds, scope }: OAuthTokens,
  savedAt: number,
  before?: KeptTokens,
): KeptTokens {
  const granted = scope ?? before?.scope;
  return {
    access,
    ...(refresh === undefined ? {} : { refresh }),
    ...(granted === undefined ? {} : { scope: granted }),
    savedAt,
    ...(seconds === undefined || !(seconds > 0) ? {} : { expiresAt: savedAt + seconds * 1_000 }),
  };
}

/** When to refresh it; never if its expiry is unknown, or it cannot be refreshed. */
export function dueAt({ refresh, savedAt, expiresAt }: KeptTokens): number {
  if (refresh === undefined || expiresAt === undefined) return Number.POSITIVE_INFINITY;
  return savedAt + (expiresAt - savedAt) * DUE_AFTER;
}

/**
 * If the clock was set back, a token looks younger than it is; its life then starts again, and a 401 will show the
 * truth.
 */
export function isUsable({ savedAt, expiresAt }: KeptTokens, now: number): boolean {
  return expiresAt === undefined || now < savedAt + (expiresAt - savedAt) * USED_UNTIL;
}

/** Without its tokens; the refresh token is recorded as dead. */
export function withoutTokens({ tokens, dead, ...rest }: Grant): Grant {
  const died = tokens?.refresh === undefined ? [] : [sha256(tokens.refresh)];
  return { ...rest, dead: [...died, ...dead].slice(0, DEAD_KEPT) };
}

export function isDead({ tokens, dead }: Grant): boolean {
  return tokens?.refresh !== undefined && dead.includes(sha256(tokens.refresh));
}

/** Values that must not appear anywhere else. */
export function secretsOf({ tokens, client }: Grant): readonly string[] {
  const { client_secret: secret } = client.information;
  return [tokens?.access, tokens?.refresh, secret].filter((one) => one !== undefined);
}

/** Parses a stored grant; undefined if it is invalid. */
export function readGrant(text: string): Grant | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isJsonObject(value) || typeof value.issuer !== "string" || !isJsonObject(value.client))
      return undefined;
    return value as unknown as Grant;
  } catch {
    return undefined;
  }
}
