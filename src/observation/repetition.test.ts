import { describe, expect, it } from "vitest";
import type { Json } from "../base/canonical-json.js";
import { countValues, flowOf } from "./data-flow.js";

/** The steps of a session that lists, and then asks for one item after the other: `items` or `one`. */
function steps(results: readonly Json[], asked: readonly Json[], other: Record<string, Json> = {}) {
  const session = {
    id: "one",
    calls: [
      ...results.map((result) => ({ tool: "a:list", arguments: {}, result })),
      ...asked.map((id) => ({ tool: "a:get", arguments: { id, ...other }, result: { found: true } })),
    ],
  };
  return flowOf(session, countValues([session]))
    .steps.filter(({ tool }) => tool === "a:get")
    .map(({ calls, loop }) => (loop === undefined ? "one" : `loop of ${calls.length}`));
}

describe("[LC-1] calls for all items of a list are one loop", () => {
  const ids = ["id_101", "id_102", "id_103"];

  it("of a list in a result, of a result that is a list, and of a field of all items", () => {
    expect(steps([{ ids }], ids)).toEqual(["loop of 3"]);
    expect(steps([ids], ids)).toEqual(["loop of 3"]);
    expect(steps([{ items: ids.map((id) => ({ id, name: "same" })) }], ids)).toEqual(["loop of 3"]);
  });

  it("of the longest of several lists that begin with the same item", () => {
    const lists = [{ ids: ids.slice(0, 2) }, { ids }, { ids: [...ids, "id_104"] }];
    expect(steps(lists, ids)).toEqual(["loop of 3"]);
    expect(steps([ids.slice(0, 2), ids], ids)).toEqual(["loop of 3"]);
    expect(steps(lists, ids.slice(0, 2))).toEqual(["loop of 2"]);
  });

  it("and not of a list that only begins so, is in another order, or has other values", () => {
    expect(steps([{ ids }], ids.slice(0, 2))).toEqual(["one", "one"]);
    expect(steps([{ ids }], ids.toReversed())).toEqual(["one", "one", "one"]);
    expect(steps([{ ids: ["id_101", "id_109", "id_103"] }], ids)).toEqual(["one", "one", "one"]);
    expect(steps([{ ids: ["7001", "7002"] }], [7001, 7002])).toEqual(["one", "one"]);
  });
});
