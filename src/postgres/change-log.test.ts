import { beforeAll, describe, expect, it, vi } from "vitest";
import { insertRecord, newId } from "../../test/support/change-feeds.js";
import { databases, PGLITE } from "../../test/support/databases.js";
import { ChangeLog } from "./change-feed.js";
import type { Database } from "./database.js";
import { migrate } from "./migrate.js";
import { MIGRATIONS } from "./migrations/index.js";

const SERVERS = databases().filter(({ name }) => name !== "PGlite");

describe.each(SERVERS.map((target) => [target.name, target] as const))("pruning on %s", (_, target) => {
  let writer: Database;
  let reader: Database;
  beforeAll(async () => {
    writer = await target.open();
    await migrate(writer, MIGRATIONS);
    reader = await target.openAgain();
  });

  const logged = async (id: string) =>
    (await writer.query("select from change_log where id = $1", [id])).rowCount;

  it("forgets what was committed long ago, and not what is kept", async () => {
    const log = new ChangeLog(writer);
    const id = newId();
    await insertRecord(writer, id);
    await log.prune(3_600_000);
    await log.prune(3_600_000);
    expect(await logged(id)).toBe(1);
    // Open transactions of other tests on the same server may delay it.
    await vi.waitFor(
      async () => {
        await log.prune(0);
        expect(await logged(id)).toBe(0);
      },
      { timeout: 20_000 },
    );
  });

  it("[ST-3] never forgets what was committed just now, however long ago it was written", async () => {
    const id = newId();
    const log = new ChangeLog(reader);
    await writer.transaction(async (transaction) => {
      await insertRecord(transaction, id);
      for (let times = 0; times < 3; times += 1) await log.prune(0);
    });
    await log.prune(0);
    expect(await logged(id)).toBe(1);
  });

  it("is done by one gateway at a time", async () => {
    const logs = [new ChangeLog(writer), new ChangeLog(reader)];
    await Promise.all(logs.flatMap((log) => [log.prune(0), log.prune(0)]));
  });
});

it("[ST-1] nothing is logged in an embedded store, which has one gateway", async () => {
  const database = await PGLITE.open();
  await migrate(database, MIGRATIONS);
  await insertRecord(database, newId());
  await database.query("update capability_records set tags = '{new}'");
  await database.query("insert into trusted_keys (public_key, name, trusted_by) values ('k', 'x', 'me')");
  expect((await database.query("select * from change_log")).rows).toEqual([]);
});
