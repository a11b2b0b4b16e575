/**
 * Requests to authorization servers, with the functions of the SDK: each is limited in time and size.
 *
 * The server that needs a sign-in gives the addresses of these servers, and may be hostile: the addresses must be
 * HTTPS, or on this machine if the server is on this machine too.
 *
 * @module
 */
import {
  type AuthorizationServerMetadata,
  computeScopeUnion,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  discoverOAuthServerInfo,
  type FetchLike,
  OAuthError,
  type OAuthServerInfo,
  type OAuthTokens,
  refreshAuthorization,
  registerClient,
  selectResourceURL,
} from "@modelcontextprotocol/client";
import { LIMITS } from "../../base/limits.js";
import { messageOf, PmlError } from "../../base/pml-error.js";
import { isLoopback, isSecureAddress } from "../../base/secure-address.js";
import { cleanText } from "../../mcp/clean-text.js";
import type { AuthSettings } from "./auth-settings.js";
import type { Grant, KnownClient } from "./grant.js";

/** The server's explanation when it rejected a request. */
export interface Challenge {
  readonly resourceMetadataUrl?: URL;
  readonly scope?: string;
}

const SAID_CHARS = 300;
const REDIRECTS_MOST = 3;

/** A fetch with a timeout and a limited body size. A POST goes only to the address that was checked. */
export const limitedFetch: FetchLike = async (url, init) => {
  const limit = AbortSignal.timeout(LIMITS.signInRequestMs);
  const signal = init?.signal ? AbortSignal.any([limit, init.signal]) : limit;
  const isPosted = init?.method !== undefined && init.method !== "GET";
  const response = await fetch(url, { redirect: isPosted ? "error" : "follow", ...init, signal });
  const body = response.body === null ? "" : await boundedText(response.body);
  const answer = new Response(body === "" ? null : body, {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
  });
  return Object.defineProperty(answer, "url", { value: response.url });
};

async function boundedText(body: ReadableStream<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > LIMITS.signInAnswerBytes)
      throw new Error(`the answer is longer than ${LIMITS.signInAnswerBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

/** The same for reading metadata: every redirect target is checked. */
function checkedFetch(isLocal: boolean): FetchLike {
  return async (url, init) => {
    let at = new URL(url);
    for (let sentOn = 0; sentOn <= REDIRECTS_MOST; sentOn += 1) {
      checkAddress(at, isLocal);
      const response = await limitedFetch(at, { ...init, redirect: "manual" });
      const location = response.headers.get("location");
      if (response.status < 300 || response.status >= 400 || location === null) return response;
      at = new URL(location, at);
    }
    throw new Error(`${shown(new URL(url).origin)} redirects more than ${REDIRECTS_MOST} times`);
  };
}

/** Whether a server that answered 401 uses OAuth: it says so, or publishes metadata at its own address. */
export async function wantsSignIn(server: URL, header: string | null): Promise<boolean> {
  if (/^\s*(bearer|dpop)\b/i.test(header ?? "")) return true;
  try {
    await discoverOAuthProtectedResourceMetadata(server, {}, limitedFetch);
    return true;
  } catch {
    const found = await discoverAuthorizationServerMetadata(new URL("/", server), {
      fetchFn: limitedFetch,
    }).catch(() => undefined);
    return found !== undefined;
  }
}

/** The authorization server and resource of a server; throws if they cannot be found or are not accepted. */
export async function findAuthorizationServer(
  server: URL,
  { resourceMetadataUrl }: Challenge,
  { issuer }: AuthSettings,
): Promise<{ readonly info: OAuthServerInfo; readonly resource?: string }> {
  const isLocal = isLoopback(server.hostname);
  if (resourceMetadataUrl !== undefined) checkAddress(resourceMetadataUrl, isLocal);
  const info = await discoverOAuthServerInfo(server, {
    fetchFn: checkedFetch(isLocal),
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
  });
  const { authorizationServerMetadata: metadata, resourceMetadata } = info;
  if (metadata === undefined)
    throw new Error("it publishes no authorization server that can be found (no metadata, RFC 8414)");
  for (const endpoint of endpointsOf(metadata)) checkAddress(new URL(endpoint), isLocal);
  if (issuer !== undefined && metadata.issuer !== issuer)
    throw new Error(`it names the issuer ${shown(metadata.issuer)}, but auth.issuer requires another one`);
  const resource = await selectResourceURL(server, {} as never, resourceMetadata);
  if (resource === undefined) return { info };
  // In its published form: parsing and formatting an address may change it.
  return { info, resource: resourceMetadata?.resource ?? resource.href };
}

function endpointsOf(metadata: AuthorizationServerMetadata): readonly string[] {
  const { authorization_endpoint, token_endpoint, registration_endpoint } = metadata;
  return [authorization_endpoint, token_endpoint, registration_endpoint].filter((one) => one !== undefined);
}

export function checkAddress(url: URL, isLocal: boolean): void {
  if (url.protocol === "https:" || (isLocal && isSecureAddress(url))) return;
  throw new Error(`${shown(url.origin)} is not an HTTPS address`);
}

/**
 * PML's client at the authorization server: configured, identified by its document, registered earlier, or registered
 * now.
 */
export async function clientFor(
  info: OAuthServerInfo,
  auth: AuthSettings,
  scope: string | undefined,
  known: KnownClient | undefined,
): Promise<KnownClient> {
  const { clientId, clientSecret, clientMetadataUrl, redirectUrl } = auth;
  const metadata = info.authorizationServerMetadata;
  if (clientId !== undefined)
    return {
      information: {
        client_id: clientId,
        ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
      },
    };
  if (clientMetadataUrl !== undefined && metadata?.client_id_metadata_document_supported === true)
    return { information: { client_id: clientMetadataUrl } };
  if (known?.registeredFor === redirectUrl) return known;
  if (metadata?.registration_endpoint === undefined)
    throw new PmlError(
      "SIGN_IN_FAILED",
      "the authorization server does not support client registration, and no client is configured",
      { hint: "Register PML there, and set auth.clientId (and auth.clientSecret) of the server's entry." },
    );
  const information = await registerClient(info.authorizationServerUrl, {
    metadata,
    clientMetadata: {
      client_name: "PML",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token", ...deviceGrantOf(metadata)],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      application_type: "native",
    },
    ...(scope === undefined ? {} : { scope }),
    fetchFn: limitedFetch,
  });
  return { information, registeredFor: redirectUrl };
}

export const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

function deviceGrantOf(metadata: AuthorizationServerMetadata): readonly string[] {
  return metadata.grant_types_supported?.includes(DEVICE_GRANT) === true ? [DEVICE_GRANT] : [];
}

/** The requested scope: as configured, else as the server says; plus what was granted before. */
export function scopeFor(
  info: OAuthServerInfo,
  { scopes }: AuthSettings,
  challenge: Challenge,
  granted: string | undefined,
): string | undefined {
  const asked =
    scopes?.join(" ") ??
    (challenge.scope === undefined
      ? info.resourceMetadata?.scopes_supported?.join(" ")
      : computeScopeUnion(granted, challenge.scope));
  const isOffered = info.authorizationServerMetadata?.scopes_supported?.includes("offline_access") === true;
  // Without it, some authorization servers give no refresh token.
  return isOffered && scopes === undefined && asked !== undefined
    ? computeScopeUnion(asked, "offline_access")
    : asked || undefined;
}

export async function refreshed(grant: Grant, refreshToken: string): Promise<OAuthTokens> {
  return await refreshAuthorization(grant.authorizationServer, {
    ...(grant.metadata === undefined ? {} : { metadata: grant.metadata }),
    clientInformation: grant.client.information,
    refreshToken,
    ...(grant.resource === undefined ? {} : { resource: grant.resource }),
    fetchFn: limitedFetch,
  });
}

/** Whether the refresh token is refused permanently; other failures may be temporary. */
export function isInvalidGrant(error: unknown): boolean {
  return error instanceof OAuthError && error.code === "invalid_grant";
}

/** Whether the client itself is refused: a retry does not help, and a new sign-in registers a new client. */
export function isClientRefused(error: unknown): boolean {
  return (
    error instanceof OAuthError && (error.code === "invalid_client" || error.code === "unauthorized_client")
  );
}

/** Why a request failed, in a text that may be shown: an authorization server's error is quoted in part. */
export function reasonOf(error: unknown): string {
  if (error instanceof OAuthError)
    return error.code === "server_error"
      ? `the authorization server failed${statusOf(error.message)}`
      : `the authorization server answered ${shown(error.code)}: ${shown(error.message)}`;
  if (error instanceof Error && error.name === "TimeoutError")
    return `the authorization server did not answer within ${LIMITS.signInRequestMs} ms`;
  const { cause } = (error ?? {}) as { readonly cause?: unknown };
  const detail = cause instanceof Error && error instanceof TypeError ? `: ${messageOf(cause)}` : "";
  return shown(`${messageOf(error)}${detail}`);
}

function statusOf(message: string): string {
  const status = /^HTTP (\d{3})/.exec(message)?.[1];
  return status === undefined ? "" : ` with HTTP ${status}`;
}

export function shown(text: string): string {
  return cleanText(text.slice(0, SAID_CHARS)).replace(/\s+/g, " ");
}
