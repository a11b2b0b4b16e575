import { describe, expect, it } from "vitest";
import { ended, prepared } from "../../../test/support/cached-runs.js";
import { sampleCapability } from "../../../test/support/sample-capability.js";
import type { PreparedRun } from "../prepare/prepared-run.js";
import { RunTape } from "../run/run-tape.js";
import type { RunEnding } from "../run/runner.js";
import { RecentRuns } from "./recent-runs.js";

const ADA = { org: "acme", project: "web", user: "ada" };
const BOB = { org: "other", project: "shop", user: "bob" };
const capability = sampleCapability("fs:read", { visibility: "public" });

function run(args: PreparedRun["args"]) {
  const plan = { main: { analysis: { structure: { nodes: [], edges: [] } } } };
  const report = { executedPath: [], decisions: [], loops: [] };
  const end = ended();
  return [
    { ...prepared({ args }), plan } as unknown as PreparedRun,
    { ...end, report: { ...end.report, ...report }, tape: new RunTape({ seed: "", startedAt: 0 }) },
    { capability, version: 1 } as unknown as RunEnding,
  ] as const;
}

describe("[DO-2] runs that can be recorded", () => {
  it("are those of the project, also of a capability that everybody sees", async () => {
    const recent = new RecentRuns();
    recent.ended(...run({ n: 1 }), ADA);
    recent.ended(...run({ n: 2 }), BOB);
    const argsOf = async (scope: typeof ADA) =>
      (await recent.of(capability.fqdn, 1, scope)).map(({ args }) => args);
    expect([await argsOf(ADA), await argsOf(BOB)]).toEqual([[{ n: 1 }], [{ n: 2 }]]);
  });

  it("[SW-1] are not those that are too large, and it is known why until one is held", () => {
    const recent = new RecentRuns();
    const [ran, end, ending] = run({ n: 1 });
    const outcome = { ...end.report.outcome, kind: "returned", text: `"${"x".repeat(200_000)}"` } as const;
    const large = { ...end, report: { ...end.report, outcome: outcome as typeof end.report.outcome } };
    recent.ended(ran, large, ending, ADA);
    expect(recent.leftOut(capability.fqdn, 1, ADA)).toBe(
      "its calls or its result have more than 131072 characters",
    );
    expect(recent.leftOut(capability.fqdn, 1, BOB)).toBeUndefined();
    recent.ended(...run({ n: 2 }), ADA);
    expect(recent.leftOut(capability.fqdn, 1, ADA)).toBeUndefined();
  });
});
