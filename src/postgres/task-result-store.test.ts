import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import {
  describeTaskResultStore,
  type OpenedResultStore,
} from "../../test/suites/task-result-store.suite.js";
import { PGLITE, scratchDirectory, storeDatabases, type TestDatabase } from "../../test/support/databases.js";
import { migratedOnce } from "../../test/support/migrated.js";
import { silentLog } from "../base/log.js";
import { type KeptResult, type TaskResultStore, TaskResults } from "../execution/run/task-results.js";
import { PendingRows } from "./pending-rows.js";
import { PostgresTaskResultStore } from "./task-result-store.js";

/** Emptied for each test. */
function emptied(target: TestDatabase): () => Promise<OpenedResultStore> {
  const open = migratedOnce(target);
  return async () => {
    const [database] = await open();
    await database.query("truncate task_results, execution_trace");
    return {
      store: new PostgresTaskResultStore(database),
      trace: async (workflowId, tasks, at) => {
        const outcomes = tasks.map((taskId) => ({ taskId, tool: "a:b", success: true, durationMs: 1 }));
        await database.query(
          `insert into execution_trace (workflow_id, task_results, success, duration_ms, org, project, user_name, executed_at)
           values ($1, $2, true, 1, 'local', 'default', 'ada', $3)`,
          [workflowId, JSON.stringify(outcomes), at],
        );
      },
      count: async () => {
        const { rows } = await database.query<{ readonly n: number }>(
          "select count(*) as n from task_results",
        );
        return rows[0]?.n ?? 0;
      },
    };
  };
}

for (const target of storeDatabases()) describeTaskResultStore(target.name, emptied(target));

describe("[EX-10] a result that its answer cuts short, in an embedded store", () => {
  const scratch = scratchDirectory();
  const openPglite = migratedOnce(PGLITE);
  const scope = { org: "local", project: "default", user: "ada" };
  const long = JSON.stringify("long ".repeat(100));

  async function opened() {
    const [database] = await openPglite();
    await database.query("truncate task_results");
    const directory = mkdtempSync(join(scratch, "cluster-"));
    const pending = new PendingRows(directory);
    await pending.replay(database, silentLog);
    const store = new PostgresTaskResultStore(database, pending);
    const results = new TaskResults({ store, log: silentLog, ttlSeconds: 3_600 });
    const text = () => readFileSync(join(directory, "pml-pending.jsonl"), "utf8");
    const kept = (taskId: string) => store.whole({ workflowId: "w", taskId });
    return { database, directory, results, text, kept };
  }

  it("is in a file when the run is answered, and in the store a little later", async () => {
    const { results, text, kept } = await opened();
    results.add({ workflowId: "w", taskId: "n1", scope, text: long });
    results.add({ workflowId: "w", taskId: "n2", scope, text: "1" });
    await results.settled("w");
    expect(text()).toContain("long long");
    expect(await kept("n1")).toBeUndefined();
    await results.stop();
    expect(text()).toBe("");
    expect(await kept("n1")).toMatchObject({ content: long });
  });

  it("is written by the next process where this one was killed", async () => {
    const { database, directory, results, text, kept } = await opened();
    results.add({ workflowId: "w", taskId: "n1", scope, text: long });
    await results.settled("w");
    const next = new PendingRows(directory);
    await next.replay(database, silentLog);
    next.close();
    expect(await kept("n1")).toMatchObject({ content: long, scope });
    expect(text()).toBe("");
    await results.stop();
  });

  it("is not kept in memory once the store has it, also while its run goes on", async () => {
    const written: WeakRef<KeptResult>[] = [];
    const add = async (batch: readonly KeptResult[]) => {
      written.push(...batch.map((result) => new WeakRef(result)));
    };
    const store = { add } as unknown as TaskResultStore;
    const results = new TaskResults({ store, log: silentLog, ttlSeconds: 3_600 });
    results.add({ workflowId: "w", taskId: "n1", scope, text: long });
    await results.flush();
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    await expect
      .poll(() => {
        collect();
        return written.map((one) => one.deref() === undefined);
      })
      .toEqual([true]);
    await results.settled("w");
    await results.stop();
  });

  it("is waited for where it is larger than what is written twice", async () => {
    const { results, kept } = await opened();
    const huge = JSON.stringify("x".repeat(1_100_000));
    results.add({ workflowId: "w", taskId: "n1", scope, text: huge });
    await results.settled("w");
    expect(await kept("n1")).toMatchObject({ content: huge });
    await results.stop();
  });
});
