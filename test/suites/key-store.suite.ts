import { beforeEach, describe, expect, it } from "vitest";
import { KeyRing } from "../../src/registry/key-ring.js";
import type { KeyStore } from "../../src/registry/trusted-keys.js";

const key = (byte: number) => Buffer.alloc(32, byte).toString("base64");
let keys = 0;

/** Keys of other installations that a person trusts. `open` gives two ways into one store. */
export function describeKeyStore(
  title: string,
  open: () => Promise<{ readonly store: KeyStore; readonly other: KeyStore }>,
): void {
  describe(`KeyStore: ${title}`, () => {
    let store: KeyStore;
    let other: KeyStore;
    let publicKey: string;
    beforeEach(async () => {
      ({ store, other } = await open());
      for (const { publicKey: known } of await store.list()) await store.distrust(known);
      keys += 1;
      publicKey = key(keys);
    });

    it("[ID-10] keeps whom a person trusts, for everybody on the store", async () => {
      const trusted = await store.trust({ publicKey, name: "Ada \\ \u0000", trustedBy: "bob@acme" });
      expect(trusted).toMatchObject({ publicKey, name: "Ada \\ \u0000", trustedBy: "bob@acme" });
      expect(await other.list()).toEqual([trusted]);
    });

    it("[ID-10] renames a key that is trusted already, and says who trusted it first", async () => {
      const first = await store.trust({ publicKey, name: "ada", trustedBy: "bob@acme" });
      const again = await other.trust({ publicKey, name: "lovelace", trustedBy: "eve@acme" });
      expect(again).toEqual({ ...first, name: "lovelace" });
      expect(await store.list()).toEqual([again]);
    });

    it("[ID-10] forgets a key, and says whether it was trusted", async () => {
      await store.trust({ publicKey, name: "ada", trustedBy: "bob@acme" });
      expect(await other.distrust(publicKey)).toBe(true);
      expect(await store.distrust(publicKey)).toBe(false);
      expect(await store.list()).toEqual([]);
    });

    it("lists by name", async () => {
      await store.trust({ publicKey, name: "b", trustedBy: "bob@acme" });
      await store.trust({ publicKey: key(200), name: "a", trustedBy: "bob@acme" });
      expect((await store.list()).map(({ name }) => name)).toEqual(["a", "b"]);
    });

    it("[ID-10] a ring believes what its store has once it is read again", async () => {
      const ring = new KeyRing(store, key(250));
      await ring.loaded();
      const seen: boolean[] = [];
      ring.onChange(() => seen.push(ring.isTrusted(publicKey)));
      expect([ring.isTrusted(key(250)), ring.isTrusted(publicKey)]).toEqual([true, false]);
      await other.trust({ publicKey, name: "ada", trustedBy: "bob@acme" });
      await ring.reload();
      await ring.reload();
      expect(ring.isTrusted(publicKey)).toBe(true);
      await ring.untrust(publicKey);
      expect(ring.isTrusted(publicKey)).toBe(false);
      // Twice, and not for what changed nothing.
      expect(seen).toEqual([true, false]);
    });
  });
}
