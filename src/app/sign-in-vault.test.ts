import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { silentLog } from "../base/log.js";
import type { SealedSignIn, SignInKey, SignInStore } from "../registry/sign-in-store.js";
import type { Grant } from "../upstream/sign-in/grant.js";
import { type KeyPlace, type Keyring, keyringPlace, masterKey } from "./master-key.js";
import { SecretStore } from "./secret-store.js";
import { SignInVault } from "./sign-in-vault.js";

const KEY: SignInKey = { server: "notes", address: "a", owner: "" };
const GRANT: Grant = {
  issuer: "https://login.test",
  authorizationServer: "https://login.test",
  client: { information: { client_id: "pml", client_secret: "client-s3cret" } },
  tokens: { access: "at_s3cret", refresh: "rt_s3cret", savedAt: 1 },
  dead: [],
};

function memoryStore() {
  const rows = new Map<string, SealedSignIn>();
  const id = ({ server, address, owner }: SignInKey, keyId: string) =>
    JSON.stringify([server, address, owner, keyId]);
  const store: SignInStore = {
    read: async (key, ids) => ids.map((one) => rows.get(id(key, one))).find((row) => row !== undefined),
    async write(key, ids, signIn) {
      for (const one of ids) rows.delete(id(key, one));
      rows.set(id(key, signIn.keyId), signIn);
    },
    remove: async (key, ids) => ids.map((one) => rows.delete(id(key, one))).includes(true),
    list: async (ids) =>
      [...rows.values()].filter(({ keyId }) => ids.includes(keyId)).map((row) => ({ ...KEY, ...row })),
    exclusive: async (_key, work) => await work(store),
  };
  return { rows, store };
}

function place(ring?: KeyPlace) {
  const env = { HOME: mkdtempSync(join(tmpdir(), "pml-vault-")), PML_KEYRING: "off" };
  const open = () => new SecretStore(env, () => ring);
  const { rows, store } = memoryStore();
  const vault = () => new SignInVault({ store, secrets: open(), isShared: false, log: silentLog });
  return { env, open, rows, vault };
}

describe("[DO-4, DO-5] sign-ins in the vault", () => {
  it("are sealed, and open for the same server, address, owner and issuer only", async () => {
    const { rows, vault } = place();
    await vault().exclusive(KEY, (kept) => kept.write(GRANT));
    expect(await vault().read(KEY)).toEqual(GRANT);
    expect(JSON.stringify([...rows.values()])).not.toMatch(/s3cret/);
    const [[id, row]] = [...rows] as [[string, SealedSignIn]];
    for (const [from, to] of [
      ["notes", "other"],
      ['"a"', '"b"'],
      ['""', '"eve"'],
    ] as const)
      rows.set(id.replace(from, to), row);
    for (const key of [
      { ...KEY, server: "other" },
      { ...KEY, address: "b" },
      { ...KEY, owner: "eve" },
    ])
      expect(await vault().read(key)).toBeUndefined();
    rows.set(id, { ...row, issuer: "https://evil.test" });
    expect(await vault().read(KEY)).toBeUndefined();
  });

  it("[FP-25] are sealed again after `pml secret rotate`, also where the gateway learns of it late", async () => {
    const { open, rows, vault } = place();
    open().set("A", "value-a");
    await vault().exclusive(KEY, (kept) => kept.write(GRANT));
    const before = [...rows.values()][0]?.keyId;
    expect(open().rotate()).toBe(1);
    expect(await vault().read(KEY)).toEqual(GRANT);
    await vault().sealAgain();
    expect([...rows.values()].map(({ keyId }) => keyId)).not.toContain(before);
    open().rotate();
    expect(await vault().read(KEY)).toEqual(GRANT);
    expect(
      open()
        .list()
        .map(({ name }) => name),
    ).toEqual(["A"]);
    expect(open().value("A")).toBe("value-a");
  });

  it("of another master key are another installation's", async () => {
    const [one, other] = [place(), place()];
    await one.vault().exclusive(KEY, (kept) => kept.write(GRANT));
    other.open().set("A", "value-a");
    for (const [id, row] of one.rows) other.rows.set(id, row);
    expect(await other.vault().read(KEY)).toBeUndefined();
  });
});

describe("[DO-5] the master key", () => {
  function fakeRing() {
    let text: string | null = null;
    const ring: Keyring = {
      getPassword: () => text,
      setPassword: (given) => {
        text = given;
      },
      deletePassword: () => {
        text = null;
      },
    };
    return keyringPlace("/keys", { DBUS_SESSION_BUS_ADDRESS: "x" }, () => ring);
  }

  it("is made in the keyring where there is one, and rotated there", () => {
    const { open } = place(fakeRing());
    open().set("A", "value-a");
    expect(open().keySource.from).toBe("keyring");
    expect(open().rotate()).toBe(1);
    expect(open().value("A")).toBe("value-a");
  });

  it("stays in the file that it is in until it is rotated into the keyring", () => {
    const { env, open } = place();
    open().set("A", "value-a");
    const ring = fakeRing();
    const later = () => new SecretStore(env, () => ring);
    expect([later().keySource.from, later().value("A")]).toEqual(["file", "value-a"]);
    later().rotate();
    expect([later().keySource.from, later().value("A")]).toEqual(["keyring", "value-a"]);
    expect(() => open().value("A")).toThrow("another master key");
  });

  it("is the variable's where the keyring has none", () => {
    const ring = fakeRing();
    const key = masterKey(Buffer.alloc(32, 1)).bytes.toString("base64");
    const env = { ...place().env, PML_SECRET_KEY: key };
    const store = new SecretStore(env, () => ring);
    store.set("A", "value-a");
    expect(store.keySource).toEqual({ from: "variable", name: "PML_SECRET_KEY" });
  });

  it("falls through a keyring that is missing, locked or off", () => {
    const failing = () => {
      throw new Error("no secret service");
    };
    expect(keyringPlace("/keys", { DBUS_SESSION_BUS_ADDRESS: "x" }, failing)).toBeUndefined();
    expect(keyringPlace("/keys", { DBUS_SESSION_BUS_ADDRESS: "x", PML_KEYRING: "off" })).toBeUndefined();
  });
});
