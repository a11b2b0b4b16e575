import { describe, expect, it } from "vitest";
import { countValues, flowOf } from "./data-flow.js";
import { knowableOf } from "./knowable.js";
import { atOnce } from "./pieces.js";
import { tiedRuns } from "./tied-runs.js";

/** Two calls, the second with a value of the result of the first. */
function pair(who: string, field: "id" | "key", before = 0) {
  const value = `${field}_${who}_71`;
  return [
    ...Array.from({ length: before }, (_, i) => ({ tool: "b:stat", arguments: { i }, result: {} })),
    { tool: "a:make", arguments: { who }, result: { [field]: value } },
    { tool: "a:use", arguments: { value }, result: true },
  ];
}

function runs(sessions: readonly (readonly ReturnType<typeof pair>[number][])[]) {
  const recorded = sessions.map((calls, i) => ({ id: `s${i}`, calls }));
  const counts = countValues(recorded);
  const flows = recorded.map((session) => flowOf(session, counts));
  return [...atOnce(tiedRuns(flows, atOnce(knowableOf(flows))))].map(([flow, { occurrences }]) => [
    flow,
    occurrences.map(({ session, at }) => `${session}: ${at}`),
  ]);
}

describe("[LC-2] calls of one session that share values", () => {
  it("are the same run wherever they stand, and another where the value came from elsewhere", () => {
    expect(runs([pair("ada", "id"), pair("bob", "id", 2), pair("eve", "key")])).toEqual([
      [`a:make() a:use(["value"]=0result["id"])`, ["0: 0,1", "1: 2,3"]],
      [`a:make() a:use(["value"]=0result["key"])`, ["2: 0,1"]],
    ]);
  });
});
