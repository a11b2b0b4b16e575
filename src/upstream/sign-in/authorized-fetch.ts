/**
 * The fetch of a server's transport: every request has the token of the sign-in, and a rejected one is sent again with
 * a fresh token. A server rejects a request before it does anything, so nothing is done twice.
 *
 * @module
 */
import { extractWWWAuthenticateParams, type FetchLike } from "@modelcontextprotocol/client";
import { type Challenge, wantsSignIn } from "./oauth-requests.js";
import type { TokenKeeper } from "./token-keeper.js";

/** Replaces an answer: the server was not asked, or has rejected the request. The keeper knows what is needed. */
export class NoToken extends Error {
  override readonly name = "NoToken";
}

export function authorizedFetch(server: URL, keeper: TokenKeeper, send: FetchLike): FetchLike {
  return async (url, init) => {
    // A token is for one server only.
    if (new URL(url).origin !== server.origin) return await send(url, init);
    let token = await keeper.token();
    if (token === undefined && keeper.need?.kind === "later") throw new NoToken(keeper.need.why);
    for (let isFresh = false; ; ) {
      const response = await send(url, withToken(init, token));
      if (response.status === 403) return stepUp(response, keeper);
      if (response.status !== 401) return response;
      const isOAuth =
        token !== undefined || (await wantsSignIn(server, response.headers.get("www-authenticate")));
      if (!isOAuth) return response;
      await response.body?.cancel().catch(() => {});
      if (isFresh) keeper.refusedAgain(challengeOf(response));
      if (isFresh || !(await keeper.refused(token, challengeOf(response))))
        throw new NoToken(keeper.need?.why ?? "a sign-in is required");
      // The first token may be an old stored one.
      isFresh = token !== undefined;
      token = await keeper.token();
    }
  };
}

function withToken(init: RequestInit | undefined, token: string | undefined): RequestInit | undefined {
  if (token === undefined) return init;
  const headers = new Headers(init?.headers);
  headers.set("authorization", `Bearer ${token}`);
  return { ...init, headers };
}

/** 403 is an ordinary answer, unless it says that the sign-in has too few rights. */
function stepUp(response: Response, keeper: TokenKeeper): Response {
  if (extractWWWAuthenticateParams(response).error !== "insufficient_scope") return response;
  keeper.stepUp(challengeOf(response));
  throw new NoToken(keeper.need?.why ?? "more rights are needed");
}

function challengeOf(response: Response): Challenge {
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
  return {
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
    ...(scope === undefined ? {} : { scope }),
  };
}
