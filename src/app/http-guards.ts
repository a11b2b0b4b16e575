/**
 * Which clients may connect over HTTP: those with a token of this gateway, or of a trusted issuer.
 *
 * @module
 */
import type { Log } from "../base/log.js";
import type { HttpGuards } from "../gateway/transports/http.js";
import type { HttpDoor } from "../gateway/transports/http-door.js";
import { DEFAULT_ROLES, OauthIssuers } from "../gateway/transports/oauth-issuers.js";
import type { Scope } from "../registry/scope.js";
import type { ComposedGateway } from "./compose.js";

interface GuardParts {
  readonly door: HttpDoor;
  /** The bound address of the MCP endpoint. */
  readonly url: string;
  readonly composed: Pick<ComposedGateway, "accessTokens" | "live" | "tenants">;
  /** For clients whose token does not name a scope. */
  readonly scope: Scope;
}

export function httpGuards({ door, url, composed, scope }: GuardParts): HttpGuards {
  const tokens = composed.accessTokens;
  const { oauth } = composed.live.now.config.http ?? {};
  const noteTenant = (of: Scope) => composed.tenants.note(of);
  if (oauth === undefined) return { tokens, noteTenant };
  const resource = door.publicUrl === undefined ? url : `${door.publicUrl}/mcp`;
  const issuers = oauth.issuers.map(({ issuer, audience = resource, roles, scopes, claims }) => ({
    issuer,
    audience,
    roles: roles === undefined && scopes === undefined ? undefined : { ...scopes, ...roles },
    claims,
  }));
  const named = new Set(issuers.flatMap(({ roles = DEFAULT_ROLES }) => Object.keys(roles)));
  return {
    tokens,
    noteTenant,
    issued: new OauthIssuers({ issuers, scope }),
    metadata: {
      resource,
      authorization_servers: issuers.map(({ issuer }) => issuer),
      scopes_supported: [...named],
      bearer_methods_supported: ["header"],
      resource_name: "PML",
    },
  };
}

/** Warns the person who starts the gateway that every request is refused until there is a token. */
export function warnOfNoTokens(
  { accessTokens, live }: Pick<ComposedGateway, "accessTokens" | "live">,
  log: Log,
): void {
  if (live.now.config.http?.oauth !== undefined) return;
  accessTokens.loaded().then(
    () => {
      if (!accessTokens.hasAny)
        log.warn("http.no_tokens", {
          message: "Every request is refused until there is a token: pml token create NAME",
        });
    },
    () => {},
  );
}
