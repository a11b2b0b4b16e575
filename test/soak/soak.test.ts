import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { IS_FULL } from "../support/sizes.js";
import { endings, latencyTable, quantile } from "./tables.mjs";

const RUN = fileURLToPath(new URL("run.mjs", import.meta.url));
const ROUND = [
  "--minutes",
  "0.3",
  "--gateways",
  "2",
  "--workers",
  "4",
  "--only",
  "gateway killed",
  "--no-throughput",
];

const request = (more: object) => ({
  operation: "look",
  phase: "before",
  ms: 1,
  outcome: "acknowledged",
  ...more,
});

describe("[SC-3] the tables of the soak", () => {
  it("have times of what was acknowledged, and count the rest", () => {
    const requests = [
      request({}),
      request({ ms: 3 }),
      request({ ms: 900, outcome: "unknown", code: "gone 17" }),
    ];
    expect(latencyTable(requests, "before").split("\n").at(-1)).toBe(
      "| all | 2 | 3.0 | 3.0 | 3.0 | 3.0 | 0 | 1 |",
    );
    expect(endings(requests)).toEqual([["before", "unknown", "gone #", 1]]);
    expect(quantile([4, 1, 3, 2], 0.5)).toBe(3);
  });
});

// Minutes of processor time: in the full size only.
if (IS_FULL)
  describe("[SC-3] two gateways on one PostgreSQL, of which one is killed", () => {
    it("lose nothing that was acknowledged, and do nothing twice", { timeout: 600_000 }, async () => {
      const { stdout } = await promisify(execFile)(process.execPath, [RUN, ...ROUND]);
      expect(stdout).toContain("0 faults of the gateways");
    });
  });
