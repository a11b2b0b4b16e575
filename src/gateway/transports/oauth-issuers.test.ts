import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { metadataUrls, OauthIssuers } from "./oauth-issuers.js";

const ISSUER = "https://id.example/realm";
const AUDIENCE = "https://pml.example/mcp";
const SCOPE = { org: "acme", project: "web", user: "os-user" };

interface Key {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly jwk: object;
}
type CryptoKey = Awaited<ReturnType<typeof generateKeyPair>>["privateKey"];

async function newKey(kid: string): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: "ES256", use: "sig" } };
}

describe("[DO-3] tokens of issuers", () => {
  let key: Key;
  let other: Key;
  const provider = { keys: [] as object[], isDown: false, metadataIssuer: ISSUER, jwks: `${ISSUER}/jwks` };
  const fetched = async (input: string | URL | Request): Promise<Response> => {
    if (provider.isDown) throw new TypeError("fetch failed");
    if (String(input).endsWith("/jwks")) return Response.json({ keys: provider.keys });
    if (
      String(input) === metadataUrls(provider.metadataIssuer)[1] ||
      String(input) === metadataUrls(ISSUER)[1]
    )
      return Response.json({ issuer: provider.metadataIssuer, jwks_uri: provider.jwks });
    return new Response("", { status: 404 });
  };
  const issuers = (more: object = {}) =>
    new OauthIssuers({
      issuers: [{ issuer: ISSUER, audience: AUDIENCE, ...more }],
      scope: SCOPE,
      fetch: fetched,
    });

  beforeAll(async () => {
    key = await newKey("k1");
    other = await newKey("k1");
    provider.keys = [key.jwk];
  });

  function token(claims: object = {}, by: Key = key, without?: string): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    const all = {
      iss: ISSUER,
      aud: AUDIENCE,
      sub: "ada",
      scope: "openid pml:agent",
      exp: now + 300,
      ...claims,
    };
    const kept = Object.fromEntries(Object.entries(all).filter(([name]) => name !== without));
    return new SignJWT(kept).setProtectedHeader({ alg: "ES256", kid: by.kid }).sign(by.privateKey);
  }
  const codeOf = async (text: Promise<string>, from = issuers()) =>
    from.identify(await text).then(
      ({ role }) => role,
      (error: { code?: string }) => error.code,
    );

  it.each<[string, object, string]>([
    ["a good one", {}, "agent"],
    ["several scopes", { scope: "pml:reader pml:person" }, "person"],
    ["scp", { scope: undefined, scp: ["pml:reader"] }, "reader"],
    ["two audiences", { aud: ["x", AUDIENCE] }, "agent"],
    ["another audience", { aud: `${AUDIENCE}/x` }, "TOKEN_REFUSED"],
    ["another issuer", { iss: "https://evil.example" }, "TOKEN_REFUSED"],
    ["expired", { exp: 1_000 }, "TOKEN_REFUSED"],
    ["not valid yet", { nbf: Math.floor(Date.now() / 1_000) + 600 }, "TOKEN_REFUSED"],
    ["no scope of ours", { scope: "openid" }, "SCOPE_INSUFFICIENT"],
    ["a scope that is a name of every object", { scope: "constructor __proto__" }, "SCOPE_INSUFFICIENT"],
    ["no subject", { sub: "" }, "TOKEN_REFUSED"],
  ])("%s", async (_, claims, expected) => {
    expect(await codeOf(token(claims))).toBe(expected);
  });

  it("are refused without an expiry, and with another key", async () => {
    expect(await codeOf(token({}, key, "exp"))).toBe("TOKEN_REFUSED");
    expect(await codeOf(token({}, other))).toBe("TOKEN_REFUSED");
  });

  it("say whose they are: a user of no other issuer, or what the claims say", async () => {
    const { scope, key: one } = await issuers().identify(await token());
    expect(scope).toEqual({ ...SCOPE, user: expect.stringMatching(/^ada@[0-9a-f]{8}$/) });
    expect(one).not.toBe((await issuers().identify(await token({ sub: "eve" }))).key);
    const named = issuers({ claims: { org: "tenant", user: "name" }, roles: { use: "agent" } });
    const said = await named.identify(await token({ tenant: "zoo", name: "zoe", scope: "use" }));
    expect(said.scope).toEqual({ org: "zoo", project: "web", user: "zoe" });
    expect(await codeOf(token({ name: "zoe", scope: "use" }), named)).toBe("TOKEN_REFUSED");
    expect(await codeOf(token({ tenant: "../x", name: "zoe", scope: "use" }), named)).toBe("TOKEN_REFUSED");
  });

  it("are not the sender's fault if the issuer is down, or is another one", async () => {
    provider.isDown = true;
    expect(await codeOf(token())).toBe("ISSUER_UNAVAILABLE");
    provider.isDown = false;
    provider.metadataIssuer = "https://evil.example";
    expect(await codeOf(token())).toBe("ISSUER_UNAVAILABLE");
    provider.metadataIssuer = ISSUER;
  });

  const LOCAL = "http://127.0.0.1:8080";

  it.each([
    [ISSUER, "http://id.example/jwks", "ISSUER_UNAVAILABLE"],
    [ISSUER, "http://127.0.0.1/jwks", "ISSUER_UNAVAILABLE"],
    [ISSUER, "file:///jwks", "ISSUER_UNAVAILABLE"],
    [LOCAL, "http://id.example/jwks", "ISSUER_UNAVAILABLE"],
    [LOCAL, `${LOCAL}/jwks`, "agent"],
    [LOCAL, "https://id.example/jwks", "agent"],
  ])("of %s with keys at %s: %s", async (issuer, jwks, expected) => {
    Object.assign(provider, { metadataIssuer: issuer, jwks });
    expect(await codeOf(token({ iss: issuer }), issuers({ issuer }))).toBe(expected);
    Object.assign(provider, { metadataIssuer: ISSUER, jwks: `${ISSUER}/jwks` });
  });
});
