import { afterEach, describe, expect, it, vi } from "vitest";
import {
  type AuthorizationOptions,
  AuthorizationServer,
  consent,
} from "../../../test/support/authorization-server.js";
import { silentLog } from "../../base/log.js";
import { PmlError } from "../../base/pml-error.js";
import type { ServerName } from "../../registry/tool-id.js";
import type { AuthSettings } from "./auth-settings.js";
import { authorizedFetch, NoToken } from "./authorized-fetch.js";
import type { Grant } from "./grant.js";
import type { GrantVault } from "./grant-vault.js";
import { type SignInEntry, SignIns } from "./sign-ins.js";

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const one of cleanUp.splice(0)) await one();
});

/** As gateways on one store have it: one at a time, and what one writes the others read. */
function sharedVault(): GrantVault & { readonly kept: Map<string, string> } {
  const kept = new Map<string, string>();
  let turn: Promise<unknown> = Promise.resolve();
  const id = (key: object) => JSON.stringify(key);
  const read = async (key: object) => {
    const text = kept.get(id(key));
    return text === undefined ? undefined : (JSON.parse(text) as Grant);
  };
  return {
    kept,
    isShared: true,
    read,
    exclusive(key, work) {
      const next = turn.then(() =>
        work({
          read: () => read(key),
          write: async (grant) => void kept.set(id(key), JSON.stringify(grant)),
          remove: async () => kept.delete(id(key)),
        }),
      );
      turn = next.catch(() => {});
      return next;
    },
  };
}

async function place(options: AuthorizationOptions = {}, auth: Partial<AuthSettings> = {}) {
  const as = await AuthorizationServer.start(options);
  cleanUp.push(() => as.close());
  const vault = sharedVault();
  const entry: SignInEntry = {
    name: "notes" as ServerName,
    naming: "prefixed",
    protocol: "2025",
    callTimeoutMs: 1_000,
    transport: "http",
    url: new URL(as.resource),
    headers: {},
    auth: { redirectUrl: "http://127.0.0.1:41739/callback", per: "installation", ...auth },
  };
  /** One more gateway on the same store. */
  const gateway = () => {
    const signIns = new SignIns({ vault, log: silentLog, hide: () => {} });
    cleanUp.push(() => signIns.stop());
    const keeper = signIns.keeper(entry, "");
    const send = authorizedFetch(entry.url, keeper, fetch);
    const call = async (name = "whoami") => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name } });
      try {
        const response = await send(as.resource, { method: "POST", body });
        return response.ok ? "ok" : `HTTP ${response.status}`;
      } catch (error) {
        if (!(error instanceof NoToken)) throw error;
        return `${keeper.need?.kind}: ${error.message}`;
      }
    };
    const signIn = async () => {
      const { id, url } = await signIns.begin(entry, "", "paste");
      return await signIns.complete(id, await consent(url));
    };
    return { signIns, keeper, call, signIn };
  };
  return { as, vault, entry, gateway };
}

describe("[DO-4] a sign-in", () => {
  it("is needed once the server says so, and is made with registration, PKCE, state and resource", async () => {
    const { as, gateway } = await place();
    const { call, signIn } = gateway();
    expect(await call()).toBe("sign-in: no person has signed in yet");
    expect(await signIn()).toMatchObject({
      server: "notes",
      issuer: as.origin,
      scope: "read",
      isRefreshable: true,
    });
    expect(await call()).toBe("ok");
    const asked = as.events.find(({ event }) => event === "authorize");
    expect(asked).toMatchObject({ code_challenge_method: "S256", resource: as.resource, scope: "read" });
    await signIn();
    expect([as.count("register"), as.count("code")]).toEqual([1, 2]);
  });

  it("refuses an answer with another state, one that is used again, and one of another issuer", async () => {
    const { as, entry, gateway } = await place();
    const { signIns } = gateway();
    const { id, url } = await signIns.begin(entry, "", "paste");
    const back = await consent(url);
    await expect(signIns.complete(id, back.replace(/state=[^&]+/, "state=forged"))).rejects.toThrow(
      "state differs",
    );
    await expect(
      signIns.complete(id, back.replace(/iss=[^&]+/, "iss=http%3A%2F%2Fevil.test")),
    ).rejects.toThrow("Cannot sign in");
    expect(as.count("code")).toBe(0);
    await expect(signIns.complete(id, back)).rejects.toThrow("no code");
    await expect(signIns.complete("unknown", back)).rejects.toThrow("not open");
  });

  it("takes the browser's answer at its own address, which is served only meanwhile", async () => {
    const { entry, gateway } = await place({}, { redirectUrl: "http://127.0.0.1:41801/back" });
    const { signIns, call } = gateway();
    const { id, url } = await signIns.begin(entry, "", "browser");
    const back = await consent(url);
    expect((await fetch(back.replace(/state=[^&]+/, "state=x"))).status).toBe(400);
    expect(await (await fetch(back)).text()).toContain("Signed in to notes");
    expect(await signIns.finished(id, 1_000, new AbortController().signal)).toMatchObject({
      server: "notes",
    });
    expect(await call()).toBe("ok");
    signIns.stop();
    await expect(fetch(back)).rejects.toThrow();
  });

  it("says what to do where clients are not registered, and uses one that is configured", async () => {
    const { entry, gateway } = await place({ noRegistration: true });
    await expect(gateway().signIns.begin(entry, "", "paste")).rejects.toMatchObject({
      code: "SIGN_IN_FAILED",
      hint: expect.stringContaining("auth.clientId"),
    });
    const known = await place(
      { noRegistration: true, clients: { pml: "s3cret" } },
      { clientId: "pml", clientSecret: "s3cret" },
    );
    const configured = known.gateway();
    await configured.signIn();
    expect(await configured.call()).toBe("ok");
  });

  it("names the resource just as the server publishes it", async () => {
    const { as, gateway } = await place({ isResourceOrigin: true });
    await gateway().signIn();
    const named = as.events.filter(({ event }) => event === "authorize" || event === "code");
    expect(named.map(({ resource }) => resource)).toEqual([as.origin, as.origin]);
  });

  it("uses a client metadata document where the authorization server takes one", async () => {
    const clientMetadataUrl = "https://pml.test/client.json";
    const { as, gateway } = await place({ clientDocuments: true }, { clientMetadataUrl });
    await gateway().signIn();
    expect(as.events.find(({ event }) => event === "authorize")).toMatchObject({
      client_id: clientMetadataUrl,
    });
    expect(as.count("register")).toBe(0);
  });

  it("refuses metadata of another issuer, and an issuer that the entry does not name", async () => {
    const wrong = await place({ issuer: "https://evil.test" });
    await expect(wrong.gateway().signIns.begin(wrong.entry, "", "paste")).rejects.toThrow("Cannot sign in");
    const other = await place({}, { issuer: "https://login.test" });
    await expect(other.gateway().signIns.begin(other.entry, "", "paste")).rejects.toThrow("auth.issuer");
  });

  it("goes to addresses with HTTPS, or on this machine, wherever it is sent on to", async () => {
    for (const options of [{ named: "http://login.test" }, { metadataAt: "http://login.test/metadata" }]) {
      const { entry, gateway } = await place(options);
      await expect(gateway().signIns.begin(entry, "", "paste")).rejects.toThrow(
        "http://login.test is not an HTTPS address",
      );
    }
    await expect((await place({ metadataAt: "/moved" })).gateway().signIn()).resolves.toMatchObject({
      server: "notes",
    });
  });

  it("sends no tokens to redirects of the authorization server", async () => {
    const { as, gateway } = await place();
    const elsewhere = (await place()).as;
    const { call, signIn } = gateway();
    await signIn();
    as.fault = { status: 307, headers: { location: `${elsewhere.origin}/token` } };
    as.expireAll();
    expect(await call()).toMatch(/^later: /);
    expect(elsewhere.events).toEqual([]);
    as.fault = undefined;
    expect(as.count("reused")).toBe(0);
  });

  it("is made with the device flow where it is advertised", async () => {
    const { as, entry, gateway } = await place({ device: true });
    const { signIns, call } = gateway();
    const begun = await signIns.begin(entry, "", "device");
    expect(begun).toMatchObject({ userCode: "WXYZ-1234", url: `${as.origin}/code` });
    as.approveDevices();
    await signIns.finished(begun.id, 10_000, new AbortController().signal);
    expect(await call()).toBe("ok");
    const without = await place();
    await expect(without.gateway().signIns.begin(without.entry, "", "device")).rejects.toThrow(
      "no device flow",
    );
  });

  it("is asked for again with more rights, and works with those that it has meanwhile", async () => {
    const { as, gateway } = await place({ writeScope: "write" });
    const { call, signIn } = gateway();
    await call();
    await signIn();
    expect(await call("write")).toBe("more-rights: more rights are needed: write");
    expect(await call()).toBe("ok");
    await signIn();
    expect(as.events.findLast(({ event }) => event === "authorize")).toMatchObject({ scope: "read write" });
    expect(await call("write")).toBe("ok");
  });

  it("ends with sign-out: revoked there, deleted here", async () => {
    const { as, entry, vault, gateway } = await place();
    const { signIns, signIn, call } = gateway();
    await signIn();
    expect(await signIns.signOut(entry, "")).toEqual({ wasSignedIn: true, isRevoked: true });
    expect([as.count("revoked"), vault.kept.size]).toEqual([2, 0]);
    expect(await call()).toContain("sign-in: ");
  });
});

describe("[DO-4] a refresh", () => {
  it("happens once for all who need it, in one gateway and among several", async () => {
    const { as, gateway } = await place();
    const gateways = [gateway(), gateway()];
    await gateways[0]?.signIn();
    for (const { call } of gateways) expect(await call()).toBe("ok");
    for (let expiry = 1; expiry <= 5; expiry += 1) {
      as.expireAll();
      const calls = gateways.flatMap(({ call }) => [1, 2, 3, 4].map(() => call()));
      expect(new Set(await Promise.all(calls))).toEqual(new Set(["ok"]));
      expect([as.count("refresh"), as.count("refresh-asked"), as.count("reuse")]).toEqual([
        expiry,
        expiry,
        0,
      ]);
    }
  });

  it("comes before the end of the token", async () => {
    const { as, gateway } = await place({ expiresIn: 1 });
    const { signIn, call, keeper } = gateway();
    await signIn();
    const first = keeper.grant?.tokens?.access;
    await vi.waitFor(() => expect(keeper.grant?.tokens?.access).not.toBe(first), { timeout: 10_000 });
    expect(await call()).toBe("ok");
    expect(as.count("stale-token")).toBe(0);
  });

  it.each([
    ["503", { status: 503, body: "try later" }],
    ["invalid_request", { status: 400, body: { error: "temporarily_unavailable" } }],
    ["nonsense", { status: 200, body: "<html>" }],
  ])("that fails with %s keeps the tokens", async (_, fault) => {
    const { as, vault, gateway } = await place();
    const { signIn, call } = gateway();
    await signIn();
    as.expireAll();
    as.fault = fault;
    expect(await call()).toMatch(/^later: .*kept/);
    as.fault = undefined;
    expect([...vault.kept.values()].join()).toContain("rt_");
    await vi.waitFor(async () => expect(await call()).toBe("ok"), { timeout: 10_000 });
    expect(as.count("reuse")).toBe(0);
  });

  it("that is refused with invalid_grant drops the tokens, and never sends the dead one again", async () => {
    const { as, vault, gateway } = await place();
    const [one, other] = [gateway(), gateway()];
    await one.signIn();
    as.revokeAll();
    expect(await one.call()).toMatch(/^sign-in: .*invalid_grant/);
    expect([...vault.kept.values()].join()).not.toContain("rt_");
    for (const { call } of [one, other, gateway()]) expect(await call()).toContain("sign-in: ");
    expect(as.count("refresh-asked")).toBe(1);
    await one.signIn();
    expect(as.count("register")).toBe(1);
    expect(await other.call()).toBe("ok");
  });

  it("that a killed gateway had sent is not sent in parallel: if it was used up, a person signs in again", async () => {
    const { as, gateway } = await place();
    const killed = gateway();
    await killed.signIn();
    const kept = killed.keeper.grant?.tokens?.refresh ?? "";
    // What the authorization server has done when its answer is lost.
    const form = new URLSearchParams({
      grant_type: "refresh_token",
      refresh_token: kept,
      client_id: [...as.clients.keys()][0] ?? "",
    });
    await fetch(`${as.origin}/token`, { method: "POST", body: form });
    as.expireAll();
    const next = gateway();
    expect(await next.call()).toMatch(/^sign-in: /);
    expect([as.count("refresh-asked"), as.count("reuse")]).toEqual([2, 1]);
  });

  it("whose client is unknown by now asks for a sign-in, and keeps the tokens", async () => {
    const { as, vault, gateway } = await place();
    const { signIn, call } = gateway();
    await signIn();
    as.clients.clear();
    as.expireAll();
    expect(await call()).toMatch(/^sign-in: .*invalid_client/);
    expect([...vault.kept.values()].join()).toContain("rt_");
  });
});

it("a token is sent to no other server", async () => {
  const { gateway, entry } = await place();
  const { keeper, signIn } = gateway();
  await signIn();
  const seen: (string | null)[] = [];
  const send = authorizedFetch(entry.url, keeper, async (_url, init) => {
    seen.push(new Headers(init?.headers).get("authorization"));
    return new Response("");
  });
  await send("https://elsewhere.test/mcp");
  expect(seen).toEqual([null]);
});

it("an error of a sign-in is a PmlError without the code", async () => {
  const { entry, gateway } = await place();
  const { signIns } = gateway();
  const { id } = await signIns.begin(entry, "", "paste");
  const error = await signIns.complete(id, "c0de-that-is-wrong").catch((one: unknown) => one);
  expect(error).toBeInstanceOf(PmlError);
  expect(JSON.stringify(error)).not.toContain("c0de");
});
