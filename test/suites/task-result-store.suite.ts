import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../../src/base/log.js";
import { PmlError } from "../../src/base/pml-error.js";
import {
  type KeptResult,
  type ResultPage,
  type TaskResultStore,
  TaskResults,
} from "../../src/execution/run/task-results.js";

export interface OpenedResultStore {
  readonly store: TaskResultStore;
  /** A run that was traced: its tasks, and when it was. */
  trace(workflowId: string, tasks: readonly string[], at: Date): Promise<void>;
  count(): Promise<number>;
}

const ada = { org: "local", project: "default", user: "ada" };
const noon = Date.parse("2026-11-16T12:00:00.000Z");
const HOUR = 3_600_000;
const ALL = { offset: 0, limit: 10_000 };

function kept(workflowId: string, taskId: string, more: Partial<KeptResult> = {}): KeptResult {
  return { workflowId, taskId, scope: ada, expiresAt: new Date(noon + HOUR), ...more };
}

export function describeTaskResultStore(name: string, open: () => Promise<OpenedResultStore>): void {
  describe(`TaskResultStore: ${name}`, () => {
    let opened: OpenedResultStore;
    let store: TaskResultStore;
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });

    it("[FP-11] cuts pages by characters, and none in two", async () => {
      const text = JSON.stringify({ say: "aé漢😀😀b", "\u0000": "\ud800" });
      await store.add([kept("w", "n1", { text })]);
      const all = Array.from(text);
      for (let offset = 0; offset < all.length + 3; offset += 1) {
        const page = await store.page({ workflowId: "w", taskId: "n1" }, offset, 2);
        expect(page).toMatchObject({ content: all.slice(offset, offset + 2).join(""), total: all.length });
      }
      expect(await store.whole({ workflowId: "w", taskId: "n1" })).toMatchObject({
        content: text,
        scope: ada,
      });
    });

    it("[EX-10] knows neither task nor run that was never kept", async () => {
      await store.add([kept("w", "n1", { text: "1" })]);
      expect(await store.page({ workflowId: "w", taskId: "n2" }, 0, 10)).toBeUndefined();
      expect(await store.page({ workflowId: "\u0000", taskId: "n1" }, 0, 10)).toBeUndefined();
      expect(await store.run("other")).toBeUndefined();
    });

    it("[EX-10] keeps the later of two results of a task, and takes strange ids", async () => {
      const id = "n1.a\u0000\\ 😀#2";
      await store.add([kept("w", id, { text: "1" }), kept("w", "n2", { text: "2" })]);
      await store.add([kept("w", id, { text: "[3]" })]);
      expect(await store.whole({ workflowId: "w", taskId: id })).toMatchObject({ content: "[3]" });
      expect(new Set((await store.run("w"))?.tasks)).toEqual(new Set([id, "n2"]));
    });

    it("adds all results or none", async () => {
      await expect(
        store.add([kept("w", "n1", { text: "1" }), kept("w", "n2", { text: "no json" })]),
      ).rejects.toMatchObject({ code: "STORE_FAILED" });
      expect(await store.run("w")).toBeUndefined();
    });

    it("[EX-10] tells tasks of a run from its trace too", async () => {
      const at = new Date(noon);
      await opened.trace("w", ["n1", "n2"], at);
      expect(await store.run("w")).toEqual({ scope: ada, tasks: ["n1", "n2"], ranAt: at });
    });

    it("[EX-10] empties what has expired, and forgets it later", async () => {
      const old = new Date(noon - 1);
      await store.add([
        kept("w", "old", { text: '"old"', expiresAt: old }),
        kept("w", "large", { notKept: "it is too large", expiresAt: old }),
        kept("w", "new", { text: '"new"' }),
      ]);
      expect(await store.prune(new Date(noon), new Date(noon - HOUR))).toBe(1);
      const emptied = await store.page({ workflowId: "w", taskId: "old" }, 0, 10);
      expect(emptied).toEqual({ scope: ada, expiresAt: old, total: 0 });
      expect(await store.whole({ workflowId: "w", taskId: "new" })).toMatchObject({ content: '"new"' });
      await store.prune(new Date(noon), new Date(noon));
      expect((await store.run("w"))?.tasks).toEqual(["new"]);
    });
  });

  describe(`results of tasks: ${name}`, () => {
    let opened: OpenedResultStore;
    let now: number;
    let results: TaskResults;
    beforeEach(async () => {
      opened = await open();
      now = noon;
      results = resultsOn(opened.store);
    });
    afterEach(() => results.stop());

    const me = { scope: ada, byPerson: false };
    const resultsOn = (store: TaskResultStore) =>
      new TaskResults({ store, log: silentLog, ttlSeconds: 3_600, now: () => now });

    async function refusal(
      taskId: string,
      more: { workflowId?: string; by?: typeof me } = {},
    ): Promise<PmlError> {
      const { workflowId = "w", by = me } = more;
      const error = await results
        .page({ workflowId, taskId, ...ALL, format: "raw" }, by)
        .catch((thrown: unknown) => thrown);
      if (error instanceof PmlError) return error;
      throw new Error(`Expected a refusal, got ${JSON.stringify(error)}`);
    }

    async function whole(
      from: TaskResults,
      taskId: string,
      format: "raw" | "pretty",
      limit: number,
    ): Promise<string> {
      const parts: string[] = [];
      for (let offset: number | undefined = 0; offset !== undefined; ) {
        const page: ResultPage = await from.page({ workflowId: "w", taskId, offset, limit, format }, me);
        expect(page.offset).toBe(offset);
        parts.push(page.content);
        offset = page.next_offset;
      }
      return parts.join("");
    }

    it("[EX-10] a result that the answer cuts is in the store once the run is settled, for any gateway", async () => {
      const text = JSON.stringify("x".repeat(300));
      results.add({ workflowId: "w", taskId: "n1", scope: ada, text });
      await results.settled("w");
      expect(await whole(resultsOn(opened.store), "n1", "raw", 50)).toBe(text);
      expect(await opened.count()).toBe(1);
    });

    it("[EX-10] short results wait for no store, and are there at once", async () => {
      for (let at = 1; at <= 20; at += 1)
        results.add({ workflowId: "w", taskId: `n${at}`, scope: ada, text: String(at) });
      await results.settled("w");
      expect(await opened.count()).toBe(0);
      expect(await whole(results, "n20", "raw", 50)).toBe("20");
      await results.flush();
      expect(await opened.count()).toBe(20);
      expect(await whole(results, "n20", "raw", 50)).toBe("20");
    });

    it("[EX-10] [FP-11] pages from memory and from the store are the same, indented ones too", async () => {
      const value = {
        text: 'é漢😀\u0000\ud800"\\',
        list: [1, [], {}, [{ a: [null, true] }]],
        image: "iVBORw0KGgo=",
      };
      const text = JSON.stringify({ value, long: "😀".repeat(200) });
      const pretty = JSON.stringify(JSON.parse(text), null, 2);
      results.add({ workflowId: "w", taskId: "n1", scope: ada, text });
      for (const from of ["memory", "store"]) {
        if (from === "store") await results.flush();
        for (const limit of [13, 1_000]) {
          expect(await whole(results, "n1", "raw", limit), `${from} ${limit}`).toBe(text);
          expect(await whole(results, "n1", "pretty", limit), `${from} ${limit}`).toBe(pretty);
        }
      }
    });

    it("[EX-10] tells that a result has expired, also when it is out of the store", async () => {
      results.add({ workflowId: "w", taskId: "n1", scope: ada, text: "1" });
      now += HOUR - 1;
      expect(await whole(results, "n1", "raw", 10)).toBe("1");
      now += 1;
      expect(await refusal("n1")).toMatchObject({ code: "RESULT_EXPIRED" });
      await results.flush();
      expect(await refusal("n1")).toMatchObject({ code: "RESULT_EXPIRED" });
      await results.prune();
      expect(await refusal("n1")).toMatchObject({ code: "RESULT_EXPIRED" });
      await opened.trace("w", ["n1"], new Date(noon));
      now += 48 * HOUR;
      await results.prune();
      expect(await opened.count()).toBe(0);
      expect(await refusal("n1")).toMatchObject({ code: "RESULT_EXPIRED" });
      await results.stop();
    });

    it("[EX-10] names the tasks that there are", async () => {
      results.add({ workflowId: "w", taskId: "n1", scope: ada, text: "1" });
      await results.flush();
      results.add({ workflowId: "w", taskId: "n2", scope: ada, text: "2" });
      const error = await refusal("n3");
      expect(error).toMatchObject({ code: "TASK_NOT_FOUND", data: { tasks: ["n1", "n2"] } });
      expect(error.hint).toBe("The run has n1, n2.");
      await opened.trace("plain", [], new Date(noon));
      expect(await refusal("n1", { workflowId: "plain" })).toMatchObject({
        hint: "The run called no tools.",
      });
      await opened.trace("w", ["n1", "n2", "cap"], new Date(noon));
      expect((await refusal("cap")).message).toBe("Task cap has no result of its own");
    });

    it("[EX-10] others are told what is told of a run that never was; a person reads all of the project", async () => {
      results.add({ workflowId: "w", taskId: "n1", scope: ada, text: "1" });
      const others = [
        { ...ada, user: "bob" },
        { ...ada, project: "other" },
        { ...ada, org: "other" },
      ];
      for (const from of ["memory", "store"]) {
        if (from === "store") await results.flush();
        for (const scope of others)
          for (const taskId of ["n1", "n9"]) {
            const error = await refusal(taskId, { by: { scope, byPerson: false } });
            const never = await refusal(taskId, { workflowId: "x", by: { scope, byPerson: false } });
            expect({ ...error, message: error.message.replace("w", "x") }).toEqual({
              ...never,
              message: never.message,
            });
            expect(error.code).toBe("RUN_NOT_FOUND");
          }
        const request = { workflowId: "w", taskId: "n1", ...ALL, format: "raw" } as const;
        const bob = { scope: { ...ada, user: "bob" }, byPerson: true };
        expect(await results.page(request, bob)).toMatchObject({ content: "1" });
      }
      for (const scope of others.slice(1))
        expect(await refusal("n1", { by: { scope, byPerson: true } })).toMatchObject({
          code: "RUN_NOT_FOUND",
        });
    });

    it("[EX-10] keeps 8 MiB of one result and 64 MiB of one run, and says what it did not keep", async () => {
      const large = (mib: number) => JSON.stringify("é".repeat((mib * 1_048_576) / 2 - 1));
      results.add({ workflowId: "w", taskId: "fits", scope: ada, text: large(8) });
      results.add({ workflowId: "w", taskId: "over", scope: ada, text: large(8.5) });
      await results.settled("w");
      const page = { workflowId: "w", taskId: "fits", offset: 4_194_300, limit: 100, format: "raw" } as const;
      expect(await results.page(page, me)).toEqual({
        content: `éééé"`,
        offset: 4_194_300,
        length: 5,
        total: 4_194_305,
      });
      for (const from of ["first", "other"]) {
        if (from === "other") results = resultsOn(opened.store);
        expect((await refusal("over")).message).toBe(
          "The result of task over was not kept: it is larger than 8 MiB",
        );
      }
      // They stay in memory: it takes a while to write them all.
      results = resultsOn({ ...bound(opened.store), add: () => away() });
      const text = JSON.stringify("x".repeat(8_000_000));
      for (let at = 1; at <= 9; at += 1) results.add({ workflowId: "r", taskId: `n${at}`, scope: ada, text });
      expect((await refusal("n9", { workflowId: "r" })).message).toContain("larger than 64 MiB");
      for (let at = 1; at <= 9; at += 1) results.add({ workflowId: "s", taskId: `n${at}`, scope: ada, text });
      results.add({ workflowId: "t", taskId: "n1", scope: ada, text });
      expect((await refusal("n1", { workflowId: "t" })).message).toContain("fast enough");
    });

    it("[EX-10] a result that the store refuses takes no other with it", async () => {
      const deep = `${"[".repeat(5_000)}${"]".repeat(5_000)}`;
      results.add({ workflowId: "w", taskId: "n1", scope: ada, text: "1" });
      results.add({ workflowId: "w", taskId: "deep", scope: ada, text: deep });
      results.add({ workflowId: "w", taskId: "refused", scope: ada, text: `{no json${" ".repeat(300)}` });
      results.add({ workflowId: "w", taskId: "n2", scope: ada, text: "2" });
      await results.settled("w");
      expect(await opened.count()).toBe(4);
      expect(await whole(results, "n1", "raw", 10)).toBe("1");
      expect(await whole(results, "deep", "raw", 10_000)).toBe(deep);
      expect(await whole(results, "n2", "raw", 10)).toBe("2");
      expect(await refusal("refused")).toMatchObject({ code: "LIMIT_EXCEEDED" });
    });

    it("[EX-10] while the store is away results wait in memory, no answer waits for ever, and all is written later", async () => {
      let isAway = true;
      results = resultsOn({
        ...bound(opened.store),
        add: (rows) => (isAway ? away() : opened.store.add(rows)),
      });
      const text = JSON.stringify("x".repeat(300));
      results.add({ workflowId: "w", taskId: "n1", scope: ada, text });
      await results.settled("w");
      expect(await whole(results, "n1", "raw", 100)).toBe(text);
      isAway = false;
      await results.stop();
      expect(await whole(resultsOn(opened.store), "n1", "raw", 100)).toBe(text);
    });
  });
}

function away(): Promise<never> {
  return Promise.reject(new PmlError("STORE_FAILED", "Cannot use the store: it is away"));
}

function bound(store: TaskResultStore): TaskResultStore {
  return {
    add: (rows) => store.add(rows),
    page: (key, offset, limit) => store.page(key, offset, limit),
    whole: (key) => store.whole(key),
    run: (id) => store.run(id),
    prune: (now, forget) => store.prune(now, forget),
  };
}
