import { expect, it } from "vitest";
import type { OpenedCapabilityStore } from "../../test/suites/capability-store.suite.js";
import { describeImport } from "../../test/suites/import.suite.js";
import { describeKeyStore } from "../../test/suites/key-store.suite.js";
import { storeDatabases, type TestDatabase } from "../../test/support/databases.js";
import { newSigner } from "../../test/support/test-signer.js";
import { SignedKeys } from "../registry/trusted-keys.js";
import { PostgresCapabilityStore } from "./capability-store.js";
import type { Database } from "./database.js";
import { PostgresKeyRows } from "./key-store.js";
import { migrate } from "./migrate.js";
import { MIGRATIONS } from "./migrations/index.js";

const SIGNER = newSigner();

/** One migrated schema for all tests: each has its own project. */
function opener({ open, openAgain }: TestDatabase): () => Promise<readonly [Database, Database]> {
  let opened: Promise<readonly [Database, Database]> | undefined;
  const openOnce = async () => {
    const database = await open();
    await migrate(database, MIGRATIONS);
    return [database, await openAgain()] as const;
  };
  return () => {
    opened ??= openOnce();
    return opened;
  };
}

for (const target of storeDatabases()) {
  const open = opener(target);
  describeImport(target.name, async (): Promise<OpenedCapabilityStore> => {
    const [database, again] = await open();
    return {
      store: new PostgresCapabilityStore(database),
      other: new PostgresCapabilityStore(again),
      rows: async (sql, values) => (await database.query(sql, values)).rows,
    };
  });
  const signedKeys = (database: Database) => {
    const { publicKey } = SIGNER.sign("");
    return new SignedKeys(new PostgresKeyRows(database), SIGNER, publicKey);
  };
  describeKeyStore(target.name, async () => {
    const [database, again] = await open();
    return { store: signedKeys(database), other: signedKeys(again) };
  });

  it(`[TB-4] ${target.name}: a row of trusted_keys that the shared key did not sign is ignored, and told`, async () => {
    const [database] = await open();
    const store = signedKeys(database);
    const key = (byte: number) => Buffer.alloc(32, byte).toString("base64");
    await database.query("delete from trusted_keys");
    await database.query(
      "insert into trusted_keys (public_key, name, trusted_by) values ($1, 'eve', 'ada@acme')",
      [key(1)],
    );
    const trusted = { name: "bob", trustedBy: "ada@acme", trustedAt: new Date(1_000_000), orgs: ["acme"] };
    await store.keep({ ...trusted, publicKey: key(2) });
    expect(await store.list()).toEqual({ keys: [{ ...trusted, publicKey: key(2) }], ignored: [key(1)] });
    // Changes each field in turn, and inserts signatures of other content.
    for (const change of [
      "name = 'else'",
      "orgs = null",
      "orgs = '{acme,other}'",
      "trusted_by = 'eve@acme'",
      "trusted_at = now()",
      `public_key = '${key(3)}'`,
      "signature = null",
    ]) {
      await database.query(`update trusted_keys set ${change} where public_key = $1`, [key(2)]);
      expect((await store.list()).keys, change).toEqual([]);
      await database.query("delete from trusted_keys");
      await store.keep({ ...trusted, publicKey: key(2) });
    }
    expect((await store.list()).keys).toHaveLength(1);
  });
}
