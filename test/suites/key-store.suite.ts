import { beforeEach, describe, expect, it } from "vitest";
import { KeyRing } from "../../src/registry/key-ring.js";
import type { KeyStore, TrustedKey } from "../../src/registry/trusted-keys.js";

const key = (byte: number) => Buffer.alloc(32, byte).toString("base64");
let keys = 0;

/** Tests the keys of other installations that a person trusts. `open` gives two connections to one store. */
export function describeKeyStore(
  title: string,
  open: () => Promise<{ readonly store: KeyStore; readonly other: KeyStore }>,
): void {
  describe(`KeyStore: ${title}`, () => {
    let store: KeyStore;
    let other: KeyStore;
    let trusted: TrustedKey;
    beforeEach(async () => {
      ({ store, other } = await open());
      for (const { publicKey } of (await store.list()).keys) await store.distrust(publicKey);
      keys += 1;
      trusted = {
        publicKey: key(keys),
        name: "Ada \\ \u0000",
        trustedBy: "bob@acme",
        trustedAt: new Date("2026-11-15T12:00:00.123Z"),
      };
    });

    it("[ID-10, TB-4] keeps whom a person trusts and for which orgs, for everybody on the store", async () => {
      await store.keep(trusted);
      expect(await other.list()).toEqual({ keys: [trusted], ignored: [] });
      const forOrgs = { ...trusted, orgs: ["acme", "other"] };
      await other.keep(forOrgs);
      expect(await store.list()).toEqual({ keys: [forOrgs], ignored: [] });
    });

    it("[ID-10] forgets a key, and says whether it was trusted", async () => {
      await store.keep(trusted);
      expect(await other.distrust(trusted.publicKey)).toBe(true);
      expect(await store.distrust(trusted.publicKey)).toBe(false);
      expect((await store.list()).keys).toEqual([]);
    });

    it("lists by name", async () => {
      await store.keep({ ...trusted, name: "b" });
      await store.keep({ ...trusted, publicKey: key(200), name: "a" });
      expect((await store.list()).keys.map(({ name }) => name)).toEqual(["a", "b"]);
    });

    it("[ID-10] a ring believes what its store has once it is read again", async () => {
      const ring = new KeyRing(store, key(250));
      const isTrusted = (publicKey: string) => ring.isTrusted(publicKey, "acme");
      await ring.loaded();
      const seen: boolean[] = [];
      ring.onChange(() => seen.push(isTrusted(trusted.publicKey)));
      expect([isTrusted(key(250)), isTrusted(trusted.publicKey)]).toEqual([true, false]);
      await other.keep(trusted);
      await ring.reload();
      await ring.reload();
      expect(isTrusted(trusted.publicKey)).toBe(true);
      await ring.untrust(trusted.publicKey);
      expect(isTrusted(trusted.publicKey)).toBe(false);
      // Called twice, and not for calls that changed nothing.
      expect(seen).toEqual([true, false]);
    });

    it("[ID-10] a ring renames a key that is trusted already, and says who trusted it first", async () => {
      const { publicKey } = trusted;
      const first = await new KeyRing(store, key(250)).trust({
        publicKey,
        name: "ada",
        trustedBy: "bob@acme",
      });
      const again = await new KeyRing(other, key(250)).trust({
        publicKey,
        name: "lovelace",
        trustedBy: "eve@acme",
      });
      expect(again).toEqual({ ...first, name: "lovelace" });
      expect((await store.list()).keys).toEqual([again]);
    });
  });
}
