/** Tests replacing signatures: old ones by the own key, and those of another key that a person has confirmed. */
import { describe, expect, it } from "vitest";
import { name, newScope, succeeded } from "../../test/suites/capability-samples.js";
import { storeDatabases } from "../../test/support/databases.js";
import { migratedOnce } from "../../test/support/migrated.js";
import { newSigner } from "../../test/support/test-signer.js";
import type { InstallationKey } from "../app/installation-key.js";
import type { CapabilityVersion } from "../registry/capability.js";
import { oldSignedText, resign, resignOld, signedText, signWith } from "../registry/signature.js";
import { PostgresCapabilityStore } from "./capability-store.js";
import type { Database } from "./database.js";

for (const target of storeDatabases()) {
  const open = migratedOnce(target);

  describe(`[TB-4, ID-10] signing again: ${target.name}`, () => {
    /** Learns a capability with one version per code, signed by `key`. */
    async function learnt(key: InstallationKey, codes: readonly string[]) {
      const [database] = await open();
      const store = new PostgresCapabilityStore(database);
      const scope = newScope();
      for (const code of codes)
        await store.learn(
          succeeded(scope, code, { name: name("fs:read"), update: true, code: `// as written\n${code}` }),
          signWith(key),
        );
      const [capability] = await store.find({ kind: "name", ...scope, fold: "fs:read" });
      if (capability === undefined) throw new Error("It was not kept");
      const { fqdn } = capability;
      const history = () => store.history(fqdn);
      const validBy = async (by: InstallationKey) =>
        (await history())
          .filter((stored) => stored.publicKey === by.publicKey && isValid(by, stored))
          .map(({ version }) => version);
      return { database, store, fqdn, history, validBy };
    }

    const isValid = (key: InstallationKey, stored: CapabilityVersion) =>
      key.verify(signedText(stored), stored.signature, stored.publicKey);

    /** Rewrites versions as a PML without the chain wrote them. */
    async function asOld(database: Database, versions: readonly CapabilityVersion[], key: InstallationKey) {
      await database.query("alter table capability_versions disable trigger all");
      for (const stored of versions) {
        const { signature, publicKey } = key.sign(oldSignedText(stored));
        await database.query(
          `update capability_versions set signed_hash = null, signature = $3, public_key = $4
            where capability_fqdn = $1 and version = $2`,
          [stored.fqdn, stored.version, signature, publicKey],
        );
      }
      await database.query("alter table capability_versions enable trigger all");
    }

    it("each version names the one before", async () => {
      const key = newSigner();
      const { history, validBy } = await learnt(key, ["one", "two", "three"]);
      const previous = (await history()).map(({ previousHash }) => previousHash);
      expect(previous).toEqual([
        null,
        expect.stringMatching(/^[0-9a-f]{64}$/),
        expect.stringMatching(/^[0-9a-f]{64}$/),
      ]);
      expect(previous[1]).not.toBe(previous[2]);
      expect(await validBy(key)).toEqual([1, 2, 3]);
    });

    it("own versions of the old form are signed again as a chain, once", async () => {
      const key = newSigner();
      const { database, store, fqdn, history, validBy } = await learnt(key, ["one", "two", "three"]);
      const before = await history();
      await asOld(database, before, key);
      expect(await validBy(key)).toEqual([]);
      expect(await resignOld(store, key, key.publicKey)).toBe(3);
      // Byte by byte what a new installation would have signed.
      expect(await history()).toEqual(before);
      expect(await store.get(fqdn)).toMatchObject({ signedBy: key.publicKey });
      expect(await resignOld(store, key, key.publicKey)).toBe(0);
    });

    it("others, and own ones that do not verify, stay as they are and do not verify", async () => {
      const [key, other] = [newSigner(), newSigner()];
      const { database, store, history, validBy } = await learnt(key, ["one", "two", "three", "four"]);
      const [one, two, three, four] = (await history()) as [
        CapabilityVersion,
        CapabilityVersion,
        CapabilityVersion,
        CapabilityVersion,
      ];
      await asOld(database, [one, four], key);
      await asOld(database, [two], other);
      // This signature is for other code.
      await asOld(database, [{ ...three, canonicalCode: "evil" }], key);
      expect(await resignOld(store, key, key.publicKey)).toBe(2);
      expect(await validBy(key)).toEqual([1, 4]);
      expect(await validBy(other)).toEqual([]);
      // This works only after the person has confirmed that key.
      expect(await resign(store, key, other.publicKey)).toBe(1);
      expect(await validBy(key)).toEqual([1, 2, 4]);
    });

    it("a version that has its hash is never signed again by its old signature", async () => {
      const key = newSigner();
      const { database, store, history, validBy } = await learnt(key, ["one", "two"]);
      const [one] = await history();
      if (one === undefined) throw new Error("It was not kept");
      const { signature } = key.sign(oldSignedText(one));
      await database.query(
        "update capability_versions set signature = $2 where capability_fqdn = $1 and version = 2",
        [one.fqdn, signature],
      );
      expect([await resignOld(store, key, key.publicKey), await resign(store, key, key.publicKey)]).toEqual([
        0, 1,
      ]);
      expect(await validBy(key)).toEqual([1]);
    });

    it("what another key had validly signed is signed with this one, of either form, and nothing else", async () => {
      const [key, from, stranger] = [newSigner(), newSigner(), newSigner()];
      const { database, store, fqdn, history, validBy } = await learnt(from, ["one", "two", "three"]);
      const theirs = await learnt(stranger, ["one"]);
      const [one, two] = await history();
      if (one === undefined || two === undefined) throw new Error("They were not kept");
      await asOld(database, [one], from);
      await database.query(
        "update capability_versions set signature = $2 where capability_fqdn = $1 and version = 2",
        [fqdn, from.sign("something else").signature],
      );
      const hashes = (await history()).map(({ previousHash }) => previousHash);
      expect(await resign(store, key, from.publicKey)).toBe(2);
      expect(await validBy(key)).toEqual([1, 3]);
      expect((await history()).map(({ previousHash }) => previousHash).slice(2)).toEqual(hashes.slice(2));
      expect(await store.get(fqdn)).toMatchObject({ signedBy: key.publicKey });
      expect(await theirs.validBy(stranger)).toEqual([1]);
      expect(await resign(store, key, from.publicKey)).toBe(0);
    });

    it("a version that is learnt on top of one without a hash fills it in", async () => {
      const key = newSigner();
      const { database, store, fqdn, history, validBy } = await learnt(key, ["one"]);
      await asOld(database, await history(), newSigner());
      const { org, project } = (await store.get(fqdn)) ?? { org: "", project: "" };
      await store.learn(
        succeeded({ org, project, user: "ada" }, "two", { name: name("fs:read"), update: true }),
        signWith(key),
      );
      expect(await validBy(key)).toEqual([2]);
    });
  });
}
