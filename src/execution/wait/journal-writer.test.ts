import { expect, it } from "vitest";
import { JournalWriter } from "../wait/run-journal.js";
import type { JournalEntry } from "../wait/workflow-store.js";

const entry = (seq: number): JournalEntry => ({ kind: "sent", seq });
const turn = () => new Promise((resolve) => setImmediate(resolve));

it("[EX-8] nothing is written or reported as written after an entry that failed", async () => {
  const tried: number[][] = [];
  const failures: string[] = [];
  const done: number[] = [];
  const writer = new JournalWriter(
    async (entries) => {
      tried.push(entries.map((one) => (one.kind === "sent" ? one.seq : 0)));
      if (tried.length === 2) throw new Error("away");
    },
    ({ code }) => failures.push(code),
  );
  for (const seq of [1, 2, 3]) {
    void writer.put(entry(seq)).then(() => done.push(seq));
    await turn();
  }
  await writer.flushed();
  expect({ tried, failures, done }).toEqual({ tried: [[1], [2]], failures: ["STORE_FAILED"], done: [1] });
});
