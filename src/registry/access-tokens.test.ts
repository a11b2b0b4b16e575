import { describe, expect, it } from "vitest";
import { type AccessToken, type AccessTokenRow, AccessTokens, accessTokenText } from "./access-tokens.js";

const SCOPE = { org: "acme", project: "web", user: "ada" };
/** A signature is the text itself, by the key `own`. */
const SIGNER = {
  sign: (text: string) => ({ signature: `own ${text}`, publicKey: "own" }),
  verify: (text: string, signature: string, key: string) => key === "own" && signature === `own ${text}`,
};

function token(name: string, more: Partial<AccessToken> = {}): AccessToken {
  return {
    name,
    role: "agent",
    scope: SCOPE,
    hash: name.padEnd(64, "0"),
    createdBy: "ada@acme",
    createdAt: new Date(0),
    ...more,
  };
}

function tokensOf(...given: readonly AccessTokenRow[]) {
  const rows = new Map(given.map((row) => [row.name, row]));
  const clock = { now: 1_000 };
  const tokens = new AccessTokens({
    rows: {
      list: async () => [...rows.values()],
      add: async (row) => !rows.has(row.name) && rows.set(row.name, row).size > 0,
      remove: async (name) => rows.delete(name),
      used: async () => {},
    },
    signer: SIGNER,
    ownKey: "own",
    now: () => clock.now,
  });
  return { tokens, rows, clock };
}

describe("[DO-1] tokens for HTTP", () => {
  it("are valid from when they are created until they are revoked", async () => {
    const { tokens } = tokensOf();
    await tokens.create(token("a"));
    expect(tokens.find(token("a").hash)).toMatchObject({ name: "a", role: "agent", scope: SCOPE });
    let told = 0;
    tokens.onChange(() => {
      told += 1;
    });
    expect(await tokens.revoke("a")).toMatchObject({ name: "a" });
    expect([tokens.find(token("a").hash), told]).toEqual([undefined, 1]);
    expect(await tokens.revoke("a")).toBeUndefined();
  });

  it("[ST-3] do not come back with what was read before they were revoked, and came late", async () => {
    const { tokens, rows } = tokensOf();
    await tokens.create(token("a"));
    const before = [...rows.values()];
    let answer: (read: readonly AccessTokenRow[]) => void = () => {};
    let reads = 0;
    const late = new AccessTokens({
      rows: {
        list() {
          reads += 1;
          // Connections of a pool answer in any order.
          if (reads === 2) return new Promise((resolve) => (answer = resolve));
          return Promise.resolve([...rows.values()]);
        },
        add: async () => false,
        remove: async (name) => rows.delete(name),
        used: async () => {},
      },
      signer: SIGNER,
      ownKey: "own",
      now: () => 1_000,
    });
    await late.reload();
    const reading = late.reload();
    await late.revoke("a");
    answer(before);
    await reading;
    expect(late.isValid(token("a"))).toBe(false);
  });

  it("[ST-3] do not come back with what was read while they were revoked, where the store goes away then", async () => {
    const { tokens, rows } = tokensOf();
    await tokens.create(token("a"));
    const before = [...rows.values()];
    let answer: (read: readonly AccessTokenRow[]) => void = () => {};
    let reading = Promise.resolve();
    let list = () => Promise.resolve<readonly AccessTokenRow[]>(before);
    const revoking = new AccessTokens({
      rows: {
        list: () => list(),
        add: async () => false,
        async remove() {
          list = () => new Promise((resolve) => (answer = resolve));
          reading = revoking.reload();
          list = () => Promise.reject(new Error("the store is away"));
          return true;
        },
        used: async () => {},
      },
      signer: SIGNER,
      ownKey: "own",
      now: () => 1_000,
    });
    await expect(revoking.revoke("a")).rejects.toThrow("the store is away");
    answer(before);
    await reading;
    expect(revoking.isValid(token("a"))).toBe(false);
    list = () => Promise.resolve(before);
    await revoking.reload();
    expect(revoking.isValid(token("a"))).toBe(true);
  });

  it("expire", async () => {
    const { tokens, clock } = tokensOf();
    await tokens.create(token("a", { expiresAt: new Date(2_000) }));
    expect(tokens.isValid(token("a"))).toBe(true);
    clock.now = 2_000;
    expect([tokens.isValid(token("a")), tokens.hasAny]).toEqual([false, false]);
  });

  it("have names of their own", async () => {
    const { tokens } = tokensOf();
    await tokens.create(token("a"));
    await expect(tokens.create(token("a", { hash: "f".repeat(64) }))).rejects.toMatchObject({
      code: "NAME_TAKEN",
    });
  });

  it.each<[string, Partial<AccessTokenRow>]>([
    ["another role", { role: "person" }],
    ["another scope", { scope: { ...SCOPE, org: "evil" } }],
    ["another user", { scope: { ...SCOPE, user: "root" } }],
    ["another hash", { hash: "e".repeat(64) }],
    ["no expiry", {}],
  ])("[TB-5] count for nothing if another program wrote the row: %s", async (_, change) => {
    const made = token("a", { expiresAt: new Date(5_000) });
    const { expiresAt: __, ...rest } = made;
    const row = { ...rest, ...change, signature: SIGNER.sign(accessTokenText(made)).signature };
    const { tokens } = tokensOf(row);
    await tokens.loaded();
    expect([tokens.list(), tokens.ignored]).toEqual([[], ["a"]]);
  });
});
