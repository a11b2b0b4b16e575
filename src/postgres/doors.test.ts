import { describe, expect, it } from "vitest";
import { databases } from "../../test/support/databases.js";
import { type AuditFact, checkChain, nextEntry } from "../registry/audit.js";
import { PostgresAccessTokenRows } from "./access-token-store.js";
import { PostgresAuditRows } from "./audit-store.js";
import { migrate } from "./migrate.js";
import { MIGRATIONS } from "./migrations/index.js";

describe.each(databases())("on $name", ({ open, openAgain }) => {
  it("[DO-1] keeps tokens, by name, without the tokens themselves", async () => {
    const database = await open();
    await migrate(database, MIGRATIONS);
    const rows = new PostgresAccessTokenRows(database);
    const row = {
      name: "laptop",
      role: "reader",
      scope: { org: "acme", project: "web", user: "ada" },
      hash: "a".repeat(64),
      createdBy: "ada@acme",
      createdAt: new Date(1_000),
      expiresAt: new Date(2_000),
      signature: "sig",
    } as const;
    expect([await rows.add(row), await rows.add({ ...row, hash: "b".repeat(64) })]).toEqual([true, false]);
    expect(await rows.list()).toEqual([row]);
    await rows.used(new Map([["laptop", new Date(5_000)]]));
    await rows.used(new Map([["laptop", new Date(4_000)]]));
    expect(await rows.list()).toEqual([{ ...row, lastUsedAt: new Date(5_000) }]);
    expect([await rows.remove("laptop"), await rows.remove("laptop")]).toEqual([true, false]);
  });

  it("[DO-6] appends to one chain from several gateways, and refuses changes", async () => {
    const database = await open();
    await migrate(database, MIGRATIONS);
    const both = [database, await openAgain()].map((one) => new PostgresAuditRows(one));
    const fact = (subject: string): AuditFact => ({
      at: new Date(1_234),
      actor: "ada@acme",
      role: "person",
      via: "terminal",
      org: "acme",
      project: "web",
      operation: "cap:verify",
      subject,
      outcome: "done",
    });
    await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        both[n % 2]?.append((last) => nextEntry(fact(`it ${n}\u0000\\`), last)),
      ),
    );
    const rows = both[0] as PostgresAuditRows;
    expect(await checkChain(rows, undefined)).toEqual({ isWhole: true, entries: 12 });
    expect(await rows.newest(2, { org: "acme", project: "web" })).toHaveLength(2);
    expect(await rows.newest(2, { org: "other", project: "web" })).toEqual([]);
    await expect(database.query("update audit_log set actor = 'eve'")).rejects.toThrow(/append-only/);
    await expect(database.query("delete from audit_log")).rejects.toThrow(/append-only/);
  });
});
