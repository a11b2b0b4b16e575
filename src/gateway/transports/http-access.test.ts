import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../base/limits.js";
import { PmlError } from "../../base/pml-error.js";
import { tokenHash } from "../own/tokens.js";
import { HttpAccess, type HttpAccessOptions, Refused } from "./http-access.js";
import { Addresses, type HttpDoor, isNetwork, LOOPBACK_DOOR, whyWrongHost } from "./http-door.js";

const REMOTE: HttpDoor = { ...LOOPBACK_DOOR, isRemote: true, needsToken: true, hosts: ["pml.example.com"] };
const SCOPE = { org: "acme", project: "web", user: "ada" };
const TOKEN = "pml_good";

function request(
  headers: Readonly<Record<string, string>> = {},
  remoteAddress = "127.0.0.1",
): IncomingMessage {
  return {
    headers: { host: "localhost", ...headers },
    socket: { remoteAddress },
  } as unknown as IncomingMessage;
}

function access(door: HttpDoor = LOOPBACK_DOOR, more: Partial<HttpAccessOptions> = {}): HttpAccess {
  const known = { name: "laptop", role: "person", scope: SCOPE, hash: tokenHash(TOKEN) } as const;
  return new HttpAccess({
    door,
    tokens: {
      find: (hash) =>
        hash === known.hash ? { ...known, createdBy: "x", createdAt: new Date(0) } : undefined,
      isValid: () => true,
      noteUse() {},
      onChange: () => () => {},
      loaded: async () => {},
    },
    ...more,
  });
}

/** `agent`, `person acme/web/ada`, `401 TOKEN_REFUSED`. */
async function said(one: HttpAccess, req: IncomingMessage): Promise<string> {
  const found = await one.identify(req);
  if (found instanceof Refused) return `${found.status} ${found.error.code}`;
  return [found.role, ...(found.scope === undefined ? [] : [Object.values(found.scope).join("/")])].join(" ");
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe("[DO-1] who sends a request", () => {
  it.each<[string, HttpDoor, Readonly<Record<string, string>>, string]>([
    ["loopback, no token", LOOPBACK_DOOR, {}, "agent"],
    [
      "[DA-1] loopback, with claims",
      LOOPBACK_DOOR,
      { "x-pml-role": "person", "x-pml-user": "root", "x-pml-scope": "a/b/c" },
      "agent",
    ],
    ["loopback, a token", LOOPBACK_DOOR, bearer(TOKEN), "person acme/web/ada"],
    ["[FP-25] loopback, a wrong token", LOOPBACK_DOOR, bearer("pml_bad"), "401 TOKEN_REFUSED"],
    [
      "loopback, another kind of credentials",
      LOOPBACK_DOOR,
      { authorization: "Basic eDp5" },
      "401 TOKEN_REFUSED",
    ],
    ["loopback, an empty token", LOOPBACK_DOOR, { authorization: "Bearer " }, "401 TOKEN_REFUSED"],
    [
      "loopback, passed on by a proxy that nobody named",
      LOOPBACK_DOOR,
      { "x-forwarded-for": "8.8.8.8" },
      "401 TOKEN_REFUSED",
    ],
    ["loopback, passed on without an address", LOOPBACK_DOOR, { via: "1.1 proxy" }, "401 TOKEN_REFUSED"],
    ["loopback, passed on from TLS", LOOPBACK_DOOR, { "x-forwarded-proto": "https" }, "401 TOKEN_REFUSED"],
    ["[GW-4] beyond loopback, no token", REMOTE, {}, "401 TOKEN_REFUSED"],
    ["beyond loopback, a token", REMOTE, bearer(TOKEN), "person acme/web/ada"],
    ["beyond loopback, a JWT without issuers", REMOTE, bearer("a.b.c"), "401 TOKEN_REFUSED"],
  ])("%s", async (_, door, headers, expected) => {
    expect(await said(access(door), request(headers))).toBe(expected);
  });

  it("says how to come in, and where tokens are issued", async () => {
    const challenge = async (one: HttpAccess, headers = {}) => {
      const found = await one.identify(request(headers));
      return found instanceof Refused ? found.headers["www-authenticate"] : undefined;
    };
    expect(await challenge(access(REMOTE))).toBe('Bearer realm="pml"');
    expect(await challenge(access(REMOTE), bearer("x"))).toBe('Bearer realm="pml", error="invalid_token"');
    expect(await challenge(access(REMOTE, { metadata: {} }))).toBe(
      'Bearer realm="pml", resource_metadata="http://localhost/.well-known/oauth-protected-resource/mcp"',
    );
  });

  it.each([
    ["TOKEN_REFUSED", "401 TOKEN_REFUSED"],
    ["SCOPE_INSUFFICIENT", "403 SCOPE_INSUFFICIENT"],
    ["ISSUER_UNAVAILABLE", "503 ISSUER_UNAVAILABLE"],
  ] as const)("[DO-3] tells what is wrong with an issued token: %s", async (code, expected) => {
    const identify = () => {
      throw new PmlError(code, "x");
    };
    expect(await said(access(REMOTE, { issued: { identify } }), request(bearer("a.b.c")))).toBe(expected);
  });

  it("slows down failed attempts of one address only", async () => {
    const one = access(REMOTE);
    for (let n = 0; n < LIMITS.httpFailuresBurst; n++) await one.identify(request(bearer("x"), "9.9.9.9"));
    expect(await said(one, request(bearer("x"), "9.9.9.9"))).toBe("429 LIMIT_EXCEEDED");
    expect(await said(one, request(bearer("x"), "9.9.9.8"))).toBe("401 TOKEN_REFUSED");
    expect(await said(one, request(bearer(TOKEN), "9.9.9.9"))).toBe("person acme/web/ada");
  });

  it("limits the requests of one token", async () => {
    const one = access({ ...REMOTE, requestsPerSecond: 0.1 });
    expect(await said(one, request(bearer(TOKEN)))).toBe("person acme/web/ada");
    const found = await one.identify(request(bearer(TOKEN)));
    expect(found).toMatchObject({ status: 429, headers: { "retry-after": "10" } });
  });
});

describe("[FP-25] addresses of clients", () => {
  it.each([
    [[], "10.0.0.1", "8.8.8.8", "10.0.0.1"],
    [["10.0.0.0/8"], "10.0.0.1", "8.8.8.8", "8.8.8.8"],
    [["10.0.0.0/8"], "::ffff:10.0.0.1", "8.8.8.8", "8.8.8.8"],
    [["10.0.0.1"], "10.0.0.2", "8.8.8.8", "10.0.0.2"],
    // What the client itself wrote stands before what the proxies added.
    [["10.0.0.0/8"], "10.0.0.1", "1.1.1.1, 8.8.8.8, 10.0.0.9", "8.8.8.8"],
    [["10.0.0.0/8"], "10.0.0.1", "garbage", "10.0.0.1"],
    [["10.0.0.0/8"], "10.0.0.1", "", "10.0.0.1"],
    [["fd00::/8"], "fd00::1", "2001:db8::1", "2001:db8::1"],
  ])("with proxies %j, from %s forwarded for %j", (proxies, remote, forwarded, expected) => {
    expect(new Addresses(proxies).of(request({ "x-forwarded-for": forwarded }, remote))).toBe(expected);
  });

  it.each([
    ["10.0.0.1", true],
    ["10.0.0.0/8", true],
    ["::1", true],
    ["fd00::/129", false],
    ["10.0.0.0/33", false],
    ["10.0.0.0/8/8", false],
    ["proxy", false],
  ])("%s is a network: %s", (text, expected) => {
    expect(isNetwork(text)).toBe(expected);
  });
});

describe("[GW-4] hosts and origins beyond loopback", () => {
  it.each([
    [{ host: "pml.example.com" }, true],
    [{ host: "PML.example.com:8443" }, true],
    [{ host: "192.168.1.5:7423" }, true],
    [{ host: "[fd00::1]:7423" }, true],
    [{ host: "localhost:7423" }, true],
    [{ host: "evil.example" }, false],
    [{ host: "pml.example.com.evil.example" }, false],
    [{ host: "" }, false],
    [{ host: "pml.example.com", origin: "https://pml.example.com" }, true],
    [{ host: "pml.example.com", origin: "https://evil.example" }, false],
    [{ host: "pml.example.com", origin: "null" }, false],
    [{ host: "192.168.1.5:7423", origin: "https://192.168.1.5:7423" }, true],
    [{ host: "192.168.1.5:7423", origin: "https://192.168.1.6" }, false],
  ])("%j: %s", (headers, expected) => {
    expect(whyWrongHost(REMOTE, request(headers)) === undefined).toBe(expected);
  });
});
