import { describe, expect, it } from "vitest";
import { findKey, fingerprintOf, isPublicKey, KeyRing, trustingSigner } from "./key-ring.js";
import type { Signer } from "./signature.js";
import type { KeyStore, TrustedKey } from "./trusted-keys.js";

const key = (byte: number) => Buffer.alloc(32, byte).toString("base64");
const ORG = "acme";
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    (value) => value,
    (error: { readonly code: string }) => error.code,
  );

/** Whose answers a test can hold back. */
function memoryStore(): KeyStore & { fails: boolean } {
  const keys = new Map<string, TrustedKey>();
  return {
    fails: false,
    async list() {
      if (this.fails) throw new Error("away");
      return { keys: [...keys.values()], ignored: [] };
    },
    async keep(key) {
      keys.set(key.publicKey, key);
    },
    distrust: async (publicKey) => keys.delete(publicKey),
  };
}

describe("[ID-10] public keys", () => {
  it("have one spelling", () => {
    expect(isPublicKey(key(1))).toBe(true);
    // The same bytes, for who reads base64 with less care.
    expect(isPublicKey(key(0).replace("A=", "B="))).toBe(false);
    for (const text of [
      "",
      "A",
      Buffer.alloc(31).toString("base64"),
      `${key(1)}\n`,
      key(251).replaceAll("+", "-"),
    ])
      expect(isPublicKey(text), text).toBe(false);
  });

  it("have fingerprints of their bytes", async () => {
    // printf '\0%.0s' {1..32} | openssl dgst -sha256 -binary | basenc --base64url
    expect(await fingerprintOf(key(0))).toBe("SHA256:Zmh6rfhivXdsj8GLjp-OIAiXFIVu4jOzkCpZHQ1fKSU");
  });

  it("are found by base64, fingerprint, or 12 characters of it", async () => {
    const keys = [key(1), key(2)];
    const print = await fingerprintOf(key(2));
    for (const text of [key(2), print, print.slice(0, 19), print.slice(7, 19)])
      expect(await findKey(text, keys), text).toBe(key(2));
    expect(await findKey(key(3), keys)).toBe(key(3));
    for (const text of [print.slice(0, 18), "SHA256:", "no key", await fingerprintOf(key(3))])
      expect(await codeOf(findKey(text, keys)), text).toBe("KEY_INVALID");
  });
});

describe("[ID-10] KeyRing", () => {
  it("believes its own key, and others only once a person does", async () => {
    const ring = new KeyRing(memoryStore(), key(1));
    await ring.loaded();
    expect([key(1), key(2)].map((one) => ring.isTrusted(one, ORG))).toEqual([true, false]);
    await ring.trust({ publicKey: key(2), name: "ada", trustedBy: "bob@acme" });
    expect(ring.isTrusted(key(2), ORG)).toBe(true);
    expect(ring.list()).toMatchObject([{ publicKey: key(2), name: "ada" }]);
    expect(await codeOf(ring.trust({ publicKey: "x", name: "x", trustedBy: "bob@acme" }))).toBe(
      "KEY_INVALID",
    );
  });

  it("[TB-4] believes a key for the orgs that a person named, until the person says otherwise", async () => {
    const ring = new KeyRing(memoryStore(), key(1));
    let changes = 0;
    ring.onChange(() => {
      changes += 1;
    });
    const trust = (orgs?: readonly string[]) =>
      ring.trust({ publicKey: key(2), name: "ada", trustedBy: "bob@acme", ...(orgs && { orgs }) });
    const believed = () => ["acme", "other", ""].map((org) => ring.isTrusted(key(2), org));
    const first = await trust(["acme"]);
    expect(believed()).toEqual([true, false, false]);
    expect((await trust(["other", "other"])).orgs).toEqual(["other"]);
    expect(believed()).toEqual([false, true, false]);
    expect(await trust()).toEqual({ ...first, orgs: undefined });
    expect(believed()).toEqual([true, true, true]);
    expect(["acme", "other", ""].map((org) => ring.isTrusted(key(1), org))).toEqual([true, true, true]);
    await trust();
    expect(changes).toBe(3);
  });

  it("tries again after the store was away, and keeps what it knew", async () => {
    const store = memoryStore();
    const ring = new KeyRing(store, key(1));
    store.fails = true;
    await expect(ring.loaded()).rejects.toThrow("away");
    store.fails = false;
    await ring.loaded();
    await ring.trust({ publicKey: key(2), name: "ada", trustedBy: "bob@acme" });
    store.fails = true;
    await expect(ring.reload()).rejects.toThrow("away");
    expect(ring.isTrusted(key(2), ORG)).toBe(true);
  });

  it("distrusts at once, also where the store cannot be read any more", async () => {
    const store = memoryStore();
    const ring = new KeyRing(store, key(1));
    await ring.trust({ publicKey: key(2), name: "ada", trustedBy: "bob@acme" });
    store.fails = true;
    await expect(ring.untrust(key(2))).rejects.toThrow("away");
    expect(ring.isTrusted(key(2), ORG)).toBe(false);
  });

  it("decides for the signer of its installation", async () => {
    const ring = new KeyRing(memoryStore(), key(1));
    const installation: Signer = {
      sign: () => ({ signature: "s", publicKey: key(1) }),
      verify: () => true,
      isTrusted: () => false,
    };
    const signer = trustingSigner(installation, ring);
    await signer.ready?.();
    expect([signer.isTrusted(key(1), ORG), signer.isTrusted(key(2), ORG), signer.verify("", "", "")]).toEqual(
      [true, false, true],
    );
  });
});
