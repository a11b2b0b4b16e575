import { describe, expect, it } from "vitest";
import { type Recording, recordingsFor } from "../../registry/recording.js";
import { branchesOf, chooseRecordings } from "./choose-recordings.js";
import { withoutSecrets } from "./hide-secrets.js";

function recording(
  args: Recording["args"],
  decisions: readonly string[],
  more: Partial<Recording> = {},
): Recording {
  return { format: 1, structure: "s", args, calls: [], result: null, path: ["n1"], decisions, ...more };
}

describe("[SW-1] recordings", () => {
  it("are chosen so that every branch seen is covered, and few of one way", () => {
    const same = Array.from({ length: 20 }, (_, n) => recording({ n }, ["d1=true"]));
    const rare = [recording({ n: 50 }, ["d1=false"]), recording({ n: 51 }, ["d1=true", "l1=0"])];
    const chosen = chooseRecordings([], [...same, ...rare]);
    const covered = new Set(chosen.flatMap(branchesOf));
    expect([...same, ...rare].flatMap(branchesOf).every((branch) => covered.has(branch))).toBe(true);
    expect(chosen.length).toBeLessThan(8);
  });

  it("stay the same where they are recorded again", () => {
    const kept = [recording({ n: 1 }, ["d1=true"])];
    expect(chooseRecordings(kept, [recording({ n: 1 }, ["d1=true"], { result: 7 })])).toEqual(kept);
  });

  it("have no secrets, and the same placeholder everywhere", () => {
    const secret = "hunter2-hunter2";
    const made = withoutSecrets(
      recording({ password: secret }, [], {
        calls: [{ task: "n1", tool: "s:t", args: { header: `Basic ${secret}` }, result: { echo: secret } }],
        result: [secret],
      }),
    );
    expect(JSON.stringify(made)).not.toContain(secret);
    expect(made.calls[0]?.args).toEqual({ header: "Basic secret-1" });
    expect(made.result).toEqual(["secret-1"]);
  });

  it("[FP-28] of the newest version up to the tested one are used", () => {
    const kept = (version: number) => ({ version, digest: "", recording: recording({}, []) });
    const all = [kept(1), kept(3)];
    expect([1, 2, 3, 4].map((version) => recordingsFor(all, version).map((one) => one.version))).toEqual([
      [1],
      [1],
      [3],
      [3],
    ]);
    expect(recordingsFor([kept(3)], 2)).toEqual([]);
  });
});
