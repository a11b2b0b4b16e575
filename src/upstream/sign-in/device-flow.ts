/**
 * The device flow [RFC 8628]: a person opens an address on any machine and types a code; PML polls until that is done.
 *
 * @module
 */
import {
  type AuthorizationServerMetadata,
  type OAuthTokens,
  parseErrorResponse,
  selectClientAuthMethod,
} from "@modelcontextprotocol/client";
import { isJsonObject } from "../../base/json-object.js";
import { PmlError } from "../../base/pml-error.js";
import type { KnownClient } from "./grant.js";
import { checkAddress, DEVICE_GRANT, limitedFetch, shown } from "./oauth-requests.js";

export interface DeviceCode {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly address: string;
  /** The address including the code, if there is one. */
  readonly completeAddress?: string;
  readonly expiresMs: number;
  readonly everyMs: number;
}

const EVERY_MS = 5_000;
const SLOWER_MS = 5_000;
const EXPIRES_SECONDS = 600;

/** The endpoint for device codes, if the authorization server has one. */
export function deviceEndpoint(metadata: AuthorizationServerMetadata | undefined): string | undefined {
  const endpoint: unknown = (metadata as Readonly<Record<string, unknown>> | undefined)
    ?.device_authorization_endpoint;
  return typeof endpoint === "string" ? endpoint : undefined;
}

export async function startDevice(
  endpoint: string,
  metadata: AuthorizationServerMetadata | undefined,
  client: KnownClient,
  {
    scope,
    resource,
    isLocal,
  }: { scope?: string | undefined; resource?: string | undefined; isLocal: boolean },
): Promise<DeviceCode> {
  checkAddress(new URL(endpoint), isLocal);
  const form = new URLSearchParams();
  if (scope !== undefined) form.set("scope", scope);
  if (resource !== undefined) form.set("resource", resource);
  const said = await posted(endpoint, metadata, client, form);
  const { device_code: deviceCode, user_code: userCode, verification_uri: address } = said;
  if (typeof deviceCode !== "string" || typeof userCode !== "string" || typeof address !== "string")
    throw new Error("the authorization server's answer has no device code");
  checkAddress(new URL(address), isLocal);
  const { verification_uri_complete: complete, expires_in: seconds, interval } = said;
  return {
    deviceCode,
    userCode: shown(userCode),
    address,
    ...(typeof complete === "string" ? { completeAddress: complete } : {}),
    expiresMs: (typeof seconds === "number" ? seconds : EXPIRES_SECONDS) * 1_000,
    everyMs: typeof interval === "number" ? Math.max(interval, 0.1) * 1_000 : EVERY_MS,
  };
}

/** Polls until the person is done; throws if the person declines or takes too long. */
export async function deviceTokens(
  tokenEndpoint: string,
  metadata: AuthorizationServerMetadata | undefined,
  client: KnownClient,
  { deviceCode, expiresMs, everyMs }: DeviceCode,
  signal: AbortSignal,
): Promise<OAuthTokens> {
  const until = Date.now() + expiresMs;
  for (let wait = everyMs; Date.now() + wait < until; ) {
    await new Promise((resolve) => setTimeout(resolve, wait));
    if (signal.aborted) throw new PmlError("SIGN_IN_FAILED", "the sign-in was given up");
    const form = new URLSearchParams({ grant_type: DEVICE_GRANT, device_code: deviceCode });
    try {
      const said = await posted(tokenEndpoint, metadata, client, form);
      if (typeof said.access_token !== "string")
        throw new PmlError("SIGN_IN_FAILED", "the authorization server's answer has no token");
      return said as OAuthTokens;
    } catch (error) {
      const { code } = error as { readonly code?: unknown };
      if (code === "slow_down") wait += SLOWER_MS;
      else if (code !== "authorization_pending") throw error;
    }
  }
  throw new PmlError("SIGN_IN_FAILED", "the code was not entered in time");
}

/** Posts a form as this client; throws the authorization server's error. */
export async function posted(
  endpoint: string,
  metadata: AuthorizationServerMetadata | undefined,
  { information }: KnownClient,
  form: URLSearchParams,
): Promise<Readonly<Record<string, unknown>>> {
  const headers = new Headers({
    "content-type": "application/x-www-form-urlencoded",
    accept: "application/json",
  });
  const { client_id: id, client_secret: secret } = information;
  const method = selectClientAuthMethod(information, metadata?.token_endpoint_auth_methods_supported ?? []);
  if (method === "client_secret_basic" && secret !== undefined)
    headers.set(
      "authorization",
      `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString("base64")}`,
    );
  else {
    form.set("client_id", id);
    if (method === "client_secret_post" && secret !== undefined) form.set("client_secret", secret);
  }
  const response = await limitedFetch(endpoint, { method: "POST", headers, body: form, redirect: "error" });
  if (!response.ok) throw await parseErrorResponse(response);
  const text = await response.text();
  const value: unknown = text === "" ? {} : JSON.parse(text);
  return isJsonObject(value) ? value : {};
}
