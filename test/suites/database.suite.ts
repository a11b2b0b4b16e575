import { beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../../src/postgres/database.js";
import { SqlError } from "../../src/postgres/sql-error.js";

/** Tests the behaviour that every driver must have; `open` gives an empty schema. */
export function describeDatabase(name: string, open: () => Promise<Database>): void {
  describe(`Database: ${name}`, () => {
    let database: Database;
    beforeEach(async () => {
      database = await open();
      await database.query("create table item (id int primary key, label text)");
    });

    const labels = async (): Promise<string> => {
      const { rows } = await database.query<{ label: string }>("select label from item order by id");
      return rows.map(({ label }) => label).join(" ");
    };

    describe("values", () => {
      it.each([
        ["int8 within 2^53", "'9007199254740991'::int8", 9_007_199_254_740_991],
        ["int8 beyond 2^53", "'9007199254740993'::int8", 9_007_199_254_740_993n],
        ["count", "(select count(*) from item)", 0],
        ["numeric", "1.50::numeric", "1.50"],
        ["float8", "0.1::float8", 0.1],
        ["bool", "true", true],
        ["null", "null::text", null],
        ["timestamptz", "'2026-11-15T12:34:56.789Z'::timestamptz", new Date("2026-11-15T12:34:56.789Z")],
        ["jsonb", `'{"a":[1,null,"ü"]}'::jsonb`, { a: [1, null, "ü"] }],
        [
          "json keeps escapes that jsonb refuses",
          String.raw`'{"a":"\u0000\ud800"}'::json`,
          { a: "\0\ud800" },
        ],
        ["bytea", String.raw`'\x00ff10'::bytea`, new Uint8Array([0, 255, 16])],
        ["text[]", "array['a', null, 'c\"d']", ["a", null, 'c"d']],
      ])("[ST-1] %s comes back as the same JavaScript value everywhere", async (_, sql, expected) => {
        const { rows } = await database.query<{ value: unknown }>(`select ${sql} as value`);
        expect(rows).toStrictEqual([{ value: expected }]);
      });

      it.each([
        ["text", "text", `quote ' and \\ and "`],
        ["number", "int", 7],
        ["bigint", "int8", 9_007_199_254_740_993n],
        ["boolean", "bool", false],
        ["null", "text", null],
        ["date", "timestamptz", new Date("2026-01-02T03:04:05.678Z")],
        ["bytes", "bytea", new Uint8Array([1, 0, 254])],
        ["array", "text[]", ["a,b", 'c"d', "e\\f", "{}", "null", null]],
      ])("[ST-1] a %s goes in and comes out", async (_, type, value) => {
        const { rows } = await database.query<{ value: unknown }>(`select $1::${type} as value`, [value]);
        expect(rows).toStrictEqual([{ value }]);
      });

      it("keeps a view into a larger buffer to its own bytes", async () => {
        const view = new Uint8Array([9, 1, 2, 3, 9]).subarray(1, 4);
        const { rows } = await database.query<{ value: unknown }>("select $1::bytea as value", [view]);
        expect(rows).toStrictEqual([{ value: new Uint8Array([1, 2, 3]) }]);
      });
    });

    it("counts the rows that a statement touched", async () => {
      const { rows, rowCount } = await database.query("insert into item values (1, 'a'), (2, 'b')");
      expect({ rows, rowCount }).toEqual({ rows: [], rowCount: 2 });
    });

    it("runs a named statement again with other values, and after an error", async () => {
      const insert = { name: "item_insert", text: "insert into item values ($1, $2)" };
      await database.query(insert, [1, "a"]);
      await expect(database.query(insert, [1, "b"])).rejects.toMatchObject({ code: "23505" });
      await database.query(insert, [2, "c"]);
      expect(await labels()).toBe("a c");
    });

    it("takes one statement at a time", async () => {
      await expect(database.query("select 1; select 2")).rejects.toMatchObject({ code: "42601" });
    });

    it.each([
      ["23505", "insert into item values (1, 'a'), (1, 'b')"],
      ["23502", "insert into item values (null, 'a')"],
      ["42P01", "select * from nowhere"],
      ["42601", "selec 1"],
      ["22P02", "select 'x'::int"],
    ])("gives SQLSTATE %s for %s", async (code, sql) => {
      const error = await database.query(sql).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(SqlError);
      expect(error).toMatchObject({ code });
    });

    it("names the constraint that refused", async () => {
      await expect(database.query("insert into item values (1, 'a'), (1, 'b')")).rejects.toMatchObject({
        constraint: "item_pkey",
      });
    });

    describe("transaction", () => {
      it("commits what its work has done and gives back its result", async () => {
        const result = await database.transaction(async (transaction) => {
          await transaction.query("insert into item values (1, 'a')");
          return "done";
        });
        expect([result, await labels()]).toEqual(["done", "a"]);
      });

      it("rolls everything back when its work throws, and passes the error on", async () => {
        const failing = database.transaction(async (transaction) => {
          await transaction.query("insert into item values (1, 'a')");
          throw new Error("changed my mind");
        });
        await expect(failing).rejects.toThrow("changed my mind");
        expect(await labels()).toBe("");
      });

      it("does not pretend to commit when a failed statement was caught inside", async () => {
        const swallowing = database.transaction(async (transaction) => {
          await transaction.query("insert into item values (1, 'a')");
          await transaction.query("insert into item values (1, 'b')").catch(() => undefined);
        });
        await expect(swallowing).rejects.toMatchObject({ code: "STORE_FAILED" });
        expect(await labels()).toBe("");
      });

      it("refuses another transaction inside, with the reason", async () => {
        const nested = database.transaction(() => database.transaction(async () => undefined));
        await expect(nested).rejects.toMatchObject({
          code: "STORE_FAILED",
          message: "Cannot begin a transaction: already inside a transaction",
        });
      });

      it("refuses a query beside its own handle, where PGlite would wait for itself", async () => {
        const beside = database.transaction(() => database.query("select 1"));
        await expect(beside).rejects.toMatchObject({
          code: "STORE_FAILED",
          message: "Cannot query the database: already inside a transaction",
        });
      });

      it("lets what was started inside query once the transaction is over", async () => {
        let later: Promise<string> | undefined;
        await database.transaction(async () => {
          later = new Promise((resolve) => setTimeout(resolve, 20)).then(labels);
        });
        expect(await later).toBe("");
      });

      it("refuses its handle after the end", async () => {
        const handle = await database.transaction(async (transaction) => ({ transaction }));
        await expect(handle.transaction.query("select 1")).rejects.toMatchObject({
          message: "Cannot query in a transaction: it has ended",
        });
      });

      it("goes on after a refused or failed transaction", async () => {
        await database.transaction(() => database.query("select 1")).catch(() => undefined);
        await database.query("insert into item values (1, 'a')");
        expect(await labels()).toBe("a");
      });

      it("keeps concurrent transactions apart: no increment is lost", async () => {
        await database.query("insert into item values (1, '0')");
        const increment = () =>
          database.transaction(async (transaction) => {
            const { rows } = await transaction.query<{ label: string }>(
              "select label from item where id = 1 for update",
            );
            await transaction.query("update item set label = $1 where id = 1", [
              `${Number(rows[0]?.label) + 1}`,
            ]);
          });
        await Promise.all(Array.from({ length: 25 }, increment));
        expect(await labels()).toBe("25");
      });

      it("hides its rows from queries outside until it commits", async () => {
        let outside: Promise<string> | undefined;
        let askOutside: () => void = () => undefined;
        const asked = new Promise<void>((resolve) => {
          askOutside = resolve;
        });
        // Called outside of the transaction's context, like another request.
        const question = asked.then(() => {
          outside = labels();
        });
        await database
          .transaction(async (transaction) => {
            await transaction.query("insert into item values (1, 'a')");
            askOutside();
            await question;
            throw new Error("never mind");
          })
          .catch(() => undefined);
        expect(await outside).toBe("");
      });
    });
  });
}
