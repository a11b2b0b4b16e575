import { describe, expect, it } from "vitest";
import { type Migration, migrate } from "../../src/postgres/migrate.js";
import type { TestDatabase } from "../support/databases.js";

const first: Migration = {
  id: "0001-first",
  statements: ["create table one (id int)", "insert into one values (1)"],
};
const second: Migration = { id: "0002-second", statements: ["create table two (id int)"] };
const broken: Migration = { id: "0002-second", statements: ["create table two (id int)", "selec 1"] };

/** Tests how migrations are applied, regardless of their content. */
export function describeMigrations({ name, open, openAgain }: TestDatabase): void {
  describe(`migrate: ${name}`, () => {
    it("[ST-1] applies what is missing, in order, and says what", async () => {
      const database = await open();
      expect(await migrate(database, [first])).toEqual(["0001-first"]);
      expect(await migrate(database, [first, second])).toEqual(["0002-second"]);
    });

    it("[ST-1] applied twice, applies once", async () => {
      const database = await open();
      await migrate(database, [first, second]);
      expect(await migrate(database, [first, second])).toEqual([]);
      expect((await database.query("select * from one")).rowCount).toBe(1);
    });

    it("[ST-3] applies once when several come at the same time", async () => {
      const databases = [await open(), await openAgain(), await openAgain(), await openAgain()];
      const applied = await Promise.all(databases.map((database) => migrate(database, [first, second])));
      expect(applied.flat().sort()).toEqual(["0001-first", "0002-second"]);
    });

    it("records a migration with when and what", async () => {
      const database = await open();
      await migrate(database, [first]);
      const { rows } = await database.query("select id, applied_at, checksum from pml_migration");
      expect(rows).toEqual([
        { id: "0001-first", applied_at: expect.any(Date), checksum: expect.stringMatching(/^[0-9a-f]{64}$/) },
      ]);
    });

    it("leaves nothing of a migration that fails, and keeps those before it", async () => {
      const database = await open();
      await expect(migrate(database, [first, broken])).rejects.toMatchObject({
        code: "STORE_FAILED",
        message: expect.stringMatching(/^Cannot migrate the store: syntax error/),
        data: { sqlstate: "42601" },
      });
      const { rows } = await database.query(
        "select to_regclass('one') is null as one, to_regclass('two') is null as two",
      );
      expect(rows).toEqual([{ one: false, two: true }]);
      expect(await migrate(database, [first, second])).toEqual(["0002-second"]);
    });

    it("refuses a store that a newer PML has written to", async () => {
      const database = await open();
      await migrate(database, [first, second]);
      await expect(migrate(database, [first])).rejects.toMatchObject({
        code: "STORE_FAILED",
        message: "Cannot open the store: a newer PML has written to it (0002-second)",
      });
    });

    it("[SC-3] takes a store that a newer PML has only added to where gateways are upgraded one by one", async () => {
      const database = await open();
      await migrate(database, [first, { ...second, isAdditive: true }]);
      const opened = migrate(database, [first]);
      if (database.kind === "postgres") expect(await opened).toEqual([]);
      else await expect(opened).rejects.toMatchObject({ code: "STORE_FAILED" });
      const third: Migration = { id: "0003-third", statements: ["drop table one"] };
      await migrate(database, [first, second, third]);
      await expect(migrate(database, [first, second])).rejects.toMatchObject({
        message: "Cannot open the store: a newer PML has written to it (0003-third)",
      });
    });

    it("[SC-3] adds to the ledger of a store that is older", async () => {
      const database = await open();
      await migrate(database, [first]);
      await database.query("alter table pml_migration drop column additive");
      expect(await migrate(database, [first])).toEqual([]);
      expect(await migrate(database, [first, { ...second, isAdditive: true }])).toEqual(["0002-second"]);
      const { rows } = await database.query("select id, additive from pml_migration order by id");
      expect(rows).toEqual([
        { id: "0001-first", additive: false },
        { id: "0002-second", additive: true },
      ]);
    });

    it("refuses a migration whose content has changed since it was applied", async () => {
      const database = await open();
      await migrate(database, [first]);
      const edited = { ...first, statements: [...first.statements, "select 1"] };
      await expect(migrate(database, [edited, second])).rejects.toMatchObject({
        code: "STORE_FAILED",
        message:
          'Cannot open the store: migration "0001-first" was applied with different content than in this build',
      });
    });

    it("stays in the schema of the search_path, beside another PML in the same database", async () => {
      const one = await open();
      await migrate(one, [first]);
      const other = await open();
      expect(await migrate(other, [first, second])).toEqual(["0001-first", "0002-second"]);
    });
  });
}
