import { describe, expect, it } from "vitest";
import { name, newScope, sign, succeeded, use } from "../../test/suites/capability-samples.js";
import { storeDatabases } from "../../test/support/databases.js";
import { PostgresCapabilityStore } from "./capability-store.js";
import type { Database } from "./database.js";
import { dateOf, loadCapabilities, readTable } from "./load-capabilities.js";
import { migrate } from "./migrate.js";
import { MIGRATIONS } from "./migrations/index.js";

for (const target of storeDatabases()) {
  describe(`loading capabilities: ${target.name}`, () => {
    const opened = async () => {
      const database = await target.open();
      await migrate(database, MIGRATIONS);
      return { database, store: new PostgresCapabilityStore(database) };
    };

    it("[ID-9] finds nothing where there is nothing", async () => {
      const { store } = await opened();
      expect(await store.load()).toEqual([]);
    });

    it("[ID-5] [ID-9] [ID-10] [ID-11] [ID-12] gives each as it is when it is looked up, in the order of creation", async () => {
      const { store } = await opened();
      const scope = newScope();
      const learn = async (code: string, more: Parameters<typeof succeeded>[2]) =>
        (await store.learn(succeeded(scope, code, more), sign)).capability.fqdn;
      const odd = await learn("return 1", {
        name: name("fs:odd"),
        intent: 'a \0 \\ \ud800 \n\t" b',
        description: "Ünï \u{1f600}",
        tags: ["a,b", '{"}', ""],
        versionTag: "v1.0.0",
        parameters: {
          type: "object",
          properties: { x: { type: "string", default: "\0 \ud800 \u{1f600}" } },
          required: ["x"],
          additionalProperties: true,
        },
      });
      const renamed = await learn("return 2", { name: name("fs:first"), dependencies: [odd] });
      for (const newName of ["fs:second", "fs:third"])
        await store.rename({ fqdn: renamed, scope, actor: "user", newName: name(newName) });
      const updated = await learn("return 3", { name: name("fs:updated") });
      await store.addUses([use(scope, updated)]);
      await learn("return 4", { name: name("fs:updated"), update: true });
      const unnamed = await learn("return 5", {});
      const deleted = await learn("return 6", { name: name("fs:deleted") });
      await store.delete({ fqdn: deleted, scope, reserveDays: 30 });
      const forgotten = await learn("return 7", { name: name("fs:forgotten") });
      await store.delete({ fqdn: forgotten, scope, reserveDays: 0 });

      const loaded = await store.load();
      const expected = [odd, renamed, updated, unnamed, deleted];
      expect(loaded.map(({ fqdn }) => fqdn)).toEqual(expected);
      expect(loaded).toEqual(await Promise.all(expected.map((fqdn) => store.get(fqdn))));
      expect(loaded.map(({ aliases }) => aliases.join(" "))).toEqual(["", "fs:first fs:second", "", "", ""]);
      expect(loaded.map(({ deletedAt }) => deletedAt !== undefined)).toEqual([
        false,
        false,
        false,
        false,
        true,
      ]);
    });

    it("reads a table of many blocks, each row once", async () => {
      const { database } = await opened();
      await database.query("create table long (id int, filler text)");
      await database.query("insert into long select n, repeat('x', 1000) from generate_series(1, 4000) as n");
      const seen: number[] = [];
      for await (const { id } of readTable<{ id: number }>(database, { name: "long", columns: ["id"] }))
        seen.push(...id);
      expect(seen).toEqual(Array.from({ length: 4_000 }, (_, index) => index + 1));
    });

    it("reads times to the microsecond, and null", async () => {
      const { database } = await opened();
      await database.query("create table times (at timestamptz)");
      await database.query("insert into times values ('2026-11-15 12:00:00.123999+02'), (null)");
      const table = { name: "times", columns: ["at"], times: ["at"], where: "true" };
      const read: (number | null)[] = [];
      for await (const { at } of readTable<{ at: number | null }>(database, table)) read.push(...at);
      expect(read).toEqual([1_794_736_800_123_999, null]);
      expect(dateOf(read[0] ?? 0).toISOString()).toBe("2026-11-15T10:00:00.123Z");
    });

    // PGlite has one session: nothing can write during the read.
    if (target.name === "PGlite") return;
    it("[ID-9] sees one state, whatever is written meanwhile", async () => {
      const { database, store } = await opened();
      const other = new PostgresCapabilityStore(await target.openAgain());
      const scope = newScope();
      const fields = { name: name("fs:read"), intent: "before" };
      await store.learn(succeeded(scope, "return 1", fields), sign);
      let code = 1;
      const interrupted: Database = {
        ...database,
        transaction: (work) =>
          database.transaction((transaction) =>
            work({
              async query(statement, values) {
                const answer = await transaction.query<never>(statement, values);
                code += 1;
                const update = { ...fields, intent: "after", update: true };
                await other.learn(succeeded(scope, `return ${code}`, update), sign);
                return answer;
              },
            }),
          ),
      };
      const [capability] = await loadCapabilities(interrupted);
      expect(capability).toMatchObject({ version: 2, usageCount: 2, trust: "provisional" });
      expect(code).toBeGreaterThan(5);
    });
  });
}
