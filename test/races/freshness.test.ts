/**
 * What one gateway changes, another on the same PostgreSQL answers with: at once where it is not in memory, and else
 * as soon as the feed has told. How long that took is printed; that it happens is what is asserted.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { sized } from "../support/sizes.js";
import { type Deed, openTrack, type Racer } from "./racers.js";

const ROUNDS = sized(50, 15);
/** Far more than the second that is promised: machines that run tests are busy. */
const PATIENCE_MS = 20_000;

let writer: Racer;
let reader: Racer;
beforeAll(async () => {
  const track = await openTrack("fresh");
  [writer, reader] = (await track.racers("ada", "bob")) as [Racer, Racer];
});

const lags: number[] = [];

/** The reader asks without a pause while the writer makes the change. */
async function follows(change: Deed, question: Deed, expected: string): Promise<void> {
  const watching = reader.watch(question, expected, PATIENCE_MS);
  const made = await writer.timed(change);
  expect(made.answer).toMatch(/^\+/);
  const seen = await watching;
  expect(seen.answer).toBe(expected);
  lags.push(Math.max(0, seen.at - made.at));
  // What is known is not forgotten again.
  expect(await reader.all([question, question, question])).toEqual([expected, expected, expected]);
  // The gateway that made the change knows it at once.
  if (change.visibility === undefined) expect(await writer.one(question)).toBe(expected);
}

describe("[ST-4] another process's memory", { timeout: 300_000 }, () => {
  it(`[ID-5] [ID-6] [ID-7] [ID-11] [ID-12] follows ${ROUNDS * 7} changes`, async () => {
    // By its version: another user gets a new one without it only when it has proved itself [SW-3].
    const find = (text: string, version = "@v2"): Deed => ({ do: "find", text: `${text}${version}` });
    for (let round = 0; round < ROUNDS; round += 1) {
      const [first, second] = [`fresh:a${round}`, `fresh:b${round}`];
      const learn = (code: string): Deed => ({ do: "learn", code, name: first, update: true });
      const fqdn = `acme.fresh.fresh.a${round}`;
      const learnt = await writer.one(learn(`return ${round}`));
      const full = /^\+created (.*)@1$/.exec(learnt)?.[1] ?? learnt;
      // The reader has it in memory from here on.
      expect(await reader.one(find(first, ""))).toBe(`+${full}@1`);
      await follows(learn(`return -${round + 1}`), find(first), `+${full}@2`);
      await follows({ do: "rename", fqdn: full, name: second }, find(first), `+${full}@2 by an alias`);
      expect(await reader.one(find(second))).toBe(`+${full}@2`);
      await follows({ do: "rename", fqdn: full, visibility: "private" }, find(full), "CAPABILITY_NOT_FOUND");
      await follows({ do: "rename", fqdn: full, visibility: "project" }, find(fqdn), `+${full}@2`);
      await follows({ do: "delete", fqdn: full }, find(second), "CAPABILITY_DELETED");
      await follows({ do: "undelete", fqdn: full }, find(first), `+${full}@2 by an alias`);
      await follows({ do: "rename", fqdn: full, name: first }, find(first), `+${full}@2`);
    }
    const sorted = [...lags].sort((a, b) => a - b);
    const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)];
    console.log(JSON.stringify({ changes: sorted.length, msP50: at(0.5), msP95: at(0.95), msMax: at(1) }));
  });
});
